"""The one search: players, events, games, positions, rules, pages and the manual, by what somebody typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.records import Position, RecordsError
from inkeek.records.rules.ruleset import OTHER_ID, RuleSet
from inkeek.service.errors import NotFound, gettext_later as later
from inkeek.service.games.events.standings import event_names
from inkeek.service.games.library.persons import near_players
from inkeek.service.http.access import needs
from inkeek.service.http.context import all_rulesets, current_limit, current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.names import page_name
from inkeek.service.http.web.base import blueprint, render_page
from inkeek.service.http.web.games.pages import games_of
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.storage import GameFilter, GameRow, NameRow, covers
from inkeek.service.storage.ids import ALPHABET, ID_LENGTH
from inkeek.service.storage.search import name_key, players_of

from . import manual
from .pages import parse_position

MAX_QUERY = 400  # characters
FEW = 8  # results of each kind
LEAST = 3  # letters that are searched in the manual
LOOKED_AT = 200  # newest games of a player among which those against another one are found
AGAINST = re.compile(r"\s+(?:[-–—]|vs?\.?)\s+")
PAGES = {
    "web.new_game": later("New game"),
    "web.new_match": later("New match"),
    "web.import_form": later("Import games"),
    "web.paper_form": later("From paper"),
    "web.matches": later("Matches"),
    "web.analysis_board": later("Analysis board"),
    "web.finding": later("Was this turn legal?"),
    "web.quarrels": later("Famous quarrels"),
    "web.list_disputes": later("Disputes"),
    "web.boards": later("Boards"),
    "web.tokens": later("For programs"),
    "web.show_appearance": later("Appearance"),
}


@dataclass(frozen=True, slots=True)
class Link:
    """A page that was found, and what is said of it."""

    title: str
    url: str
    note: str = ""


@dataclass(slots=True)
class Found:
    """What was found, by kind."""

    players: list[Link] = field(default_factory=list)
    events: list[Link] = field(default_factory=list)
    rules: list[Link] = field(default_factory=list)
    pages: list[Link] = field(default_factory=list)
    games: list[GameCard] = field(default_factory=list)
    position: Position | None = None
    manual: Sequence[manual.Section] = ()

    def exact(self, query: str) -> str:
        """The address of the one page of that name; empty if there are others that it may mean."""
        named = [*self.players, *self.events, *self.rules, *self.pages]
        if self.rules and self.games:
            return ""
        return named[0].url if len(named) == 1 and name_key(named[0].title) == name_key(query) else ""

    @property
    def kinds(self) -> list[tuple[str, list[Link]]]:
        """Links by the heading above them."""
        headings = gettext("Players"), gettext("Events"), gettext("Rules"), gettext("Pages")
        lists = self.players, self.events, self.rules, self.pages
        return [(heading, links) for heading, links in zip(headings, lists, strict=True) if links]


@blueprint.get("/search")
@needs("read", limited=True)
def search() -> ResponseReturnValue:
    """What was found, by kind. An id of a game, and the only page of a name, are shown at once."""
    query = " ".join(request.args.get("q", "")[:MAX_QUERY].split())
    address = _game_address(query)
    found = Found() if address or not query else _find(query)
    address = address or found.exact(query)
    if address:
        return redirect(address)
    return render_page("library/found.html", query=query, found=found)


def _game_address(query: str) -> str:
    """The address of the game with that id."""
    game_id, limit = query.lower(), current_limit()
    if len(game_id) == ID_LENGTH and set(game_id) <= set(ALPHABET):
        with suppress(NotFound):
            row = current_services().games.row(game_id)
            return url_for("web.game", game_id=game_id) if limit is None or covers(limit, row) else ""
    return ""


def _find(query: str) -> Found:
    with suppress(RecordsError):
        position = parse_position(query)
        rules = [info for info in all_rulesets() if position.row in info.option("pits").allowed]
        title = gettext("Analysis board")
        boards = [
            Link(f"{title}: {info.name}", url_for("web.analysis_board", game=info.id, position=str(position)))
            for info in rules
        ]
        games = _page(FEW, game=tuple(info.id for info in rules), position=str(position)) if rules else ()
        return Found(pages=boards, games=games_of(games), position=position)
    names, words = AGAINST.split(query, 1), query.casefold().split()
    players = [_players(name) for name in names]
    pages = [Link(gettext(title), url_for(endpoint)) for endpoint, title in PAGES.items()]
    rules = [info for info in all_rulesets() if _has_all(words, _rule_words(info)) or info.name.casefold() in words]
    named = (query,) if OTHER_ID.fullmatch(query) else tuple(info.id for info in rules if _has_all(words, info.name))
    games = _games_of_players([{row.key for row in rows} for rows in players]) or (
        _page(FEW, game=named) if named else []
    )
    return Found(
        players=[Link(row.name, url_for("web.player", name=page_name(row.key))) for rows in players for row in rows],
        events=[Link(row.name, url_for("web.event", name=page_name(row.key))) for row in _events(query)],
        rules=[Link(info.name, url_for("web.show_rules", ruleset_id=info.id), gettext(info.title)) for info in rules],
        pages=[page for page in pages if _has_all(words, page.title)],
        games=games_of(games),
        manual=manual.search(query)[:FEW] if len(query) >= LEAST else (),
    )


def _players(name: str) -> list[NameRow]:
    """Players whose names begin so, or in which a later word does, or else are spelled nearly so. A limited key may not
    know of them."""
    if current_limit() is not None:
        return []
    store = current_services().store
    with store.reading() as transaction:
        found = transaction.names.players(name, FEW) or transaction.names.with_word(name, FEW)
    return found or near_players(store, name)


def _events(prefix: str) -> list[NameRow]:
    if current_limit() is not None:
        return []
    with current_services().store.reading() as transaction:
        return event_names(transaction, prefix, FEW)


def _games_of_players(sides: list[set[str]]) -> list[GameRow]:
    """The newest games of any of these players; of two sides, those of one against the other."""
    if not all(sides):
        return []
    first, *others = sides
    rows = _page(LOOKED_AT if others else FEW, player=tuple(first))
    return [row for row in rows if all(other.intersection(players_of(row.tags)) for other in others)][:FEW]


def _page(most: int, **of: Any) -> list[GameRow]:
    return current_services().games.page(most, None, GameFilter(**of, within=current_limit()))[0]


def _has_all(words: Sequence[str], text: str) -> bool:
    """Whether a word of the text begins with each of these."""
    return all(re.search(rf"\b{re.escape(word)}", text.casefold()) for word in words)


def _rule_words(info: RuleSet) -> str:
    return f"{info.id} {info.name} {info.title} {gettext(info.title)}"
