"""Why a board fits no legal turn: the likeliest explanation, and how to correct the board."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from inkeek.records import PASS, Position, Rules, Side, Turn
from inkeek.records.errors import ErrorText, joined_texts
from inkeek.records.findings import KINDS, BoardCounts, Draft
from inkeek.records.findings.account_steps import boards_during
from inkeek.records.findings.accounts import turn_meant
from inkeek.records.findings.candidates import SLOWNESS, CandidateSearch
from inkeek.records.findings.drafts import Opening
from inkeek.records.findings.engine import account_key
from inkeek.records.findings.kinds import BEGUN_EARLY, NOTHING, TAKEN_BACK
from inkeek.records.findings.replays import replayed
from inkeek.records.findings.sentences import begin_sentence, mend_sentence, what_happened
from inkeek.records.findings.weights import log_sum
from inkeek.records.language import translatable_english

from .likelihood import Readings
from .verdicts import Begun, Candidate, NoFit, TakenBack

MAX_CANDIDATES = 20  # in a `NoFit`
LIKELY = 0.01  # the least probability of a candidate
RARE = 0.001  # what is so much less likely than the likeliest is not named beside it
UNEXPLAINED = 0.1  # how likely it is, among mistakes, that something else happened
ANYWHERE = 0.25  # the density of a reading then, times sqrt(2π): anywhere within ten seeds
UNLIKELY = 0.01  # factor for what contradicts the button that was pressed
BEGUN = 0.0075  # how often the next turn has begun when the board is looked at
MAX_FIRST = 40  # turns after which another may have begun
MAX_OTHER_TURNS = 200  # turns of the side that is not to move
MAX_BEGUN = 10_000  # events of second turns that may only have begun
TWO_SLIPS_WORK = 1_000_000 // SLOWNESS  # laps and boards; about 40 ns each
NEGLIGIBLE = 40.0  # what is less likely than the best by this much, as a logarithm, changes no probability
NO_TURN = ErrorText("No legal turn leads to this board.")
UNEXPLAINED_BOARD = ErrorText("No legal turn leads to this board, and no slip or two that are known explain it.")
MISTAKES = sum(kind.rate for kind in KINDS.values()) + NOTHING + BEGUN
ENGLISH = translatable_english()

Explanation = tuple[NoFit | TakenBack | Begun | None, float]
Diagnose = Callable[
    [Rules, Position, Readings, Sequence[Turn], Sequence[Position], Side | None, float, bool], Explanation
]
"""`diagnose`, or who calls it in another process or answers without."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Drafts that tell the same; the likeliest of them, and the logarithm of their weights together."""

    log: float
    likeliest: Draft
    begun: Turn | None = None  # the second turn, if it has only begun
    board: BoardCounts | None = None  # which that left

    @property
    def cause(self) -> str:
        """The name of what happened: the first kind of slip."""
        return self.likeliest.kinds[0] if self.likeliest.kinds else TAKEN_BACK


def diagnose(
    rules: Rules,
    position: Position,
    readings: Readings,
    turns: Sequence[Turn],
    earlier: Sequence[Position],
    pressed_by: Side | None,
    legal: float,
    possible: bool,
) -> Explanation:
    """The likeliest explanation of readings that fit neither the position nor any of its legal `turns`.

    `legal`: the log-likelihood of the readings under these boards all the same; `possible`: one of them is likelier
    than all boards with a single misplaced seed. No explanation: a legal turn is likelier than any. Then also how
    likely it is.
    """
    over = rules.outcome(position) is not None
    diagnosis = _Diagnosis(rules, position, readings, turns, earlier, pressed_by, over)
    best = max((group.log for group in diagnosis.groups), default=-math.inf)
    right = math.log(1 - readings.model.mistake) + legal - math.log(readings.model.mistake)
    other = math.log(UNEXPLAINED) + len(readings.values) * math.log(ANYWHERE)
    whole = log_sum([right, other, *(group.log for group in diagnosis.groups)])
    if right > best and possible and not over:
        return None, math.exp(right - whole)
    found = diagnosis.explained(whole)
    if found is None and over:
        sentence = ErrorText("The game is over: no turn is left to play.")
        found = _report(position, readings, "game-over", 0.0, None, sentence, None)
    elif found is None:
        found = _unknown(position, readings, turns, UNEXPLAINED_BOARD)
    return replace(found, candidates=diagnosis.candidates(whole)) if isinstance(found, NoFit) else found, 0.0


def leave_unexplained(position: Position, readings: Readings, turns: Sequence[Turn], why: str) -> Explanation:
    """The verdict on such readings if no explanation is searched for; `why` not, as a sentence."""
    return _unknown(position, readings, turns, joined_texts((NO_TURN, why))), 0.0


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


class _Diagnosis:
    """All that may have happened: the accounts of findings, and second turns that have only begun."""

    def __init__(
        self,
        rules: Rules,
        position: Position,
        readings: Readings,
        turns: Sequence[Turn],
        earlier: Sequence[Position],
        pressed_by: Side | None,
        over: bool,
    ) -> None:
        self.rules, self.position, self.readings, self.turns = rules, position, readings, turns
        self.pressed_by = pressed_by
        evidence, self.offset = readings.as_evidence(earlier)
        self.search = CandidateSearch(rules, evidence)
        drafts = self.search.one_slip()
        if over:
            self.groups = self._grouped([draft for draft in drafts if draft.opening.pit < -1], [])
            return
        begun = list(self._begun())
        self.groups = self._grouped(drafts, begun)
        if not self.groups or not readings.is_nearest(self._board_of(self.groups[0])):
            self.groups = self._grouped([*drafts, *self.search.two_slips(TWO_SLIPS_WORK)], begun)

    def _grouped(self, drafts: Sequence[Draft], begun: Sequence[_Group]) -> list[_Group]:
        """Those that tell the same together, the likeliest first."""
        by_account: dict[object, list[tuple[float, Draft]]] = {}
        for draft in drafts:
            # The detector weighs the legal turns itself, and that nothing was played.
            if draft.turn is None and (draft.kinds or draft.opening.pit < -1):
                log = draft.log + self.offset + self._factor(draft) - math.log(MISTAKES)
                by_account.setdefault(account_key(draft), []).append((log, draft))
        groups = [
            _Group(log_sum([log for log, _ in group]), max(group, key=lambda one: one[0])[1])
            for group in by_account.values()
        ]
        groups += begun
        most = max((group.log for group in groups), default=-math.inf)
        return sorted((group for group in groups if group.log > most - NEGLIGIBLE), key=lambda group: -group.log)

    def _factor(self, draft: Draft) -> float:
        """The logarithm of how much likelier a draft is before a board that is watched.

        Whoever presses has sown a whole turn, and has not seen the other side do so. Seeds are shifted between turns
        as often as after one.
        """
        opening, mover = draft.opening, self.position.to_move
        if opening.pit == -1:
            return -math.log(NOTHING * (1 + len(self.turns)))
        is_other = opening.kind in ("wrong-side", "two-turns") and self.pressed_by is mover
        is_back = opening.pit < -1 and self.pressed_by is not None
        return math.log(UNLIKELY) if is_other or is_back else 0.0

    def _begun(self) -> Iterator[_Group]:
        """Each legal turn with each that may follow it and has only begun."""
        firsts = [turn for turn in self.turns if turn.move != PASS]
        firsts.sort(key=lambda turn: -self.readings.likelihood(BoardCounts(self.readings.sensed(turn.position))))
        rate = BEGUN * (UNLIKELY if self.pressed_by is self.position.to_move.other else 1.0) / MISTAKES
        work = 0
        for first in firsts[:MAX_FIRST]:
            seconds = self.rules.turns(first.position, limit=MAX_OTHER_TURNS)
            # A turn with choices begins like the one without.
            plain = [turn for turn in seconds if turn.move != PASS and not turn.move.choices]
            for second in plain:
                trace = self.rules.trace(first.position, second.move)
                work += len(trace.events)
                if work > MAX_BEGUN:
                    return
                boards = [self.readings.visible(board) for board in boards_during(trace, first.emptied)]
                logs = [self.readings.likelihood(board) for board in boards]
                if not logs:
                    continue
                likeliest = max(range(len(logs)), key=logs.__getitem__)
                weight = math.log(rate / len(firsts) / len(plain) / len(logs))
                pit = second.move.pit_index(self.rules.row)
                opening = Opening(first.position, pit, 1.0, BEGUN_EARLY, first)
                yield _Group(weight + log_sum(logs), Draft(0.0, 0.0, opening, ()), second, boards[likeliest])

    def explained(self, whole: float) -> NoFit | TakenBack | Begun | None:
        """The verdict with the likeliest account; `whole` is the log of all weights. None: it leaves another board."""
        if not self.groups:
            return None
        best = self.groups[0]
        board = self._board_of(best)
        if not self.readings.is_nearest(board):
            return None
        look = self.readings.evidence(board.counts)
        near = [group for group in self.groups[1:] if group.log > best.log + math.log(RARE)]
        same = [group.cause for group in near if self.readings.evidence(self._board_of(group).counts) == look]
        alike = tuple(dict.fromkeys(cause for cause in same if cause != best.cause))
        draft, share = best.likeliest, math.exp(best.log - whole)
        opening, first = draft.opening, draft.opening.turn
        if opening.pit < -1:
            sentence = begin_sentence(self.rules, draft, ENGLISH)
            return TakenBack(-opening.pit - 1, opening.position, share, (sentence,), alike)
        if opening.kind in ("two-turns", BEGUN_EARLY) and first is not None:
            if best.begun is not None:
                begun = [group.log for group in self.groups if group.begun and group.likeliest.opening.turn == first]
                share = math.exp(log_sum(begun) - whole)
            sentence = begin_sentence(self.rules, draft, ENGLISH)
            if best.begun is not None and share >= self.readings.model.clear and self.readings.fits(board):
                return Begun(first, best.begun, share, (sentence,), alike)
            return _report(self.position, self.readings, best.cause, share, first, sentence, board.counts, alike)
        sentence = joined_texts(what_happened(self.rules, replayed(self.rules, self.search, draft), ENGLISH))
        return _report(
            self.position,
            self.readings,
            best.cause,
            share,
            turn_meant(self.rules, self.search, draft),
            sentence,
            board.counts,
            alike,
        )

    def _board_of(self, group: _Group) -> BoardCounts:
        if group.board is not None:
            return group.board
        draft = group.likeliest
        replay = replayed(self.rules, self.search, draft)
        emptied = 0
        for event in replay.events:
            if event.kind in ("lift", "take") and event.pit >= 0:
                emptied |= 1 << event.pit
        return self.readings.visible(BoardCounts(replay.board, None if draft.opening.pit < -1 else emptied))

    def candidates(self, whole: float) -> tuple[Candidate, ...]:
        """The turns that were probably played or meant, with or without a mistake, the likeliest first.

        As where turns fit (`detector`), a single seed in a wrong place is as likely as all other mistakes together.
        """
        readings, turns = self.readings, self.turns
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
        for group in self.groups:
            if group.log > whole + math.log(LIKELY * RARE):
                meant = turn_meant(self.rules, self.search, group.likeliest)
                if meant is not None:
                    logs[str(meant.move)].append(group.log)
        found = [Candidate(turn, math.exp(log_sum(logs[str(turn.move)]) - whole)) for turn in turns]
        found.sort(key=lambda candidate: -candidate.probability)
        return tuple([candidate for candidate in found if candidate.probability >= LIKELY][:MAX_CANDIDATES])


def _unknown(position: Position, readings: Readings, turns: Sequence[Turn], unknown: str) -> NoFit:
    """The verdict that names only the nearest turn."""

    def fit(turn: Turn | None) -> float:
        return readings.likelihood(BoardCounts(_target(position, readings, turn)))

    nearest = max((None, *turns), key=fit)
    near = ErrorText("The board before the turn is the nearest.")
    if nearest is not None:
        near = ErrorText("The nearest turn is %(move)s.", move=str(nearest.move))
    return _report(position, readings, "unknown", 0.0, nearest, joined_texts((unknown, near)), None)


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
