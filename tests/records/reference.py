"""The rules of every game a second time, from the page, as plainly and slowly as possible, to hold `records` against.

It shares nothing with the kernel: a lap is a list of pits, a turn copies the board at every choice, and endless sowing
is found by keeping every state there was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CLOSED = 3
# Whose turns must reach an opponent without seeds in their first lap, and whose must leave that one seeds at their end.
FEEDS = {"oware"}
FEEDS_BY_END: set[str] = set()
ENDS_WITH_ROW = {"kalah"}
BANKS = {"kalah"}
IN_PASSING = {"anywoli"}
MAX_COPIED = 200_000  # states, at the choices of turns from one pit: each copy takes memory
MAX_FOUND = 3000  # turns from one pit, for which the comparison has time


class TooLong(Exception):
    """Turns of more laps, or more turns, than the comparison has time for."""


@dataclass(frozen=True)
class Done:
    """A turn that ended: from where, with which choices (trailing ones that go on as before left out), and the board
    after it."""

    pit: int
    choices: tuple[int, ...]
    pits: tuple[int, ...]
    marks: tuple[int, ...]
    stores: tuple[int, int]
    laps: int
    again: bool = False


@dataclass(frozen=True)
class Endless:
    """A turn that came back to where it had been: the choices made until then, laps between the two times."""

    pit: int
    choices: tuple[int, ...]
    cycle: int


@dataclass
class Board:
    """A board in the middle of a turn."""

    family: str
    options: Mapping[str, Any]
    pits: list[int]
    marks: list[int]
    stores: list[int]
    mover: int
    ply: int
    direction: int = 1
    laps: int = 0
    directions: tuple[int, ...] = ()
    sown: frozenset[int] = frozenset()
    again: bool = False
    unsown: int = 0
    states: dict[Any, int] = field(default_factory=dict)

    @property
    def row(self) -> int:
        return len(self.pits) // 2

    @property
    def own(self) -> range:
        return range(self.row) if self.mover == 0 else range(self.row, 2 * self.row)

    @property
    def theirs(self) -> range:
        return range(self.row, 2 * self.row) if self.mover == 0 else range(self.row)

    def owner(self, pit: int) -> int:
        return 0 if pit < self.row else 1

    def opposite(self, pit: int) -> int:
        return 2 * self.row - 1 - pit

    def next(self, pit: int) -> int:
        pit = (pit + self.direction) % (2 * self.row)
        return self.next(pit) if self.marks[pit] == CLOSED else pit

    def special(self, pit: int) -> bool:
        return self.marks[pit] in (1, 2)

    def capture(self, pit: int, side: int) -> None:
        self.stores[side] += self.pits[pit]
        self.pits[pit] = 0

    def make_special(self, pit: int) -> None:
        self.marks[pit] = 1 + self.mover

    def copy(self) -> Board:
        return Board(
            self.family,
            self.options,
            list(self.pits),
            list(self.marks),
            list(self.stores),
            self.mover,
            self.ply,
            self.direction,
            self.laps,
            self.directions,
            self.sown,
            self.again,
            self.unsown,
            dict(self.states),
        )


def board_of(family: str, options: Mapping[str, Any], position: Any) -> Board:
    return Board(
        family,
        options,
        list(position.pits),
        list(position.marks),
        list(position.stores),
        int(position.to_move),
        position.ply,
        unsown=position.unsown,
    )


def starts(board: Board) -> list[int]:
    """The pits from which the side to move may start: own ones with seeds, ordinary ones."""
    pits = [pit for pit in board.own if board.pits[pit] > 0 and board.marks[pit] == 0]
    if board.family == "layli-goobalay" and board.options["first_move"] == "right-end" and board.ply == 0:
        right = board.own[-1]
        if right in pits:
            pits = [right]
    if sum(board.pits[pit] for pit in board.theirs) == 0:
        if board.family in ENDS_WITH_ROW:
            return []
        if board.family in FEEDS:
            pits = [pit for pit in pits if board.pits[pit] > board.own[-1] - pit]
        if board.family in FEEDS_BY_END:
            pits = [pit for pit in pits if feeds(board, pit)]
    if board.options.get("majority_end") and max(board.stores) > (sum(board.pits) + sum(board.stores)) // 2:
        return []
    return pits


def feeds(board: Board, pit: int) -> bool:
    """Whether a turn from `pit` ends and leaves the opponent seeds."""
    turns, _ = turns_from(board.copy(), pit, 30_000)
    return any(isinstance(turn, Done) and any(turn.pits[k] for k in board.theirs) for turn in turns)


def all_turns(family: str, options: Mapping[str, Any], position: Any, most_laps: int = 30000) -> list[Done | Endless]:
    """Every turn of the side to move, legal (`Done`) or `Endless`, by pit.

    :raises TooLong: they took more laps than `most_laps`, all together.
    """
    found: list[Done | Endless] = []
    for pit in starts(board_of(family, options, position)):
        turns, most_laps = turns_from(board_of(family, options, position), pit, most_laps)
        found += turns
    return found


def turns_from(board: Board, pit: int, most_laps: int) -> tuple[list[Done | Endless], int]:
    """Every turn that starts from `pit`, where the direction may be chosen both ways; and how many laps are left.

    :raises TooLong: they took more laps than `most_laps`.
    """
    board.direction = usual = -1 if board.options.get("direction") == "cw" else 1
    board.states[tuple(board.pits), pit, usual] = 0
    found: list[Done | Endless] = []
    unfinished = [(board, pit)]
    copied = 0
    while unfinished:
        if len(found) + len(unfinished) > MAX_FOUND or copied > MAX_COPIED:
            raise TooLong
        board, at = unfinished.pop()
        while True:
            if most_laps == 0:
                raise TooLong
            most_laps -= 1
            board.laps += 1
            go_on_from = lap(board, at)
            if go_on_from is None:
                found.append(
                    Done(
                        pit,
                        without_idle(board.directions, usual),
                        tuple(board.pits),
                        tuple(board.marks),
                        (board.stores[0], board.stores[1]),
                        board.laps,
                        board.again,
                    )
                )
                break
            at = go_on_from
            state = (tuple(board.pits), at, board.direction)
            if state in board.states:
                found.append(Endless(pit, without_idle(board.directions, usual), board.laps - board.states[state]))
                break
            board.states[state] = board.laps
            if may_choose(board):
                board.sown = frozenset()
                other = board.copy()
                copied += len(board.states)
                board.directions += (board.direction,)
                other.direction = -other.direction
                other.directions += (other.direction,)
                unfinished.append((other, at))
    return found, most_laps


def without_idle(directions: tuple[int, ...], usual: int) -> tuple[int, ...]:
    """A series of directions without the last ones that only go on as before."""
    while directions and directions[-1] == (directions[-2] if len(directions) > 1 else usual):
        directions = directions[:-1]
    return directions


def may_choose(board: Board) -> bool:
    """Whether the mover, about to go on with another lap, may choose its direction."""
    when = board.options.get("direction_choice", "none")
    had_one = len(board.directions) > 0
    whole_row = board.sown >= set(board.theirs)
    if when == "after-opponent-row":
        return whole_row
    if when == "after-one-lap":
        return whole_row and not had_one
    if when == "after-first-lap":
        return whole_row and board.laps == 1
    if when == "each-relay":
        return whole_row or had_one
    return False


def lap(board: Board, start: int) -> int | None:
    """Sow what lies in `start` and do what the last seed asks for; where the next lap starts, or None."""
    if board.family in BANKS:
        return sow_with_store(board, start)
    hand = board.pits[start]
    board.pits[start] = 0
    dropped: list[int] = []  # the pits in the order in which seeds fell
    counts: list[int] = []  # what each held then
    pit = start
    while hand > 0:
        pit = board.next(pit)
        if pit == start and board.options["skip_origin"]:
            continue
        hand -= 1
        board.pits[pit] += 1
        dropped.append(pit)
        counts.append(board.pits[pit])
        four = board.family in IN_PASSING and board.pits[pit] == 4 and hand > 0
        if four and take_four(board, pit, board.owner(pit), hand):
            return None
    if board.options.get("direction_choice") != "after-opponent-row":
        board.sown = frozenset()  # only a single lap counts
    board.sown |= set(dropped)
    return ENDS[board.family](board, dropped, counts)


def end_enkeshui(board: Board, dropped: list[int], counts: list[int]) -> int | None:
    last, count = dropped[-1], counts[-1]
    if board.special(last):  # 1
        return None
    first_turn = board.ply in (0, 1) or board.mover in ((), (0,), (1,), (0, 1))[board.unsown]
    if count in (3, 4) and (board.options["bulls_on_first_move"] or not first_turn):
        before, held = (dropped[-2], counts[-2]) if len(dropped) > 1 else (None, 0)
        pair = before is not None and not board.special(before) and {count, held} == {3, 4}
        if count == 4 or pair:  # 2, 3
            board.make_special(last)
            if pair and before is not None:
                board.make_special(before)
            return None
    if count > 1:  # 4
        return last
    if last in board.theirs:  # 5
        return None
    if not capturable(board, last):  # 6
        return None
    if board.laps > 1 and not board.options["capture_after_relay"]:
        return None
    board.stores[board.mover] += 1  # 7
    board.pits[last] = 0
    pit = last
    while pit in board.own and board.pits[pit] == 0 and capturable(board, pit):
        board.capture(board.opposite(pit), board.mover)
        pit += board.direction
    return None


def rearrange(
    options: Mapping[str, Any], position: Any, emptied: tuple[int, int], laid: list[tuple[int, int]]
) -> tuple[list[int], int, int, int] | None:
    """The pits, the side to move, the ply and the sides yet to sow after the side to move empties two pits and lays
    their seeds out again, as pairs of a pit and a count; None if it may not."""
    board = board_of("enkeshui", options, position)
    when = options["rearrangement"]
    if when in ("none", "setup") or (when == "initial" and board.ply not in (0, 1)):
        return None
    if emptied[0] == emptied[1] or not all(pit in board.own and board.marks[pit] == 0 for pit in emptied):
        return None
    hand = board.pits[emptied[0]] + board.pits[emptied[1]]
    board.pits[emptied[0]] = board.pits[emptied[1]] = 0
    if hand == 0 or hand != sum(count for _, count in laid):
        return None
    for pit, count in laid:
        own_bull = board.marks[pit] == 1 + board.mover and options["rearrange_into_bulls"]
        if count == 0 or pit not in board.own or not (board.marks[pit] == 0 or own_bull):
            return None
        board.pits[pit] += count
    if when == "initial":
        return board.pits, board.mover, board.ply, board.unsown
    unsown = {side for side in (0, 1) if board.unsown & (1, 2)[side]}
    if board.ply < 2 and not options["bulls_on_first_move"]:
        unsown.add(board.mover)
    return board.pits, 1 - board.mover, board.ply + 1, sum((1, 2)[side] for side in unsown)


def capturable(board: Board, pit: int) -> bool:
    opposite = board.opposite(pit)
    return board.pits[opposite] > 0 and not board.special(opposite)


def take_four(board: Board, pit: int, side: int, hand: int) -> bool:
    """Take a four; True if the last four go the same way."""
    board.capture(pit, side)
    if board.options["last_four"] == "none" or sum(board.pits) + hand != 4:
        return False
    board.stores[side] += hand
    for other in range(len(board.pits)):
        board.capture(other, side)
    return True


def end_anywoli(board: Board, dropped: list[int], _: list[int]) -> int | None:
    last = dropped[-1]
    if board.pits[last] == 4:
        take_four(board, last, board.mover, 0)
        return None
    return last if board.pits[last] > 1 else None


def end_layli(board: Board, dropped: list[int], _: list[int]) -> int | None:
    last = dropped[-1]
    if board.special(last):
        return None
    if board.pits[last] > 1:
        return last
    if last in board.theirs or not capturable(board, last):
        return None
    opposite = board.opposite(last)
    if board.pits[opposite] == 3:
        board.pits[opposite] -= 1
        board.pits[last] += 1
        board.make_special(last)
        board.make_special(opposite)
    else:
        board.capture(last, board.mover)
        board.capture(opposite, board.mover)
    return None


def end_bof(board: Board, dropped: list[int], _: list[int]) -> int | None:
    following = board.next(dropped[-1])
    if board.pits[following] > 0:
        return following
    board.capture(board.next(following), board.mover)
    return None


def end_oware(board: Board, dropped: list[int], _: list[int]) -> None:
    taken = []
    pit = dropped[-1]
    while pit in board.theirs and board.pits[pit] in (2, 3):
        taken.append(pit)
        pit -= 1
    grand_slam = sum(board.pits[pit] for pit in taken) == sum(board.pits[pit] for pit in board.theirs)
    if not grand_slam:
        for pit in taken:
            board.capture(pit, board.mover)


def end_kalah(board: Board, dropped: list[int], _: list[int]) -> None:
    last = dropped[-1]
    worth = board.pits[board.opposite(last)] > 0 or board.options["empty_capture"]
    if last in board.own and board.pits[last] == 1 and worth:
        board.capture(last, board.mover)
        board.capture(board.opposite(last), board.mover)


# What the last seed of a lap does, given the pits in the order in which seeds fell, and what each held then. Returns
# where the next lap starts, or None.
ENDS = {
    "enkeshui": end_enkeshui,
    "anywoli": end_anywoli,
    "layli-goobalay": end_layli,
    "bof": end_bof,
    "oware": end_oware,
    "kalah": end_kalah,
}


def sow_with_store(board: Board, start: int) -> int | None:
    way: list[Any] = [*board.own, "store", *board.theirs]
    at = way.index(start)
    hand = board.pits[start]
    board.pits[start] = 0
    while hand > 0:
        at = (at + 1) % len(way)
        if way[at] == start and board.options["skip_origin"]:
            continue
        hand -= 1
        if way[at] == "store":
            board.stores[board.mover] += 1
        else:
            board.pits[way[at]] += 1
    last = way[at]
    if last == "store":
        board.again = True
        return None
    return ENDS[board.family](board, [last], [board.pits[last]])
