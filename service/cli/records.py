"""Commands on records, which need no service: rulesets, play, legal, perft, fmt, replay."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

import click
from rich.progress import Progress

from records import (
    Building,
    Game,
    IllegalMove,
    Lenient,
    Move,
    OptionError,
    Position,
    RecordError,
    RecordsError,
    Rules,
    Turn,
    read_games,
    ruleset_ids,
    visit_games,
    write_game,
)
from records.explain import explain_outcome
from records.language import language_ids, load_language
from records.ruleset import format_value, load_ruleset
from service.http.serializers import outcome_json, ruleset_json, turn_json

Command = TypeVar("Command", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
files = click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")


def fail(message: object) -> None:
    """End with status 1: the input is bad."""
    click.echo(f"inkeek: {message}", err=True)
    sys.exit(1)


def emit(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))


def with_rules(command: Command) -> Command:
    """Give a command ``--game`` and ``-o``, and hand it the rules they name."""
    command = click.option(
        "-o", "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game."
    )(command)
    return click.option("--game", required=True, type=click.Choice(ruleset_ids()), help="The rule set.")(command)


def rules_from(game: str, options: tuple[str, ...]) -> Rules:
    """The rules that ``--game`` and ``-o`` name.

    :raises click.UsageError: an option that is not of the form key=value, or that the game refuses.
    """
    given: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not equals:
            raise click.UsageError(f"-o {option!r} is not of the form key=value")
        given[key] = value
    try:
        info = load_ruleset(game)
        return Rules(info, info.resolve(given))
    except OptionError as error:
        raise click.UsageError(str(error)) from error


def position_from(rules: Rules, text: str | None) -> Position:
    """The position that ``--position`` gives, or the start."""
    if text is None:
        return rules.start()
    position = Position.parse(text)
    rules.verify_position(position)
    return position


@click.command("rulesets")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@as_json
def rulesets_command(ids: tuple[str, ...], as_json: bool) -> None:
    """Tell the games that can be played, their options and sources."""
    for id in ids or ruleset_ids():
        try:
            info = load_ruleset(id)
        except OptionError as error:
            raise click.UsageError(str(error)) from error
        if as_json:
            emit(ruleset_json(info))
            continue
        click.echo(f"{info.id}: {info.title}")
        if ids:
            for option in info.options:
                allowed = " | ".join(format_value(value) for value in option.allowed)
                attested = "" if option.attested else " (resolved here: the sources are silent)"
                only = "".join(
                    f"; only with {name}={' or '.join(format_value(value) for value in values)}"
                    for name, values in option.needs.items()
                )
                default = format_value(option.default)
                click.echo(f"  -o {option.name}={allowed}, default {default}: {option.says}{only}{attested}")
            for source in info.sources:
                click.echo(f"  Source: {source}")


@click.command("play")
@with_rules
@click.option("--position", metavar="P", help="Start from this position instead of the set-up.")
@click.option(
    "--language", type=click.Choice(language_ids()), default="en", show_default=True, help="Tell it in this language."
)
@click.argument("moves", nargs=-1, required=True, metavar="MOVE...")
@as_json
def play_command(
    game: str, options: tuple[str, ...], position: str | None, language: str, moves: tuple[str, ...], as_json: bool
) -> None:
    """Play moves one after the other and tell what each does."""
    rules = rules_from(game, options)
    try:
        now = position_from(rules, position)
        for text in moves:
            turn = rules.play(now, Move.parse(text))
            now = turn.position
            outcome = rules.outcome(now)
            if as_json:
                emit({**listed_turn(turn), "ended": outcome_json(outcome)})
            else:
                click.echo(f"{turn.move}: {now}")
                for sentence in rules.explain(turn.before, turn.move, language):
                    click.echo(f"  {sentence}")
                if outcome:
                    click.echo(f"  {explain_outcome(outcome, load_language(language))}")
    except IllegalMove as error:
        if as_json:
            emit({"move": str(error.move), "error": illegal_json(error)})
        *sown, refused, legal = rules.explain(error.position, error.move, language)
        if not as_json:
            for sentence in sown:
                click.echo(f"  {sentence}")
        fail(f"{refused} {legal}")
    except RecordsError as error:
        fail(error)


def listed_turn(turn: Turn) -> dict[str, Any]:
    """What a turn did, as the command line prints it: the special pits one by one."""
    return {**turn_json(turn), "special": list(turn.special)}


def illegal_json(error: IllegalMove) -> dict[str, Any]:
    return {
        "reason": error.reason,
        "message": error.message,
        "position": str(error.position),
        "legal": [str(move.choice) for move in error.legal],
    }


@click.command("legal")
@with_rules
@click.option("--position", metavar="P", help="The position, the set-up without it.")
@as_json
def legal_command(game: str, options: tuple[str, ...], position: str | None, as_json: bool) -> None:
    """List the legal moves with what they do."""
    rules = rules_from(game, options)
    try:
        now = position_from(rules, position)
        moves = [str(move) for move in rules.legal_moves(now)]
        outcome = rules.outcome(now)
    except RecordsError as error:
        fail(error)
    if as_json:
        emit({"position": str(now), "legal": moves, "ended": outcome_json(outcome)})
    elif outcome:
        click.echo(explain_outcome(outcome, load_language("en")))
    else:
        click.echo("\n".join(moves))


@click.command("perft")
@with_rules
@click.option("--position", metavar="P", help="The position, the set-up without it.")
@click.argument("depth", type=click.IntRange(0, 60))
@as_json
def perft_command(game: str, options: tuple[str, ...], position: str | None, depth: int, as_json: bool) -> None:
    """Count the sequences of exactly DEPTH turns."""
    rules = rules_from(game, options)
    try:
        now = position_from(rules, position)
        count = rules.perft(now, depth)
    except RecordsError as error:
        fail(error)
    if as_json:
        emit({"game": rules.id, "position": str(now), "depth": depth, "count": count})
    else:
        click.echo(count)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file, or standard input for ``-``, as bytes: the reader says where it is not UTF-8."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from error
    with file:
        yield file


def progress_over(size: int) -> Progress:
    """A progress bar, where there is a terminal and so many bytes are much to read."""
    return Progress(transient=True, disable=not sys.stderr.isatty() or size < 1_000_000)


def games_in(paths: tuple[Path, ...]) -> Iterator[tuple[str, Game]]:
    """Every record of the files in turn, with a progress bar where there is a terminal and much to read."""
    sizes = {path: path.stat().st_size for path in paths if path.is_file()}
    with progress_over(sum(sizes.values())) as progress:
        for path in paths or (Path("-"),):
            task = progress.add_task(path.name, total=sizes.get(path))
            with opened(path) as file:
                for game in read_games(file):
                    if path in sizes:
                        progress.update(task, completed=file.tell())
                    yield str(path), game


def error_json(error: RecordError) -> dict[str, Any]:
    return {
        "line": error.line,
        "column": error.column,
        "ply": error.ply,
        "message": error.message,
        "legal": list(error.legal),
    }


@click.command("fmt")
@files
@click.option("--check", is_flag=True, help="Change nothing; end with status 1 if a file is not in canonical form.")
@click.option("--write", is_flag=True, help="Write the files back instead of printing them.")
@click.option("--lenient", is_flag=True, help="Keep what is right of a bad record and mark where it stops.")
def fmt_command(files: tuple[Path, ...], check: bool, write: bool, lenient: bool) -> None:
    """Write records in canonical form."""
    if check and write:
        raise click.UsageError("--check and --write exclude each other")
    if lenient and (check or write):
        raise click.UsageError("--lenient leaves out what is wrong: it goes neither with --check nor with --write")
    if write and not files:
        raise click.UsageError("--write needs files")
    differs = False
    for path in files or (Path("-"),):
        with opened(path) as file:
            old = file.read() if check else b""
            lines = old.splitlines(keepends=True) if check else file
            texts = [_canonical(path, game) for game in visit_games(lines, Lenient if lenient else Building)]
        new = "\n".join(texts)
        if check:
            if new.encode() != old:
                differs = True
                click.echo(f"{path} is not in canonical form")
        elif write:
            _replace(path, new)
        else:
            click.echo(new, nl=False)
    sys.exit(1 if differs else 0)


def _canonical(path: Path, game: Game) -> str:
    """The canonical text of a record that could be read whole; one that could not would lose what was not read."""
    if game.faults:
        fail(f"{path}: game {game.index + 1}: {game.faults[0]}")
    try:
        return write_game(game)
    except RecordsError as error:
        fail(f"{path}: game {game.index + 1}: {error}")
        raise


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, path.stat().st_mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


@click.command("replay")
@files
@as_json
def replay_command(files: tuple[Path, ...], as_json: bool) -> None:
    """Play records through and tell every turn; goes as far as a record is right, then ends with status 1."""
    bad = False
    for name, game in games_in(files):
        replay = game.replay()
        bad = bad or bool(game.errors)
        if as_json:
            emit(
                {
                    "file": name,
                    "index": game.index,
                    "tags": dict(game.tags),
                    "start": str(replay.positions[0]) if replay.positions else None,
                    "turns": [{"ply": ply, **listed_turn(turn)} for ply, turn in enumerate(replay.turns, 1)],
                    "ended": outcome_json(replay.outcome),
                    "error": error_json(game.errors[0]) if game.errors else None,
                }
            )
            continue
        click.echo(f"{name}: game {game.index + 1}: {game.tags.get('South', '?')} - {game.tags.get('North', '?')}")
        for position in replay.positions[:1]:
            click.echo(f"      {position}")
        for ply, turn in enumerate(replay.turns, 1):
            click.echo(f"{ply:4}  {turn.position}  {turn.move}")
        if replay.outcome:
            click.echo(f"      {replay.outcome.score[0]}-{replay.outcome.score[1]}, {replay.outcome.termination}")
        if game.errors:
            click.echo(f"      {game.errors[0]}", err=True)
    sys.exit(1 if bad else 0)


commands = [
    rulesets_command,
    play_command,
    legal_command,
    perft_command,
    fmt_command,
    replay_command,
]
