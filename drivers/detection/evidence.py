"""What a board reported on the way to its counts: which pits were lifted, which boards lay there, and which turns the
order of lifts fits or contradicts.

Taking seeds and putting them back is no contradiction, and neither is a report that one kind of board never makes.
`docs/detection.md` says what counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile

from inkeek.records import PASS, Position, Rules, Turn
from inkeek.records.errors import ErrorText, joined_texts
from inkeek.records.findings.account_steps import emptied_pits
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import translatable_english

from .verdicts import MAX_OFFERED, Ambiguous, Candidate, Clear, Course

ENOUGH_REPORTS = 20  # lifted pits that a board reported, without missing one, before its silence says something
MISSES = 2  # lifted pits that a board may leave out before its reports say nothing, if they are a part of
MISSED_SHARE = 0.05  # all that were lifted


@dataclass(frozen=True, slots=True)
class BoardReports:
    """What a board reported since it last agreed with the record.

    `emptied`: the pits that were lifted (`events.Lifted`), each time, in order. `reliable`: it reports every one.
    `boards`: in order, the counts that lay there for a while and were exactly those after a turn of either side, from
    the position or from one that a legal turn leads to (`courses.boards_after`).
    """

    emptied: tuple[int, ...] = ()
    reliable: bool = False
    boards: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportCount:
    """How many of the pits that recorded turns lifted the board reported, and how many it did not."""

    reported: int = 0
    missed: int = 0

    @property
    def reliable(self) -> bool:
        """Whether a pit that was not reported was not lifted."""
        return self.reported >= ENOUGH_REPORTS and not self.missed

    @property
    def usable(self) -> bool:
        """Whether the board reports enough for its reports to say anything."""
        return self.missed < MISSES or self.missed < MISSED_SHARE * (self.reported + self.missed)

    def with_turn(self, turn: Turn, emptied: Collection[int], ignored: frozenset[int]) -> ReportCount:
        """Add a turn that was played while the board reported the `emptied` pits."""
        missed = len(_missing(turn, emptied, ignored))
        return ReportCount(self.reported + len(_emptied_by(turn, ignored)) - missed, self.missed + missed)


def reports_of(seen: BoardReports | None) -> tuple[int, ...] | None:
    """The pits that the board reported as lifted, in order; None: that says nothing."""
    return seen.emptied if seen is not None and (seen.emptied or seen.reliable) else None


def lifts(rules: Rules, course: Course) -> tuple[int, ...]:
    """The pits that hands empty in a course, in order."""
    traces = [rules.trace(turn.before, turn.move) for turn in course if turn.move != PASS]
    return tuple(pit for trace in traces for pit in emptied_pits(trace.events))


def reports_fit(rules: Rules, course: Course, reported: Sequence[int]) -> bool:
    """Whether hands that play the course empty just the pits that were reported, in this order.

    A board may report only where turns begin.
    """
    begins = tuple(turn.move.pit_index(rules.row) for turn in course if turn.move != PASS)
    return tuple(reported) in (begins, lifts(rules, course))


def fitting_courses(rules: Rules, courses: Sequence[Course], reported: Sequence[int] | None) -> list[Course]:
    """The courses that the reports fit; all if there are no reports."""
    return [course for course in courses if reported is None or reports_fit(rules, course, reported)]


def question_of_reports(
    rules: Rules, clear: Clear, turns: Sequence[Turn], reports: BoardReports, ignored: frozenset[int]
) -> Ambiguous | None:
    """The question to ask if the reports contradict the turn that the counts fit; None: they do not.

    Pits that were emptied besides mean little: seeds were taken and put back. A pit that was not reported means little
    too, unless the board reports all of them. Both together, and the pit that the turn begins in: another turn. So do
    reports that are not those of this turn, and with which another begins: that one may be going on. A pit that was
    empty can be lifted before the turn begins only if seeds got into it: they may be what was played.

    `turns`: the legal ones. `ignored`: the sensors whose reports mean nothing.
    """
    turn, reported = clear.turn, [pit for pit in reports.emptied if pit not in ignored]
    missing = _missing(turn, reported, ignored)
    extra = [pit for pit in reported if holds_seeds(turn.before, pit) and not turn.emptied >> pit & 1]
    is_unseen = bool(missing) and (reports.reliable or (bool(extra) and turn.move.pit_index(rules.row) in missing))
    strange = _lifted_empty(rules, turn, reported)
    if not is_unseen and not strange and (not reported or ignored or reports_fit(rules, (turn,), reported)):
        return None
    others = [
        other
        for other in turns
        if reported
        and other != turn
        and [pit for pit in lifts(rules, (other,)) if pit not in ignored][: len(reported)] == reported
    ][: MAX_OFFERED - 1]
    if not is_unseen and not strange and not others:
        return None
    sentences = [_unseen_sentence(turn, missing, extra)] if is_unseen else []
    if strange:
        english = translatable_english()
        sentences.append(
            ErrorText(
                "The counts fit %(move)s, but before it the board saw seeds lifted from empty pits: %(pits)s.",
                move=str(turn.move),
                pits=joined_texts([place_text(turn.before, pit, english) for pit in strange], ", "),
            )
        )
    if others:
        names = joined_texts([str(other.move) for other in others], ", ")
        sentences.append(
            ErrorText(
                "The board is as after %(move)s, but what was lifted is what %(other)s begins with.",
                move=str(turn.move),
                other=names,
            )
        )
    # Counts and reports cannot both be right, and nothing says which are: each gets one half.
    share = 0.5 if others else clear.confidence
    candidates = [Candidate(turn, share), *(Candidate(other, 0.5 / len(others)) for other in others)]
    return Ambiguous(tuple(candidates), tuple(sentences))


def _lifted_empty(rules: Rules, turn: Turn, reported: Sequence[int]) -> list[int]:
    """The pits without seeds that were lifted before the pit in which the turn begins."""
    start = None if turn.move == PASS else turn.move.pit_index(rules.row)
    before = takewhile(lambda pit: pit != start, reported)
    return [pit for pit in dict.fromkeys(before) if pit < len(turn.before.pits) and not turn.before.pits[pit]]


def _unseen_sentence(turn: Turn, missing: Sequence[int], extra: Sequence[int]) -> str:
    """Which pits of a turn the board did not see emptied, and which others it saw."""
    english, move = translatable_english(), str(turn.move)
    unseen, others = (
        joined_texts([place_text(turn.before, pit, english) for pit in pits], ", ") for pits in (missing, extra)
    )
    if not extra:
        return ErrorText(
            "The counts fit %(move)s, but the board did not see these emptied: %(pits)s.", move=move, pits=unseen
        )
    return ErrorText(
        "The counts fit %(move)s, but the board did not see these emptied: %(pits)s; it saw these emptied, which "
        "%(move)s does not do: %(others)s.",
        move=move,
        pits=unseen,
        others=others,
    )


def holds_seeds(position: Position, pit: int) -> bool:
    """Whether a hand that lifts a pit in a turn from `position` lifts seeds that were there before."""
    return pit < len(position.pits) and position.pits[pit] > 0


def _emptied_by(turn: Turn, ignored: frozenset[int]) -> tuple[int, ...]:
    """The pits that the board must see emptied: the others were empty before, and may be emptied again at once."""
    pits = enumerate(turn.before.pits)
    return tuple(pit for pit, seeds in pits if seeds and turn.emptied >> pit & 1 and pit not in ignored)


def _missing(turn: Turn, emptied: Collection[int], ignored: frozenset[int]) -> list[int]:
    return [pit for pit in _emptied_by(turn, ignored) if pit not in emptied]
