"""``inkeek engine``: the engine protocol on standard input and output, and matches between engines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import click

from inkeek.records import Rules, write_game
from inkeek.records.analysis.protocol import MAX_LINE
from inkeek.records.analysis.strength import MatchScore
from inkeek.records.errors import MAX_WHOLE
from inkeek.service.cli.analysis import tables_in
from inkeek.service.cli.options import NewFile, Number, Whole, as_json, emit, tables_option, with_rules

from .engine import Engine
from .match import EngineMatch, Entrant, TimeControl

OWN = "inkeek"  # as an engine of a match: this program


@click.group(invoke_without_command=True)
@tables_option
@click.pass_context
def engine(context: click.Context, tables: str | None) -> None:
    """Speak the engine protocol on standard input and output (docs/engine.md)."""
    if context.invoked_subcommand is None:
        for stream in (sys.stdin, sys.stdout):
            stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        Engine(_write, tables_in(tables)).run(_lines())
    elif tables is not None:
        raise click.UsageError("--tables is an option of 'inkeek engine' alone: give it in the engine's command line")


def _lines() -> Iterator[str]:
    """The lines of standard input. Of one that is too long only the beginning is kept, which is an error."""
    while line := sys.stdin.readline(MAX_LINE + 2):
        rest = line
        while rest and not rest.endswith("\n"):
            rest = sys.stdin.readline(MAX_LINE)
        yield line


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@engine.command()
@click.argument("a")
@click.argument("b")
@with_rules
@click.option(
    "--games", type=click.IntRange(2, 100_000), default=100, show_default=True, help="Games at most; an even number."
)
@click.option("--move-time", type=Number(0.001, 3600), metavar="S", help="Seconds a move.")
@click.option("--clock", type=Number(0.1, 86_400), metavar="S", help="Seconds a side for the whole game.")
@click.option("--increment", type=Number(0, 3600), default=0.0, metavar="S", help="Seconds that a move adds.")
@click.option("--depth", type=click.IntRange(1, 400), help="Turns to search.")
@click.option("--nodes", type=click.IntRange(1, 10**12), help="Positions to search.")
@click.option("--set-a", multiple=True, metavar="NAME=NUMBER", help="An option of engine A; may be repeated.")
@click.option("--set-b", multiple=True, metavar="NAME=NUMBER", help="An option of engine B; may be repeated.")
@click.option("--plies", type=click.IntRange(0, 40), default=6, show_default=True, help="Random turns of an opening.")
@click.option("--seed", type=Whole(-MAX_WHOLE), default=1, show_default=True, help="Of the openings.")
@click.option("--concurrency", type=click.IntRange(1, 64), default=1, show_default=True, help="Games at once.")
@click.option("--pmn", type=NewFile(), help="Write the games to this new file.")
@as_json(
    "one object: `wins`, `draws`, `losses` of A, `score` (0 to 1), `error` (from it to the farther end of its 95 % "
    "interval), if engines failed `failures` (how often A and B did)"
)
def match(
    a: str,
    b: str,
    rules: Rules,
    games: int,
    move_time: float | None,
    clock: float | None,
    increment: float,
    depth: int | None,
    nodes: int | None,
    set_a: tuple[str, ...],
    set_b: tuple[str, ...],
    plies: int,
    seed: int,
    concurrency: int,
    pmn: Path | None,
    as_json: bool,
) -> None:
    """Play engine A against engine B.

    A and B are command lines of programs that speak the protocol; 'inkeek' is this one, with options of 'inkeek
    engine'. Each opening is played twice, with sides changed. The score is A's, with its 95 % interval. Exit with
    status 1 if an engine failed: the reason is in the record of its game.
    """
    if games % 2:
        raise click.UsageError(f"--games is {games}: expected an even number, since each opening is played twice")
    if (move_time, clock, depth, nodes) == (None, None, None, None):
        raise click.UsageError("no limit is given: expected --move-time, --clock, --depth or --nodes")
    names = (a, b) if a != b else (f"{a} A", f"{b} B")
    entrants = (_entrant(names[0], a, set_a, "--set-a"), _entrant(names[1], b, set_b, "--set-b"))
    control = TimeControl(move_time, clock, increment, depth, nodes)
    contest = EngineMatch(rules, entrants, control, games, plies, seed, concurrency, f"{date.today():%Y.%m.%d}")
    standing = MatchScore.of(())
    failures = [0, 0]
    write, close = _pmn_writer(pmn)
    try:
        for standing, played in contest.play():
            for one in played:
                write(write_game(one.record))
                for number, reason in one.failures:
                    failures[number] += 1
                    click.echo(f"Round {one.record.tags['Round']}: {reason}", err=True)
            if not as_json:
                click.echo(standing_text(standing), err=True)
    finally:
        close()
    if as_json:
        emit(
            {
                "wins": standing.wins,
                "draws": standing.draws,
                "losses": standing.losses,
                "score": round(standing.score, 4),
                "error": round(standing.error, 4),
                **({"failures": failures} if any(failures) else {}),
            }
        )
    else:
        click.echo(standing_text(standing))
    if any(failures):
        raise click.ClickException(f"engines failed: A {failures[0]} times, B {failures[1]} times; see above")


def standing_text(standing: MatchScore) -> str:
    """The standing in one line."""
    elo = standing.elo()
    points = "" if elo is None else f", {round(elo):+d} Elo"
    low, high = standing.interval
    return (
        f"{standing.games} games: A wins {standing.wins}, draws {standing.draws}, loses {standing.losses}; "
        f"score {100 * standing.score:.1f} % (95 % interval: {100 * low:.1f} to {100 * high:.1f} %){points}."
    )


def _entrant(name: str, command: str, options: tuple[str, ...], flag: str) -> Entrant:
    values = []
    for option in options:
        key, equals, number = option.partition("=")
        if not equals or not number.isascii() or not number.isdigit() or len(number) > 18:
            raise click.UsageError(f"{flag} {option!r} is not of the form NAME=NUMBER")
        values.append((key, int(number)))
    own = f'"{sys.executable}" -m inkeek.service.cli engine'
    line = own + command.removeprefix(OWN) if command.split(" ")[0] == OWN else command
    return Entrant(name, line, tuple(values))


def _pmn_writer(path: Path | None) -> tuple[Callable[[str], object], Callable[[], None]]:
    if path is None:
        return lambda text: None, lambda: None
    try:
        file = path.open("x", encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"--pmn {str(path)!r} cannot be made: {error.strerror}.") from error

    def close() -> None:
        with file:
            is_empty = not file.tell()
        if is_empty:
            path.unlink()

    return lambda text: file.write(text + "\n"), close
