"""``inkeek annotate``: judge the turns of recorded games."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from inkeek.records import Game, RecordsError, write_game
from inkeek.records.analysis import Limits
from inkeek.records.analysis.annotation import GameAnnotation, annotate as annotate_game, annotated
from inkeek.service.files import print_exactly
from inkeek.service.http.shape import to_builtins
from inkeek.service.study.answers import JudgedGameJson
from inkeek.service.terminal import terminal

from .analysis import with_limits
from .options import as_json, emit, files
from .record_files import games_in, list_escapes

DEFAULT_NODES = 100_000  # for each position, if no limit is given
DEFAULT_LIMITS = Limits(nodes=DEFAULT_NODES)


position_limits = with_limits(
    "Seconds for each position.",
    f"Positions searched for each one. [{DEFAULT_NODES}]",
    "Turns of depth for each position.",
)


@click.command()
@files
@position_limits
@as_json(
    "one object a game: `file`, `index`, and `depth`, `nodes`, `start`, `turns`, `turning_point`, "
    "`accuracy` as in api.md"
)
def annotate(files: tuple[Path, ...], limits: Limits | None, as_json: bool) -> None:
    """Judge every turn of games: write values, glyphs and best lines into the records. Exit with status 1 if one is
    wrong, or a line of it is left out."""
    bad = count = 0
    left_out = False
    shown = sys.stderr.isatty()
    unread: list[Path] = []
    for name, game in games_in(files, unread):
        count, found = count + 1, _try(game, limits or DEFAULT_LIMITS, shown=shown)
        if isinstance(found, RecordsError):
            bad += 1
            click.echo(f"{name}: game {game.index + 1}: {found}", err=True)
        elif as_json:
            emit({"file": name, "index": game.index, **to_builtins(JudgedGameJson.of(found))})
        else:
            left_out |= list_escapes(name, game)
            print_exactly((("\n" if count - bad > 1 else "") + write_game(annotated(game, found))).encode())
        if shown:
            click.echo(f"\r{count} games", terminal(sys.stderr), nl=False)
    if shown and count:
        click.echo(err=True)
    sys.exit(1 if bad or unread or left_out else 0)


def _try(game: Game, limits: Limits, *, shown: bool) -> GameAnnotation | RecordsError:
    def show(done: int, total: int) -> None:
        click.echo(f"\rgame {game.index + 1}: {done} of {total} positions ", terminal(sys.stderr), nl=False)

    try:
        return annotate_game(game, limits, on_progress=show) if shown else annotate_game(game, limits)
    except RecordsError as error:
        return error
