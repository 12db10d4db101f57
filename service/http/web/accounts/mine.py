"""The page ``/mine``: a person's games, what they wrote, what waits for them, and the devices they are signed in on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from flask import Response, url_for
from flask.typing import ResponseReturnValue

from inkeek.service.disputes import disputes
from inkeek.service.disputes.courses import WAITS
from inkeek.service.disputes.view import dispute_cards
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.access import allows, needs
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.web.base import blueprint, render_page, see_other, shared_url
from inkeek.service.http.web.events.hall import qr_svg
from inkeek.service.http.web.games.pages import games_of
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.settings import is_loopback
from inkeek.service.storage import FeedCursor, FeedEvent, FeedFilter, GameFilter, GameRow

SHOWN = 10  # of each list
LOOKED_AT = 5000  # newest entries of the ledger among which a person's own events are found
EVENTS_READ = 1000  # of these
WROTE = {  # what people write, by the kind of the event
    "annotations": later("Comments"),
    "dispute": later("Claim"),
    "claim": later("Claim"),
    "proposal": later("Proposal"),
    "response": later("Answer"),
    "ruling": later("Ruling"),
    "appeal": later("Appeal"),
}


@dataclass(frozen=True, slots=True)
class Writing:
    """What somebody wrote about a game. `url` is where it stands."""

    what: str
    time: str
    game: GameCard
    url: str


@blueprint.get("/mine")
@needs("read", limited=True)
def mine() -> ResponseReturnValue:
    """What is the reader's: games, comments, claims, rulings, devices."""
    return _page()


@blueprint.post("/mine/device")
@needs("read", open_locally=False, limited=True, current=True)
def add_device() -> ResponseReturnValue:
    """Show a code that signs in another device as the same person. Only this response has it."""
    link, secret = current_services().devices.add_link(current_caller())
    return _page(shared_url("web.sign_in", key=secret), link.expires or "")


@blueprint.post("/mine/devices/<token_id>/end")
@needs("read", open_locally=False, limited=True)
def end_device(token_id: str) -> ResponseReturnValue:
    """Sign the reader out on another device."""
    current_services().devices.end(current_caller(), token_id)
    return see_other("web.mine")


def _page(address: str = "", until: str = "") -> Response:
    services, caller, limit = current_services(), current_caller(), current_limit()
    name = caller.person
    events = _own_events(name) if name else []
    played = GameFilter(player=name, within=limit)
    live, ended = ([], []) if not name else (_games(events, played, state) for state in ("live", "ended"))
    waiting = []
    if allows(caller.scopes, "arbiter"):
        rows, _ = disputes.page(services.store, SHOWN, None, WAITS, limit)
        waiting = dispute_cards(rows)
    return render_page(
        "accounts/mine.html",
        name=name,
        live=games_of(live),
        ended=games_of(ended),
        waiting=waiting,
        wrote=_writings(events),
        devices=services.devices.others(caller),
        lets_in=services.keys.let_others_in(caller),
        address=address,
        code=qr_svg(address) if address else None,
        until=until,
        is_far=bool(address) and not is_loopback(urlsplit(address).hostname or ""),
    )


def _own_events(name: str) -> list[FeedEvent]:
    """What the person of that name did lately: began games, wrote comments, claims and rulings; newest first."""
    where = FeedFilter(kind=("created", *WROTE), actor=name).within(current_limit())
    with current_services().store.reading() as transaction:
        last = transaction.ledger.head().position
        page = transaction.feed.read(FeedCursor(max(0, last - LOOKED_AT)), EVENTS_READ, last, where)
    return page.items[::-1]


def _games(events: list[FeedEvent], played: GameFilter, state: str) -> list[GameRow]:
    """The newest games in this state which the person plays, or began."""
    games = current_services().games
    rows = {row.id: row for row in games.page(SHOWN, None, replace(played, state=state))[0]}
    began = dict.fromkeys(item.event.game for item in events if item.event.kind == "created")
    rows |= {row.id: row for row in map(games.row, [*began][:SHOWN]) if row.state == state}
    return sorted(rows.values(), key=lambda row: row.created, reverse=True)[:SHOWN]


def _writings(events: list[FeedEvent]) -> list[Writing]:
    """The last texts, one of each kind for a game. What an analysis wrote is nobody's."""
    found: dict[tuple[str, str], FeedEvent] = {}
    for item in events:
        if item.event.kind in WROTE and not item.event.data.get("analysis"):
            found.setdefault((item.event.game, item.event.kind), item)
    writings = []
    for (game_id, kind), item in [*found.items()][:SHOWN]:
        url = url_for("web.review", game_id=game_id)
        if kind == "dispute":
            url = url_for("web.dispute", game_id=game_id, seq=item.event.seq)
        (game,) = games_of([current_services().games.row(game_id)])
        writings.append(Writing(gettext(WROTE[kind]), item.event.time, game, url))
    return writings
