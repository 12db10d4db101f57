"""The library: games are found by what is known of them, and players, events and matches have their pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.records import Position, RecordsError
from inkeek.records.rules.ruleset import OTHER_ID, RuleSet
from inkeek.service.errors import Invalid, NotFound, gettext_later as later
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.standings import event_names, load_player
from inkeek.service.games.library import persons
from inkeek.service.games.library.data import count_games
from inkeek.service.games.library.persons import near_players
from inkeek.service.games.pages import games_of
from inkeek.service.games.view_models import GameCard
from inkeek.service.games.write import Write, who
from inkeek.service.http.access import allows, needs
from inkeek.service.http.context import (
    all_rulesets,
    current_caller,
    current_limit,
    current_services,
    current_write,
)
from inkeek.service.http.language import error_text, gettext
from inkeek.service.http.names import key_of_page, page_name
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import PAGE, blueprint, entries, position_url, render_page, see_other
from inkeek.service.http.web.drawing import tally_svg
from inkeek.service.http.web.forms import Commands, merged_field, read_number, shows_refusals
from inkeek.service.http.web.labels import game_name
from inkeek.service.room import MENUS
from inkeek.service.storage import GameFilter, GameRow, NameRow, covers
from inkeek.service.storage.ids import ALPHABET, ID_LENGTH
from inkeek.service.storage.search import GAME_STATES, RESULTS, name_key, players_of
from inkeek.service.storage.store import Store

from . import manual

FIELDS = ("player", "event", "game", "result", "state", "since", "until", "position")
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
        "given": {name: given.get(name, "") for name in FIELDS},
        "games": games_of(rows),
        "next_url": cursor and url_for("web.find_games", **given, after=cursor),
        "refusal": refusal,
        "position": shown,
        "rulesets": all_rulesets(),
        "results": RESULTS,
        "states": GAME_STATES,
    }
    return render_page("library/search.html", **values), 422 if refusal else 200


def _filter(given: Mapping[str, str]) -> GameFilter:
    """:raises Invalid: a field is wrong. :raises RecordsError: the position is."""
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
        "counted": [(game_name(one.game), one) for one in count_games(ended)],
        "all_counted": older is None,
        "filters": of,
        "matches": [(row, labels.player_names(row.tags)) for row in matches],
        "more_matches": more_matches and url_for("web.matches", **of),
    }


def _player_page(name: str, refusal: str = "", quoted: Sequence[persons.Quote] = ()) -> ResponseReturnValue:
    services, key = current_services(), key_of_page(name, "player")
    person = persons.load_person(services.store, key)
    if person.key != key and request.method == "GET":
        return redirect(url_for("web.player", name=page_name(person.key)), 302)
    counts = load_player(services.store, person.key)
    records = [(game_name(game), _score(found)) for game, found in sorted(counts.scores.items())]
    may_arbitrate = allows(current_caller().scopes, "arbiter")
    return render_page(
        "library/player.html",
        counts=counts,
        person=person,
        near=persons.near_players(services.store, person.key) if may_arbitrate else (),
        who=who,
        refusal=refusal,
        quoted=quoted,
        records=records,
        total={name: sum(score[name] for _, score in records) for name in ("won", "drawn", "lost", "live", "other")},
        **newest(player=person.key),
    )


@blueprint.get("/players/<path:name>")
@needs("read")
def player(name: str) -> ResponseReturnValue:
    """A player: what their games came to, their matches and their newest games."""
    return _player_page(name)


commands = Commands()


@blueprint.post("/players/<path:name>")
@needs("arbiter")
@shows_refusals(_player_page)
def change_player(name: str) -> ResponseReturnValue:
    """Spell the name otherwise, join it with another, or undo such a change: one of `commands`."""
    services = current_services()
    key: str = commands.run(services.events, services.store, key_of_page(name, "player"))
    return see_other("web.player", name=page_name(key))


@commands("name")
def _rename(events: Events, store: Store, key: str) -> str:
    with store.together():
        return persons.rename(events, store, key, merged_field(request.form, "name", _written(key)), _write())


@commands("join")
def _join(events: Events, store: Store, key: str) -> str:
    return persons.join(events, store, key, request.form.get("into", ""), _write())


@commands("undo")
def _undo(events: Events, store: Store, key: str) -> str:
    is_admin = allows(current_caller().scopes, "admin")
    return persons.undo(events, store, key, read_number(request.form, "number"), _write(), is_admin=is_admin)


@blueprint.post("/players/<path:name>/privacy")
@needs("admin")
@shows_refusals(_player_page)
def set_privacy(name: str) -> ResponseReturnValue:
    """Show a player by initials or by name, or take them out."""
    services, form, key = current_services(), request.form, key_of_page(name, "player")
    if form.get("action") == "remove" and form.get("confirm") == "yes":
        removal = persons.take_out(services.games, services.events, services.store, key, _write())
        if removal.quoted:
            return _player_page(page_name(removal.name), quoted=removal.quoted)
        return see_other("web.player", name=page_name(key if removal.more else removal.name))
    if form.get("action") not in ("initials", "full"):
        raise BadRequest("Choose what to show. To take a player out, tick that you know it cannot be undone.")
    key = persons.set_initials(services.store, key, form["action"] == "initials", _write())
    return see_other("web.player", name=page_name(key))


def _written(key: str) -> str:
    person = persons.load_person(current_services().store, key)
    return "" if person.initials else load_player(current_services().store, person.key).name


def _write() -> Write:
    return current_write(current_caller().name)


def _score(found: Mapping[str, int]) -> dict[str, int]:
    """Games by how they ended; `other`: without a result, or with the player on both sides."""
    named = {name: found.get(name, 0) for name in ("won", "drawn", "lost", "live")}
    return {**named, "other": sum(found.values()) - sum(named.values())}


MAX_QUERY = 400  # characters
FOUND_FEW = 8  # results of each kind
LEAST = 3  # letters that are searched in the manual
LOOKED_AT = 200  # newest games of a player among which those against another one are found
AGAINST = re.compile(r"\s+(?:[-–—]|vs?\.?)\s+")
PAGES = {
    "web.new_game": later("New game"),
    "web.new_match": later("New match"),
    "web.import_form": later("Import games"),
    "web.paper_form": later("From paper"),
    "web.matches": later("Matches"),
    "web.finding": later("Was this turn legal?"),
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


def _named_pages() -> list[tuple[str, str]]:
    brought = [(entry.endpoint, entry.words) for menu in MENUS for entry in entries(menu)]
    return [*brought, *PAGES.items()]


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
            Link(f"{title}: {info.name}", url)
            for info in rules
            if (url := position_url(game=info.id, position=str(position)))
        ]
        games = _page(FOUND_FEW, game=tuple(info.id for info in rules), position=str(position)) if rules else ()
        return Found(pages=boards, games=games_of(games), position=position)
    names, words = AGAINST.split(query, 1), query.casefold().split()
    players = [_players(name) for name in names]
    pages = [Link(gettext(title), url_for(endpoint)) for endpoint, title in _named_pages()]
    rules = [info for info in all_rulesets() if _has_all(words, _rule_words(info)) or info.name.casefold() in words]
    named = (query,) if OTHER_ID.fullmatch(query) else tuple(info.id for info in rules if _has_all(words, info.name))
    games = _games_of_players([{row.key for row in rows} for rows in players]) or (
        _page(FOUND_FEW, game=named) if named else []
    )
    return Found(
        players=[Link(row.name, url_for("web.player", name=page_name(row.key))) for rows in players for row in rows],
        events=[Link(row.name, url_for("web.event", name=page_name(row.key))) for row in _events(query)],
        rules=[Link(info.name, url_for("web.show_rules", ruleset_id=info.id), gettext(info.title)) for info in rules],
        pages=[page for page in pages if _has_all(words, page.title)],
        games=games_of(games),
        manual=manual.search(query)[:FOUND_FEW] if len(query) >= LEAST else (),
    )


def _players(name: str) -> list[NameRow]:
    """Players whose names begin so, or in which a later word does, or else are spelled nearly so. A limited key may not
    know of them."""
    if current_limit() is not None:
        return []
    store = current_services().store
    with store.reading() as transaction:
        found = transaction.names.players(name, FOUND_FEW) or transaction.names.with_word(name, FOUND_FEW)
    return found or near_players(store, name)


def _events(prefix: str) -> list[NameRow]:
    if current_limit() is not None:
        return []
    with current_services().store.reading() as transaction:
        return event_names(transaction, prefix, FOUND_FEW)


def _games_of_players(sides: list[set[str]]) -> list[GameRow]:
    """The newest games of any of these players; of two sides, those of one against the other."""
    if not all(sides):
        return []
    first, *others = sides
    rows = _page(LOOKED_AT if others else FOUND_FEW, player=tuple(first))
    return [row for row in rows if all(other.intersection(players_of(row.tags)) for other in others)][:FOUND_FEW]


def _page(most: int, **of: Any) -> list[GameRow]:
    return current_services().games.page(most, None, GameFilter(**of, within=current_limit()))[0]


def _has_all(words: Sequence[str], text: str) -> bool:
    return all(re.search(rf"\b{re.escape(word)}", text.casefold()) for word in words)


def _rule_words(info: RuleSet) -> str:
    return f"{info.id} {info.name} {info.title} {gettext(info.title)}"
