"""Why a board fits no legal turn: the likeliest explanation, and how to correct the board."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from records import PASS, Position, Rules, Side, Turn
from records.findings import CAUSES, BoardCounts, Hypothesis, hypotheses, taken_back
from records.findings.board_counts import in_words, place_name, seeds

from .likelihood import Readings, log_sum
from .verdicts import Candidate, NoFit, TakenBack, TwoTurns

MAX_PITS_LISTED = 6  # in a sentence; nobody corrects more pits than these from a list
MAX_CANDIDATES = 20  # in a `NoFit`
LIKELY = 0.01  # the least probability of a candidate
UNEXPLAINED = 0.1  # how likely it is, among mistakes, that something else happened
ANYWHERE = 0.25  # the density of a reading then, times sqrt(2π): anywhere within ten seeds
MAX_JUMPS = 3  # seeds that jump to the next pit when the table is bumped


class Weighed(NamedTuple):
    """A hypothesis, the part of its board that the sensors see, and the log of its weight times the likelihood."""

    log: float
    board: BoardCounts
    hypothesis: Hypothesis


def diagnose(
    rules: Rules,
    position: Position,
    readings: Readings,
    turns: Sequence[Turn],
    earlier: Sequence[Position],
    pressed_by: Side | None,
    legal: float,
    possible: bool,
) -> tuple[NoFit | TakenBack | TwoTurns | None, float]:
    """The likeliest explanation of readings that fit neither the position nor any of its legal `turns`.

    `legal`: the log-likelihood of the readings under these boards all the same; `possible`: one of them is likelier
    than all boards with a single misplaced seed. No explanation: a legal turn is likelier than any. Then also how
    likely it is.
    """
    over = rules.outcome(position) is not None
    if over:
        weighed = _weigh(taken_back(earlier), readings)
    else:
        turns = sorted(turns, key=lambda turn: -readings.likelihood(BoardCounts(readings.sensed(turn.position))))
        weighed = _accidents(position, readings, turns)
        weighed += _weigh(hypotheses(rules, position, turns, earlier, pressed_by), readings)
    same: dict[tuple[str, str], list[Weighed]] = {}  # what reads the same is one explanation
    for one in weighed:
        same.setdefault((one.hypothesis.cause, one.hypothesis.sentence), []).append(one)
    sums = [log_sum([one.log for one in group]) for group in same.values()]
    best, group = max(zip(sums, same.values(), strict=True), key=lambda pair: pair[0], default=(-math.inf, []))
    right = math.log(1 - readings.model.mistake) + legal - math.log(readings.model.mistake)
    other = math.log(UNEXPLAINED) + len(readings.values) * math.log(ANYWHERE)
    whole = log_sum([right, other, *sums])
    if right > best and possible and not over:
        return None, math.exp(right - whole)
    candidates = _candidates(readings, turns, weighed, whole)
    likeliest = max(group, key=lambda one: one.log, default=None)
    if likeliest is not None and readings.is_nearest(likeliest.board):
        found = _explained(position, readings, likeliest, weighed, math.exp(best - whole), whole, earlier)
    elif over:
        sentence = "The game is over: no turn is left to play."
        found = _report(position, readings, "game-over", 0.0, None, sentence, None)
    else:
        found = _unknown(position, readings, turns)
    return replace(found, candidates=candidates) if isinstance(found, NoFit) else found, 0.0


def _unknown(position: Position, readings: Readings, turns: Sequence[Turn]) -> NoFit:
    nearest = max((None, *turns), key=lambda turn: readings.likelihood(BoardCounts(_target(position, readings, turn))))
    near = f"The nearest turn is {nearest.move}" if nearest is not None else "The board before the turn is the nearest"
    sentence = f"No legal turn leads to this board, and no single mistake explains it. {near}."
    return _report(position, readings, "unknown", 0.0, nearest, sentence, None)


def _candidates(
    readings: Readings, turns: Sequence[Turn], weighed: Sequence[Weighed], whole: float
) -> tuple[Candidate, ...]:
    """The turns that were probably played or meant, with or without a mistake, the likeliest first.

    As where turns fit (`detector`), a single seed in a wrong place is as likely as all other mistakes together.
    """
    right, share = math.log((1 - readings.model.mistake) / readings.model.mistake), -math.log(1 + len(turns))
    logs: dict[str, list[float]] = {}
    single: list[float] = []
    for turn in turns:
        board = BoardCounts(readings.sensed(turn.position), turn.emptied)
        likelihood = share + readings.likelihood(board)
        single.append(likelihood + readings.one_off(board))
        logs[str(turn.move)] = [right + likelihood, single[-1]]
    before = BoardCounts(readings.held, 0)
    whole = log_sum([whole, *single, share + readings.likelihood(before) + readings.one_off(before)])
    for log, _, hypothesis in weighed:
        if hypothesis.turn is not None:
            logs[str(hypothesis.turn.move)].append(log)
    found = [Candidate(turn, math.exp(log_sum(logs[str(turn.move)]) - whole)) for turn in turns]
    found.sort(key=lambda candidate: -candidate.probability)
    return tuple([candidate for candidate in found if candidate.probability >= LIKELY][:MAX_CANDIDATES])


def refuse_button(position: Position, readings: Readings, pressed_by: Side, turn: Turn) -> NoFit:
    """The verdict on a legal turn for which the wrong side pressed the button."""
    mover = position.to_move
    sentence = f"The board shows {mover}'s turn {turn.move}, but {pressed_by} pressed the button. {mover} must press."
    return _report(position, readings, "wrong-button", 1.0, turn, sentence, readings.sensed(turn.position))


def _weigh(found: Iterator[Hypothesis], readings: Readings) -> list[Weighed]:
    boards = ((readings.visible(hypothesis.board), hypothesis) for hypothesis in found)
    return [Weighed(math.log(one.weight) + readings.likelihood(board), board, one) for board, one in boards]


def _accidents(position: Position, readings: Readings, turns: Sequence[Turn]) -> list[Weighed]:
    """Each turn, or none, with single seeds that are missing, extra or moved: only the likeliest such seeds."""
    found: list[Weighed] = []
    for turn in (None, *(turn for turn in turns if turn.move != PASS)):
        emptied = 0 if turn is None else turn.emptied
        board = BoardCounts(readings.held if turn is None else readings.sensed(turn.position), emptied)
        found += _counts_off(position, readings, turn, board, 1 / (1 + len(turns)))
        found += _bumped(position, readings, turn, board, 1 / (1 + len(turns)))
    return found


def _counts_off(
    position: Position, readings: Readings, turn: Turn | None, board: BoardCounts, share: float
) -> Iterator[Weighed]:
    """The board with one seed too few, one too many, or one in the wrong pit."""
    sensors, likelihood = len(board.counts), readings.likelihood(board)
    start = "Nothing was played" if turn is None else f"The board fits {turn.move}"
    nowhere = (-math.inf, -1)
    (lost, less), (won, more) = (max(readings.changes(board, by), default=nowhere) for by in (-1, 1))
    few, many = f"{place_name(position, less)} holds one seed too few", f"{place_name(position, more)} holds one"

    def off(changes: dict[int, int], words: str, part: float, gain: float) -> Weighed:
        counts = tuple(count + changes.get(sensor, 0) for sensor, count in enumerate(board.counts))
        weight = CAUSES["count-off"] * share * part
        sentence = f"{start}, but {words}."
        hypothesis = Hypothesis("count-off", turn, BoardCounts(counts, board.emptied), sentence, weight)
        return Weighed(math.log(weight) + likelihood + gain, hypothesis.board, hypothesis)

    if less >= 0:
        yield off({less: -1}, few, 0.25 / sensors, lost)
    yield off({more: 1}, f"{many} seed too many", 0.25 / sensors, won)
    if less >= 0 and less != more:
        yield off({less: -1, more: 1}, f"{few} and {many} too many", 0.5 / (sensors * (sensors - 1)), lost + won)


def _bumped(
    position: Position, readings: Readings, turn: Turn | None, board: BoardCounts, share: float
) -> Iterator[Weighed]:
    """The board with up to `MAX_JUMPS` seeds that jumped to a neighboring pit, each the likeliest next one."""
    pits = len(position.pits)
    start = "Nothing was played" if turn is None else f"The board fits {turn.move}"
    jumps: list[tuple[int, int]] = []
    counts = [*board.counts]
    weight = CAUSES["bumped"] * share / MAX_JUMPS
    log = math.log(weight) + readings.likelihood(board)
    for _ in range(MAX_JUMPS):
        now = BoardCounts(tuple(counts), board.emptied)
        fewer = {sensor: gain for gain, sensor in readings.changes(now, -1) if sensor < pits}
        more = {sensor: gain for gain, sensor in readings.changes(now, 1) if sensor < pits}
        possible = [(pit, end) for pit in fewer for step in (1, -1) if (end := (pit + step) % pits) in more]
        if not possible:
            return
        best = max(possible, key=lambda jump: fewer[jump[0]] + more[jump[1]])
        jumps.append(best)
        ways = len(possible) / len(jumps)  # the seeds may have jumped in any order
        weight /= ways
        log += fewer[best[0]] + more[best[1]] - math.log(ways)
        counts[best[0]] -= 1
        counts[best[1]] += 1
        moved = ", ".join(f"one from {position.letter(start)} to {position.letter(end)}" for start, end in jumps)
        sentence = f"{start}, but {seeds(len(jumps))} jumped, as when the table is bumped: {moved}."
        jumped = BoardCounts(tuple(counts), board.emptied)
        hypothesis = Hypothesis("bumped", turn, jumped, sentence, weight)
        yield Weighed(log, jumped, hypothesis)


def _explained(
    position: Position,
    readings: Readings,
    likeliest: Weighed,
    weighed: Sequence[Weighed],
    share: float,
    whole: float,
    earlier: Sequence[Position],
) -> NoFit | TakenBack | TwoTurns:
    """The verdict with the likeliest hypothesis; `share` is its probability, `whole` the log of all weights."""
    best, counts = likeliest.hypothesis, likeliest.board.counts
    look = readings.evidence(counts)
    same = (other.hypothesis.cause for other in weighed if readings.evidence(other.board.counts) == look)
    alike = tuple(dict.fromkeys(cause for cause in same if cause != best.cause))
    if best.cause == "taken-back":
        return TakenBack(best.plies, earlier[-best.plies], share, (best.sentence,), alike)
    if best.second is not None:
        assert best.turn is not None
        complete = best.cause == "two-turns"
        if not complete:
            begun = [log for log, _, other in weighed if (other.cause, other.turn) == (best.cause, best.turn)]
            share = math.exp(log_sum(begun) - whole)
        if share >= readings.model.clear and readings.fits(likeliest.board):
            return TwoTurns(best.turn, best.second, complete, share, (best.sentence,), alike)
    return _report(position, readings, best.cause, share, best.turn, best.sentence, counts, alike)


def _target(position: Position, readings: Readings, turn: Turn | None) -> tuple[int, ...]:
    return readings.sensed(position if turn is None else turn.position)


def _report(
    position: Position,
    readings: Readings,
    cause: str,
    confidence: float,
    nearest: Turn | None,
    sentence: str,
    counts: Sequence[int] | None,
    alike: tuple[str, ...] = (),
) -> NoFit:
    """The verdict, with what to correct from `counts` (None: the rounded readings) to the nearest turn's board."""
    target = _target(position, readings, nearest)
    found = readings.rounded() if counts is None else counts
    seen = [sensor for sensor in range(len(target)) if sensor not in readings.ignored]
    mend = {sensor: target[sensor] - found[sensor] for sensor in seen if target[sensor] != found[sensor]}
    differences = {sensor: round(readings.values[sensor] - target[sensor], 2) for sensor in mend}
    sentences = (sentence, *_how_to_mend(position, mend, nearest))
    return NoFit(cause, confidence, nearest, differences, mend, sentences, alike)


def _how_to_mend(position: Position, mend: dict[int, int], nearest: Turn | None) -> Iterator[str]:
    if not mend:
        return
    goal = f"To correct the board for {nearest.move}" if nearest is not None else "To restore the board before the turn"
    if len(mend) > MAX_PITS_LISTED:
        yield f"{goal}, {in_words(len(mend))} places must change."
        return
    steps = [f"take {seeds(-by)} from {place_name(position, sensor)}" for sensor, by in mend.items() if by < 0]
    steps += [f"put {seeds(by)} into {place_name(position, sensor)}" for sensor, by in mend.items() if by > 0]
    yield f"{goal}: {', '.join(steps)}."
