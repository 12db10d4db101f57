"""The booklet of an event, to print: its standings, results by round and games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.service.errors import Invalid
from inkeek.service.games.events.plan import EventPlan
from inkeek.service.games.events.results import DECISIONS, POINTS
from inkeek.service.games.events.standings import load_event, load_rows
from inkeek.service.games.events.teams import ORDER, EventStandings, event_standings
from inkeek.service.games.events.tie_breaks import Standing
from inkeek.service.games.snapshot import ruleset_of
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_sender, current_services
from inkeek.service.http.language import date_text, gettext
from inkeek.service.http.names import check_event, key_of_page, page_name, with_persons
from inkeek.service.http.services import SHEET_PATIENCE
from inkeek.service.http.web.base import blueprint
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.http.web.labels import rules_name, tag_value
from inkeek.service.http.web.review.printed_game import booklet_page, game_on_paper, joined, options_of, short
from inkeek.service.storage import GameRow

from .changes import RESULTS
from .evening import TableCard, evening_view
from .hall import in_order, round_of
from .plans import TEAM_TIE_BREAKS, TIE_BREAKS

MOST_GAMES, MOST_TURNS = 100, 5_000  # in a booklet
MOST_KINDS = 8  # of games with their options, that its head lists
ABSENT = {"south": (1,), "north": (0,), "none": (0, 1)}  # who did not come, by the result of a pairing


@blueprint.get("/events/<path:name>/booklet")
@needs("read", limited=True, waits=True)
def event_booklet(name: str) -> ResponseReturnValue:
    """The booklet of an event; ``?round=`` has the games of that round only."""
    key, round = check_event(key_of_page(name, "event")), request.args.get("round")
    with current_services().sheets.taken(current_sender(), SHEET_PATIENCE):
        return _booklet(key, round)


def _booklet(key: str, round: str | None) -> Response:
    """:raises Invalid: there are more games than a booklet has."""
    services = current_services()
    counts = load_event(services.store, key)
    rows, plan, persons = load_rows(services.store, key, services.settings.max_event_games)
    rows.sort(key=lambda row: (in_order(round_of(row)), in_order(tag_value(row.tags, "Board")), row.created, row.id))
    played = [row for row in rows if row.ply and round in (None, round_of(row))]
    turns = sum(row.ply for row in played)
    if len(played) > MOST_GAMES or turns > MOST_TURNS:
        raise Invalid(
            "The booklet would have %(games)s games with %(turns)s turns: expected at most %(most)s games with "
            "%(most_turns)s turns. Add ?round=1 to the address for the games of one round.",
            games=len(played),
            turns=turns,
            most=MOST_GAMES,
            most_turns=MOST_TURNS,
        )
    dates = (plan.first_date, plan.last_date) if plan else (counts.first_date, counts.last_date)
    days = dict.fromkeys(date_text(day) for day in dates if day)
    kinds = dict.fromkeys(joined((rules_name(ruleset_of(row)), options_of(row))) for row in rows)
    return booklet_page(
        counts.name,
        url_for("web.event", name=page_name(key)),
        facts=joined((" – ".join(days), plan.place if plan else "", *list(kinds)[:MOST_KINDS])),
        standings=list(_standings(event_standings(rows, persons, plan), plan)),
        rounds=list(_rounds(rows, plan)),
        games=[game_on_paper(card, [card.title] if len(kinds) > 1 else ()) for card in map(GameCard, played)],
    )


def _standings(ranked: EventStandings, plan: EventPlan | None) -> Iterator[dict[str, Any]]:
    """The teams, if there are some, and the players: a title, the heads of the columns, and the rows."""
    if ranked.teams:
        breaks = [gettext(TEAM_TIE_BREAKS[one][0]) for one in ORDER]
        head = [gettext("Rank"), gettext("Team"), gettext("Match points"), *breaks, gettext("Matches")]
        rows = [[*_ranked(one), _score(one)] for one in ranked.teams]
        yield {"title": gettext("Teams"), "head": head, "rows": rows}
    breaks = [gettext(TIE_BREAKS[one][0]) for one in ranked.order] if plan else []
    last = [gettext("Games won"), gettext("Matches"), gettext("Games lost")]
    yield {
        "title": gettext("Standings"),
        "head": [gettext("Rank"), gettext("Player"), gettext("Points"), *breaks, *last],
        "rows": [
            [*_ranked(one)[: 3 + len(breaks)], str(one.tally.won), _score(one), str(one.tally.lost)]
            for one in ranked.players
        ],
    }


def _ranked(one: Standing) -> list[str]:
    name = short(one.name or gettext("no team"))
    return [
        str(one.rank),
        name,
        f"{one.points:g}",
        *("–" if value is None else f"{value:g}" for value in one.tie_breaks),
    ]


def _score(one: Standing) -> str:
    return f"{one.matches.won}–{one.matches.drawn}–{one.matches.lost}"


def _rounds(rows: Sequence[GameRow], plan: EventPlan | None) -> Iterator[dict[str, Any]]:
    """The results of each round: tables, players and points."""
    if plan and plan.rounds:
        found = {str(one.number): evening_view(plan, 0, rows, one.number).tables for one in plan.rounds}
        tables = {round: [_planned(one) for one in cards] for round, cards in found.items()}
    else:
        tables = {}
        for row in with_persons(rows):
            south, north = GameCard(row).names
            points = POINTS.get(DECISIONS[row.result])
            line = [tag_value(row.tags, "Board"), short(south), _points(points), short(north)]
            tables.setdefault(round_of(row), []).append(line)
    for round, lines in tables.items():
        title = gettext("Round %(round)s", round=short(round)) if round else gettext("Games")
        yield {"title": title, "tables": lines}


def _planned(one: TableCard) -> list[str]:
    """A line of a table, with who did not come."""
    result, names = one.unplayed, list(one.names)
    if one.pairing.north is None:
        words = gettext(RESULTS[result]) if result in RESULTS else ""
        return [str(one.pairing.table), names[0], _points(one.points and one.points[:1]), words]
    for side in ABSENT.get(result, ()):
        names[side] = gettext("%(name)s did not come", name=names[side])
    return [str(one.pairing.table), names[0], _points(one.points), names[1]]


def _points(points: Sequence[float] | None) -> str:
    """What South and North got, in this order."""
    return "–" if points is None else " – ".join("½" if one == 0.5 else f"{one:g}" for one in points)
