"""Events and guidance as JSON values: for recordings, spools and the network.

An event is an object with its kind under ``event`` and the fields of its class in `inkeek.drivers.events`. What another
version has written is read too: unknown fields are passed over.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from inkeek.drivers import events
from inkeek.drivers.base import Guidance
from inkeek.drivers.errors import MessageError
from inkeek.drivers.events import Event
from inkeek.records.json_codec import JsonError, from_json, to_json

T = TypeVar("T")

KINDS: dict[str, type[Event]] = {
    "connected": events.Connected,
    "disconnected": events.Disconnected,
    "refused": events.Refused,
    "gap": events.Gap,
    "snapshot": events.Snapshot,
    "status": events.Status,
    "complaint": events.Complaint,
    "self-test": events.SelfTestReport,
    "offer-shown": events.OfferShown,
    "pit-changed": events.PitChanged,
    "lifted": events.Lifted,
    "button": events.Button,
    "fault": events.Fault,
    "calibrated": events.Calibrated,
    "unrecognised": events.Unrecognized,
}
NUMBERED = ("boot", "seq", "ms")  # fields of all events that are acknowledged
_NAMES = {kind: name for name, kind in KINDS.items()}


class UnknownKind(MessageError):
    """An event of a kind that this version does not know."""


def event_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object.

    :raises MessageError: an event of a foreign class, or one that `read_event` would refuse.
    """
    kind = _NAMES.get(type(event))
    if kind is None:
        raise MessageError(f"{type(event).__name__} is not a class of drivers.events: expected {', '.join(KINDS)}")
    data = {"event": kind, **to_json(event)}
    read_event(data)
    return data


def read_event(data: object) -> Event:
    """Read what `event_json` of this or another version wrote. A numbered event of an unknown kind is `Unrecognized`.

    :raises UnknownKind: another version may know what this is. :raises MessageError: it is not an event; says what is
        wrong with which field.
    """
    if not isinstance(data, dict):
        raise MessageError(f"an event must be an object: {data!r:.60}")
    kind = data.get("event")
    if isinstance(kind, str) and kind in KINDS:
        return _read({name: value for name, value in data.items() if name != "event"}, KINDS[kind])
    if isinstance(kind, str) and data.keys() >= {*NUMBERED}:
        numbered = {name: data[name] for name in NUMBERED}
        return _read({**numbered, "kind": kind, "fields": ()}, events.Unrecognized)
    error = UnknownKind if isinstance(kind, str) else MessageError
    raise error(f"event is {kind!r:.60}: expected one of {', '.join(KINDS)}")


def guidance_json(guidance: Guidance) -> dict[str, Any]:
    """The guidance as a JSON object."""
    data: dict[str, Any] = to_json(guidance)
    return data


def read_guidance(data: object) -> Guidance:
    """Read what `guidance_json` of this or another version wrote: missing fields have their defaults.

    :raises MessageError: it is not guidance.
    """
    if not isinstance(data, dict):
        raise MessageError(f"guidance must be an object: {data!r:.60}")
    return _read({"to_move": None, **data}, Guidance)


def _read(data: dict[str, Any], kind: type[T]) -> T:
    try:
        value = from_json(data, kind, is_tolerant=True)
    except JsonError as error:
        raise MessageError(f"{kind.__name__}: {error}") from error
    for field in fields(kind):  # type: ignore[arg-type]
        item = getattr(value, field.name)
        for text in item if isinstance(item, tuple | frozenset) else (item,):
            if isinstance(text, str) and not text.isprintable():
                raise MessageError(f"{kind.__name__}: {field.name} is {text!r:.60}: expected printable text")
    return value
