"""Names of players and events in addresses: their ids, and the part of a page's address that names them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import quote

from flask import abort, has_request_context, redirect, request, url_for

from inkeek.service.errors import NotFound
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.events.plan import EventPlan, with_names
from inkeek.service.games.events.standings import as_written, known_persons
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import name_key, players_of, table_and_event

from .access.limits import outside
from .access.scopes import allows
from .context import current_caller, current_limit, current_services

HIDDEN = "inkeek.hidden"  # key in the WSGI environment
MARK = "~"  # before an id in the address of a page
RESERVED = (".", "..", "new")  # in a path, these lead elsewhere
MAX_PLAIN = 1000  # characters of a name in an address, percent-encoded


def name_id(key: str) -> str:
    """The id of a player or an event: the normalized name in URL-safe Base64, which no path changes."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def key_of(text: str) -> str | None:
    """The normalized name of an id; None if it is no id."""
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    return key if key and name_key(key) == key and name_id(key) == text else None


def page_name(name: str) -> str:
    """The part of a page's address for a name: the name, normalized, or ``~`` and its id where paths change it, or it
    would be longer than servers and QR codes take."""
    key = name_key(name)
    is_plain = key.isprintable() and not key.startswith(MARK) and key not in RESERVED and not set(key) & set("/\\")
    return key if is_plain and len(quote(key)) <= MAX_PLAIN else MARK + name_id(key)


def key_of_page(text: str, what: str) -> str:
    """The normalized name in the address of a page.

    :raises NotFound: the address holds no name. `what` is for the error: a player or an event.
    """
    key = key_of(text.removeprefix(MARK)) if text.startswith(MARK) else name_key(text)
    if not key:
        raise NotFound(f"There is no {what} {text[:80]!r}. The list of {what}s has their addresses.")
    return key


def key_of_id(text: str, what: str) -> str:
    """The normalized name of the player or the event, as `what` says, with this id.

    :raises NotFound: it is no id.
    """
    key = key_of(text)
    if key is None:
        raise NotFound(f"There is no {what} {text[:80]!r}. The list of {what}s has their ids.")
    return key


def shown_tags(tags: Mapping[str, str], hidden: Mapping[str, str] | None = None) -> dict[str, str]:
    """Tags with the initials of players who are shown by them. The record itself keeps the names. `hidden`: as
    `hidden_names`, for a response that is sent after the request."""
    hidden = hidden_names() if hidden is None else hidden
    shown = {side: hidden[key] for side in SIDES if hidden and (key := name_key(tags.get(side, ""))) in hidden}
    return {**tags, **shown}


def with_persons(rows: Sequence[GameRow]) -> list[GameRow]:
    """The games with their players as they are written everywhere, in place of what their records have."""
    with current_services().store.reading() as transaction:
        persons = known_persons(transaction, rows, None)
    found = []
    for row in rows:
        names = zip(SIDES, players_of(row.tags, persons.owners), strict=True)
        written = {side: persons.names[key] for side, key in names if key in persons.names}
        found.append(row._replace(tags={**row.tags, **written}))
    return found


def shown_plan(plan: EventPlan) -> EventPlan:
    """The plan with its persons as they are written everywhere, for readers who do not hold events by initials if they
    asked for that."""
    with current_services().store.reading() as transaction:
        plan = as_written(transaction, plan)
    hidden = {} if allows(current_caller().scopes, "arbiter") else hidden_names()
    return with_names(plan, lambda _, name: hidden.get(name_key(name), name))


def hidden_names() -> Mapping[str, str]:
    """As `PersonTable.hidden`, once for each request."""
    if not has_request_context():
        return {}
    if HIDDEN not in request.environ:
        with current_services().store.reading() as transaction:
            request.environ[HIDDEN] = transaction.persons.hidden()
    return cast("Mapping[str, str]", request.environ[HIDDEN])


def event_of_page(text: str, table: int | None = None) -> str:
    """The normalized name now of the event that the address of a page names; where it was renamed since, a page that is
    read leads to its new address, and a form goes on with the event.

    :raises NotFound: the address holds no name, or see `check_event`.
    """
    key = key_of_page(text, "event")
    new = _new_key(key, table)
    if not new:
        return check_event(key, table)
    given = request.view_args or {}
    if request.method in ("GET", "HEAD") and given.get("name") == text and request.endpoint is not None:
        abort(redirect(url_for(request.endpoint, **{**request.args, **given, "name": page_name(new)})))
    return new


def event_of_id(text: str, table: int | None = None) -> str:
    """The normalized name now of the event with this id, which may have had another name then.

    :raises NotFound: it is no id, or see `check_event`.
    """
    key = key_of_id(text, "event")
    return _new_key(key, table) or check_event(key, table)


def _new_key(key: str, table: int | None) -> str:
    """The normalized name of the event that lost this one; empty if there is none that the caller may know of."""
    new = name_key(current_services().events.moved(key))
    return new if new and _covers(new, table) else ""


def check_event(key: str, table: int | None = None) -> str:
    """The normalized name of an event.

    :raises NotFound: the caller's limit covers neither it nor this table of it.
    """
    limit = current_limit()
    if limit is None or _covers(key, table):
        return key
    raise outside(limit, "event", key)


def _covers(key: str, table: int | None) -> bool:
    limit = current_limit()
    return limit is None or (limit.kind == "event" and name_key(limit.value) == key) or keeps_table(key, table)


def keeps_table(event: str, table: int | None) -> bool:
    """Whether the caller is limited to this table of the event with that key."""
    limit = current_limit()
    if limit is None or limit.kind != "table":
        return False
    own, name = table_and_event(limit)
    return name_key(name) == event and name_key(own) == str(table)
