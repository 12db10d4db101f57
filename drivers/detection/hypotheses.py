"""What may have happened when no legal turn fits: every mistake and every other story, with the board it leads to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from records import PASS, Position, Rules, Side, Trace, Turn

from .likelihood import Board, Readings
from .sowing_errors import WEIGHTS, Mistake, counted, emptied_in, in_words, mistakes_in, on_the_way, wrong_starts

MAX_WORK = 300_000  # events followed in search of a mistake: some tenths of a second, far above what a turn needs
SOWN_AGAIN = ("skipped", "doubled", "left-behind")  # what the whole turn has to be followed for
MAX_OTHER_TURNS = 200  # turns of the side that is not to move
MAX_PAIRS = 2000  # of a turn and the one after it
MAX_BEGUN = 10_000  # events of second turns that may only have begun
MAX_BACK = 50  # turns taken back
UNLIKELY = 0.01  # what a story is worth, beside its weight, that does not go with the button that was pressed
MAX_JUMPS = 3  # seeds that a bump lets jump


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A story that could have led to `board`. `log`: how likely it is beforehand and how well the readings fit it.

    `cause` as in `NoFit`; `turn` was meant, or None: the board should be as before. `second`: of a story of two turns,
    the other one. `plies`: how many turns were taken back.
    """

    cause: str
    turn: Turn | None
    sentence: str
    board: Board
    log: float
    second: Turn | None = None
    plies: int = 0


def guesses_at(
    rules: Rules,
    position: Position,
    readings: Readings,
    turns: Sequence[Turn],
    earlier: Sequence[Position],
    mover_pressed: Side | None,
) -> Iterator[Hypothesis]:
    """Every story that is thought of, the likelier turns first; `turns` are the legal ones."""
    turns = sorted(turns, key=lambda turn: -readings.likelihood(Board(readings.sensed(turn.position))))
    yield from _no_turn(position, readings, 1 / (1 + len(turns)))
    work = 0
    for turn in turns:
        if turn.move == PASS:
            continue
        trace = rules.trace(position, turn.move)
        board = Board(readings.sensed(turn.position), emptied_in(trace))
        yield from _counts_off(position, readings, turn, board, 1 / (1 + len(turns)))
        yield from _bumped(position, readings, turn, board, 1 / (1 + len(turns)))
        if work < MAX_WORK:
            found = []
            for mistake in mistakes_in(trace):
                found.append(mistake)
                work += len(trace.events) if mistake.cause in SOWN_AGAIN else len(board.counts)
                if work > MAX_WORK:
                    break
            yield from _all_of(found, readings, turn, 1 / len(turns))
    yield from _wrong_starts(rules, position, readings, turns)
    yield from taken_back(readings, earlier, UNLIKELY if mover_pressed is not None else 1.0)
    # Who presses has sown, and to the end, and has not seen the other side do so.
    by_mover, by_other = mover_pressed is position.to_move, mover_pressed is position.to_move.other
    yield from _wrong_side(rules, position, readings, UNLIKELY if by_mover else 1.0)
    yield from _two_turns(rules, readings, turns, UNLIKELY if by_mover else 1.0, UNLIKELY if by_other else 1.0)


def _no_turn(position: Position, readings: Readings, share: float) -> Iterator[Hypothesis]:
    board = Board(readings.held, 0)
    yield from _counts_off(position, readings, None, board, share)
    yield from _bumped(position, readings, None, board, share)


def _wrong_starts(rules: Rules, position: Position, readings: Readings, turns: Sequence[Turn]) -> Iterator[Hypothesis]:
    legal = {turn.move.pit_index(rules.row) for turn in turns if turn.move != PASS}
    found = list(wrong_starts(position, legal, rules.step))
    yield from _all_of([mistake for mistake, may in found if not may], readings, None, 0.5)
    yield from _all_of([mistake for mistake, may in found if may], readings, None, 0.05)


def _all_of(found: Sequence[Mistake], readings: Readings, turn: Turn | None, share: float) -> Iterator[Hypothesis]:
    """Mistakes as guesses; what a kind weighs is shared out among all of that kind."""
    alike = Counter(mistake.cause for mistake in found)
    for mistake in found:
        board = readings.cut(mistake.board)
        log = math.log(share * WEIGHTS[mistake.cause] / alike[mistake.cause]) + readings.likelihood(board)
        yield Hypothesis(mistake.cause, turn, mistake.sentence, board, log)


def _wrong_side(rules: Rules, position: Position, readings: Readings, share: float) -> Iterator[Hypothesis]:
    mover = position.to_move
    turned = position.replaced(to_move=mover.other)
    moves = [move for move in rules.legal_moves(turned, limit=MAX_OTHER_TURNS) if move != PASS]
    for move in moves:
        trace = rules.trace(turned, move)
        assert trace.turn is not None, "a legal turn ends"
        board = Board(readings.sensed(trace.turn.position), emptied_in(trace))
        sentence = f"{mover.other} has played {move}, but {mover} is to move."
        log = math.log(share * WEIGHTS["wrong-side"] / len(moves)) + readings.likelihood(board)
        yield Hypothesis("wrong-side", None, sentence, board, log)


def taken_back(readings: Readings, earlier: Sequence[Position], share: float = 1.0) -> Iterator[Hypothesis]:
    """The board as it lay some turns ago; `share`: how much less likely that is than else."""
    for plies, then in enumerate(reversed(earlier[-MAX_BACK:]), 1):
        board = Board(readings.sensed(then))
        turns = "The last turn was" if plies == 1 else f"The last {in_words(plies)} turns were"
        sentence = f"{turns} taken back: the board lies as before {'it' if plies == 1 else 'them'}."
        # Most of what is taken back is one turn, and two are more likely than three.
        log = math.log(share * WEIGHTS["taken-back"] / 2**plies) + readings.likelihood(board)
        yield Hypothesis("taken-back", None, sentence, board, log, plies=plies)


def _two_turns(
    rules: Rules, readings: Readings, turns: Sequence[Turn], complete: float, begun: float
) -> Iterator[Hypothesis]:
    """Each legal turn with each that may follow it, complete or only begun; how much less likely that is than else."""
    pairs: list[tuple[Turn, int | None, Trace]] = []
    for first in turns:
        if len(pairs) >= MAX_PAIRS:
            break
        done = None if first.move == PASS else emptied_in(rules.trace(first.before, first.move))
        for move in rules.legal_moves(first.position, limit=MAX_OTHER_TURNS):
            if move != PASS:
                pairs.append((first, done, rules.trace(first.position, move)))
    work = 0
    for first, done, trace in pairs:
        second = trace.turn
        assert second is not None, "a legal turn ends"
        mover, other = first.before.to_move, first.position.to_move
        log = math.log(complete * WEIGHTS["two-turns"] / len(pairs))
        board = _after_both(readings.sensed(second.position), done, emptied_in(trace))
        sentence = f"Two turns lie on the board: {mover}'s {first.move} and then {other}'s {second.move}."
        yield Hypothesis("two-turns", first, sentence, board, log + readings.likelihood(board), second)
        work += len(trace.events)
        if second.move.choices or work > MAX_BEGUN:
            continue  # a turn with choices begins as the one without
        sentence = f"{mover}'s {first.move} is complete, and {other} has already begun {second.move}."
        boards = [_after_both(board.counts, done, board.emptied) for board, _, _ in on_the_way(trace)]
        for board in map(readings.cut, boards):
            log = math.log(begun * WEIGHTS["begun-early"] / (len(pairs) * len(boards)))
            yield Hypothesis("begun-early", first, sentence, board, log + readings.likelihood(board), second)


def _after_both(counts: tuple[int, ...], first: int | None, second: int | None) -> Board:
    return Board(counts, None if first is None or second is None else first | second)


def _counts_off(
    position: Position, readings: Readings, turn: Turn | None, board: Board, share: float
) -> Iterator[Hypothesis]:
    """The turn's board with one seed too few, too many, or in the wrong pit; None: the board before the turn."""
    sensors = len(board.counts)
    base = math.log(WEIGHTS["count-off"] * share) + readings.likelihood(board)
    start = f"The board fits {turn.move}, but there is" if turn is not None else "Nothing was played, but there is"
    none = (-math.inf, -1)
    (lost, less), (won, much) = (max(readings.changes(board, by), default=none) for by in (-1, 1))
    few, many = f"one seed too few in {place(position, less)}", f"too many in {place(position, much)}"
    if less >= 0:
        yield _changed("count-off", turn, f"{start} {few}.", board, {less: -1}, base + lost + math.log(0.25 / sensors))
    log = base + won + math.log(0.25 / sensors)
    yield _changed("count-off", turn, f"{start} one seed {many}.", board, {much: 1}, log)
    if less >= 0 and less != much:
        both = base + lost + won + math.log(0.5 / (sensors * (sensors - 1)))
        sentence = f"{start} {few} and one {many}."
        yield _changed("count-off", turn, sentence, board, {less: -1, much: 1}, both)


def _bumped(
    position: Position, readings: Readings, turn: Turn | None, board: Board, share: float
) -> Iterator[Hypothesis]:
    """The turn's board with up to `MAX_JUMPS` seeds that jumped to pits beside theirs, each the likeliest next one."""
    pits = len(position.pits)
    start = f"The board fits {turn.move}" if turn is not None else "Nothing was played"
    jumps: list[tuple[int, int]] = []
    counts = [*board.counts]
    log = math.log(WEIGHTS["bumped"] * share / MAX_JUMPS) + readings.likelihood(board)
    for _ in range(MAX_JUMPS):
        now = Board(tuple(counts), board.emptied)
        fewer = {sensor: gain for gain, sensor in readings.changes(now, -1) if sensor < pits}
        more = {sensor: gain for gain, sensor in readings.changes(now, 1) if sensor < pits}
        possible = [(pit, (pit + way) % pits) for pit in fewer for way in (1, -1)]
        if not possible:
            return
        best = max(possible, key=lambda jump: fewer[jump[0]] + more[jump[1]])
        jumps.append(best)
        # In whichever order they jumped.
        log += fewer[best[0]] + more[best[1]] - math.log(len(possible) / len(jumps))
        counts[best[0]] -= 1
        counts[best[1]] += 1
        told = ", ".join(f"one from {position.letter(start)} to {position.letter(end)}" for start, end in jumps)
        seeds = f"{counted(len(jumps))} jumped, as when the table is bumped"
        yield Hypothesis("bumped", turn, f"{start}, but {seeds}: {told}.", Board(tuple(counts), board.emptied), log)


def _changed(cause: str, turn: Turn | None, sentence: str, board: Board, by: dict[int, int], log: float) -> Hypothesis:
    counts = tuple(count + by.get(sensor, 0) for sensor, count in enumerate(board.counts))
    return Hypothesis(cause, turn, sentence, Board(counts, board.emptied), log)


def place(position: Position, sensor: int) -> str:
    """What a sensor is called: a pit's letter, or ``South's store``."""
    pits = len(position.pits)
    return position.letter(sensor) if sensor < pits else f"{Side(sensor - pits)}'s store"
