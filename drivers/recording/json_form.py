"""Events and guidance as plain JSON values, for keeping them in a spool and sending them on.

An event is an object that says under ``event`` which it is, with its fields as `drivers.events` has them: sides by
their names, tuples and sets as lists.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from drivers import events
from drivers.base import Guidance
from drivers.errors import MessageError
from drivers.events import Event
from drivers.protocol.limits import MAX_NUMBER
from records import NORTH, SOUTH, Side

KINDS: dict[str, type[Event]] = {
    "connected": events.Connected,
    "disconnected": events.Disconnected,
    "refused": events.Refused,
    "gap": events.Gap,
    "snapshot": events.Snapshot,
    "status": events.Status,
    "complaint": events.Complaint,
    "pit-changed": events.PitChanged,
    "lifted": events.Lifted,
    "button": events.Button,
    "fault": events.Fault,
    "calibrated": events.Calibrated,
    "unrecognised": events.Unrecognized,
}
MAX_TEXT = 2000  # characters
MAX_ITEMS = 256  # of a list; a line of the protocol holds fewer
MAX_BOOT = 16  # characters of a boot id that can be stored
_NAMES = {kind: name for name, kind in KINDS.items()}
_SIDES = {str(side): side for side in (SOUTH, NORTH)}


def event_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object.

    :raises MessageError: an event of a kind of its own, or with what cannot be sent.
    """
    kind = _NAMES.get(type(event))
    if kind is None:
        raise MessageError(f"{type(event).__name__} is no event of drivers.events: expected one of {', '.join(KINDS)}")
    told = {"event": kind, **_plain(event)}
    read_event(told)  # what could not be read at the other end should fail here
    return told


def read_event(value: object) -> Event:
    """The event that `event_json` wrote.

    :raises MessageError: it is none; says what is wrong with which field.
    """
    if not isinstance(value, dict):
        raise MessageError(f"an event is an object, not {_shown(value)}")
    kind = value.get("event")
    found = KINDS.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise MessageError(f"event is {_shown(kind)}: expected one of {', '.join(KINDS)}")
    event: Event = _made(found, {name: field for name, field in value.items() if name != "event"})
    return event


def guidance_json(guidance: Guidance) -> dict[str, Any]:
    """The guidance as a JSON object."""
    return _plain(guidance)


def read_guidance(value: object) -> Guidance:
    """The guidance that `guidance_json` wrote, in this version or another: an unknown field is left out, a lacking one
    has its default.

    :raises MessageError: it is none.
    """
    if not isinstance(value, dict):
        raise MessageError(f"guidance is an object, not {_shown(value)}")
    known = {name: told for name, told in value.items() if name in _hints(Guidance)}
    guidance: Guidance = _made(Guidance, {**_plain(Guidance(None)), **known})
    return guidance


def _plain(thing: Any) -> dict[str, Any]:
    return {field.name: _plain_value(getattr(thing, field.name)) for field in fields(thing)}


def _plain_value(value: object) -> object:
    if isinstance(value, Side):
        return str(value)
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


def _made(kind: type, told: dict[str, Any]) -> Any:
    hints = _hints(kind)
    if told.keys() != hints.keys():
        wrong = sorted(told.keys() ^ hints.keys())
        raise MessageError(
            f"{kind.__name__} has the fields {', '.join(hints)}: {', '.join(map(_shown, wrong))} do not fit"
        )
    return kind(**{name: _read(hint, told[name], name) for name, hint in hints.items()})


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(hint: Any, value: object, name: str) -> Any:
    """The value of a field as its type has it."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(inner[0], value, name)
    if origin in (tuple, frozenset):
        if not isinstance(value, list) or len(value) > MAX_ITEMS:
            raise MessageError(f"{name} is {_shown(value)}: expected a list of at most {MAX_ITEMS}")
        if origin is tuple and inner[-1] is not Ellipsis and len(value) != len(inner):
            raise MessageError(f"{name} has {len(value)} items: expected {len(inner)}")
        return origin(_read(inner[0], item, name) for item in value)
    fits, expected = _CHECKS[hint]
    if not fits(value) or (name == "boot" and not 0 < len(str(value)) <= MAX_BOOT):
        raise MessageError(f"{name} is {_shown(value)}: expected {expected}")
    return _SIDES[str(value)] if hint is Side else hint(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_CHECKS: dict[Any, tuple[Callable[[Any], bool], str]] = {
    bool: (lambda value: isinstance(value, bool), "true or false"),
    int: (lambda v: isinstance(v, int) and not isinstance(v, bool) and 0 <= v <= MAX_NUMBER, f"0 to {MAX_NUMBER}"),
    float: (lambda value: _is_number(value) and abs(value) <= MAX_NUMBER, f"a number of at most {MAX_NUMBER}"),
    str: (lambda v: isinstance(v, str) and len(v) <= MAX_TEXT and v.isprintable(), "printable text of bounded length"),
    Side: (lambda value: isinstance(value, str) and value in _SIDES, " or ".join(_SIDES)),
}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
