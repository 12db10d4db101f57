"""Annotations as JSON objects, and what a record says about a ply."""

from __future__ import annotations

from typing import Annotated, Any, Self

from msgspec import UNSET, UnsetType

from inkeek.records.record import MAX_NAG

from .rules import OutcomeJson, TurnJson
from .shape import Form, Shape, Time, reference

ID = "[0-9]{1,9}-[0-9]{1,9}"
Nag = Annotated[int, Form(minimum=0, maximum=MAX_NAG)]
Variation = Annotated[Any, Form(**reference("Variation"))]  # as in the request that adds it


class AnnotationJson(Shape):
    """An annotation: its value under the name of its kind, the other kinds null."""

    id: Annotated[str, Form(pattern=f"^(?:{ID})$")]
    ply: Annotated[int, "the turn it is about; 0: before the first"]
    nag: Nag | None
    comment: str | None
    variation: Variation | None
    by: Annotated[str, "its author"]
    source: Annotated[str, "where it came from, as an event's"]
    created: Time
    updated: Time
    seq: Annotated[int, "number of the event that changed it last"]
    analysis: Annotated[bool, "whether an analysis wrote it, and nobody has changed it since"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        value = {"nag": None, "comment": None, "variation": None, source.kind: source.value}
        return super().of(source, analysis=source.from_analysis, **value, **given)


class AnnotationsJson(Shape):
    seq: Annotated[int, "number of the game's last event"]
    items: list[AnnotationJson]


class PlyJson(TurnJson):
    """A turn with its remarks in the record."""

    nags: list[Nag] | UnsetType = UNSET
    comments: list[str] | UnsetType = UNSET
    variations: list[Variation] | UnsetType = UNSET


class TurnsJson(Shape):
    items: list[PlyJson]


class ReplayJson(Shape):
    start: str
    comments: Annotated[list[str], "before the first turn"]
    plies: list[PlyJson]
    outcome: OutcomeJson | None


class ExportedJson(Shape):
    """A record. An import ignores id and cursor."""

    id: str
    cursor: Annotated[str, "an export with this cursor goes on after the game"]
    tags: dict[str, str]
    comments: list[str]
    plies: list[Annotated[Any, Form(**reference("RecordPly"))]]
    ended: Annotated[str | None, "null: the tag Result has the result"]
