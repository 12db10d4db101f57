"""``inkeek analyse`` and ``inkeek solve``: what a position is worth."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps

import click

from inkeek.records import Position, Rules
from inkeek.records.analysis import Analysis, Limits, Solution, analyse as analyse_position, solve as solve_position
from inkeek.records.analysis.tables import Tables
from inkeek.service.settings import read_settings
from inkeek.service.study.answers import AnalysisJson, SolutionJson

from .options import Number, Whole, as_json, emit_or_echo, tables_option, with_position

MAX_LINES = 50
MAX_MEMORY = 1 << 20  # MiB

threads_option = click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Threads.")
Command = Callable[..., None]
LEFT_OUT = {"rearrangement": "without rearrangements, which no search tries"}
REASONS = {
    "horizon": "estimated",
    "repetition": "depends on repetitions",
    "left-out": "some turns were left out",
}


def with_limits(seconds: str, nodes: str, depth: str | None = None) -> Callable[[Command], Command]:
    """Give a command ``--time``, ``--nodes`` and, if there is a text for it, ``--depth``, each with its help, and turn
    them into its `limits`; None if none is given."""

    def decorate(command: Command) -> Command:
        @click.option("--nodes", type=Whole(1), metavar="N", help=nodes)
        @wraps(command)
        def run(seconds: float | None, nodes: int | None, depth: int | None = None, **values: object) -> None:
            is_given = (seconds, depth, nodes) != (None, None, None)
            command(limits=Limits(seconds, depth, nodes) if is_given else None, **values)

        if depth is not None:
            run = click.option("--depth", type=Whole(1), metavar="D", help=depth)(run)
        return click.option("--time", "seconds", type=Number(min_open=True), metavar="S", help=seconds)(run)

    return decorate


def memory_option(default: int) -> Callable[[Command], Command]:
    """Give a command ``--memory``, of the hash table of a search."""
    return click.option(
        "--memory",
        type=click.IntRange(1, MAX_MEMORY),
        default=default,
        show_default=True,
        help="MiB of its hash table.",
    )


@click.command()
@with_position
@with_limits("Stop after so many seconds.", "Stop after so many positions.", "Stop after so many turns of depth.")
@click.option(
    "--lines", type=click.IntRange(1, MAX_LINES), default=1, show_default=True, help="So many of the best turns."
)
@threads_option
@memory_option(64)
@tables_option
@as_json(
    "one object: `lines` (each with `value`, `moves`, `depends_on`), `depth`, `nodes`, `seconds`, `exact`, `left_out`"
)
def analyse(
    rules: Rules,
    position: Position,
    limits: Limits | None,
    lines: int,
    threads: int,
    memory: int,
    tables: str | None,
    as_json: bool,
) -> None:
    """Search the best turns of a position, deeper and deeper, until a limit. Give at least one limit."""
    if limits is None:
        raise click.UsageError("no limit is given: expected --time, --depth or --nodes")
    shown = not as_json and sys.stderr.isatty()
    found = analyse_position(
        rules,
        position,
        limits,
        lines=lines,
        threads=threads,
        memory=memory,
        tables=tables_in(tables),
        on_progress=_show_analysis if shown else None,
    )
    emit_or_echo(as_json, AnalysisJson.of(found), "\n".join(analysis_text(found, position)))


@click.command()
@with_position
@with_limits("Stop after so many seconds. [none]", "Stop after so many positions. [none]")
@threads_option
@memory_option(512)
@tables_option
@as_json(
    "one object: `value` (null if only bounds are proven), `move`, `lower`, `upper`, `depth`, `nodes`, "
    "`seconds`, `exact`, `collisions`, `left_out`"
)
def solve(
    rules: Rules,
    position: Position,
    limits: Limits | None,
    threads: int,
    memory: int,
    tables: str | None,
    as_json: bool,
) -> None:
    """Prove what a position is worth under any rule of repetition; with a limit, the bounds proven until then."""
    shown = not as_json and sys.stderr.isatty()
    found = solve_position(
        rules,
        position,
        limits=limits,
        threads=threads,
        memory=memory,
        tables=tables_in(tables),
        on_progress=_show_solution if shown else None,
    )
    emit_or_echo(as_json, SolutionJson.of(found), "\n".join(solution_text(found, position)))


def tables_in(folder: str | None) -> Tables:
    """The endgame tables of a folder, by default of the one in the settings."""
    return Tables(read_settings(os.environ, {"tables": folder}).tables_folder)


def analysis_text(found: Analysis, position: Position) -> list[str]:
    """An analysis for people: a line for each best turn, then what was searched."""
    lines = []
    for line in found.lines:
        reasons = ", ".join(REASONS[name] for name in line.depends_on) or "exact"
        moves = " ".join(map(str, line.moves)) or "the game is over"
        lines.append(f"{_seeds(line.value)}  {moves}  ({reasons})")
    lines.append(
        f"Values in seeds for {position.to_move}. "
        f"Depth {found.depth}, {found.nodes:,} positions, {found.seconds:.2f} s{_left_out(found.left_out)}."
    )
    return lines


def solution_text(found: Solution, position: Position) -> list[str]:
    """A proof for people."""
    if found.exact:
        lines = [f"{position.to_move}'s value is {_seeds(found.lower)}, proven."]
    else:
        lines = [f"{position.to_move}'s value lies between {_seeds(found.lower)} and {_seeds(found.upper)}, proven."]
    if found.move is not None:
        lines.append(f"{'Best turn' if found.exact else 'Best turn so far'}: {found.move}")
    table = "the table confuses no positions" if found.collisions == 0 else f"wrong with p < {found.collisions:.1g}"
    searched = f"Depth {found.depth}, {found.nodes:,} positions, {found.seconds:.2f} s"
    lines.append(f"{searched}; {table}{_left_out(found.left_out)}.")
    return lines


def _seeds(value: float) -> str:
    return f"{value:+d}" if isinstance(value, int) else f"{value:+.2f}"


def _left_out(names: tuple[str, ...]) -> str:
    return "".join(f"; {LEFT_OUT[name]}" for name in names)


def _show_analysis(found: Analysis) -> None:
    best = found.lines[0]
    click.echo(f"depth {found.depth}: {_seeds(best.value)} {best.moves[0]}, {found.nodes:,} positions", err=True)


def _show_solution(found: Solution) -> None:
    bounds = f"{_seeds(found.lower)} to {_seeds(found.upper)}"
    click.echo(f"depth {found.depth}: {bounds}, {found.nodes:,} positions, {found.seconds:.1f} s", err=True)
