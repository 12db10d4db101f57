"""Courses: sequences of legal turns, of one side or of both, that end on the board that is there.

A press may follow several turns: a chain of one side, as Kalah has it, or turns whose buttons were forgotten. They are
recorded only if one course alone can have been played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from inkeek.drivers.orientation import turn_values
from inkeek.records import PASS, Move, Position, Rules, Side, Turn
from inkeek.records.errors import ErrorText
from inkeek.records.findings import BoardCounts
from inkeek.records.findings.account_steps import boards_after_steps, boards_during
from inkeek.records.findings.candidates import MAX_TURNS

from .evidence import BoardReports, fitting_courses, lifts, reports_of
from .likelihood import Readings
from .verdicts import MAX_OFFERED, Begun, Course, Several

LONGEST = 4  # turns of a course
MAX_SOWN = 5_000  # turns that are sown for one board: 5 to 8 µs each
MAX_LEFT = 500  # turns whose boards are compared with a report: with a choice in every lap, some 80 µs each
MAX_TRACED = 250  # turns that are followed seed by seed for one board
MAX_BOARDS = 15_000  # boards on the way that are compared with one: 6 µs each

EMPTY = ErrorText("No seed lies in a pit: an empty board does not show what was played.")
TAKEN = ErrorText("The seeds that were left are taken: the board does not show whether the last turn was played.")


@dataclass
class Courses:
    """The courses that end on a board, the shortest first.

    `near`: those that end on a board that differs from it by one seed. `searched`: there are no more courses of so many
    turns at most.
    """

    exact: list[Course] = field(default_factory=list)
    near: list[Course] = field(default_factory=list)
    searched: int = 0


@lru_cache(maxsize=64)  # one board is judged again and again: when it is pressed, again, and by what was reported
def find_courses(
    rules: Rules, position: Position, counts: tuple[int, ...], only: Side | None = None, longest: int = LONGEST
) -> Courses:
    """Search for all courses of `longest` turns at most from `position` to the `counts`, one a sensor.

    A pass at the end leaves no trace, so no course ends with one. `only`: the courses of this side alone.
    """
    found, size, sown = Courses(), len(position.pits), 0
    seeds, stores = sum(counts[:size]), counts[size:]
    level: list[tuple[Position, Course]] = [(position, ())]
    for length in range(1, longest + 1):
        following: list[tuple[Position, Course]] = []
        for start, course in level:
            if only not in (None, start.to_move):
                continue
            turns = rules.turns(start, limit=min(MAX_TURNS, MAX_SOWN - sown))
            sown += len(turns)
            if not turns.complete or sown >= MAX_SOWN:
                return found
            for turn in turns:
                after = turn.position
                # Seeds leave the pits for the stores, and never return.
                if sum(after.pits) < seeds - 1 or any(
                    more > count + 1 for more, count in zip(after.stores, stores, strict=False)
                ):
                    continue
                if turn.move != PASS:
                    off = _off(after, counts, size)
                    if off == 0:
                        found.exact.append((*course, turn))
                    elif off == 1:
                        found.near.append((*course, turn))
                if length < longest:
                    following.append((after, (*course, turn)))
        level = following
        found.searched = length
    return found


def _off(position: Position, counts: Sequence[int], size: int) -> int:
    """0: the counts are those of the position. 1: a single seed lies elsewhere, or is missing, or too many. 2: more."""
    if position.pits == tuple(counts[:size]) and position.stores[: len(counts) - size] == tuple(counts[size:]):
        return 0
    more = less = 0
    for seeds, count in zip((*position.pits, *position.stores), counts, strict=False):
        if count > seeds:
            more += count - seeds
        else:
            less += seeds - count
    return 1 if more <= 1 and less <= 1 else 2


def several_turns(
    rules: Rules, readings: Readings, pressed_by: Side | None, seen: BoardReports | None
) -> Several | None:
    """What several turns may have been played where no single turn fits; None: no course ends on this board."""
    if readings.ignored:
        return None  # nobody knows what lies there
    found = find_courses(rules, readings.position, tuple(readings.rounded()))
    fitting = [course for course in found.exact if len(course) > 1 and readings.fits(_counts(course, readings))]
    if not fitting:
        return None
    names = _names(fitting)
    if len(fitting) == 1:
        sentence = ErrorText("The board is as after these turns: %(turns)s.", turns=names)
    else:
        sentence = ErrorText("Each of these leaves this board: %(turns)s.", turns=names)
    certain = _certain(rules, found, fitting, readings, pressed_by, seen)
    if not any(fitting[0][-1].position.pits):
        return Several(tuple(fitting[:MAX_OFFERED]), None, (sentence, EMPTY))
    return Several(tuple(fitting[:MAX_OFFERED]), certain, (sentence,))


def _certain(
    rules: Rules,
    found: Courses,
    fitting: list[Course],
    readings: Readings,
    pressed_by: Side | None,
    seen: BoardReports | None,
) -> Course | None:
    """The course that alone can have been played, by the board, the button and the reports on the way.

    Where there are too many courses to search them all, those with one turn more must be known, unless reports say what
    was lifted or lay there.
    """
    reported = reports_of(seen)
    fitting = fitting_courses(rules, fitting, reported)
    shown = None if seen is None else _shown(rules, found, fitting, readings, seen.boards)
    if shown is None and seen is not None and _contradict(seen.boards, fitting, readings):
        return None
    is_reported = reported is not None or shown is not None
    if shown is not None:
        fitting = [shown]
    if len(fitting) != 1 or found.searched < min(LONGEST, len(fitting[0]) + (not is_reported)):
        return None
    course = fitting[0]
    movers = [turn.before.to_move for turn in course]
    if pressed_by not in (None, movers[-1]):  # who pressed played first, or the other side moved out of turn before
        return course if len(course) == 2 and pressed_by is movers[0] and is_reported else None
    if not is_reported and len(set(movers)) > 1 and any(_may_be(near, course, pressed_by) for near in found.near):
        return None  # it may also be other turns, and a seed that went astray
    return course


def _may_be(near: Course, course: Course, pressed_by: Side | None) -> bool:
    """Whether `near`, and a seed that went astray, may have been played in place of a course: it has no more turns, and
    one of whoever pressed."""
    movers = {turn.before.to_move for turn in near}
    return len(near) <= len(course) and (pressed_by is None or pressed_by in movers)


def _shown(
    rules: Rules, found: Courses, fitting: Sequence[Course], readings: Readings, boards: Sequence[tuple[int, ...]]
) -> Course | None:
    """The course whose boards between its turns were reported, exactly and as the only ones that a turn leaves.

    None: there are several, or hands that play another course, perhaps with a seed that went astray, may have left the
    same boards on the way.
    """
    end = tuple(readings.rounded())
    between = tuple(boards[:-1] if end in boards[-1:] else boards)
    if not between:
        return None
    shown = [course for course in fitting if _boards(course[:-1], readings) == between]
    if len(shown) != 1 or found.searched < len(shown[0]):
        return None
    followed = dict[tuple[Position, Move], set[tuple[int, ...]]]()
    for other in (*found.exact, *found.near):
        if _boards(other, readings)[: len(between)] == between:
            continue  # it begins with the same boards, and what follows is told from a slip as after a press
        passed = set[tuple[int, ...]]()
        for turn in other:
            key = turn.before, turn.move
            if key not in followed and turn.move != PASS:
                if len(followed) == MAX_TRACED:
                    return None
                steps = boards_after_steps(rules.trace(*key))
                followed[key] = {board.counts[: len(end)] for board in steps}
            passed |= followed.get(key, set())
        if passed.issuperset(between):
            return None
    return shown[0]


def _contradict(boards: Sequence[tuple[int, ...]], courses: Sequence[Course], readings: Readings) -> bool:
    """Whether other boards lay there, exactly as after legal turns, than after the turns of any of the courses."""
    found = {board for course in courses for board in _boards(course, readings)}
    return not found.issuperset(boards)


def _boards(course: Course, readings: Readings) -> tuple[tuple[int, ...], ...]:
    """What the sensors see after each turn of a course that changes it."""
    boards = [readings.held, *(readings.sensed(turn.position) for turn in course)]
    return tuple(board for last, board in pairwise(boards) if board != last)


@lru_cache(maxsize=64)
def boards_after(
    rules: Rules, position: Position, boards: tuple[tuple[int, ...], ...], sensors: int
) -> tuple[frozenset[tuple[int, ...]], frozenset[tuple[int, ...]]]:
    """What so many sensors see after each legal turn from `position`, or from one that such turns and these `boards`
    lead to; and what they see only after a turn of the side that is not to move there: with it the next turn may leave
    the board of two legal ones. Both empty: there are too many.
    """
    found, out_of_turn, sown, beside = set[tuple[int, ...]](), set[tuple[int, ...]](), 0, 0
    positions = [position]
    for number in range(len(boards) + 1):
        following: list[Position] = []
        for start in positions:
            turns = rules.turns(start, limit=MAX_LEFT - sown)
            sown += len(turns)
            if not turns.complete or sown >= MAX_LEFT:
                return frozenset(), frozenset()
            for turn in turns:
                after = turn.position
                found.add(board := (*after.pits, *after.stores)[:sensors])
                if board in boards[number:]:
                    following.append(after)
            others = rules.turns(start.replaced(to_move=start.to_move.other), limit=MAX_LEFT - beside)
            beside += len(others)
            out_of_turn.update((*turn.position.pits, *turn.position.stores)[:sensors] for turn in others)
        positions = following
    return frozenset(found), frozenset(out_of_turn - found)


def other_course(
    rules: Rules, turn: Turn, readings: Readings, seen: BoardReports | None, turns: Sequence[Turn]
) -> Several | None:
    """What may have been played where a single turn fits: a chain of turns of its side, by the reports; None: the turn
    was."""
    reported, side = reports_of(seen), turn.before.to_move
    if all(other.position.to_move is not side for other in turns):
        return None
    found = find_courses(rules, turn.before, readings.sensed(turn.position), only=side)
    chains = [course for course in found.exact if len(course) > 1]
    if not chains:
        return None
    courses = [(turn,), *chains]
    if reported is not None:
        fitting = fitting_courses(rules, courses, reported)
        certain = fitting[0] if len(fitting) == 1 else None
    else:
        certain = None if seen is None or readings.ignored else _shown(rules, found, chains, readings, seen.boards)
    if certain == (turn,):
        return None
    sentence = ErrorText("Each of these leaves this board: %(turns)s.", turns=_names(courses))
    return Several(tuple(courses[:MAX_OFFERED]), certain, (sentence,))


def may_lie_turned(
    rules: Rules, position: Position, counts: Sequence[float], pressed_by: Side | None, longest: int
) -> bool:
    """Whether a board that lies the wrong way round since a symmetric position shows a course of so many turns at most
    whose last mover pressed."""
    found = find_courses(rules, position, tuple(turn_values([*map(round, counts)], position.row)), longest=longest)
    return any(pressed_by in (None, course[-1].before.to_move.other) for course in found.exact)


def turn_before_begun(rules: Rules, readings: Readings, seen: BoardReports | None) -> Begun | None:
    """The turn that was played before the other side began the one that is being sown; None: that is not certain."""
    if readings.ignored:
        return None
    position, counts, reported, sown = readings.position, tuple(readings.rounded()), reports_of(seen), 0
    legal = rules.turns(position, limit=MAX_TRACED)
    firsts = [turn for turn in legal if turn.move != PASS]
    if not legal.complete or any(_off(turn.position, counts, len(position.pits)) < 2 for turn in firsts):
        return None  # a seed may have gone astray
    if is_being_sown(rules, position, counts) is not False:
        return None
    found: Begun | None = None
    for first in firsts:
        if reported is not None and reported[: len(lift := lifts(rules, (first,)))] != lift:
            continue
        if seen is not None and _contradict(seen.boards, [(first,)], readings):
            continue
        seconds = rules.turns(first.position, limit=MAX_TRACED)
        if not seconds.complete:
            return None
        for second in seconds:
            sown += 1
            if sown > MAX_TRACED:
                return None
            if second.move == PASS or second.before.to_move is position.to_move:
                continue
            trace = rules.trace(first.position, second.move)
            boards = boards_during(trace, first.emptied)
            if any(
                board.counts[: len(counts)] == counts and readings.fits(readings.visible(board)) for board in boards
            ):
                if found is not None and found.first != first:
                    return None
                sentence = ErrorText(
                    "%(first)s played %(move)s, and %(second)s has begun the next turn.",
                    first=position.to_move,
                    move=str(first.move),
                    second=second.before.to_move,
                )
                found = Begun(first, second, 1.0, (sentence,), is_certain=True)
    return found


def is_being_sown(
    rules: Rules,
    position: Position,
    counts: Sequence[float],
    ignored: frozenset[int] = frozenset(),
    turns: Iterable[Turn] | None = None,
) -> bool | None:
    """Whether the board is exactly as during a legal turn, or one of `turns`: missing seeds are in a hand. None: there
    are too many turns to tell."""
    seen = {sensor: round(count) for sensor, count in enumerate(counts) if sensor not in ignored}
    if turns is None:
        legal = rules.turns(position, limit=MAX_TRACED)
        if not legal.complete:
            return None
        turns = legal
    left = MAX_BOARDS
    for turn in turns:
        if turn.move == PASS:
            continue
        for board in boards_during(rules.trace(position, turn.move)):
            if all(board.counts[sensor] == count for sensor, count in seen.items()):
                return True
            left -= 1
        if left < 0:
            return None
    return False


def _counts(course: Course, readings: Readings) -> BoardCounts:
    emptied = 0
    for turn in course:
        emptied |= turn.emptied
    return BoardCounts(readings.sensed(course[-1].position), emptied)


def _names(courses: Sequence[Course]) -> str:
    return ", ".join(" ".join(str(turn.move) for turn in course) for course in courses[:MAX_OFFERED])
