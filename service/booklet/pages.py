"""Games on paper: the score sheet of one, and the booklet of an event with its standings and results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from inkeek.records import SOUTH, Game, Position, PositionError, Turn, evaluations
from inkeek.records.drawing.svg import highlights_of
from inkeek.records.notation.tags import consent_of, format_options
from inkeek.service.errors import Invalid
from inkeek.service.events.evening import TableCard, evening_view
from inkeek.service.events.hall import in_order, round_of
from inkeek.service.events.plans import RESULTS
from inkeek.service.games.events.plan import EventPlan
from inkeek.service.games.events.results import DECISIONS, POINTS
from inkeek.service.games.events.standings import TEAM_ORDER, EventStandings, event_standings, load_event, load_rows
from inkeek.service.games.snapshot import rules_of, ruleset_of
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_limit, current_sender, current_services
from inkeek.service.http.language import date_text, gettext, side_names
from inkeek.service.http.names import event_of_page, page_name, with_persons
from inkeek.service.http.rooms import RoomPages
from inkeek.service.http.services import SHEET_PATIENCE
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import render_page
from inkeek.service.http.web.findings.view import BoardPicture
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.http.web.labels import rules_name, tag_value
from inkeek.service.http.web.review.move_list import Annotated, ListedRemark, list_turns
from inkeek.service.http.web.review.pages import MISTAKES
from inkeek.service.jobs.queue import GameAnalysis
from inkeek.service.storage import GameRow

MOST_BOARDS = 3  # of a game
_POSITION = re.compile(r"[^\s/]+/[^\s/]+ [0-9]+-[0-9]+ [sn] [0-9]+")
LONGEST_NAME, LONGEST_COMMENT = 120, 300  # characters


pages = RoomPages()


def sheet_link(game_id: str) -> str:
    """The link to the score sheet of a game."""
    return Markup('<a href="{}">{}</a>').format(url_for("web.printed_game", game_id=game_id), gettext("Score sheet"))


def booklet_link(name: str) -> str:
    """The link to the booklet of an event."""
    return Markup('<a href="{}">{}</a>').format(url_for("web.event_booklet", name=page_name(name)), gettext("Booklet"))


@pages.get("/games/<game_id>/score-sheet")
@needs("read")
def printed_game(game_id: str) -> ResponseReturnValue:
    """The score sheet of a game."""
    card = GameCard(current_services().games.row(game_id))
    about = [card.title, options_of(card.row), short(card.event), date_text(card.date)]
    back = url_for("web.review", game_id=game_id)
    return booklet_page(" – ".join(card.names), back, [card], games=[game_on_paper(card, about)])


def booklet_page(title: str, back: str, cards: Iterable[GameCard], **parts: Any) -> Response:
    """A page to print of these games, with the address of the page it belongs to: what is left out of `parts` is not
    printed. It shows names; on the screen it says of how many games that is not what their `Consent` wants."""
    empty: dict[str, Any] = {"facts": "", "rounds": [], "standings": [], "games": []}
    without_consent = sum(consent_of(card.row.tags) is not None for card in cards)
    return render_page(
        "booklet/booklet.html", title=short(title), back=back, without_consent=without_consent, **{**empty, **parts}
    )


def joined(facts: Iterable[str]) -> str:
    return " · ".join(filter(None, facts))


def options_of(row: GameRow) -> str:
    return format_options(rules_of(row).changed)


def short(text: str, most: int = LONGEST_NAME) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def game_on_paper(card: GameCard, about: Sequence[str] = ()) -> dict[str, Any]:
    """What is printed of a game; what it is `about` first."""
    services = current_services()
    snapshot = services.games.load(card.id)
    stored = services.jobs.game_analysis(card.id, current_limit())
    record, replay = snapshot.record, snapshot.record.replay()
    place = [gettext("Round %(round)s", round=short(card.round)) if card.round else "", short(card.table)]
    facts = [joined([*about, *place]), *((card.result, card.rest) if snapshot.ended else ())]
    rows = list_turns(record.plies, replay.turns)
    listed = {turn.ply: turn for row in rows for turn in row.turns if turn}

    def board(ply: int) -> BoardPicture:
        last, position = listed.get(ply), replay.positions[ply]
        title = labels.board_title(
            position, last.cited if last else "", ended=snapshot.ended and ply == len(replay.turns)
        )
        highlights = highlights_of(last.turn if last else None, position.row)
        return BoardPicture(position, title, highlights)

    turned = turning_points(record, replay.turns, stored)
    return {
        "id": card.id,
        "sign": card.terms.get("special", ""),
        "names": [short(name) for name in card.names],
        "facts": list(filter(None, facts)),
        "opening": [_note(one) for one in Annotated().remarks(0, record.comments)],
        "rows": [
            {
                "number": row.number,
                "turns": [
                    "".join((turn.text, *(one.sign for one in turn.glyphs))) if turn else "" for turn in row.turns
                ],
                "boards": [board(turn.ply - 1) for turn in row.turns if turn and turn.ply in turned],
                "notes": [
                    _note(one, f"{turn.number} {turn.text}: " if all(row.turns) else "")
                    for turn in row.noted
                    for one in turn.remarks
                ],
            }
            for row in rows
        ],
        "end": None if turned else board(len(replay.turns)),
    }


def _note(remark: ListedRemark, label: str = "") -> dict[str, Any]:
    """A comment and what it tells; positions in it are drawn below it."""
    text, boards, sides = " ".join(filter(None, (remark.text, *remark.sentences))), [], side_names()
    for raw in dict.fromkeys(_POSITION.findall(text)):
        with suppress(PositionError):
            position = Position.parse(raw)
            title = gettext("%(side)s is to move.", side=sides[position.to_move])
            boards.append(BoardPicture(position, title))
            text = text.replace(raw, gettext("below"))
    return {"text": label + short(text, LONGEST_COMMENT), "boards": boards}


def turning_points(record: Game, turns: Sequence[Turn], stored: GameAnalysis) -> list[int]:
    """The plies of the mistakes that lost most, at most `MOST_BOARDS`: those that the `stored` analysis found, or else
    those with a glyph in the record."""
    if stored.found is not None and stored.is_current:
        losses = {turn.ply: turn.loss or 0.0 for turn in stored.found.turns if turn.glyph}
    else:
        values = [None if one is None or one.seeds is None else float(one.seeds) for one in evaluations(record)]
        losses = {}
        for ply, (written, turn) in enumerate(zip(record.plies, turns, strict=False), 1):
            if MISTAKES.intersection(written.nags):
                before, after = values[ply - 1 : ply + 1]
                lost = 0.0 if before is None or after is None else before - after
                losses[ply] = lost if turn.before.to_move is SOUTH else -lost
    return sorted(sorted(losses, key=lambda ply: -losses[ply])[:MOST_BOARDS])


MOST_GAMES, MOST_TURNS = 100, 5_000  # in a booklet
MOST_KINDS = 8  # of games with their options, that its head lists
ABSENT = {"south": (1,), "north": (0,), "none": (0, 1)}  # who did not come, by the result of a pairing


@pages.get("/events/<path:name>/booklet")
@needs("read", limited=True, waits=True)
def event_booklet(name: str) -> ResponseReturnValue:
    """The booklet of an event; ``?round=`` has the games of that round only."""
    key, round = event_of_page(name), request.args.get("round")
    with current_services().places.sheets.taken(current_sender(), SHEET_PATIENCE):
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
    cards = [GameCard(row) for row in played]
    return booklet_page(
        counts.name,
        url_for("web.event", name=page_name(key)),
        cards,
        facts=joined((" – ".join(days), plan.place if plan else "", *list(kinds)[:MOST_KINDS])),
        standings=list(_standings(event_standings(rows, persons, plan), plan)),
        rounds=list(_rounds(rows, plan)),
        games=[game_on_paper(card, [card.title] if len(kinds) > 1 else ()) for card in cards],
    )


def _standings(ranked: EventStandings, plan: EventPlan | None) -> Iterator[dict[str, Any]]:
    """The teams, if there are some, and the players, for the macro `standings_table`."""
    for is_teams, rows, breaks in (
        (True, ranked.teams, TEAM_ORDER),
        (False, ranked.players, ranked.order if plan else ()),
    ):
        if rows or not is_teams:
            yield {"is_teams": is_teams, "rows": [replace(one, name=short(one.name)) for one in rows], "breaks": breaks}


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
