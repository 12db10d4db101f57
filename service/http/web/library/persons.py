"""The page of a player: what their games came to, and for arbiters who the person is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.service.games.events.standings import load_player
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write, who
from inkeek.service.http.access import allows, needs
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.names import key_of_page, page_name
from inkeek.service.http.web.base import blueprint, render_page, see_other
from inkeek.service.http.web.forms import read_number, shows_refusals
from inkeek.service.http.web.labels import game_name

from .pages import newest


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


@blueprint.post("/players/<path:name>")
@needs("arbiter")
@shows_refusals(_player_page)
def change_player(name: str) -> ResponseReturnValue:
    """Spell the name otherwise, join it with another, or undo such a change."""
    services, form, key = current_services(), request.form, key_of_page(name, "player")
    events, store = services.events, services.store
    if form.get("action") == "name":
        key = persons.rename(events, store, key, form.get("name", ""), _write())
    elif form.get("action") == "join":
        key = persons.join(events, store, key, form.get("into", ""), _write())
    elif form.get("action") == "undo":
        is_admin = allows(current_caller().scopes, "admin")
        key = persons.undo(events, store, key, read_number(form, "number"), _write(), is_admin=is_admin)
    else:
        raise BadRequest(f"action is {form.get('action', '')[:40]!r}. Expected name, join or undo.")
    return see_other("web.player", name=page_name(key))


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


def _write() -> Write:
    return current_write(current_caller().name)


def _score(found: Mapping[str, int]) -> dict[str, int]:
    """Games by how they ended; `other`: without a result, or with the player on both sides."""
    named = {name: found.get(name, 0) for name in ("won", "drawn", "lost", "live")}
    return {**named, "other": sum(found.values()) - sum(named.values())}
