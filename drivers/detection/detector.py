"""Which legal turn, if any, leads from a position to what the board weighs now.

The detector is a pure function. `docs/detection.md` describes the model: the likelihood of the readings under the board
after every legal turn, under the board before it, and, as background, under each of these with one misplaced seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from inkeek.drivers.orientation import is_symmetric, turn_sensors, turn_values
from inkeek.records import PASS, Position, Rules, Side, Turn
from inkeek.records.errors import ErrorText
from inkeek.records.findings import BoardCounts, Evidence
from inkeek.records.findings.candidates import MAX_TURNS
from inkeek.records.findings.drafts import log_sum
from inkeek.records.findings.kinds import PRESSED_FOR_NOTHING
from inkeek.records.findings.posterior import LIKELY, NEGLIGIBLE, REARRANGED, rearrangements
from inkeek.records.findings.sweeps import sweep_log, swept_position

from .courses import EMPTY, TAKEN, is_being_sown, other_course, several_turns, turn_before_begun
from .diagnosis import MAX_CANDIDATES, Diagnose, diagnose, refuse_button
from .evidence import BoardReports, question_of_reports
from .likelihood import Readings
from .noise_model import NoiseModel
from .verdicts import Ambiguous, Candidate, Clear, NoFit, Several, Turned, Unchanged, Verdict

OUTLIER_DOUBT = 0.2  # a turn with an outlier is clear with at most this part of the doubt that others may leave
TRIED = 0.1  # how likely it is that stones were moved and put back besides, so that pits hold other stones
SETTLED = ErrorText("Nobody pressed a button, and the board may also be one during another turn, or one from before.")


@dataclass(frozen=True, slots=True)
class _LegalBoard:
    """Counts that the sensors may see (`Readings.evidence`), and the turns that lead to them.

    `unplayed`: also when nothing was played. `exact` is the log-likelihood of the readings with these counts after any
    of the turns, `mistaken` that with one seed in a wrong place. `fits`: for one of the turns no sensor is too far off;
    `nearest`: those that are may be outliers (`Readings.is_nearest`).
    """

    counts: tuple[int, ...]
    turns: tuple[Turn, ...]
    unplayed: bool
    exact: float
    mistaken: float
    fits: bool
    nearest: bool


def detect(
    rules: Rules,
    position: Position,
    counts: Sequence[float],
    *,
    pressed_by: Side | None,
    model: NoiseModel | None = None,
    before: Sequence[float] | None = None,
    earlier: Sequence[Position] = (),
    ignored: frozenset[int] = frozenset(),
    seen: BoardReports | None = None,
    explain: Diagnose | None = None,
) -> Verdict:
    """What was played in `position`, given that the board now reads `counts`.

    `counts`: seeds, one a sensor: the pits in order of index, then both stores if the board weighs them.
    `pressed_by`: the side whose commit button was pressed; None: nobody pressed, the board has settled.
    `before`: the readings when the board was last known to hold `position` (the counts of the last `Clear` or
    `Unchanged`); with them, only the stones that moved since are uncertain. None: unknown.
    `earlier`: the positions before `position` in order of play; the players may have gone back to one of them.
    `model`: how the board weighs; see `NoiseEstimate`.
    `ignored`: sensors that are no evidence, because they are faulty or of low confidence. What they read has no weight,
    and no advice rests on it.
    `seen`: what the board reported since it last agreed with the record; None: unknown.
    `explain`: searches for what happened where no turn fits, which may take seconds; None: `diagnose` does.

    :raises ReadingError: `counts` or `before` cannot come from a board of this size.
    :raises records.PositionError: the position is not of this game.
    :raises ValueError: `pressed_by` is no side.
    """
    pressed_by = None if pressed_by is None else Side(pressed_by)
    readings = Readings(counts, position, model or NoiseModel(), before, ignored)
    turns = rules.turns(position, limit=MAX_TURNS)
    boards = _boards(rules, turns, readings, PRESSED_FOR_NOTHING if pressed_by is position.to_move else 1.0)
    whole = log_sum([log for board in boards for log in (board.exact, board.mistaken)])
    board, certainty = max(boards, key=lambda board: board.exact), 1.0
    share = math.exp(board.exact - whole)
    if not board.fits:
        if (several := several_turns(rules, readings, pressed_by, seen)) is not None:
            return several
        if pressed_by is position.to_move and (begun := turn_before_begun(rules, readings, seen)) is not None:
            return begun
        found, certainty = (explain or diagnose)(rules, readings, turns, earlier, pressed_by, share > 0.5)
        if found is not None:
            if isinstance(found, NoFit) and pressed_by in (None, position.to_move):
                return _or_rearranged(rules, readings, found)
            return found
        if not board.nearest:
            return _ambiguous(boards, whole, turns.complete)
    share = min(share, certainty)
    if 1 - share > (1 - readings.model.clear) * (1.0 if board.fits else OUTLIER_DOUBT):
        return _ambiguous(boards, whole, turns.complete)
    if board.unplayed and (pressed_by is None or not board.turns):
        return Unchanged(share)
    if pressed_by not in (None, position.to_move):
        return refuse_button(readings, pressed_by, board.turns[0])
    passed = [turn.move for turn in board.turns] == [PASS]
    if len(board.turns) > 1 or not turns.complete or (board.unplayed and not passed):
        return _ambiguous(boards, whole, turns.complete)
    if pressed_by is None and _may_continue(rules, turns, board, readings, earlier):
        return _ambiguous([board], whole, turns.complete, SETTLED)
    turn = board.turns[0]
    if board.counts != readings.evidence(readings.sensed(turn.position)):
        return Several(((turn,),), None, (TAKEN,))
    if not passed and not any(turn.position.pits):
        return Several(((turn,),), None, (EMPTY,))
    clear = Clear(turn, share)
    question = None if seen is None else question_of_reports(rules, clear, turns, seen, ignored)
    return question or other_course(rules, turn, readings, seen, turns) or clear


def detect_turned(
    rules: Rules,
    position: Position,
    counts: Sequence[float],
    *,
    pressed_by: Side | None,
    model: NoiseModel,
    before: Sequence[float] | None = None,
    ignored: frozenset[int] = frozenset(),
    otherwise: Turn | None = None,
    explain: Diagnose | None = None,
) -> Turned | None:
    """Return what the board shows if it is turned by 180 degrees; None if it then fits no better.

    The arguments are those of `detect`, with the board as if it lay right. `otherwise`: the turn that fits then; beside
    it, a turned board counts even if it fits several turns.
    """
    row = position.row
    counts, ignored = turn_values(counts, row), turn_sensors(ignored, row)
    # Over a symmetric position the board may have lain like that all the time; otherwise it was turned since.
    before = turn_values(before, row) if before is not None and is_symmetric(position) else None
    pressed_by = None if pressed_by is None else pressed_by.other
    model = replace(model, sensors=turn_values(model.sensors, row))
    readings = Readings(counts, position, model, before, ignored)
    positions = (position, *(turn.position for turn in rules.turns(position, limit=MAX_TURNS)))
    if not any(readings.fits(BoardCounts(readings.sensed(each))) for each in positions):
        return None  # cheaper than a diagnosis
    verdict = detect(
        rules,
        position,
        counts,
        pressed_by=pressed_by,
        model=model,
        before=before,
        ignored=ignored,
        explain=explain,
    )
    match verdict:
        case Clear():
            found = ErrorText("it shows %(side)s's turn %(move)s", side=position.to_move, move=str(verdict.turn.move))
        case Unchanged():
            found = ErrorText("it is as the record has it")
        case _:
            return None
    sentence = ErrorText(
        "If the board is turned round, so that %(side)s sits at its %(other)s side, %(found)s.",
        side=position.to_move,
        other=position.to_move.other,
        found=found,
    )
    return Turned(verdict, otherwise, (sentence,))


def _or_rearranged(rules: Rules, readings: Readings, found: NoFit) -> NoFit | Ambiguous:
    """The verdict with the legal rearrangement that leaves this board too, if there is one."""
    position = readings.position
    counts: list[int | None] = [*readings.rounded(), None, None][: 2 * position.row + 2]
    for sensor in readings.ignored:
        counts[sensor] = None
    ways = rearrangements(rules, Evidence(before=position, counts=tuple(counts)))
    if not ways:
        return found
    turn = rules.play(position, max(ways, key=lambda way: way[:2])[2])
    sentence = ErrorText("The board is as after a rearrangement: %(move)s.", move=str(turn.move))
    candidates = (Candidate(turn, REARRANGED), *found.candidates)
    if found.cause == "unknown":
        return Ambiguous(candidates, (sentence,))
    return replace(found, candidates=candidates, sentences=(*found.sentences, sentence))


def _boards(rules: Rules, turns: Sequence[Turn], readings: Readings, unplayed: float) -> list[_LegalBoard]:
    """Every board that is not negligible, with its likelihood.

    All turns are equally likely beforehand; that nothing was played is `unplayed` times as likely as one of them.
    """
    before = readings.evidence(readings.held)
    found: dict[tuple[int, ...], list[Turn]] = {before: []}
    for turn in turns:
        found.setdefault(readings.evidence(readings.sensed(turn.position)), []).append(turn)
    plain, now, row = set(found), readings.rounded(), readings.position.row
    is_cleared = now[: 2 * row].count(0) >= row  # nobody clears the board before
    for turn in turns if is_cleared else ():
        swept = _swept(rules, turn, now, readings.ignored)
        if swept is not None and (counts := readings.evidence(readings.sensed(swept))) not in plain:
            found.setdefault(counts, []).append(turn)
    bounds = readings.bounds(found)
    boards: list[_LegalBoard] = []
    most = -math.inf
    for counts in sorted(found, key=lambda counts: -bounds[counts][0]):
        if max(bounds[counts]) + math.log(len(found[counts]) + 1) < most - NEGLIGIBLE:
            continue
        board = _weighed(counts, found[counts], unplayed if counts == before else 0.0, readings)
        boards.append(board)
        most = max(most, board.exact, board.mistaken)
    return boards


def _swept(rules: Rules, turn: Turn, now: Sequence[int], ignored: frozenset[int]) -> Position | None:
    """The position after the last turn of a game without the seeds that the sides have taken of those that were left,
    by the rounded readings; None: they have taken nothing, or it is not the last turn."""
    size = len(turn.position.pits)
    full = [pit for pit, seeds in enumerate(turn.position.pits) if seeds and not now[pit] and pit not in ignored]
    others = [pit for pit in range(size) if pit not in full and pit not in ignored]
    if not full or any(now[pit] != turn.position.pits[pit] for pit in others):
        return None
    if rules.outcome(turn.position) is None:
        return None
    return swept_position(rules, turn.position, sum(1 << pit for pit in full))


def _weighed(counts: tuple[int, ...], turns: Sequence[Turn], unplayed: float, readings: Readings) -> _LegalBoard:
    ways = []
    for turn in turns:
        held = sum(1 << pit for pit, seeds in enumerate(turn.position.pits) if seeds)
        taken = sum(1 << pit for pit, seeds in enumerate(counts[: len(turn.position.pits)]) if not seeds) & held
        log = sweep_log(turn.position.row, taken, held & ~taken) if taken else 0.0
        ways.append((log, BoardCounts(counts, turn.emptied | taken)))
    if unplayed:
        ways.append((math.log(unplayed), BoardCounts(counts, 0)))
    if not (fits := any(readings.fits(board) for _, board in ways)):
        ways.append((math.log(unplayed + len(turns)) + math.log(TRIED), BoardCounts(counts)))
        fits = readings.fits(BoardCounts(counts))
    nearest = fits or any(readings.is_nearest(board) for _, board in ways)
    exact = [log + readings.likelihood(board) for log, board in ways]
    mistaken = [log + readings.one_off(board) for log, (_, board) in zip(exact, ways, strict=True)]
    right = math.log(1 - readings.model.mistake) + log_sum(exact)
    wrong = math.log(readings.model.mistake) + log_sum(mistaken)
    return _LegalBoard(counts, tuple(turns), unplayed > 0, right, wrong, fits, nearest)


def _may_continue(
    rules: Rules, turns: Sequence[Turn], board: _LegalBoard, readings: Readings, earlier: Sequence[Position]
) -> bool:
    """Whether the board may also be one during another turn, or an earlier one."""
    if any(readings.evidence(readings.sensed(position)) == board.counts for position in earlier):
        return True
    others = (turn for turn in turns if turn not in board.turns)
    return is_being_sown(rules, readings.position, board.counts, readings.ignored, others) is not False


def _ambiguous(boards: Sequence[_LegalBoard], whole: float, complete: bool, why: str | None = None) -> Ambiguous:
    """The verdict with every turn that fits or is likely; a turn counts as played even if a seed lies wrong besides."""
    fitting = [board for board in boards if board.fits]
    best = max(boards, key=lambda board: board.exact)
    candidates = [
        Candidate(turn, share / (len(board.turns) + board.unplayed))
        for board in boards
        if (share := math.exp(log_sum([board.exact, board.mistaken]) - whole)) >= LIKELY or board in (fitting or [best])
        for turn in board.turns
    ]
    candidates.sort(key=lambda candidate: -candidate.probability)
    fit = [turn for board in fitting for turn in board.turns]
    names = ", ".join(f"{one.turn.move}" for one in candidates[:MAX_CANDIDATES] if one.turn in fit)
    sentences: list[str] = []
    if not fitting:
        nearest = ", ".join(f"{turn.move}" for turn in best.turns) or ErrorText("the board before the turn")
        sentences.append(ErrorText("The readings are nearest to %(moves)s, but too far off to be sure.", moves=nearest))
    elif len(fit) > 1 and len(fitting) == 1:
        sentences.append(
            ErrorText(
                "These turns leave the same board: %(moves)s. The board cannot show which one was played.", moves=names
            )
        )
    elif len(fit) > 1:
        sentences.append(ErrorText("The readings fit several turns: %(moves)s.", moves=names))
    elif fit:
        sentences.append(why or ErrorText("The readings fit %(moves)s, but not well enough to be sure.", moves=names))
    if any(board.unplayed for board in fitting):
        sentences.append(ErrorText("The board may also be as it was before the turn."))
    if not complete:
        sentences.append(
            ErrorText("More than %(turns)s turns are legal: the others were not considered.", turns=MAX_TURNS)
        )
    return Ambiguous(tuple(candidates[:MAX_CANDIDATES]), tuple(sentences))
