"""Why a board fits no legal turn: the likeliest explanation, and how to correct the board."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from inkeek.records import Position, Rules, Side, Turn
from inkeek.records.errors import ErrorText, joined_texts
from inkeek.records.findings import BoardCounts
from inkeek.records.findings.account_steps import emptied_pits
from inkeek.records.findings.accounts import turn_meant
from inkeek.records.findings.candidates import MAX_OTHER_TURNS
from inkeek.records.findings.drafts import log_sum
from inkeek.records.findings.kinds import BEGUN_EARLY, TAKEN_BACK
from inkeek.records.findings.posterior import LIKELY, Hypothesis, Posterior, weigh
from inkeek.records.findings.sentences import begin_sentence, mend_sentence, what_happened
from inkeek.records.language import translatable_english

from .likelihood import Readings
from .verdicts import Begun, Candidate, NoFit, TakenBack

MAX_CANDIDATES = 20  # in a verdict
RARE = 0.001  # what is so much less likely than the likeliest is not named beside it
NO_TURN = ErrorText("No legal turn leads to this board.")
UNEXPLAINED_BOARD = ErrorText("No legal turn leads to this board, and no slip or two that are known explain it.")
ENGLISH = translatable_english()

Explanation = tuple[NoFit | TakenBack | Begun | None, float]
Diagnose = Callable[[Rules, Readings, Sequence[Turn], Sequence[Position], Side | None, bool], Explanation]
"""`diagnose`, or who calls it in another process or answers without."""


def diagnose(
    rules: Rules,
    readings: Readings,
    turns: Sequence[Turn],
    earlier: Sequence[Position],
    pressed_by: Side | None,
    possible: bool,
) -> Explanation:
    """The likeliest explanation of readings that fit neither the position nor any of its legal `turns`.

    `possible`: one of these boards is likelier all the same than all with a single misplaced seed. No explanation: a
    legal turn is likelier than any. Then also how likely it is.
    """
    posterior = weigh(rules, readings.as_evidence(earlier, pressed_by))
    over = rules.outcome(readings.position) is not None
    wrong, right = list[Hypothesis](), list[float]()
    for one in posterior.hypotheses:
        opening = one.draft.opening
        if one.draft.turn is not None or (opening.pit == -1 and not one.draft.kinds):
            right.append(one.log)  # the detector weighs the legal turns itself, and that nothing was played
        elif not over or opening.pit < -1:
            wrong.append(one)
    if right and possible and not over and (not wrong or log_sum(right) > wrong[0].log):
        return None, posterior.share(*right)
    found = _explained(rules, readings, posterior, wrong) if wrong else None
    if found is None and over:
        sentence = ErrorText("The game is over: no turn is left to play.")
        found = _report(readings, "game-over", 0.0, None, sentence, None)
    elif found is None:
        found = _unknown(readings, turns, UNEXPLAINED_BOARD)
    return replace(found, candidates=_candidates(posterior, turns)) if isinstance(found, NoFit) else found, 0.0


def leave_unexplained(readings: Readings, turns: Sequence[Turn], why: str) -> Explanation:
    """The verdict on such readings if no explanation is searched for; `why` not, as a sentence."""
    return _unknown(readings, turns, joined_texts((NO_TURN, why))), 0.0


def refuse_button(readings: Readings, pressed_by: Side, turn: Turn) -> NoFit:
    """The verdict on a legal turn for which the wrong side pressed the button."""
    mover = turn.before.to_move
    sentence = ErrorText(
        "The board shows %(mover)s's turn %(move)s, but %(side)s pressed the button. %(mover)s must press.",
        mover=mover,
        move=str(turn.move),
        side=pressed_by,
    )
    return _report(readings, "wrong-button", 1.0, turn, sentence, readings.sensed(turn.position))


def _explained(
    rules: Rules, readings: Readings, posterior: Posterior, wrong: Sequence[Hypothesis]
) -> NoFit | TakenBack | Begun | None:
    """The verdict with the likeliest of what went `wrong`; None: it leaves another board."""
    best, board = wrong[0], _board_of(wrong[0], readings)
    if not readings.is_nearest(board):
        return None
    look, cause = readings.evidence(board.counts), _cause(best)
    near = [one for one in wrong[1:] if one.log > best.log + math.log(RARE)]
    same = [_cause(one) for one in near if readings.evidence(_board_of(one, readings).counts) == look]
    alike = tuple(dict.fromkeys(one for one in same if one != cause))
    share, opening, first = posterior.share(best.log), best.draft.opening, best.draft.opening.turn
    if opening.pit < -1:
        sentence = begin_sentence(rules, best.draft, ENGLISH)
        return TakenBack(-opening.pit - 1, opening.position, share, (sentence,), alike)
    if opening.kind in ("two-turns", BEGUN_EARLY) and first is not None:
        sentence, begun = begin_sentence(rules, best.draft, ENGLISH), best.draft.begun is not None
        if begun:
            both = [one for one in wrong if one.draft.begun is not None and one.draft.opening.turn == first]
            share = posterior.share(*(one.log for one in both))
        if begun and share >= readings.model.clear and readings.fits(board):
            seconds = rules.turns(first.position, limit=MAX_OTHER_TURNS)
            second = next(turn for turn in seconds if turn.move.pit_index(rules.row) == opening.pit)
            return Begun(first, second, share, (sentence,), alike)
        return _report(readings, cause, share, first, sentence, board.counts, alike)
    sentence = joined_texts(what_happened(rules, best.replay, ENGLISH))
    return _report(readings, cause, share, turn_meant(best), sentence, board.counts, alike)


def _cause(hypothesis: Hypothesis) -> str:
    """The name of what happened: the first kind of slip."""
    return next(iter(hypothesis.draft.kinds), TAKEN_BACK)


def _board_of(hypothesis: Hypothesis, readings: Readings) -> BoardCounts:
    draft = hypothesis.draft
    if draft.begun is not None:
        return readings.visible(draft.begun)
    emptied = sum(1 << pit for pit in set(emptied_pits(hypothesis.replay.events)))
    return readings.visible(BoardCounts(hypothesis.replay.board, None if draft.opening.pit < -1 else emptied))


def _candidates(posterior: Posterior, turns: Sequence[Turn]) -> tuple[Candidate, ...]:
    """The turns that were probably played or meant, with or without a mistake, the likeliest first."""
    logs: dict[str, list[float]] = {}
    for one in posterior.hypotheses:
        if posterior.share(one.log) > LIKELY * RARE and (meant := one.draft.turn or turn_meant(one)) is not None:
            logs.setdefault(str(meant.move), []).append(one.log)
    found = [Candidate(turn, posterior.share(*logs.get(str(turn.move), ()))) for turn in turns]
    found.sort(key=lambda candidate: -candidate.probability)
    return tuple([candidate for candidate in found if candidate.probability >= LIKELY][:MAX_CANDIDATES])


def _unknown(readings: Readings, turns: Sequence[Turn], unknown: str) -> NoFit:
    """The verdict that names only the nearest turn."""
    boards = [readings.held, *(readings.sensed(turn.position) for turn in turns)]
    bounds = readings.bounds(boards)
    nearest = (None, *turns)[max(range(len(boards)), key=lambda number: bounds[boards[number]])]
    near = ErrorText("The board before the turn is the nearest.")
    if nearest is not None:
        near = ErrorText("The nearest turn is %(move)s.", move=str(nearest.move))
    return _report(readings, "unknown", 0.0, nearest, joined_texts((unknown, near)), None)


def _report(
    readings: Readings,
    cause: str,
    confidence: float,
    nearest: Turn | None,
    sentence: str,
    counts: Sequence[int] | None,
    alike: tuple[str, ...] = (),
) -> NoFit:
    """The verdict, with what to correct from `counts` (None: the rounded readings) to the nearest turn's board."""
    position = readings.position
    goal = position if nearest is None else nearest.position
    target = readings.sensed(goal)
    found = readings.rounded() if counts is None else counts
    seen = [sensor for sensor in range(len(target)) if sensor not in readings.ignored]
    mend = {sensor: target[sensor] - found[sensor] for sensor in seen if target[sensor] != found[sensor]}
    sentences = (sentence, *mend_sentence(position, mend, goal, nearest, ENGLISH))
    return NoFit(cause, confidence, nearest, mend, sentences, alike)
