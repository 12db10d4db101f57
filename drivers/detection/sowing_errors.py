"""Boards as they lie after a mistake in sowing: what the detector compares with when no legal turn fits.

Every board is made by hands that follow a legal turn's trace and go wrong at one place. What hands do afterwards is a
guess: they sow on as they meant to, or they stop after the lap that went wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from dataclasses import dataclass

from records import Position, Side, Trace, TraceEvent
from records.trace import MAX_EVENTS

from .likelihood import Board

MAX_RELAYS = 4  # laps that hands sow on after a wrong one
# How often mistakes of a kind are made, of all that are made: a guess, good enough to choose between boards that
# look the same. A kind's weight is shared out among all the places of a turn where it could have been made.
WEIGHTS = {
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

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A board (pits, then both stores) that a mistake of a kind in `WEIGHTS` leads to, and what to say of it."""

    cause: str
    board: Board
    sentence: str


@dataclass(frozen=True, slots=True)
class _Lap:
    """One handful: lifted from `pit`, sown in `pits` in direction `way`; `events` are all from the lift on."""

    at: int  # index of the lift in the trace
    pit: int
    pits: tuple[int, ...]
    way: int


class _Hands:
    """A board and a hand that do what the events say with what really lies there."""

    def __init__(self, position: Position) -> None:
        self.size = len(position.pits)
        self.places = [*position.pits, *position.stores]
        self.hand = 0
        self.last = 0  # where the last seed fell
        self.way = 1
        self.emptied = 0  # pits that were, as bits

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
            self.empty_hand()  # a handful grown by a mistake is sown to its end before the next is picked up
            self.lift(event.pit)
        elif event.kind == "drop":
            if self.hand:
                self.way = 1 if (event.pit - self.last) % self.size == 1 else -1
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
            self.drop((self.last + self.way) % self.size)

    def board(self) -> Board:
        return Board(tuple(self.places), self.emptied)

    def sown(self, pit: int, way: int) -> Iterator[Board]:
        """The boards after the lap from `pit` is sown, and after each that a relay would go on with."""
        for _ in range(1 + MAX_RELAYS):
            self.lift(pit)
            self.way = way
            self.empty_hand()
            yield self.board()
            pit = self.last
            if self.places[pit] < 2:
                return


def mistakes_in(trace: Trace) -> Iterator[Mistake]:
    """Every board that one mistake in this turn could have led to, likelier kinds first; some come more than once."""
    laps = tuple(_laps(trace))
    yield from _sown_wrong(trace, laps)
    yield from _taken_wrong(trace)
    yield from _unfinished(trace)
    yield from _another_lap(trace, laps)


def emptied_in(trace: Trace) -> int | None:
    """The pits that a turn empties, as bits; None when the trace is too long to tell."""
    if len(trace.events) >= MAX_EVENTS:
        return None
    bits = 0
    for event in trace.events:
        if event.kind in ("lift", "take") and event.pit >= 0:
            bits |= 1 << event.pit
    return bits


def wrong_starts(position: Position, legal: Collection[int], way: int) -> Iterator[tuple[Mistake, bool]]:
    """Every board that comes of a lap from any pit, sown in direction `way`, and of the laps that follow of themselves.

    From the `legal` ones too, with True: a turn that is broken off may have been begun from the wrong pit.
    """
    mover = position.to_move
    for pit, count in enumerate(position.pits):
        if not count:
            continue
        name, owner = position.letter(pit), position.side_of(pit)
        why = f"is {owner}'s, and {mover} is to move" if owner is not mover else "is no pit to begin from"
        if pit in legal:
            why = "is not sown to the end"
        for board in _Hands(position).sown(pit, way):
            yield Mistake("wrong-pit", board, f"The turn was begun from {name}, which {why}."), pit in legal


def _laps(trace: Trace) -> Iterator[_Lap]:
    size = len(trace.before.pits)
    lifts = [at for at, event in enumerate(trace.events) if event.kind == "lift"]
    for at, end in zip(lifts, [*lifts[1:], len(trace.events)], strict=True):
        pits = tuple(event.pit for event in trace.events[at:end] if event.kind == "drop")
        if pits:
            way = 1 if (pits[0] - trace.events[at].pit) % size == 1 else -1
            yield _Lap(at, trace.events[at].pit, pits, way)


def _sown_wrong(trace: Trace, laps: tuple[_Lap, ...]) -> Iterator[Mistake]:
    name = trace.before.letter
    for lap in laps:
        whose = name(lap.pit)
        beyond = (*lap.pits, (lap.pits[-1] + lap.way) % len(trace.before.pits))
        for at, pit in enumerate(lap.pits):
            skipped = f"One seed too few in {name(pit)}: the lap from {whose} skipped it."
            yield from _going_on(trace, lap, "skipped", (*beyond[:at], *beyond[at + 1 :]), skipped)
            if at + 1 < len(lap.pits):
                doubled = f"One seed too many in {name(pit)}: the lap from {whose} dropped two there."
                yield from _going_on(trace, lap, "doubled", (*lap.pits[: at + 1], *lap.pits[at:-1]), doubled)
        left = f"One seed was left behind in {whose} when it was picked up."
        yield from _going_on(trace, lap, "left-behind", lap.pits[:-1], left)


def _going_on(trace: Trace, lap: _Lap, cause: str, pits: tuple[int, ...], sentence: str) -> Iterator[Mistake]:
    """The lap sown into `pits` instead; then the hands go on as in the trace, or stop.

    Seeds taken in passing, which only some games know, are taken where the trace takes them.
    """
    until = next(
        (at for at, event in enumerate(trace.events[lap.at + 1 :], lap.at + 1) if event.kind == "lift"),
        len(trace.events),
    )
    wrong = iter(pits)
    hands = _Hands(trace.before).follow(trace.events[: lap.at + 1])
    if cause == "left-behind":
        hands.hand -= 1
        hands.places[lap.pit] += 1
    sown = max(at for at in range(lap.at + 1, until) if trace.events[at].kind in ("drop", "store"))
    for at, event in enumerate(trace.events[lap.at + 1 : until], lap.at + 1):
        if event.kind != "drop":
            hands.do(event)
        elif (pit := next(wrong, None)) is not None and hands.hand:
            hands.drop(pit)
        if at == sown:
            yield Mistake(cause, hands.board(), sentence)
    hands.way = lap.way
    hands.follow(trace.events[until:]).empty_hand()
    yield Mistake(cause, hands.board(), sentence)


def _taken_wrong(trace: Trace) -> Iterator[Mistake]:
    before, size = trace.before, len(trace.before.pits)
    takes = [at for at, event in enumerate(trace.events) if event.kind == "take" and event.pit >= 0]
    if not takes:
        return
    for forgotten in ([*takes], *([at] for at in takes if len(takes) > 1)):
        hands = _Hands(before)
        for at, event in enumerate(trace.events):
            if at not in forgotten:
                hands.do(event)
        pits = list(dict.fromkeys(before.letter(trace.events[at].pit) for at in forgotten))
        stores = {Side(trace.events[at].other) for at in forgotten}
        owner = f"{stores.pop()}'s" if len(stores) == 1 else "its owner's"
        sentence = f"Captured seeds were left lying in {_listed(pits)}: they belong in {owner} store."
        yield Mistake("captured-left", hands.board(), sentence)
    counts, emptied = _Hands(before).follow(trace.events).board()
    places = [*counts]
    for event in trace.events:
        if event.kind == "take":
            places[size + event.other] -= event.count
            places[size + 1 - event.other] += event.count
    board = Board(tuple(places), emptied)
    yield Mistake("wrong-store", board, "The captured seeds went into the wrong store.")


def _another_lap(trace: Trace, laps: tuple[_Lap, ...]) -> Iterator[Mistake]:
    """A lap sown the other way, or from another pit than the one where the lap before it ended; then the hands stop, or
    relay from where they are."""
    name, reached = trace.before.letter, 0
    done = _Hands(trace.before)
    for lap in laps:
        done.follow(trace.events[reached : lap.at])
        done.empty_hand()
        reached = lap.at
        turned = f"The lap from {name(lap.pit)} was sown in the wrong direction."
        yield from (Mistake("wrong-way", board, turned) for board in done.copy().sown(lap.pit, -lap.way))
        if not lap.at:
            continue
        for pit in range(done.size):
            if pit != lap.pit and done.places[pit]:
                taken = f"The lap was to go on from {name(lap.pit)}, but {name(pit)} was picked up."
                yield from (Mistake("wrong-pit", board, taken) for board in done.copy().sown(pit, lap.way))


def on_the_way(trace: Trace) -> Iterator[tuple[Board, int, int]]:
    """Every board on the way, whenever seeds are in the hand or a lap is to follow; with the seeds in the hand, and the
    pit of the next lap if there are none."""
    hands = _Hands(trace.before)
    for event, following in zip(trace.events, trace.events[1:], strict=False):
        hands.do(event)
        if event.kind in ("lift", "drop", "store") and following.kind in ("lift", "drop", "store", "choose"):
            yield hands.board(), hands.hand, following.pit


def _unfinished(trace: Trace) -> Iterator[Mistake]:
    name = trace.before.letter
    for board, hand, pit in on_the_way(trace):
        if hand:
            rest = f"{counted(hand)} still to be sown"
        else:
            rest = f"it goes on from {name(pit)} with {counted(board.counts[pit])}"
        yield Mistake("unfinished", board, f"The turn from {name(trace.events[0].pit)} is not finished: {rest}.")


def counted(number: int) -> str:
    """``one seed``, ``12 seeds``."""
    return f"{in_words(number)} seed{'' if number == 1 else 's'}"


def in_words(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
