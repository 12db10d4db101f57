"""The verdict of a finding, and probabilities in words: what an arbiter reads first."""

from __future__ import annotations

from collections.abc import Sequence

from inkeek.records.language import Language
from inkeek.records.moves import Move

from .evidence.evidence import Evidence
from .finding import Finding
from .kinds import LEGAL, TAKEN_BACK, UNKNOWN, UNPLAYED

SHARES = (  # the least probability for each word
    (0.99, "certain"),
    (0.90, "very-likely"),
    (0.66, "likely"),
    (0.33, "possible"),
    (0.05, "unlikely"),
    (0.0, "very-unlikely"),
)


def verdict_sentence(finding: Finding, evidence: Evidence, language: Language, cited: Sequence[str] = ()) -> str:
    """Whether the turn was legal, in one sentence, and then whether special pits lost their marks.

    A pit that was cleared at the end has none. Of several turns, as they are `cited`: which agree with the board.
    """
    if finding.agreed is not None:
        return _agreement(finding, finding.agreed, cited, language)
    verdict = _legality(finding, evidence, language)
    changed = [evidence.before.letter(pit) for pit in evidence.changed_specials if evidence.known(pit) != 0]
    if not changed:
        return verdict
    return f"{verdict} {language.text('findings.verdict.changed-marks', places=changed, count=len(changed))}"


def _legality(finding: Finding, evidence: Evidence, language: Language) -> str:
    best = finding.accounts[0]
    if best.kind in (UNPLAYED, TAKEN_BACK):
        return best.sentences[0]
    if finding.legal:
        claimed = evidence.claimed
        if claimed is not None and best.move is not None and not _is_claimed(best.move, claimed):
            return language.text("findings.verdict.legal-other", move=best.move, claimed=claimed)
        return language.text(f"findings.verdict.{'legal' if best.kind == LEGAL else 'legal-next'}")
    if finding.legal is None:
        return language.text("findings.verdict.unsure")
    if best.kind == UNKNOWN:
        return language.text("findings.verdict.unexplained")
    return language.text(f"findings.verdict.{'illegal-seen' if evidence.seen else 'illegal'}")


def _agreement(finding: Finding, agreed: int, cited: Sequence[str], language: Language) -> str:
    best = finding.accounts[0]
    if agreed == len(cited):
        return language.text(f"findings.verdict.{'written' if best.kind == LEGAL else 'written-next'}")
    if best.ply is None:
        return language.text("findings.verdict.unknown-since")
    key = "agreed" if agreed else "agreed-none"
    return language.text(f"findings.verdict.{key}", agreed=agreed, turn=cited[agreed])


def share_words(probability: float, language: Language) -> str:
    """A probability in words."""
    return language.text(f"findings.share.{next(word for least, word in SHARES if probability >= least)}")


def percent(probability: float) -> str:
    """A probability as a number to read."""
    if probability >= 0.9995:
        return "> 99.9 %"
    return f"{100 * probability:.1f} %" if probability >= 0.001 else "< 0.1 %"


def _is_claimed(move: Move, claimed: Move) -> bool:
    """Whether a legal turn is the one that was claimed, as far as the claim goes."""
    if move.pit != claimed.pit or (claimed.choices and move.choices != claimed.choices):
        return False
    if claimed.special is not None and set(claimed.special) != set(move.special or ""):
        return False
    return claimed.captured is None or claimed.captured == (move.captured or (0, 0))
