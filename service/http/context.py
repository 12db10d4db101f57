"""The context of the current request: its services, its caller and its session."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import cast

from flask import Flask, current_app, request

from inkeek.records import OptionError
from inkeek.records.rules.ruleset import RuleSet, load_ruleset, ruleset_ids
from inkeek.service.errors import NotFound
from inkeek.service.games.rights import Right
from inkeek.service.games.write import Write
from inkeek.service.processes.places import Sender
from inkeek.service.storage import Limit

from .access import NOBODY, Caller
from .services import Services

EXTENSION = "inkeek"
CALLER = "inkeek.caller"  # keys in the WSGI environment
CSRF = "inkeek.csrf"
ROUTE = "inkeek.route"
LIMIT = "inkeek.limit"
ON_HANG_UP = "inkeek.on_hang_up"
HEADERS_ONLY = "inkeek.headers_only"  # the body has not been read: check the request, and no more
MAX_BODY = "inkeek.max_body"  # bytes; set when the headers have passed the checks
ADDED = "inkeek.added"  # headers of the response, by name, whatever it will be
REFUSAL = "inkeek.refusal"  # an exception: the web server could not read the body


def services_of(app: Flask) -> Services:
    """The services of an application."""
    return cast(Services, app.extensions[EXTENSION])


def current_services() -> Services:
    """The services of the application that handles the current request."""
    return services_of(current_app)


def find_ruleset(id: str) -> RuleSet:
    """The rule set with this id, also a local one. See `Rulesets.find`."""
    return current_services().games.rulesets.find(id)


def all_rulesets() -> list[RuleSet]:
    """Our rule sets, and the local ones."""
    return [*map(load_ruleset, ruleset_ids()), *current_services().games.rulesets.all()]


def known_ruleset(id: str) -> RuleSet:
    """The rule set with this id.

    :raises NotFound: the program knows no such game.
    """
    with suppress(OptionError):
        info = find_ruleset(id)
        if info.is_known:
            return info
    raise NotFound(
        "There are no rules %(ruleset_id)r. There are: %(ruleset_ids)s.",
        ruleset_id=id[:80],
        ruleset_ids=", ".join(info.id for info in all_rulesets()),
    )


def current_caller() -> Caller:
    """Who sent the current request, as the guard found out."""
    return cast(Caller, request.environ.get(CALLER, NOBODY))


def current_sender() -> Sender:
    """Whom the current request counts against."""
    return current_caller().sender(request.remote_addr)


def current_csrf() -> str:
    """The CSRF token for forms of the current session; empty if nobody is signed in."""
    return cast(str, request.environ.get(CSRF, ""))


def current_limit() -> Limit | None:
    """What the current request may read; None: all games, also where reading needs no key."""
    return cast("Limit | None", request.environ.get(LIMIT))


def on_hang_up(call: Callable[[], None]) -> None:
    """Have the web server call a function when the client of the current request hangs up before it has its answer.

    The function must not wait, and may be called twice. Web servers other than Inkeek's own never call it.
    """
    register: Callable[[Callable[[], None]], None] | None = request.environ.get(ON_HANG_UP)
    if register is not None:
        register(call)


def current_right(game_id: str | None = None) -> Right | None:
    """What lets the caller go on with what the current request begins: about the game or the board in its path, or
    `game_id`. None: everybody may."""
    caller, path = current_caller(), request.view_args or {}
    followed = game_id or path.get("game_id")
    games = () if followed is None else (followed,)
    return Right(caller.hash, current_limit(), games, path.get("board_id")) if caller.hash else None


def current_write(
    actor: str = "", *, expected_seq: int | None = None, expected_ply: int | None = None, channel: str | None = None
) -> Write:
    """A write of the current caller, within the limit of their key. `channel`: see `Caller.source`."""
    caller = current_caller()
    name = " ".join(actor.split())
    return Write(caller.source(channel), name, expected_seq, expected_ply, limit=caller.limit)
