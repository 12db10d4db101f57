"""All kinds of events, by name; data as it is stored, and back."""

from __future__ import annotations

from typing import Any

import msgspec

from inkeek.records.structs import convert
from inkeek.service.disputes import event_data as dispute_data
from inkeek.service.disputes.event_data import CourseData, DisputeData
from inkeek.service.errors import StorageError
from inkeek.service.storage import Content, GameEvent, canonical_json

from . import event_data
from .event_data import EventData

KINDS = {
    kind.kind: kind
    for module in (event_data, dispute_data)  # in the order of their declaration
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, EventData) and hasattr(kind, "kind")
}
COURSE = frozenset(name for name, kind in KINDS.items() if issubclass(kind, CourseData))  # follow a dispute
SAID = frozenset(name for name, kind in KINDS.items() if kind.commands is not EventData.commands)  # by commands
STEPS = SAID & {DisputeData.kind, *COURSE}  # change what is claimed, proposed or ruled
WITHOUT_REMARKS = frozenset(name for name, kind in KINDS.items() if not kind.remarks)


def to_stored(data: EventData) -> dict[str, Any]:
    """The data as plain JSON, in the order in which it is hashed."""
    found: dict[str, Any] = msgspec.to_builtins(data)
    return found


def content_of(data: EventData, source: str) -> Content:
    """The content of a new event."""
    stored = to_stored(data)
    return source, data.kind, stored, canonical_json(stored)


def read_data(event: GameEvent) -> EventData:
    """The data of a stored event.

    :raises StorageError: it is not data of its kind.
    """
    try:
        return convert(event.data, KINDS[event.kind])
    except msgspec.ValidationError as error:
        raise StorageError(f"event {event.seq} of game {event.game}, of the kind {event.kind}: {error}") from error
