"""The course of a dispute as its events leave it: claims, proposals, rulings, appeals. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.errors import StorageError
from service.storage import DisputeRow, GameEvent

OPEN, RULED, APPEALED = STATES = ("open", "ruled", "appealed")  # of a dispute
WAITS = (OPEN, APPEALED)  # states in which play stops until a ruling
COURSE = ("claim", "proposal", "response", "ruling", "appeal")  # kinds of events that follow a dispute


@dataclass(frozen=True, slots=True)
class Course:
    """A dispute as it is stored, and all its events in order, the first being the one that opened it."""

    row: DisputeRow
    events: tuple[GameEvent, ...]

    def of(self, kind: str) -> list[GameEvent]:
        """The events of a kind."""
        return [event for event in self.events if event.kind == kind]

    @property
    def waits(self) -> bool:
        """Whether play stops until the dispute is ruled on."""
        return self.row.state in WAITS

    @property
    def proposal(self) -> GameEvent | None:
        """The proposal that waits for the other side's answer."""
        last = next((event for event in reversed(self.events) if event.kind != "claim"), None)
        return last if last is not None and last.kind == "proposal" else None

    @property
    def was_appealed(self) -> bool:
        """Whether a side appealed. An arbiter who corrects their own ruling does not count."""
        return any(not event.data.get("corrects") for event in self.of("appeal"))

    @property
    def ruling(self) -> GameEvent | None:
        """The last ruling."""
        return next((event for event in reversed(self.events) if event.kind == "ruling"), None)


def open_course(event: GameEvent) -> Course:
    """The course of a dispute that this event opens."""
    data = event.data
    row = DisputeRow(
        game=event.game,
        seq=event.seq,
        time=event.time,
        ply=data["ply"],
        turn=data["turn"],
        side=data["side"],
        claim=data["claim"],
        seen=data["seen"],
        by=data["by"],
        about=data.get("about", "turn"),
    )
    return Course(row, (event,))


def apply_event(course: Course | None, event: GameEvent) -> Course:
    """The course after one more event.

    :raises StorageError: there is no such dispute.
    """
    if course is None:
        raise StorageError(f"event {event.seq} of game {event.game} is about a dispute that was not opened")
    row, data = course.row, event.data
    if event.kind == "claim":
        row = replace(row, claim=data["claim"] or row.claim, seen=data["seen"] or row.seen)
    elif event.kind == "ruling":
        row = replace(
            row, state=RULED, outcome=data["outcome"], note=data["note"], arbiter=data["by"], ruled=event.time
        )
    elif event.kind == "appeal":
        row = replace(row, state=APPEALED)
    return Course(row, (*course.events, event))
