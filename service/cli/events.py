"""``inkeek event``: events with rounds. It works on the database itself, as ``inkeek token`` does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO

import click

from inkeek.records import ruleset_ids
from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.tables import TableBoards, check_boards
from inkeek.service.games.events.plan import (
    FORMATS,
    MAX_LEGS,
    MAX_ROUNDS,
    EventPlan,
    EventPlayer,
    OfferedGame,
    TableBoard,
    plan_of,
    read_player_list,
)
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.results import matches_of
from inkeek.service.games.events.standings import event_standings, load_rows
from inkeek.service.games.events.trf import pairings_csv, standings_csv, teams_csv, tournament_file
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.access.invitations import follow_players
from inkeek.service.http.answers.events import event_plan_json
from inkeek.service.http.answers.shape import to_builtins
from inkeek.service.settings import Settings
from inkeek.service.storage import EventPlanRow
from inkeek.service.storage.search import name_key
from inkeek.service.storage.store import Store

from .options import Whole, as_json, emit, with_settings

MAX_PLAYERS = 1 << 20  # characters of a file of players

PLAN_JSON = as_json("one object, as `GET /api/v1/events/{event_id}/plan` answers")
EXPORTS = ("standings", "teams", "pairings", "trf")


@click.group()
def event() -> None:
    """Make events, pair their rounds, show and export them."""


@event.command()
@click.argument("name")
@click.option(
    "--game",
    "games",
    multiple=True,
    required=True,
    type=click.Choice(ruleset_ids()),
    help="A game that is played; may be repeated.",
)
@click.option(
    "--players", type=click.File(encoding="utf-8-sig"), help="File with one player a line; with a team as `Name; Team`."
)
@click.option("--format", type=click.Choice(FORMATS), default="swiss", show_default=True, help="How rounds are paired.")
@click.option("--rounds", type=click.IntRange(1, MAX_ROUNDS), help="How many rounds are planned. [not decided]")
@click.option("--legs", type=click.IntRange(1, MAX_LEGS), default=1, show_default=True, help="Games at a table.")
@click.option(
    "--board",
    "boards",
    multiple=True,
    callback=lambda _context, _option, texts: tuple(map(_read_board, texts)),
    metavar="TABLE=PORT",
    help="A sensor board at a table, like `2=/dev/ttyACM0`; may be repeated.",
)
@click.option("--place", default="", help="Where it is held.")
@click.option("--date", "day", default="", help="The first day, like 2026-11-20.")
@PLAN_JSON
@with_settings
def new(
    name: str,
    games: tuple[str, ...],
    players: IO[str] | None,
    format: str,
    rounds: int | None,
    legs: int,
    boards: tuple[TableBoard, ...],
    place: str,
    day: str,
    settings: Settings,
    as_json: bool,
) -> None:
    """Make the event NAME."""
    check_boards(dict(enumerate(boards)), None)
    text = "" if players is None else players.read(MAX_PLAYERS + 1)
    if len(text) > MAX_PLAYERS:
        raise click.UsageError(f"--players {getattr(players, 'name', '-')} has more than {MAX_PLAYERS} characters")
    plan = EventPlan(
        name=name,
        first_date=day,
        place=place,
        games=tuple(map(OfferedGame, games)),
        players=tuple(EventPlayer(id, *line) for id, line in enumerate(read_player_list(text), 1)),
        format=format,
        legs=legs,
        planned_rounds=rounds,
        boards=boards,
    )
    with _open(settings) as (store, events):
        _show(store, settings, events.create(plan, Write("cli")), as_json)


@event.command("round")
@click.argument("name")
@click.option(
    "--game",
    "offered",
    type=Whole(1),
    default=1,
    show_default=True,
    help="Which of the event's games is played, from 1.",
)
@PLAN_JSON
@with_settings
def begin_round(name: str, offered: int, settings: Settings, as_json: bool) -> None:
    """Pair the next round of the event NAME and create its games."""
    with _open(settings) as (store, events):
        row = events.begin_round(name_key(name), None, Write("cli"), None, offered - 1)
        _show(store, settings, row, as_json)


@event.command()
@click.argument("name")
@PLAN_JSON
@with_settings
def show(name: str, settings: Settings, as_json: bool) -> None:
    """Show the last round of the event NAME."""
    with _open(settings) as (store, events):
        _show(store, settings, events.load(name_key(name)), as_json)


@event.command()
@click.argument("name")
@click.option(
    "--as",
    "kind",
    type=click.Choice(EXPORTS),
    default="standings",
    show_default=True,
    help="Standings of players or teams, or pairings, as CSV, or a TRF16 file.",
)
@with_settings
def export(name: str, kind: str, settings: Settings) -> None:
    """Print the event NAME for a spreadsheet, or for pairing programs."""
    with _open(settings) as (store, events):
        events.load(name_key(name))
        rows, planned, persons = load_rows(store, name_key(name), settings.max_event_games)
    plan = planned or EventPlan("")
    found, matches = event_standings(rows, persons, plan), matches_of(rows)
    match kind:
        case "trf":
            text = tournament_file(rows, persons, plan)
        case "teams":
            text = teams_csv(found.teams)
        case "pairings":
            text = pairings_csv(plan, matches)
        case _:
            text = standings_csv(found.players, found.order)
    sys.stdout.write(text)


def _read_board(text: str) -> TableBoard:
    table, _, port = text.partition("=")
    if not table.isdecimal() or not port:
        raise click.BadParameter(f"{text!r}: expected a table and a port, like 2=/dev/ttyACM0")
    return TableBoard(int(table), port)


@contextmanager
def _open(settings: Settings) -> Iterator[tuple[Store, Events]]:
    with closing(Store(settings.database_url, settings.lock_timeout)) as store:
        store.check_revision()
        games, boards = Games(store, max_plies=settings.max_plies), Boards(store, max_boards=settings.max_boards)
        seat = TableBoards(store, boards).seat
        most, zone = settings.max_event_games, settings.zone
        yield store, Events(store, games, most, zone=zone, seat=seat, follow=follow_players)


def _show(store: Store, settings: Settings, row: EventPlanRow, as_json: bool) -> None:
    rows, planned, _ = load_rows(store, row.event, settings.max_event_games)
    plan, matches = planned or plan_of(row), matches_of(rows)
    answer = event_plan_json(row, plan, matches)
    if as_json:
        emit(to_builtins(answer))
        return
    click.echo(f"{plan.name}: {len(plan.players)} players, {plan.format}, {len(plan.rounds)} rounds so far.")
    names = {player.id: player.name for player in plan.players}
    for one in answer.rounds[-1].pairings if answer.rounds else ():
        north = "no opponent" if one.north is None else names[one.north]
        points = "" if one.points is None else "  " + " - ".join(f"{scored:g}" for scored in one.points)
        click.echo(f"{one.table:3}  {names[one.south]} - {north}{points}")
