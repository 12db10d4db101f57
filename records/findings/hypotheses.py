"""Every explanation that is considered for a board that no legal turn explains, with the seeds it would leave there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from records.moves import PASS, Turn
from records.play import Rules
from records.position import Position, Side

from .board_counts import BoardCounts, in_words
from .sowing_errors import CAUSES, SowingMistake, boards_during, mistakes_in, wrong_starts

MAX_WORK = 300_000  # events followed in search of mistakes: a few tenths of a second, far above what a turn needs
RESOWN = ("skipped", "doubled", "left-behind")  # mistakes for which the whole turn is sown again
MAX_OTHER_TURNS = 200  # turns of the side that is not to move
MAX_PAIRS = 2000  # of a turn and the one after it
MAX_BEGUN = 10_000  # events of second turns that may only have begun
MAX_BACK = 50  # turns taken back
UNLIKELY = 0.01  # factor for hypotheses that contradict the button that was pressed


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """An explanation, and the board it would leave.

    `cause`: one of `CAUSES`. `turn`: the turn that was meant; None: none was, the board should be as before. `weight`:
    how likely the explanation is before anybody looks at the board, relative to the others. `second`: the second of two
    turns. `plies`: how many turns were taken back.
    """

    cause: str
    turn: Turn | None
    board: BoardCounts
    sentence: str
    weight: float
    second: Turn | None = None
    plies: int = 0


def hypotheses(
    rules: Rules,
    position: Position,
    turns: Sequence[Turn],
    earlier: Sequence[Position] = (),
    pressed_by: Side | None = None,
) -> Iterator[Hypothesis]:
    """Every explanation, except single seeds that were lost, added or moved by accident.

    `turns` are the legal turns in `position`, the likeliest first: the search is bounded. `earlier`: the positions
    before `position`, the latest last. `pressed_by`: the side that said its turn was complete, if any did.
    """
    yield from _mistakes(rules, turns)
    yield from _wrong_starts(rules, position, turns)
    yield from taken_back(earlier, UNLIKELY if pressed_by is not None else 1.0)
    # Whoever presses has sown a whole turn, and has not seen the other side do so.
    by_mover, by_other = pressed_by is position.to_move, pressed_by is position.to_move.other
    yield from _wrong_side(rules, position, UNLIKELY if by_mover else 1.0)
    yield from _two_turns(rules, turns, UNLIKELY if by_mover else 1.0, UNLIKELY if by_other else 1.0)


def taken_back(earlier: Sequence[Position], factor: float = 1.0) -> Iterator[Hypothesis]:
    """The board as it was before the last turns, the latest first."""
    for plies, position in enumerate(reversed(earlier[-MAX_BACK:]), 1):
        turns = "The last turn was" if plies == 1 else f"The last {in_words(plies)} turns were"
        sentence = f"{turns} taken back: the board is as it was before {'it' if plies == 1 else 'them'}."
        # Most often one turn is taken back, and two more often than three.
        weight = factor * CAUSES["taken-back"] / 2**plies
        yield Hypothesis("taken-back", None, BoardCounts.of(position), sentence, weight, plies=plies)


def _mistakes(rules: Rules, turns: Sequence[Turn]) -> Iterator[Hypothesis]:
    work = 0
    for turn in turns:
        if turn.move == PASS or work >= MAX_WORK:
            continue
        trace = rules.trace(turn.before, turn.move)
        found: list[SowingMistake] = []
        for mistake in mistakes_in(trace):
            found.append(mistake)
            work += len(trace.events) if mistake.cause in RESOWN else len(mistake.board.counts)
            if work > MAX_WORK:
                break
        yield from _weighted(found, turn, 1 / len(turns))


def _wrong_starts(rules: Rules, position: Position, turns: Sequence[Turn]) -> Iterator[Hypothesis]:
    legal = {turn.move.pit_index(rules.row) for turn in turns if turn.move != PASS}
    found = list(wrong_starts(position, legal, rules.step))
    yield from _weighted([mistake for mistake, is_legal in found if not is_legal], None, 0.5)
    yield from _weighted([mistake for mistake, is_legal in found if is_legal], None, 0.05)


def _weighted(found: Sequence[SowingMistake], turn: Turn | None, share: float) -> Iterator[Hypothesis]:
    """Mistakes as hypotheses; all of one kind share its weight."""
    alike = Counter(mistake.cause for mistake in found)
    for mistake in found:
        weight = share * CAUSES[mistake.cause] / alike[mistake.cause]
        yield Hypothesis(mistake.cause, turn, mistake.board, mistake.sentence, weight)


def _wrong_side(rules: Rules, position: Position, factor: float) -> Iterator[Hypothesis]:
    mover = position.to_move
    turned = position.replaced(to_move=mover.other)
    turns = [turn for turn in rules.turns(turned, limit=MAX_OTHER_TURNS) if turn.move != PASS]
    for turn in turns:
        sentence = f"{mover.other} played {turn.move}, but {mover} is to move."
        board = BoardCounts.of(turn.position, turn.emptied)
        yield Hypothesis("wrong-side", None, board, sentence, factor * CAUSES["wrong-side"] / len(turns))


def _two_turns(rules: Rules, turns: Sequence[Turn], complete: float, begun: float) -> Iterator[Hypothesis]:
    """Each legal turn with each that may follow it, complete or only begun; `complete` and `begun` are factors."""
    pairs: list[tuple[Turn, Turn]] = []
    for first in turns:
        if len(pairs) >= MAX_PAIRS:
            break
        seconds = rules.turns(first.position, limit=MAX_OTHER_TURNS)
        pairs += ((first, second) for second in seconds if second.move != PASS)
    work = 0
    for first, second in pairs:
        mover, other = first.before.to_move, first.position.to_move
        board = BoardCounts.of(second.position, first.emptied | second.emptied)
        sentence = f"Two turns are on the board: {mover}'s {first.move}, then {other}'s {second.move}."
        yield Hypothesis("two-turns", first, board, sentence, complete * CAUSES["two-turns"] / len(pairs), second)
        if work > MAX_BEGUN:
            continue
        trace = rules.trace(first.position, second.move)
        work += len(trace.events)
        if second.move.choices or work > MAX_BEGUN:
            continue  # a turn with choices begins like the one without
        sentence = f"{mover}'s {first.move} is complete, and {other} has begun {second.move}."
        boards = [board for board, _, _ in boards_during(trace)]
        for counts, emptied in boards:
            weight = begun * CAUSES["begun-early"] / (len(pairs) * len(boards))
            board = BoardCounts(counts, None if emptied is None else first.emptied | emptied)
            yield Hypothesis("begun-early", first, board, sentence, weight, second)
