"""Boards after one mistake in sowing a turn.

Each board comes from hands that follow a legal turn's trace and go wrong in one place. What they do afterwards is a
guess: they continue as planned, or stop after the lap that went wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from dataclasses import dataclass

from records.position import Position, Side
from records.trace import Trace, TraceEvent

from .board_counts import BoardCounts, listed, seeds

MAX_RELAYS = 4  # laps that hands sow after a wrong one
# Prior weights: how often each kind of mistake is made, among all mistakes. A guess, good enough to choose between
# boards that look the same. The places of a turn where a kind of mistake is possible share its weight.
CAUSES = {
    "skipped": 0.12,
    "unfinished": 0.12,
    "doubled": 0.10,
    "captured-left": 0.10,
    "two-turns": 0.08,
    "begun-early": 0.09,
    "taken-back": 0.08,
    "left-behind": 0.06,
    "wrong-pit": 0.06,
    "wrong-way": 0.05,
    "wrong-side": 0.05,
    "bumped": 0.06,
    "wrong-store": 0.02,
    "count-off": 0.01,
}


@dataclass(frozen=True, slots=True)
class SowingMistake:
    """A mistake of a kind in `CAUSES`, the board it leaves, and a sentence for people."""

    cause: str
    board: BoardCounts
    sentence: str


@dataclass(frozen=True, slots=True)
class _SownLap:
    """A lap of a trace: lifted at `events[lift]` from `pit`, sown into `pits` in `direction`."""

    lift: int
    pit: int
    pits: tuple[int, ...]
    direction: int


class _Hands:
    """A board and a hand that carries out trace events on what the board really holds."""

    def __init__(self, position: Position) -> None:
        self.size = len(position.pits)
        self.places = [*position.pits, *position.stores]
        self.hand = 0
        self.last = 0  # where the last seed fell
        self.direction = 1
        self.emptied = 0  # bit mask of pits

    def copy(self) -> _Hands:
        other = copy(self)
        other.places = [*self.places]
        return other

    def follow(self, events: tuple[TraceEvent, ...]) -> _Hands:
        for event in events:
            self.do(event)
        return self

    def do(self, event: TraceEvent) -> None:
        if event.kind == "lift":
            self.empty_hand()  # seeds left over after a mistake are sown before the next pit is lifted
            self.lift(event.pit)
        elif event.kind == "drop":
            if self.hand:
                self.direction = 1 if (event.pit - self.last) % self.size == 1 else -1
                self.drop(event.pit)
        elif event.kind == "store":
            if self.hand:
                self.hand -= 1
                self.places[self.size + event.other] += 1
        elif event.kind == "take":
            store = self.size + event.other
            if event.pit < 0:
                self.places[store] += self.hand
                self.hand = 0
            else:
                self.places[store] += self.places[event.pit]
                self.places[event.pit] = 0
                self.emptied |= 1 << event.pit
        elif event.kind == "shift" and self.places[event.pit]:
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

    def empty_hand(self) -> None:
        while self.hand:
            self.drop((self.last + self.direction) % self.size)

    def board(self) -> BoardCounts:
        return BoardCounts(tuple(self.places), self.emptied)

    def sow(self, pit: int, direction: int) -> Iterator[BoardCounts]:
        """The boards after sowing `pit`, and after each lap that follows by relay."""
        for _ in range(1 + MAX_RELAYS):
            self.lift(pit)
            self.direction = direction
            self.empty_hand()
            yield self.board()
            pit = self.last
            if self.places[pit] < 2:
                return


def mistakes_in(trace: Trace) -> Iterator[SowingMistake]:
    """Every board that one mistake in this turn could leave, likelier kinds first; some come more than once."""
    laps = tuple(_laps(trace))
    yield from _sown_wrong(trace, laps)
    yield from _captured_wrong(trace)
    yield from _unfinished(trace)
    yield from _wrong_laps(trace, laps)


def wrong_starts(
    position: Position, legal: Collection[int], direction: int
) -> Iterator[tuple[SowingMistake, bool]]:  # fmt: skip
    """Every board after sowing from any pit in `direction`, and after the relays that follow; and whether the pit is
    `legal`: a turn that was broken off may have begun in the wrong legal pit."""
    mover = position.to_move
    for pit, count in enumerate(position.pits):
        if not count:
            continue
        name, owner = position.letter(pit), position.side_of(pit)
        if pit in legal:
            sentence = f"The turn began in pit {name} and is not finished."
        elif owner is not mover:
            sentence = f"The turn began in pit {name}, which is {owner}'s, but {mover} is to move."
        else:
            sentence = f"The turn began in pit {name}, where no turn may begin."
        for board in _Hands(position).sow(pit, direction):
            yield SowingMistake("wrong-pit", board, sentence), pit in legal


def boards_during(trace: Trace) -> Iterator[tuple[BoardCounts, int, int]]:
    """Every board while a turn is played: the counts, the seeds in the hand, and the pit where the next event happens,
    which begins the next lap if the hand is empty."""
    hands = _Hands(trace.before)
    for event, following in zip(trace.events, trace.events[1:], strict=False):
        hands.do(event)
        if event.kind in ("lift", "drop", "store") and following.kind in ("lift", "drop", "store", "choose"):
            yield hands.board(), hands.hand, following.pit


def _laps(trace: Trace) -> Iterator[_SownLap]:
    size = len(trace.before.pits)
    lifts = [at for at, event in enumerate(trace.events) if event.kind == "lift"]
    for at, end in zip(lifts, [*lifts[1:], len(trace.events)], strict=True):
        pits = tuple(event.pit for event in trace.events[at:end] if event.kind == "drop")
        if pits:
            direction = 1 if (pits[0] - trace.events[at].pit) % size == 1 else -1
            yield _SownLap(at, trace.events[at].pit, pits, direction)


def _sown_wrong(trace: Trace, laps: tuple[_SownLap, ...]) -> Iterator[SowingMistake]:
    name = trace.before.letter
    for lap in laps:
        start = name(lap.pit)
        beyond = (*lap.pits, (lap.pits[-1] + lap.direction) % len(trace.before.pits))
        for at, pit in enumerate(lap.pits):
            sentence = f"Pit {name(pit)} holds one seed too few: the lap from {start} skipped it."
            yield from _sown_into(trace, lap, "skipped", (*beyond[:at], *beyond[at + 1 :]), sentence)
            if at + 1 < len(lap.pits):
                sentence = f"Pit {name(pit)} holds one seed too many: the lap from {start} dropped two there."
                yield from _sown_into(trace, lap, "doubled", (*lap.pits[: at + 1], *lap.pits[at:-1]), sentence)
        sentence = f"One seed was left in pit {start} when its seeds were lifted."
        yield from _sown_into(trace, lap, "left-behind", lap.pits[:-1], sentence)


def _sown_into(
    trace: Trace, lap: _SownLap, cause: str, pits: tuple[int, ...], sentence: str
) -> Iterator[SowingMistake]:
    """The lap sown into `pits` instead; then the hands stop, or continue with the trace.

    Captures during the lap, which only some games have, happen where the trace has them.
    """
    until = next(
        (at for at, event in enumerate(trace.events[lap.lift + 1 :], lap.lift + 1) if event.kind == "lift"),
        len(trace.events),
    )
    wrong = iter(pits)
    hands = _Hands(trace.before).follow(trace.events[: lap.lift + 1])
    if cause == "left-behind":
        hands.hand -= 1
        hands.places[lap.pit] += 1
    sown = max(at for at in range(lap.lift + 1, until) if trace.events[at].kind in ("drop", "store"))
    for at, event in enumerate(trace.events[lap.lift + 1 : until], lap.lift + 1):
        if event.kind != "drop":
            hands.do(event)
        elif (pit := next(wrong, None)) is not None and hands.hand:
            hands.drop(pit)
        if at == sown:
            yield SowingMistake(cause, hands.board(), sentence)
    hands.direction = lap.direction
    hands.follow(trace.events[until:]).empty_hand()
    yield SowingMistake(cause, hands.board(), sentence)


def _captured_wrong(trace: Trace) -> Iterator[SowingMistake]:
    before, size = trace.before, len(trace.before.pits)
    takes = [at for at, event in enumerate(trace.events) if event.kind == "take" and event.pit >= 0]
    if not takes:
        return
    for forgotten in ([*takes], *([at] for at in takes if len(takes) > 1)):
        hands = _Hands(before)
        for at, event in enumerate(trace.events):
            if at not in forgotten:
                hands.do(event)
        pits = listed(list(dict.fromkeys(before.letter(trace.events[at].pit) for at in forgotten)))
        stores = {Side(trace.events[at].other) for at in forgotten}
        owner = f"{stores.pop()}'s" if len(stores) == 1 else "its owner's"
        sentence = f"Captured seeds were left in {pits}: they belong in {owner} store."
        yield SowingMistake("captured-left", hands.board(), sentence)
    counts, emptied = _Hands(before).follow(trace.events).board()
    places = [*counts]
    for event in trace.events:
        if event.kind == "take":
            places[size + event.other] -= event.count
            places[size + 1 - event.other] += event.count
    board = BoardCounts(tuple(places), emptied)
    yield SowingMistake("wrong-store", board, "The captured seeds were put into the wrong store.")


def _wrong_laps(trace: Trace, laps: tuple[_SownLap, ...]) -> Iterator[SowingMistake]:
    """A lap sown in the other direction, or from another pit than where the lap before ended; then the hands stop or
    relay from where they are."""
    name, reached = trace.before.letter, 0
    done = _Hands(trace.before)
    for lap in laps:
        done.follow(trace.events[reached : lap.lift])
        done.empty_hand()
        reached = lap.lift
        sentence = f"The lap from {name(lap.pit)} was sown in the wrong direction."
        yield from (SowingMistake("wrong-way", board, sentence) for board in done.copy().sow(lap.pit, -lap.direction))
        if not lap.lift:
            continue
        for pit in range(done.size):
            if pit != lap.pit and done.places[pit]:
                sentence = f"The turn went on from pit {name(pit)} instead of {name(lap.pit)}."
                boards = done.copy().sow(pit, lap.direction)
                yield from (SowingMistake("wrong-pit", board, sentence) for board in boards)


def _unfinished(trace: Trace) -> Iterator[SowingMistake]:
    name = trace.before.letter
    for board, hand, pit in boards_during(trace):
        if hand:
            rest = f"{seeds(hand)} {'is' if hand == 1 else 'are'} still to be sown"
        else:
            rest = f"it goes on from {name(pit)} with {seeds(board.counts[pit])}"
        sentence = f"The turn from {name(trace.events[0].pit)} is not finished: {rest}."
        yield SowingMistake("unfinished", board, sentence)
