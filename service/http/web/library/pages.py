"""The library: games are found by what is known of them, and players, events and matches have their pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.records import Position, RecordsError
from inkeek.service.errors import Invalid
from inkeek.service.games.events.standings import event_names
from inkeek.service.games.library.counts import count_games
from inkeek.service.http.access import needs
from inkeek.service.http.context import all_rulesets, current_limit, current_services, find_ruleset
from inkeek.service.http.language import error_text
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import PAGE, blueprint, render_page
from inkeek.service.http.web.drawing.tally import tally_svg
from inkeek.service.http.web.games.pages import games_of
from inkeek.service.storage import GameFilter, GameRow
from inkeek.service.storage.search import GAME_STATES, RESULTS

FIELDS = ("player", "event", "game", "result", "state", "since", "until", "position")
DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
NAMES = 60  # players or events on a page
COUNTED = 500  # newest ended games of which lengths and captures are counted
FEW = 10  # games and matches on the page of a player or an event


@blueprint.context_processor
def _tally() -> dict[str, Any]:
    return {"tally_svg": tally_svg}


@blueprint.get("/games")
@needs("read", limited=True)
def find_games() -> ResponseReturnValue:
    """Search the games; the form is the query, so that a search can be linked."""
    given: dict[str, Any] = {name: value for name in FIELDS if (value := request.args.get(name, "").strip())}
    rows: Sequence[GameRow] = ()
    cursor, refusal, shown = None, "", None
    try:
        where = _filter(given)
        shown = Position.parse(where.position) if where.position else None
        rows, cursor = current_services().games.page(PAGE, request.args.get("after"), where)
    except (Invalid, RecordsError) as error:
        refusal = error_text(error)
    values = {
        "given": {name: "" if _is_no_day(name, given) else given.get(name, "") for name in FIELDS},
        "games": games_of(rows),
        "next_url": cursor and url_for("web.find_games", **given, after=cursor),
        "refusal": refusal,
        "position": shown,
        "rulesets": all_rulesets(),
        "results": RESULTS,
        "states": GAME_STATES,
    }
    return render_page("library/search.html", **values), 422 if refusal else 200


def _is_no_day(name: str, given: Mapping[str, Any]) -> bool:
    """Whether a field of days has something else, which browsers do not show and complain about."""
    return name in ("since", "until") and not DAY.fullmatch(given.get(name, ""))


def _filter(given: Mapping[str, str]) -> GameFilter:
    """The filter of the form.

    :raises Invalid: a field is wrong. :raises RecordsError: the position is.
    """
    fields: dict[str, Any] = dict(given)
    if "position" in fields:
        fields["position"] = str(parse_position(fields["position"]))
    return GameFilter(**fields, within=current_limit())


def parse_position(text: str) -> Position:
    """A position, which may lack the stores and the ply.

    :raises RecordsError: it is none.
    """
    words = text.split()
    if len(words) == 2:  # rows and the side to move
        words.insert(1, "0-0")
    if len(words) == 3:
        words.append("0")
    return Position.parse(" ".join(words))


@blueprint.get("/players")
@needs("read")
def players() -> ResponseReturnValue:
    """The players, by name."""
    with current_services().store.reading() as transaction:
        found = transaction.names.players(request.args.get("prefix", ""), NAMES + 1, request.args.get("after"))
    return _names_page("players", found)


@blueprint.get("/events")
@needs("read")
def events() -> ResponseReturnValue:
    """The events, by name."""
    with current_services().store.reading() as transaction:
        found = event_names(transaction, request.args.get("prefix", ""), NAMES + 1, request.args.get("after"))
    return _names_page("events", found)


def _names_page(kind: str, found: Sequence[Any]) -> Response:
    prefix = request.args.get("prefix", "")
    following = url_for(f"web.{kind}", prefix=prefix, after=found[NAMES - 1].key) if len(found) > NAMES else None
    return render_page("library/names.html", kind=kind, names=found[:NAMES], prefix=prefix, next_url=following)


def newest(**of: Any) -> dict[str, Any]:
    """The newest games and matches of a player or an event, where there are more, and what is counted of them."""
    services = current_services()
    where = GameFilter(**of, within=current_limit())
    rows, more = services.games.page(FEW, None, where)
    matches, more_matches = services.matches.page(FEW, None, where)
    ended, older = services.games.page(COUNTED, None, replace(where, state="ended"))
    return {
        "games": games_of(rows),
        "more": more and url_for("web.find_games", **of),
        "counted": [(find_ruleset(one.ruleset).name, one) for one in count_games(ended)],
        "all_counted": older is None,
        "filters": of,
        "matches": [(row, labels.player_names(row.tags)) for row in matches],
        "more_matches": more_matches and url_for("web.matches", **of),
    }
