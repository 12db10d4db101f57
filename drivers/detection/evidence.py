"""What a board reported on the way to its counts: which pits were lifted, which boards lay there, and whether the lifts
contradict a turn.

Taking seeds and putting them back is no contradiction, and neither is a report that one kind of board never makes.
`docs/detection.md` says what counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from inkeek.records import Kind, Position, Turn
from inkeek.records.errors import ErrorText, joined_texts
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import translatable_english

from .verdicts import Ambiguous, Candidate, Clear, Verdict

ENOUGH_REPORTS = 20  # lifted pits that a board reported, without missing one, before its silence says something
MISSES = 2  # lifted pits that a board may leave out before its reports say nothing, if they are a part of
MISSED_SHARE = 0.05  # all that were lifted
MAX_ALTERNATIVES = 5  # turns that the reports fit, offered beside the one that the counts fit


@dataclass(frozen=True, slots=True)
class BoardReports:
    """What a board reported since it last agreed with the record.

    `emptied`: the pits that were lifted (`events.Lifted`), each time, in order. `reliable`: it reports every one.
    `boards`: in order, the counts that lay there for a while and were exactly those after a legal turn, from the
    position or from one that such a turn leads to (`courses.boards_after`).
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


def weigh_evidence(
    verdict: Verdict, turns: Sequence[Turn], evidence: BoardReports | None, ignored: frozenset[int] = frozenset()
) -> Verdict:
    """Return the verdict, or a question if the reports contradict the turn that the counts fit.

    `turns`: the legal ones. `evidence`: None if events are missing. `ignored`: the sensors whose reports mean nothing.
    """
    if evidence is None or not isinstance(verdict, Clear):
        return verdict
    turn = verdict.turn
    contradiction = _contradiction(turn, evidence, ignored)
    if contradiction is None:
        return verdict
    others = [
        other
        for other in turns
        if other != turn and other.move.kind is Kind.SOW and _fits(other, evidence.emptied, ignored)
    ][:MAX_ALTERNATIVES]
    # Counts and reports cannot both be right, and nothing says which are: each gets one half.
    share = 0.5 if others else verdict.confidence
    candidates = [Candidate(turn, share), *(Candidate(other, 0.5 / len(others)) for other in others)]
    sentences = [contradiction]
    if others:
        moves = ", ".join(str(other.move) for other in others)
        sentences.append(ErrorText("What was emptied fits %(moves)s, but then the counts are wrong.", moves=moves))
    return Ambiguous(tuple(candidates), tuple(sentences))


def holds_seeds(position: Position, pit: int) -> bool:
    """Whether a hand that lifts a pit in a turn from `position` lifts seeds that were there before."""
    return pit < len(position.pits) and position.pits[pit] > 0


def _contradiction(turn: Turn, evidence: BoardReports, ignored: frozenset[int]) -> str | None:
    """Why the turn cannot have been played as it seems, as a sentence; None: it can.

    Pits that were emptied besides mean little: seeds were taken and put back. A pit that was not reported means little
    too, unless the board reports all of them. Both together, and the pit that the turn begins in: another turn.
    """
    if turn.move.kind is not Kind.SOW:
        return None
    before, move = turn.before, turn.move
    missing = _missing(turn, evidence.emptied, ignored)
    extra = [
        pit
        for pit in evidence.emptied
        if holds_seeds(before, pit) and pit not in ignored and not turn.emptied >> pit & 1
    ]
    if not (missing and evidence.reliable) and not (extra and move.pit_index(before.row) in missing):
        return None
    english = translatable_english()
    unseen = joined_texts([place_text(before, pit, english) for pit in missing], ", ")
    if not extra:
        return ErrorText(
            "The counts fit %(move)s, but the board did not see these emptied: %(pits)s.", move=str(move), pits=unseen
        )
    return ErrorText(
        "The counts fit %(move)s, but the board did not see these emptied: %(pits)s; it saw these emptied, which "
        "%(move)s does not do: %(others)s.",
        move=str(move),
        pits=unseen,
        others=joined_texts([place_text(before, pit, english) for pit in extra], ", "),
    )


def _emptied_by(turn: Turn, ignored: frozenset[int]) -> tuple[int, ...]:
    """The pits that the board must see emptied: the others were empty before, and may be emptied again at once."""
    pits = enumerate(turn.before.pits)
    return tuple(pit for pit, seeds in pits if seeds and turn.emptied >> pit & 1 and pit not in ignored)


def _missing(turn: Turn, emptied: Collection[int], ignored: frozenset[int]) -> list[int]:
    return [pit for pit in _emptied_by(turn, ignored) if pit not in emptied]


def _fits(turn: Turn, emptied: Collection[int], ignored: frozenset[int]) -> bool:
    """Whether the turn empties just the pits that were reported."""
    return set(_emptied_by(turn, ignored)) == {
        pit for pit in emptied if holds_seeds(turn.before, pit) and pit not in ignored
    }
