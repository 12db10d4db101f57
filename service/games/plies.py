"""The plies of a game's record after its events, with their annotations. Pure.

An annotation of a ply is a NAG, a comment or a variation. Some come with the turn, others with an event
``annotations``, which also changes and removes annotations. Commands of other events stand between the comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from inkeek.records.notation.commands import Command, Retraction, Trial, commands_in
from inkeek.service.errors import StorageError
from inkeek.service.storage import GameEvent

from .event_kinds import SAID, read_data
from .record_check import KEPT

NAG, COMMENT, VARIATION = KINDS = ("nag", "comment", "variation")  # of annotations, in the order of a turn's data
COMMAND = "command"  # kind of a note that is the command of an event of its own
BY_RULES = "rules"  # the source of an end that the rules brought

_ID = re.compile(r"([0-9]{1,9})-([0-9]{1,9})", re.ASCII)
C = TypeVar("C", bound=Command)
R = TypeVar("R", Trial, Retraction)
Key = tuple[int, int]  # the number of the event that added an annotation, and its number in that event, from 1


class Note(NamedTuple):
    """Something said of a ply. `value` is as in a record's JSON: a number, a text or an object. `changed` is the event
    that gave it this value."""

    kind: str
    value: Any
    added: GameEvent
    changed: GameEvent


class NotedPly:
    """A ply that was not taken back, with the event that played it; or the start, with the game's first event."""

    __slots__ = ("_notes", "event")

    def __init__(self, event: GameEvent) -> None:
        self.event = event
        self._notes: dict[Key, Note] | None = None  # None: only those of the event, which most plies keep

    @property
    def notes(self) -> dict[Key, Note]:
        """The annotations of the ply, in the order they were added. Callers change this in place."""
        if self._notes is None:
            self._notes = _notes_of(self.event)
        return self._notes

    def of(self, *kinds: str) -> list[Any]:
        """The values of the notes of these kinds, in order."""
        return [note.value for note in self.notes.values() if note.kind in kinds]

    @property
    def comments(self) -> list[str]:
        """The comments of the record, commands of other events included."""
        return self.of(COMMENT, COMMAND)

    def to_json(self) -> dict[str, Any]:
        """The ply in a record's JSON."""
        turn: dict[str, Any] = self.event.data["turn"]
        if self._notes is None:
            return turn
        return {
            "move": turn["move"],
            "nags": self.of(NAG),
            "comments": self.comments,
            "variations": self.of(VARIATION),
        }


@dataclass(frozen=True, slots=True)
class Annotation:
    """A current annotation of turn `ply`; 0 is before the first. `by` and `source` are those of who added it,
    `seq` is the number of the event that added or last changed it. `from_analysis`: an analysis wrote it, and nobody
    has changed it since."""

    id: str
    ply: int
    kind: str
    value: Any
    by: str
    source: str
    created: str
    updated: str
    seq: int
    from_analysis: bool = False


def noted_plies(events: Sequence[GameEvent]) -> list[NotedPly]:
    """The start, and each ply that these events have not taken back.

    :raises StorageError: an annotation is changed that is not there.
    """
    plies: list[NotedPly] = []
    ended: GameEvent | None = None  # by hand, and not written: the tags say it, unless it is changed
    for event in events:
        kind = event.kind
        if kind in ("turn", "created"):
            plies.append(NotedPly(event))
            continue
        commands: list[tuple[str, GameEvent]] = []  # with the event that said it
        if kind == "annotations":
            _annotate(plies, event)
        elif kind == "retraction":
            last = plies.pop()
            commands = [(str(_of_turn(command, len(plies) + 1)), added) for command, added in _said_of(last, KEPT)]
        elif kind in ("correction", "reopening") and ended is not None:
            commands = [(text, event) for text in _commands(ended)]
            ended = None
        if kind != "ended":
            commands += [(text, event) for text in _commands(event)]
        elif "dispute" in event.data:  # by a ruling, which the record tells with its consequences
            commands, ended = [(text, event) for text in _commands(event)], None
        else:
            ended = event if event.source != BY_RULES else None
        if commands:
            notes = plies[-1].notes
            for number, (command, added) in enumerate(commands, 1):
                notes[event.seq, number] = Note(COMMAND, command, added, event)
    return plies


def _of_turn(command: Command, ply: int) -> Command:
    """A command that moves to the turn before: one about the turn `ply`, which is the next one no more, says so."""
    if isinstance(command, Trial | Retraction) and command.ply is None:
        return replace(command, ply=ply)
    return command


def _commands(event: GameEvent) -> list[str]:
    return [str(command) for command in read_data(event).commands()] if event.kind in SAID else []


def numbered_remarks(plies: Sequence[NotedPly], kind: type[R]) -> list[tuple[int, R]]:
    """The trials or the retractions of a game in order, each with the number of the turn that was tried or taken back:
    that after the one that it stands at, unless it says another."""
    return [
        (number if command.ply is None else command.ply, command)
        for number, noted in enumerate(plies, 1)
        for command, _ in _said_of(noted, kind)
    ]


def _said_of(noted: NotedPly, kinds: type[C] | tuple[type[C], ...]) -> list[tuple[C, GameEvent]]:
    return [
        (command, note.added)
        for note in noted.notes.values()
        if note.kind in (COMMENT, COMMAND)
        for command in commands_in([note.value])
        if isinstance(command, kinds)
    ]


def _notes_of(event: GameEvent) -> dict[Key, Note]:
    said = event.data["turn"] if event.kind == "turn" else {"nags": [], "variations": [], **event.data}
    values = [
        *((NAG, nag) for nag in said["nags"]),
        *((COMMENT, comment) for comment in said["comments"]),
        *((VARIATION, variation) for variation in said["variations"]),
    ]
    return {(event.seq, number): Note(kind, value, event, event) for number, (kind, value) in enumerate(values, 1)}


def _annotate(plies: Sequence[NotedPly], event: GameEvent) -> None:
    for number, change in enumerate(event.data["changes"], 1):
        notes = plies[change["ply"]].notes
        if "add" in change:
            notes[event.seq, number] = Note(change["add"], change["value"], event, event)
            continue
        annotation_id = change["remove"] if "remove" in change else change["change"]
        key = parse_annotation_id(annotation_id)
        if key is None or key not in notes or notes[key].kind == COMMAND:
            raise StorageError(f"event {event.seq} of game {event.game} is about annotation {annotation_id!r}: none")
        if "remove" in change:
            del notes[key]
        else:
            notes[key] = notes[key]._replace(value=change["value"], changed=event)


def annotations_of(plies: Sequence[NotedPly]) -> tuple[Annotation, ...]:
    """The annotations that stand, by ply; at each ply in the order they were added."""
    return tuple(
        Annotation(
            format_annotation_id(key),
            ply,
            note.kind,
            note.value,
            note.added.actor,
            note.added.source,
            note.added.time,
            note.changed.time,
            note.changed.seq,
            note.changed.kind == "annotations" and "analysis" in note.changed.data,
        )
        for ply, noted in enumerate(plies)
        for key, note in noted.notes.items()
        if note.kind != COMMAND
    )


def format_annotation_id(key: Key) -> str:
    """The id of an annotation."""
    return f"{key[0]}-{key[1]}"


def parse_annotation_id(text: str) -> Key | None:
    """The key of an annotation's id; None if it cannot be one."""
    match = _ID.fullmatch(text)
    return (
        (int(match[1]), int(match[2]))
        if match and format_annotation_id((int(match[1]), int(match[2]))) == text
        else None
    )
