"""Turns with a slip, by hands that carry out a plan.

The hands want to play a legal turn, and do not notice the slip: they stop when they may, or go on as planned with what
they find. (`records.kernel.slips` lets hands go on by the rules instead, from the board that the slip leaves.) Slips
have the same names here as there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from records.position import Position
from records.trace import Trace, TraceEvent

from .board_counts import BoardCounts
from .weights import Slip

MAX_RELAYS = 4  # laps that hands sow after a wrong one
BEFORE_LAP, IN_LAP, AFTER_LAP = 0, 1, 2  # stages of a lap
LAST_SOWN = -2  # the place of a slip: where the seed before fell
PASSING = "four-in-passing"  # why seeds are captured in the middle of a lap


class PlannedHands:
    """A board and a hand that carries out trace events on what the board really holds."""

    def __init__(self, before: Position, emptied: int = 0) -> None:
        self.places = [*before.pits, *before.stores]
        self.size = len(before.pits)
        self.hand = 0
        self.emptied = emptied
        self.last = 0  # the pit of the last lift or drop
        self.direction = 1

    def copy(self) -> PlannedHands:
        hands = copy(self)
        hands.places = [*self.places]
        return hands

    def follow(self, events: Iterable[TraceEvent]) -> None:
        for event in events:
            self.do(event)

    def do(self, event: TraceEvent) -> None:
        """Do as planned, as far as there are seeds to do it with."""
        kind = event.kind
        if kind == "drop":
            if self.hand:
                self.drop(event.pit)
        elif kind == "lift":
            self.empty_hand()  # seeds left over after a slip are sown before the next pit is lifted
            self.lift(event.pit)
        elif kind == "store":
            if self.hand:
                self.hand -= 1
                self.places[self.size + event.other] += 1
        elif kind == "take":
            self.take(event.pit, event.other, event.reason)
        elif kind == "shift" and self.places[event.pit]:
            self.places[event.pit] -= 1
            self.places[event.other] += 1

    def lift(self, pit: int) -> None:
        self.hand, self.places[pit] = self.places[pit], 0
        self.last = pit
        self.emptied |= 1 << pit

    def drop(self, pit: int) -> None:
        self.hand -= 1
        self.places[pit] += 1
        self.last = pit

    def take(self, pit: int, side: int, reason: str) -> None:
        """Put all seeds of a pit, or of the hand (-1), in a store; the plan has a reason for it."""
        if pit < 0:
            self.places[self.size + side] += self.hand
            self.hand = 0
            return
        self.places[self.size + side] += self.places[pit]
        self.places[pit] = 0
        self.emptied |= 1 << pit

    def empty_hand(self) -> None:
        while self.hand:
            self.drop((self.last + self.direction) % self.size)

    def board(self) -> BoardCounts:
        return BoardCounts(tuple(self.places), self.emptied)

    def sow(self, pit: int, direction: int) -> Iterator[None]:
        """Sow a pit, and then by relay; yields after each lap."""
        self.direction = direction
        for _ in range(1 + MAX_RELAYS):
            self.lift(pit)
            self.empty_hand()
            yield
            pit = self.last
            if self.places[pit] < 2:
                return


class RecordingHands(PlannedHands):
    """Hands whose events are recorded."""

    def __init__(self, before: Position, emptied: int = 0) -> None:
        super().__init__(before, emptied)
        self.events: list[TraceEvent] = []

    def do(self, event: TraceEvent) -> None:
        hand, board = self.hand, self.places
        super().do(event)
        if event.kind == "store" and hand:
            self.events.append(TraceEvent("store", -1, board[self.size + event.other], event.other))
        elif event.kind in ("shift", "choose", "special", "end"):
            self.events.append(event)

    def lift(self, pit: int) -> None:
        super().lift(pit)
        self.events.append(TraceEvent("lift", pit, self.hand, 0))

    def drop(self, pit: int) -> None:
        super().drop(pit)
        self.events.append(TraceEvent("drop", pit, self.places[pit], 0))

    def take(self, pit: int, side: int, reason: str) -> None:
        count = self.hand if pit < 0 else self.places[pit]
        super().take(pit, side, reason)
        self.events.append(TraceEvent("take", pit, count, side, reason))


class PlannedLap(NamedTuple):
    """A lap of a plan: its number from 1, its events `events[lift:end]`, the pit that is lifted, the indices of the
    events that sow a seed, and the direction."""

    number: int
    lift: int
    end: int
    pit: int
    sown: tuple[int, ...]
    direction: int


class PlannedSlip(NamedTuple):
    """A slip that the hands may make: its lap in the plan, and the index of the first event that it changes."""

    slip: Slip
    lap: PlannedLap
    event: int


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """A legal turn that hands want to play."""

    trace: Trace
    laps: tuple[PlannedLap, ...]

    @classmethod
    def of(cls, trace: Trace) -> TurnPlan:
        """The plan that a trace is."""
        events, size = trace.events, len(trace.before.pits)
        lifts = [at for at, event in enumerate(events) if event.kind == "lift"]
        laps = []
        for number, (lift, end) in enumerate(zip(lifts, [*lifts[1:], len(events)], strict=True), 1):
            sown = tuple([at for at in range(lift + 1, end) if events[at].kind in ("drop", "store")])
            first = next((events[at].pit for at in sown if events[at].pit >= 0), events[lift].pit + 1)
            direction = 1 if (first - events[lift].pit) % size <= size // 2 else -1
            laps.append(PlannedLap(number, lift, end, events[lift].pit, sown, direction))
        return cls(trace, tuple(laps))

    def slips(self) -> Iterator[tuple[PlannedSlip, PlannedHands]]:
        """Every slip of these hands, and the hands as they come to its lap: a copy may go on from there."""
        hands = PlannedHands(self.trace.before)
        reached = 0
        takes = self.takes()
        for lap in self.laps:
            hands.follow(self.trace.events[reached : lap.lift])
            reached = lap.lift
            for one in (*self._lap_slips(lap, hands), *self._take_slips(lap, takes)):
                yield one, hands

    def unfinished(self, emptied: int = 0) -> Iterator[tuple[PlannedSlip, BoardCounts, int]]:
        """Every moment at which the hands may stop before the end: the slip that this is, the board, and the seeds in
        the hand. `emptied`: the pits that were emptied before."""
        hands, reached = PlannedHands(self.trace.before, emptied), 0
        for lap in self.laps:
            for planned in self._stops(lap):
                hands.follow(self.trace.events[reached : planned.event])
                reached = planned.event
                yield planned, hands.board(), hands.hand

    def _stops(self, lap: PlannedLap) -> Iterator[PlannedSlip]:
        for seeds, at in zip(range(self.trace.events[lap.lift].count, 0, -1), lap.sown, strict=False):
            yield PlannedSlip(Slip("break-off", lap.number, IN_LAP, seeds, 0), lap, at)
        if lap is not self.laps[-1]:
            pit = self.laps[lap.number].pit
            yield PlannedSlip(Slip("stop", lap.number, AFTER_LAP, 0, pit), lap, lap.end)

    def takes(self) -> list[tuple[int, int, int, int]]:
        """The captures from pits: the index of the event, the lap, the stage and the number in that stage."""
        found = []
        nth: Counter[tuple[int, int]] = Counter()
        for lap in self.laps:
            for at in range(lap.lift, lap.end):
                event = self.trace.events[at]
                if event.kind == "take" and event.pit >= 0:
                    stage = IN_LAP if event.reason == PASSING else AFTER_LAP
                    nth[lap.number, stage] += 1
                    found.append((at, lap.number, stage, nth[lap.number, stage]))
        return found

    def takes_due(self, slip: Slip) -> tuple[TraceEvent, ...]:
        """The captures among which one went wrong, or from which on all did."""
        takes = self.takes()
        if slip.code == "take-not":
            return tuple([self.trace.events[at] for at, *where, _ in takes if where == [slip.lap, slip.stage]])
        return tuple([self.trace.events[at] for at, *_ in takes])

    def _lap_slips(self, lap: PlannedLap, hands: PlannedHands) -> Iterator[PlannedSlip]:
        events, number = self.trace.events, lap.number
        held = events[lap.lift].count
        drops = [at for at in lap.sown if events[at].kind == "drop"]
        for seeds, at in zip(range(held, 0, -1), lap.sown, strict=False):
            if events[at].kind == "drop":
                yield PlannedSlip(Slip("skip", number, IN_LAP, seeds, 0), lap, at)
                if drops[0] < at:
                    yield PlannedSlip(Slip("double", number, IN_LAP, seeds, LAST_SOWN), lap, at)
        if held > 1 and drops:
            yield PlannedSlip(Slip("leave-behind", number, IN_LAP, held, LAST_SOWN), lap, lap.lift + 1)
        yield from self._stops(lap)
        if drops:
            for code in ("reverse-lap", "reverse"):
                yield PlannedSlip(Slip(code, number, BEFORE_LAP, 0, lap.pit), lap, lap.lift)
        if number > 1 and drops:
            for pit in range(hands.size):
                if pit != lap.pit and hands.places[pit]:
                    yield PlannedSlip(Slip("other-pit", number, BEFORE_LAP, 0, pit), lap, lap.lift)

    def _take_slips(self, lap: PlannedLap, takes: list[tuple[int, int, int, int]]) -> Iterator[PlannedSlip]:
        for at, number, stage, nth in takes:
            if number != lap.number:
                continue
            if at == takes[0][0]:
                yield PlannedSlip(Slip("take-none", number, stage, 1, 0), lap, at)
                yield PlannedSlip(Slip("take-other-store", number, stage, 0, 0), lap, at)
            if len(takes) > 1:
                yield PlannedSlip(Slip("take-not", number, stage, nth, 0), lap, at)

    def carry_out(self, planned: PlannedSlip, hands: PlannedHands) -> Iterator[None]:
        """Let hands that come to the lap of a slip make it, and go on; yields whenever they may stop for good."""
        (code, _, _, _, place), lap, at = planned
        events = self.trace.events
        if code == "other-pit":
            yield from hands.sow(place, lap.direction)
        elif code in ("reverse-lap", "reverse"):
            laps = hands.sow(lap.pit, -lap.direction)
            next(laps)
            if code == "reverse-lap":
                yield
            else:
                yield from laps
        elif code in ("break-off", "stop"):
            hands.follow(events[lap.lift : at])
            yield
        elif code.startswith("take-"):
            hands.follow(events[lap.lift : at])
            hands.follow(self._taken_wrong(code, at))
            yield
        else:
            yield from self._sow_wrong(code, lap, at, hands)

    def _taken_wrong(self, code: str, at: int) -> Iterator[TraceEvent]:
        """The events from `at` on, with this capture or all of them left, or in the wrong store."""
        for number, event in enumerate(self.trace.events[at:], at):
            if event.kind != "take":
                yield event
            elif code == "take-other-store":
                yield TraceEvent("take", event.pit, event.count, 1 - event.other, event.reason)
            elif event.pit < 0 or (code == "take-not" and number != at):
                yield event

    def _sow_wrong(self, code: str, lap: PlannedLap, at: int, hands: PlannedHands) -> Iterator[None]:
        """Sow a lap with one seed wrong, from event `at` on. Captures in the lap happen where the plan has them.

        The hands may stop after the lap, and at the end of the turn.
        """
        events = self.trace.events
        drops = [number for number in lap.sown if events[number].kind == "drop"]
        pits = [events[number].pit for number in drops]
        middle = drops.index(at) if at in drops else 0
        if code == "skip":
            pits = [*pits[:middle], *pits[middle + 1 :], (pits[-1] + lap.direction) % hands.size]
        elif code == "double":
            pits = [*pits[:middle], *pits[middle - 1 : -1]]
        else:
            pits = pits[:-1]
        hands.do(events[lap.lift])
        hands.direction = lap.direction
        if code == "leave-behind":
            hands.drop(lap.pit)
        wrong = iter(pits)
        for number in range(lap.lift + 1, lap.end):
            if events[number].kind != "drop":
                hands.do(events[number])
            elif hands.hand and (pit := next(wrong, -1)) >= 0:
                hands.drop(pit)
            if number == lap.sown[-1]:
                yield
        hands.direction = lap.direction
        for following in self.laps[lap.number :]:
            hands.follow(events[following.lift : following.lift + 1])
            hands.direction = following.direction
            hands.follow(events[following.lift + 1 : following.end])
        hands.empty_hand()
        yield
