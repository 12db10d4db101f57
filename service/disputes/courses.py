"""The course of a dispute as its events leave it: claims, proposals, rulings, appeals. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from inkeek.service.errors import ErrorText, NotFound, StorageError
from inkeek.service.games.event_kinds import STEPS, read_data
from inkeek.service.games.write import who
from inkeek.service.storage import DisputeRow, GameEvent

from .event_data import AppealData, ClaimData, DisputeData, RulingData

OPEN, RULED, APPEALED = DISPUTE_STATES = ("open", "ruled", "appealed")  # of a dispute
WAITS = (OPEN, APPEALED)  # states in which play stops until a ruling
MAX_SLIP = 32  # characters of a kind of slip, which other programs may have written


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
        last = next((event for event in reversed(self.events) if event.kind in STEPS - {"claim"}), None)
        return last if last is not None and last.kind == "proposal" else None

    @property
    def was_appealed(self) -> bool:
        """Whether a side appealed. An arbiter who corrects their own ruling does not count."""
        return any(not event.data.get("corrects") for event in self.of("appeal"))

    @property
    def last_step(self) -> GameEvent:
        """The last event besides evidence and its release."""
        last: GameEvent = next(event for event in reversed(self.events) if event.kind in STEPS)
        return last

    def photograph(self, evidence: int) -> GameEvent:
        """The evidence of that number, which has a photograph.

        :raises NotFound: there is none, or it was removed.
        """
        found: GameEvent | None = next((event for event in self.of("evidence") if event.seq == evidence), None)
        if found is None or "photo" not in found.data:
            raise NotFound(
                "dispute %(dispute)s has no photograph as evidence %(seq)s: its course has the numbers",
                dispute=self.row.id,
                seq=evidence,
            )
        removed = self.removal(evidence)
        if removed is not None:
            raise NotFound(
                "the photograph of evidence %(seq)s was removed by %(who)s on %(time)s",
                seq=evidence,
                who=who(removed.data["by"], removed.source) or ErrorText("somebody without a name"),
                time=removed.time,
            )
        return found

    def removal(self, evidence: int) -> GameEvent | None:
        """The removal of the photograph of that evidence; None: it was not removed."""
        return next((event for event in self.of("removal") if event.data["evidence"] == evidence), None)

    @property
    def photographs(self) -> list[GameEvent]:
        """The evidence whose photographs are stored."""
        return [event for event in self.of("evidence") if "photo" in event.data and self.removal(event.seq) is None]

    def is_released(self, evidence: int) -> bool:
        """Whether everybody who may read the game sees the photograph of that evidence."""
        return any(event.data["evidence"] == evidence for event in self.of("release"))

    @property
    def ruling(self) -> GameEvent | None:
        """The last ruling."""
        return next((event for event in reversed(self.events) if event.kind == "ruling"), None)

    @property
    def is_withdrawn(self) -> bool:
        """Whether nobody ruled, and the side that disputed withdrew."""
        return self.ruling is not None and "withdrawn" in self.ruling.data


def open_course(event: GameEvent) -> Course:
    """The course of a dispute that this event opens."""
    data = read_data(event)
    assert isinstance(data, DisputeData)
    row = DisputeRow(
        game=event.game,
        seq=event.seq,
        time=event.time,
        ply=data.ply,
        turn=data.turn,
        side=data.side,
        claim=data.claim,
        seen=data.seen,
        by=data.by,
        about="turn" if data.about is UNSET else data.about,
    )
    return Course(row, (event,))


def apply_event(course: Course | None, event: GameEvent) -> Course:
    """The course after one more event.

    :raises StorageError: there is no such dispute.
    """
    if course is None:
        raise StorageError(f"event {event.seq} of game {event.game} is about a dispute that was not opened")
    row, data = course.row, read_data(event)
    if isinstance(data, ClaimData):
        row = row._replace(claim=data.claim or row.claim, seen=data.seen or row.seen)
    elif isinstance(data, RulingData):
        row = row._replace(
            state=RULED,
            outcome=data.outcome,
            note=data.note,
            arbiter=data.by,
            ruled=event.time,
            slip=None if data.finding is UNSET else slip_of(data.finding),
        )
    elif isinstance(data, AppealData):
        row = row._replace(state=APPEALED)
    return Course(row, (*course.events, event))


def slip_of(finding: Mapping[str, Any] | None) -> str | None:
    """The kind of slip in the likeliest account of a finding, as it is stored with a ruling; None if it names none."""
    accounts = (finding or {}).get("accounts")
    kind = next(iter(accounts[0].get("kinds", ())), None) if accounts else None
    return None if kind is None else str(kind)[:MAX_SLIP]
