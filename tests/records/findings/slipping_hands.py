"""Hands that play a turn and slip: the ground truth for findings, written apart from them.

A player knows the rules (from `tests/records/reference.py`, which shares nothing with the kernel), looks at what lies
on the board, and goes on from there after a slip as if nothing had happened. Nothing here knows which accounts a
finding considers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from inkeek.records import ruleset
from inkeek.records.rules.table import OWN_CODE
from tests.records import reference
from tests.records.reference import Board

MAX_LAPS = 200  # of one turn of these hands
# A turn after the slip can sow for ever; people stop. So do these hands, and the attempt is not used.
LIFT, DROP = ([(kind, pit) for pit in range(32)] for kind in ("lift", "drop"))
FACTS = {id: ruleset(id).family for id in OWN_CODE}
STORE = -1  # the mover's own store, as a place on the way around the board


class GaveUp(Exception):
    """The hands would sow for ever, or cannot make the slip that was planned."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip of a kind at the n-th chance for it in the turn, in one of several ways."""

    kind: str
    chance: int = 0
    way: int = 0


@dataclass(frozen=True, slots=True)
class Played:
    """What the hands did. `start`: the pit from which the turn began; `seen`: every lift, and every drop of a seed into
    a pit, in order; `emptied`: the pits that were lifted or captured, which hold other seeds now, if any."""

    slips: tuple[Slip, ...]
    start: int
    pits: tuple[int, ...]
    stores: tuple[int, int]
    seen: tuple[tuple[str, int], ...]
    emptied: frozenset[int]

    @property
    def lifts(self) -> tuple[tuple[str, int], ...]:
        return tuple(one for one in self.seen if one[0] == "lift")

    @property
    def board(self) -> tuple[tuple[int, ...], tuple[int, int]]:
        return self.pits, self.stores


@dataclass
class Player:
    """One pair of hands at a board. `chances` counts the ways of every chance for a slip that they met, `met` the
    chances of each kind."""

    board: Board
    planned: dict[tuple[str, int], int]
    choices: list[int] = field(default_factory=list)
    chances: dict[tuple[str, int], int] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)
    seen: list[tuple[str, int]] = field(default_factory=list)
    emptied: set[int] = field(default_factory=set)
    made: int = 0
    direction_back: int = 0

    def slip(self, kind: str, ways: int = 1) -> int | None:
        """Note a chance for a slip; the way in which to slip, if one is planned here."""
        number = self.met.get(kind, 0)
        self.met[kind] = number + 1
        self.chances[kind, number] = ways
        way = self.planned.get((kind, number))
        if way is not None:
            if way >= ways:
                raise GaveUp  # an earlier slip left fewer ways here
            self.made += 1
        return way

    def way_around(self) -> list[int]:
        """The places in counter-clockwise order, closed pits left out."""
        board = self.board
        pits = [pit for pit in range(len(board.pits)) if board.marks[pit] != reference.CLOSED]
        if board.family not in reference.BANKS:
            return pits
        return [*board.own, STORE, *board.theirs]

    def turn(self, start: int) -> None:
        """Play a turn from `start` to its end."""
        board = self.board
        at: int | None = start
        while at is not None:
            if board.laps == MAX_LAPS:
                raise GaveUp
            board.laps += 1
            at = self.lap(at)
            if at is not None and reference.may_choose(board):
                board.sown = frozenset()
                if self.choices:
                    board.direction = self.choices.pop(0)
                board.directions += (board.direction,)

    def lap(self, start: int) -> int | None:
        board = self.board
        turned = self.slip("wrong-way", 2)
        if turned is not None:
            board.direction = -board.direction
        dropped, counts = self.sow(start)
        if not dropped:
            return None
        if turned == 1:
            board.direction = -board.direction
        if dropped[-1] == STORE:
            board.again = True
            return None
        untouched = board.copy()
        after = reference.ENDS[board.family](board, dropped, counts)
        after = self.end_of_turn(dropped[-1], untouched) if after is None else self.relay(after)
        self.emptied |= {pit for pit, seeds in enumerate(untouched.pits) if seeds and not board.pits[pit]}
        return after

    def relay(self, after: int) -> int | None:
        """Go on with another lap from `after`, or fail to."""
        board = self.board
        if self.slip("stopped-early") is not None:
            return None
        beside = [
            pit for pit in (after - 1, after + 1)
            if 0 <= pit < len(board.pits) and board.owner(pit) == board.owner(after)
            and board.pits[pit] and not board.marks[pit]
        ]  # fmt: skip
        if beside:
            way = self.slip("other-lap", len(beside))
            if way is not None:
                return beside[way]
        return after

    def sow(self, start: int) -> tuple[list[int], list[int]]:
        """Lift a pit and sow it; the places in which seeds fell, and what each held then."""
        board = self.board
        self.bump()
        hand = board.pits[start]
        if not hand:
            raise GaveUp
        board.pits[start] = 0
        self.seen.append(LIFT[start])
        self.emptied.add(start)
        if hand > 1 and self.slip("left-behind") is not None:
            board.pits[start] = 1
            hand -= 1
        beside = [pit for pit in (start - 1, start + 1) if 0 <= pit < len(board.pits) and board.pits[pit]]
        beside = [pit for pit in beside if board.owner(pit) == board.owner(start)]
        if beside:
            way = self.slip("picked-elsewhere", len(beside))
            if way is not None:
                board.pits[beside[way]] -= 1
                hand += 1
        around = self.way_around()
        at = around.index(start)
        dropped: list[int] = []
        counts: list[int] = []
        tours = 0
        while hand > 0:
            tours += 1
            if tours > 4 * len(around) + 200:
                raise GaveUp
            at = (at + board.direction) % len(around)
            if around[at] == start and board.options["skip_origin"]:
                continue
            if self.slip("pit-skipped") is not None:
                at = (at + board.direction) % len(around)
            place = around[at]
            hand -= 1
            if hand and self.slip("seed-lost") is not None:
                continue
            way = self.slip("dropped-elsewhere", 2) if place != STORE else None
            if way is not None:
                place = board.opposite(place) if way == 0 else around[(at - board.direction) % len(around)]
            self.drop(place)
            if hand and self.slip("pit-given-two") is not None:
                hand -= 1
                self.drop(place)
            if self.slip("seed-added") is not None:
                self.drop(place)
            dropped.append(place)
            counts.append(board.stores[board.mover] if place == STORE else board.pits[place])
            if board.family in reference.IN_PASSING and counts[-1] == 4 and hand > 0:
                hand = self.four_in_passing(place, hand)
        if board.options.get("direction_choice") != "after-opponent-row":
            board.sown = frozenset()
        board.sown |= set(dropped)
        return dropped, counts

    def bump(self) -> None:
        """Between two laps somebody may bump the table: a seed jumps to the pit beside it."""
        jumps = jumps_on(self.board.pits)
        way = self.slip("bumped", len(jumps)) if jumps else None
        if way is not None:
            pit, beside = jumps[way]
            self.board.pits[pit] -= 1
            self.board.pits[beside] += 1

    def drop(self, place: int) -> None:
        if place == STORE:
            self.board.stores[self.board.mover] += 1
        else:
            self.board.pits[place] += 1
            self.seen.append(DROP[place])

    def four_in_passing(self, pit: int, hand: int) -> int:
        """Take a four, or fail to; what is in the hand then."""
        board = self.board
        if self.slip("capture-missed") is not None:
            return hand
        side = board.owner(pit)
        if self.slip("capture-wrong-store") is not None:
            side = 1 - side
        if self.slip("capture-partial") is not None:
            board.pits[pit] -= 3
            board.stores[side] += 3
            return hand
        if reference.take_four(board, pit, side, hand):
            raise GaveUp  # the last eight: nothing is left to slip with
        self.emptied.add(pit)
        return hand

    def end_of_turn(self, last: int, untouched: Board) -> int | None:
        """The turn ends at `last`, or a slip makes it end otherwise or go on; `untouched`: before what the end did."""
        board, mover = self.board, self.board.mover
        made_special = [pit for pit in range(len(board.pits)) if board.marks[pit] != untouched.marks[pit]]
        taken = [pit for pit in range(len(board.pits)) if board.pits[pit] < untouched.pits[pit]]
        gained = sum(board.stores) - sum(untouched.stores)
        if gained:
            self.slip_in_capture(last, untouched, taken, gained)
        elif made_special and FACTS[board.family].specials == "opposite":
            way = self.slip("special-missed", 2)
            if way is not None:
                self.put_back(untouched)
                if way == 1:
                    board.capture(last, mover)
                    board.capture(board.opposite(last), mover)
        else:
            opposite = board.opposite(last)
            alone = FACTS[board.family].captures == "opposite" and board.pits[last] == 1
            kind = "special-emptied" if board.marks[opposite] else "capture-wrongly"
            if alone and board.pits[opposite] and self.slip(kind) is not None:
                if FACTS[board.family].takes_last:
                    board.capture(last, mover)
                board.capture(opposite, mover)
                return None
            many = FACTS[board.family].captures == "backward" and board.pits[last] > 1 and last in board.theirs
            if many and self.slip("capture-wrongly") is not None:
                board.capture(last, mover)
                return None
        if board.family not in ("bof", "oware", "kalah") and untouched.pits[last]:
            kind = "relayed-too-far"
            if untouched.marks[last]:
                kind = "special-emptied"
            elif last in made_special:
                kind = "special-missed"
            if self.slip(kind) is not None:
                self.put_back(untouched)
                return last
        return None

    def slip_in_capture(self, last: int, untouched: Board, taken: list[int], gained: int) -> None:
        board, mover = self.board, self.board.mover
        if self.slip("capture-missed") is not None:
            self.put_back(untouched)
            return
        partial = [pit for pit in taken if untouched.pits[pit] > 1] + ([last] if len(taken) > 1 else [])
        if partial:
            way = self.slip("capture-partial", len(partial))
            if way is not None:
                board.pits[partial[way]] += 1
                board.stores[mover] -= 1
                return
        across = [pit for pit in taken if pit != last][:1]
        wrong = [
            pit + aside for pit in across for aside in (1, -1)
            if 0 <= pit + aside < len(board.pits) and board.owner(pit + aside) == board.owner(pit)
            and board.pits[pit + aside] and not board.marks[pit + aside]
        ]  # fmt: skip
        if wrong:
            way = self.slip("capture-wrong-pit", len(wrong))
            if way is not None:
                board.pits[across[0]] = untouched.pits[across[0]]
                board.stores[mover] -= untouched.pits[across[0]]
                board.capture(wrong[way], mover)
                return
        if self.slip("capture-wrong-store") is not None:
            board.stores[mover] -= gained
            board.stores[1 - mover] += gained
            return
        could = FACTS[board.family].specials == "opposite" and across and untouched.pits[across[0]] > 1
        if could and self.slip("special-wrongly") is not None:
            self.put_back(untouched)
            board.pits[across[0]] -= 1
            board.pits[last] += 1

    def put_back(self, untouched: Board) -> None:
        self.board.pits, self.board.marks = list(untouched.pits), list(untouched.marks)
        self.board.stores = list(untouched.stores)


def jumps_on(pits: Sequence[int]) -> list[tuple[int, int]]:
    """From which pit a seed can jump to which beside it."""
    places = range(len(pits))
    return [(pit, beside) for pit in places if pits[pit] for beside in (pit - 1, pit + 1) if beside in places]
