"""Why a board fits no legal turn: the likeliest explanation, and how to correct the board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from records import Position, Rules, Side, Turn
from records.errors import ErrorText, EvidenceError, joined_texts
from records.findings import BoardCounts, Draft, Evidence, find
from records.findings.engine import account_key
from records.findings.kinds import TAKEN_BACK
from records.findings.planned_search import PLANNED_RATE, PlannedSearch
from records.findings.replays import replayed_as_planned
from records.findings.sentences import mend_sentence, what_happened
from records.language import translatable_english

from .likelihood import Readings, log_sum
from .verdicts import Candidate, NoFit, TakenBack, TwoTurns

MAX_CANDIDATES = 20  # in a `NoFit`
LIKELY = 0.01  # the least probability of a candidate
UNEXPLAINED = 0.1  # how likely it is, among mistakes, that something else happened
ANYWHERE = 0.25  # the density of a reading then, times sqrt(2π): anywhere within ten seeds
ENGLISH = translatable_english()


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
    turns = sorted(turns, key=lambda turn: -readings.likelihood(BoardCounts(readings.sensed(turn.position))))
    search = PlannedSearch(rules, position, turns, readings, earlier, pressed_by)
    drafts = [*search.taken_back()] if over else search.drafts()
    groups: dict[object, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(account_key(draft), []).append(draft)
    # The weights of all slips are shares of the turns that have one.
    sums = [log_sum([draft.log for draft in group]) - math.log(PLANNED_RATE) for group in groups.values()]
    best, group = max(zip(sums, groups.values(), strict=True), key=lambda pair: pair[0], default=(-math.inf, []))
    right = math.log(1 - readings.model.mistake) + legal - math.log(readings.model.mistake)
    other = math.log(UNEXPLAINED) + len(readings.values) * math.log(ANYWHERE)
    whole = log_sum([right, other, *sums])
    if right > best and possible and not over:
        return None, math.exp(right - whole)
    candidates = _candidates(readings, turns, drafts, whole)
    likeliest = max(group, key=lambda draft: draft.log, default=None)
    if likeliest is not None and likeliest.board is not None and readings.is_nearest(likeliest.board):
        found = _explained(rules, position, readings, likeliest, drafts, math.exp(best - whole), whole)
    elif over:
        sentence = ErrorText("The game is over: no turn is left to play.")
        found = _report(position, readings, "game-over", 0.0, None, sentence, None)
    else:
        found = _searched(rules, position, readings, turns) or _unknown(position, readings, turns)
    return replace(found, candidates=candidates) if isinstance(found, NoFit) else found, 0.0


def _searched(rules: Rules, position: Position, readings: Readings, turns: Sequence[Turn]) -> NoFit | None:
    """What the search of findings says, whose hands go on by the rules after a slip: it takes longer, so it is asked
    last. None: it has no account of one slip either, or the readings are between numbers of seeds."""
    counts = tuple(readings.rounded())
    if not readings.is_nearest(BoardCounts(counts)):
        return None
    known = [None if sensor in readings.ignored else count for sensor, count in enumerate(counts)]
    unweighed = [None] * (len(position.pits) + 2 - len(counts))
    evidence = Evidence(before=position, counts=(*known, *unweighed))
    try:
        accounts = find(rules, evidence, slips=1, language=ENGLISH).best
    except EvidenceError:  # more seeds than any slip leaves
        return None
    best = accounts[0]
    nearest = next((turn for turn in turns if turn.position == best.target), None)
    if best.legal is not False or (nearest is None and best.target != position):
        return None
    alike = tuple(dict.fromkeys(account.kind for account in accounts[1:] if account.kind != best.kind))
    sentence = joined_texts(best.sentences[:-1])
    return _report(position, readings, best.kind, best.probability, nearest, sentence, counts, alike)


def _unknown(position: Position, readings: Readings, turns: Sequence[Turn]) -> NoFit:
    nearest = max((None, *turns), key=lambda turn: readings.likelihood(BoardCounts(_target(position, readings, turn))))
    near = ErrorText("The board before the turn is the nearest.")
    if nearest is not None:
        near = ErrorText("The nearest turn is %(move)s.", move=str(nearest.move))
    sentence = joined_texts((ErrorText("No legal turn leads to this board, and no single mistake explains it."), near))
    return _report(position, readings, "unknown", 0.0, nearest, sentence, None)


def _candidates(
    readings: Readings, turns: Sequence[Turn], drafts: Sequence[Draft], whole: float
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
    for draft in drafts:
        if (meant := draft.meant) is not None:
            logs[str(meant.move)].append(draft.log - math.log(PLANNED_RATE))
    found = [Candidate(turn, math.exp(log_sum(logs[str(turn.move)]) - whole)) for turn in turns]
    found.sort(key=lambda candidate: -candidate.probability)
    return tuple([candidate for candidate in found if candidate.probability >= LIKELY][:MAX_CANDIDATES])


def refuse_button(position: Position, readings: Readings, pressed_by: Side, turn: Turn) -> NoFit:
    """The verdict on a legal turn for which the wrong side pressed the button."""
    mover = position.to_move
    sentence = ErrorText(
        "The board shows %(mover)s's turn %(move)s, but %(side)s pressed the button. %(mover)s must press.",
        mover=mover,
        move=str(turn.move),
        side=pressed_by,
    )
    return _report(position, readings, "wrong-button", 1.0, turn, sentence, readings.sensed(turn.position))


def _explained(
    rules: Rules,
    position: Position,
    readings: Readings,
    best: Draft,
    drafts: Sequence[Draft],
    share: float,
    whole: float,
) -> NoFit | TakenBack | TwoTurns:
    """The verdict with the likeliest draft; `share` is its probability, `whole` the log of all weights."""
    assert best.board is not None
    cause, look = _cause(best), readings.evidence(best.board.counts)
    same = [_cause(draft) for draft in drafts if draft.board and readings.evidence(draft.board.counts) == look]
    alike = tuple(dict.fromkeys(other for other in same if other != cause))
    sentence = joined_texts(what_happened(rules, replayed_as_planned(rules, best), ENGLISH))
    if best.kinds == ():
        return TakenBack(-best.opening.pit - 1, best.opening.position, share, (sentence,), alike)
    first, second = best.opening.turn, best.plan
    if first is not None and second is not None:
        if best.begun_early:
            begun = [draft.log for draft in drafts if draft.begun_early and draft.opening.turn == first]
            share = math.exp(log_sum(begun) - math.log(PLANNED_RATE) - whole)
        if share >= readings.model.clear and readings.fits(best.board):
            return TwoTurns(first, second, not best.begun_early, share, (sentence,), alike)
    return _report(position, readings, cause, share, best.meant, sentence, best.board.counts, alike)


def _cause(draft: Draft) -> str:
    """The name of what happened: the first kind of slip."""
    if draft.begun_early:
        return "begun-early"
    return draft.kinds[0] if draft.kinds else TAKEN_BACK


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
    goal = position if nearest is None else nearest.position
    sentences = (sentence, *mend_sentence(position, mend, goal, nearest, ENGLISH))
    return NoFit(cause, confidence, nearest, differences, mend, sentences, alike)
