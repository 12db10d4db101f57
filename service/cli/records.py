"""Commands on rules and records."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

import click

from inkeek.records import (
    Game,
    GameBuilder,
    IllegalMove,
    Kind,
    LenientBuilder,
    Move,
    OptionError,
    Position,
    RecordError,
    RecordsError,
    Rules,
    Source,
    Turn,
    ruleset_ids,
    visit_games,
    write_game,
)
from inkeek.records.comparison import Parting, differing_options, find_parting, is_compared, other_rules
from inkeek.records.explain import explain_outcome, explain_refusal
from inkeek.records.language import language_ids, load_language
from inkeek.records.rules.ruleset import MAX_FILE, RuleSet, Value, format_value, load_ruleset, write_ruleset_json
from inkeek.records.text import decode_utf8
from inkeek.service.errors import Invalid
from inkeek.service.files import STANDARD, checked_target, lines_of, print_exactly, read_bounded, written_file
from inkeek.service.games.record_check import check_record, check_turns
from inkeek.service.games.rules_answers import ImportErrorJson, OutcomeJson, SownTurnJson, ruleset_json
from inkeek.service.games.rulesets import find_in_folder, folder_files, read_local
from inkeek.service.http.shape import to_builtins
from inkeek.service.settings import Settings, read_settings

from .options import (
    GAME,
    RuleSetType,
    as_json,
    emit,
    emit_or_echo,
    files,
    option_option,
    read_options,
    with_position,
    with_settings,
)
from .record_files import games_in, list_escapes, open_file

language_option = click.option(
    "--language", type=click.Choice(language_ids()), default="en", show_default=True, help="Language of explanations."
)


def quoted(quote: str) -> str:
    """The words of a source before their reading."""
    return f"“{quote}” " if quote else ""


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@as_json("one object per line: `id`, `name`, `title`, `options`, `terms`, `sources`, `text`, `clauses`")
def rulesets(ids: tuple[str, ...], as_json: bool) -> None:
    """List the games; with IDs, their options, sources and how these are read too."""
    local = [] if ids else folder_files(read_settings(os.environ, {}).rules_folder)
    infos = [RuleSetType().convert(id, None, None) for id in ids] or [
        *map(load_ruleset, ruleset_ids()),
        *(file.info for file in local if file.info is not None),
    ]
    for file in local:
        if file.error:
            click.echo(f"{file.path}: {file.error}", err=True)
    for info in infos:
        if as_json:
            emit(ruleset_json(info))
            continue
        click.echo(f"{info.id}: {info.title}")
        if ids:
            for option in info.options:
                allowed = " | ".join(format_value(value) for value in option.allowed)
                attested = " | ".join(format_value(value) for value in option.attested)
                only = "".join(
                    f"; only with {name}={' or '.join(format_value(value) for value in values)}"
                    for name, values in option.needs.items()
                )
                default = format_value(option.default)
                click.echo(f"  -o {option.name}={allowed}, default {default}: {option.says}{only}")
                for mark, text in (("attested", attested), ("decided", option.decided)):
                    if text:
                        click.echo(f"     {mark}: {text}")
            for clause in info.clauses:
                click.echo(f"  {clause.mark}: {quoted(clause.quote)}{clause.reading}")
            for source in info.sources:
                click.echo(f"  Source: {source}")


@click.group()
def rules() -> None:
    """Add local rule sets: games as files, which commands and the service then know. To remove one, remove its file."""


@rules.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@with_settings
def add(settings: Settings, file: Path) -> None:
    """Check the rule set in FILE and copy it into the user's folder. Nothing is copied if something is wrong."""
    data = read_bounded(file, 4 * MAX_FILE)
    info = read_local(decode_utf8(data))
    known = find_in_folder(settings.rules_folder, info.id)
    if known is not None:
        files = folder_files(settings.rules_folder)
        path = next(file.path for file in files if file.info is not None and file.info.id == info.id)
        if write_ruleset_json(known) != write_ruleset_json(info):
            raise OptionError(f"{path} has other rules {info.id}: give these another id, or remove that file first")
        click.echo(f"{info.id} is there already: {path}")
        return
    path = settings.rules_folder / f"{info.id.replace(':', '.')}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_file(path) as target:
        target.write(data)
    looked_in = read_settings(os.environ, {}).rules_folder  # by `play`, which has no --data
    data_folder = "" if looked_in == settings.rules_folder else f"INKEEK_DATA={quote(str(settings.data_folder))} "
    click.echo(f"{info.id}: {info.title} ({path}). Play a turn: {data_folder}inkeek play --game {info.id} a")


@click.command()
@with_position
@language_option
@click.argument("moves", nargs=-1, required=True, metavar="MOVE...")
@as_json(
    "one object per turn: `move`, `position`, `captured` (by South, by North), `special`, `laps`, `ended`"
    " (null or `termination`, `winner`, `score`, `result`); an illegal move gives `move` and `error` "
    "(`reason`, `message`, `position`, `legal`)"
)
def play(rules: Rules, position: Position, language: str, moves: tuple[str, ...], as_json: bool) -> None:
    """Play moves in order and explain what each does. Exit with status 1 at an illegal move."""
    now, previous = position, None
    try:
        for text in moves:
            turn = rules.play(now, Move.parse(text), previous)
            now, previous = turn.position, turn.move
            outcome = rules.outcome(now)
            if as_json:
                emit({**_turn_json(turn), "ended": outcome and OutcomeJson.of(outcome)})
                continue
            click.echo(f"{turn.move}: {now}")
            for sentence in rules.explain(turn.before, turn.move, language):
                click.echo(f"  {sentence}")
            if outcome:
                click.echo(f"  {explain_outcome(outcome, load_language(language))}")
    except IllegalMove as error:
        if error.move.kind is Kind.REARRANGE:  # legal in that position, and not after the moves before it
            sentences = explain_refusal(error, load_language(language))
        else:
            sentences = rules.explain(error.position, error.move, language)
        *sowing, reason, legal = sentences
        if as_json:
            fields = {
                "reason": error.reason,
                "message": error.message,
                "position": str(error.position),
                "legal": [str(move.choice) for move in error.legal],
            }
            emit({"move": str(error.move), "error": fields})
        else:
            for sentence in sowing:
                click.echo(f"  {sentence}")
        raise click.ClickException(f"{reason} {legal}") from error


def _turn_json(turn: Turn) -> dict[str, Any]:
    return {**to_builtins(SownTurnJson.of(turn)), "special": list(turn.special)}


@click.command()
@with_position
@as_json("one object: `position`, `legal`, `ended`")
def legal(rules: Rules, position: Position, as_json: bool) -> None:
    """List the legal moves with their captures, or how the game ended."""
    moves = [str(move) for move in rules.legal_moves(position)]
    outcome = rules.outcome(position)
    answer = {"position": str(position), "legal": moves, "ended": outcome and OutcomeJson.of(outcome)}
    emit_or_echo(as_json, answer, explain_outcome(outcome, load_language("en")) if outcome else "\n".join(moves))


@click.command()
@with_position
@click.argument("depth", type=click.IntRange(0, 60))
@as_json("one object: `game`, `position`, `depth`, `count`")
def perft(rules: Rules, position: Position, depth: int, as_json: bool) -> None:
    """Count the sequences of exactly DEPTH turns, 0 to 60. Games that end earlier do not count."""
    count = rules.perft(position, depth)
    emit_or_echo(as_json, {"game": rules.id, "position": str(position), "depth": depth, "count": count}, count)


@click.command()
@files
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@as_json(
    "one object per game: `file`, `index` (from 0), `ok`, `plies` (valid turns), `error` (null or "
    "`line`, `column`, `ply`, `message`, `legal`, `code`, `kind`, `severity`); if there are any, `warnings` (sentences)"
)
def validate(files: tuple[Path, ...], strict: bool, as_json: bool) -> None:
    """Check records: the notation, every turn, the tags, and what a service stores. Exit with status 1 if any record is
    wrong; a record with warnings alone is good, but with --strict."""
    good = bad = warned = 0
    unread: list[Path] = []
    max_plies = read_settings(os.environ, {}).max_plies
    for name, game in games_in(files, unread):
        errors = game.problems if strict else game.errors
        plies, error = game.replay().count, errors[0] if errors else _refusal(game, max_plies)
        warnings = [] if error else [one.note for one in game.problems if one.severity == "warning"]
        good, bad, warned = good + (not error), bad + bool(error), warned + bool(warnings)
        if as_json:
            found = error and ImportErrorJson.of(error)
            fields = {"file": name, "index": game.index, "ok": not error, "plies": plies, "error": found}
            emit({**fields, "warnings": warnings} if warnings else fields)
            continue
        for warning in warnings:
            click.echo(f"{name}: game {game.index + 1}: warning: {warning}")
        if error:
            click.echo(f"{name}: game {game.index + 1}: {error}")
    if not as_json:
        click.echo(f"{good} good{f' ({warned} with warnings)' if warned else ''}, {bad} bad")
    sys.exit(1 if bad or unread else 0)


def _refusal(game: Game, max_plies: int) -> RecordError | None:
    """Why an import would refuse a record without errors."""
    try:
        check_record(game)
        check_turns(game.replay().count, max_plies)
    except Invalid as error:
        line = game.source.first_line if game.source else 0
        return RecordError(error.message, line, 1, code="not-stored")
    return None


@click.command()
@files
@click.option("--check", is_flag=True, help="Change nothing; exit with status 1 if a file is not in canonical form.")
@click.option("--write", is_flag=True, help="Overwrite the files instead of printing them.")
@click.option(
    "--lenient",
    is_flag=True,
    help="Keep the valid part of a bad record, mark where it stops, and list what is left out.",
)
def fmt(files: tuple[Path, ...], check: bool, write: bool, lenient: bool) -> None:
    """Print records in canonical form, also those that break the rules.

    Exit with status 1 if a record cannot be read completely, or something is left out; its file stays as it is.
    """
    if check and write:
        raise click.UsageError("--check and --write exclude each other: give one of them")
    if lenient and (check or write):
        raise click.UsageError("--lenient drops the bad part of records: it cannot go with --check or --write")
    if write and not files:
        raise click.UsageError("--write needs files")
    if write and STANDARD in files:
        raise click.UsageError("--write needs names of files: '-' is standard input")
    bad = differing = 0
    printed = shortened = False
    for path in files or (STANDARD,):
        kept: list[bytes] = []
        try:
            if write:
                checked_target(path)
            with open_file(path) as file:
                lines = _keep(lines_of(file), kept if check or lenient else None)
                texts, left_out = _right_parts(path, lines, kept) if lenient else _canonical_texts(path, lines)
                shortened |= left_out
                if write and left_out:
                    raise RecordsError("not written: make these lines comments in braces, or remove them")
            new = "\n".join(texts).encode()
            if write:
                with written_file(path) as file:
                    file.write(new)
        except (RecordsError, OSError) as error:
            bad += 1
            click.echo(f"{path}: {error.strerror if isinstance(error, OSError) else error}", err=True)
            continue
        if check and new != b"".join(kept):
            differing += 1
            click.echo(f"{path} is not in canonical form")
        elif new and not check and not write:
            print_exactly(b"\n" * printed + new)
            printed = True
    if bad and len(files) > 1:
        click.echo(f"{bad} of {len(files)} files could not be {'written' if write else 'read'}.", err=True)
    sys.exit(1 if bad or differing or shortened else 0)


def _canonical_texts(path: Path, lines: Iterable[bytes]) -> tuple[list[str], bool]:
    """The canonical texts of records, and whether lines of them that begin with ``%`` are left out, which are listed.

    :raises RecordsError: a record has faults.
    """
    texts: list[str] = []
    has_escapes = False
    for game in visit_games(lines, GameBuilder):
        texts.append(_canonical(game))
        has_escapes |= list_escapes(str(path), game)
    return texts, has_escapes


def _keep(lines: Iterable[bytes], kept: list[bytes] | None) -> Iterator[bytes]:
    for line in lines:
        if kept is not None:
            kept.append(line)
        yield line


def _right_parts(path: Path, source: Iterator[bytes], kept: list[bytes]) -> tuple[list[str], bool]:
    """The canonical texts of the right parts of records, and whether anything of them is left out, which is listed.

    The lines that were read are in `kept`.
    :raises RecordsError: not all of them are read.
    """
    builders: list[LenientBuilder] = []

    def make(source: Source, index: int) -> LenientBuilder:
        builders.append(LenientBuilder(source, index))
        return builders[-1]

    texts = [_canonical(game) for game in visit_games(source, make)]
    if next(source, None) is not None:
        raise RecordsError(f"game {len(builders)} is so long that the rest of the file was not read")
    lines = b"".join(kept).decode("utf-8", "backslashreplace").split("\n")
    ends = [builder.source.first_line - 1 for builder in builders[1:]] + [len(lines)] * bool(builders)
    for builder, end in zip(builders, ends, strict=True):
        for line, column, text in builder.left_out:
            if text is None:
                text = "\n".join([lines[line - 1][column - 1 :], *lines[line:end]]).rstrip()
            place = f"game {builder.index + 1}: line {line}, column {column}"
            click.echo(f"{path}: {place}: left out: {text!r}", err=True)
    return texts, any(builder.left_out for builder in builders)


def _canonical(game: Game) -> str:
    """Return the canonical text of a record.

    :raises RecordsError: it has faults: rewriting would lose the part not read.
    """
    try:
        if not game.faults:
            return write_game(game)
        problem: object = game.faults[0]
    except RecordsError as error:
        problem = error
    raise RecordsError(f"game {game.index + 1}: {problem}")


@click.command()
@files
@as_json(
    "one object per game: `file`, `index`, `tags`, `start`, `turns` (`ply`, `move`, `position`, "
    "`captured`, `special`, `laps`), `ended`, `error`"
)
def replay(files: tuple[Path, ...], as_json: bool) -> None:
    """Replay records and print every turn. Exit with status 1 if a record is wrong."""
    bad = False
    unread: list[Path] = []
    for name, game in games_in(files, unread):
        replay = game.replay()
        bad = bad or bool(game.errors)
        if as_json:
            emit(
                {
                    "file": name,
                    "index": game.index,
                    "tags": dict(game.tags),
                    "start": str(replay.positions[0]) if replay.positions else None,
                    "turns": [{"ply": ply, **_turn_json(turn)} for ply, turn in enumerate(replay.turns, 1)],
                    "ended": replay.outcome and OutcomeJson.of(replay.outcome),
                    "error": ImportErrorJson.of(game.errors[0]) if game.errors else None,
                }
            )
            continue
        click.echo(f"{name}: game {game.index + 1}: {game.tags.get('South', '?')} - {game.tags.get('North', '?')}")
        for position in replay.positions[:1]:
            click.echo(f"      {position}")
        for ply, turn in enumerate(replay.turns, 1):
            click.echo(f"{ply:4}  {turn.position}  {turn.move}")
        if replay.outcome:
            score = replay.outcome.score
            shared = replay.outcome.result if score is None else f"{score[0]}-{score[1]}"
            click.echo(f"      {shared}, {replay.outcome.termination}")
        if game.errors:
            click.echo(f"      {game.errors[0]}", err=True)
    sys.exit(1 if bad or unread else 0)


@click.command()
@files
@click.option("--game", required=True, type=RuleSetType(), metavar="GAME", help=GAME)
@option_option
@language_option
@as_json(
    "one object per game: `file`, `index`, `options` (those that differ, by the record's rules and by the others), "
    "`parting` (null or `ply`, `move`, `before`, `after`, `seeds`, `alike`, `explained`), `error`"
)
def compare(files: tuple[Path, ...], game: RuleSet, options: tuple[str, ...], language: str, as_json: bool) -> None:
    """Say where records part from other rules: the first turn that does something else by them, and why.

    Exit with status 1 if a record is wrong, or cannot be played by the other rules.
    """
    bad = False
    unread: list[Path] = []
    for name, record in games_in(files, unread):
        place = f"{name}: game {record.index + 1}"
        try:
            rules, other = record.rules(), other_rules(record, game, **read_options(options))
            parting, differing = find_parting(record, other, language), differing_options(rules, other)
        except RecordsError as error:
            bad = True
            emit_or_echo(as_json, {"file": name, "index": record.index, "error": str(error)}, f"{place}: {error}")
            continue
        bad = bad or bool(record.errors)
        if as_json:
            fault = ImportErrorJson.of(record.errors[0]) if record.errors else None
            found = {"options": differing, "parting": parting and _parting_json(parting), "error": fault}
            emit({"file": name, "index": record.index, **found})
            continue
        if parting is None:
            turns = record.replay().turns
            compared = sum(map(is_compared, turns))
            rest = f"; {len(turns) - compared} turns cannot be compared" if compared < len(turns) else ""
            click.echo(f"{place}: {compared} turns, all the same{rest}")
        else:
            click.echo(f"{place}: turn {parting.ply}, {parting.move}")
            click.echo(f"  {parting.before}; {parting.seeds} seeds are sown alike")
            for sentence in parting.alike:
                click.echo(f"  both: {sentence}")
            for one, after, sentences in zip((rules, other), parting.after, parting.explained, strict=True):
                click.echo(f"  {one.id}: {after or 'illegal'}")
                for sentence in sentences:
                    click.echo(f"    {sentence}")
            for option, (first, second) in differing.items():
                click.echo(f"  {option}: {_value(first)}, {_value(second)}")
        if record.errors:
            click.echo(f"      {record.errors[0]}", err=True)
    sys.exit(1 if bad or unread else 0)


def _value(value: Value | None) -> str:
    return "no such option" if value is None else format_value(value)


def _parting_json(parting: Parting) -> dict[str, Any]:
    after = [position and str(position) for position in parting.after]
    return {**asdict(parting), "move": str(parting.move), "before": str(parting.before), "after": after}
