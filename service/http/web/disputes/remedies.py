"""Rulings and penalties in words of the laws: play on, restore the position, replay, award the game."""

from __future__ import annotations

from collections.abc import Callable

from inkeek.records.language import Language
from inkeek.service.errors import gettext_later as later
from inkeek.service.games.disputes.ruling_terms import Terms
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.language import gettext, side_names
from inkeek.service.http.web.labels import termination_words
from inkeek.service.http.web.review.command_words import PENALTIES
from inkeek.service.storage import DisputeRow

Cite = Callable[[int], str]  # a turn by its ply, as the record cites it
RESTART = "restart"  # a choice of the pages: turns are retracted to the start
EFFECTS = {  # what each remedy does to the game, by what the dispute is about
    "turn": {
        "stands": later("Nothing changes: the turns stay as they are recorded, and play goes on."),
        "retracted": later("This turn and all after it are taken back, and the seeds return to where they lay before."),
        RESTART: later("All turns are taken back, and the seeds return to where they lay at the start."),
        "corrected": later("Another turn or another board replaces the recorded one. You give it below."),
        "ended": later("The game is over, with the result that you give below. The turns stay in the record."),
    },
    "end": {
        "stands": later("Nothing changes: the game stays over, with its result."),
        "corrected": later("The game stays over, with the result that you give below."),
        "reopened": later("The result is taken away, and the game goes on where it stopped."),
    },
}


def cite_in_words(then: GameSnapshot) -> Cite:
    """Cites turns for sentences: the next one, which has no move yet, without the point after its number."""

    def cite(ply: int) -> str:
        cited = then.cite(ply)
        return cited if ply <= then.row.ply else f"{cited.rstrip('.…')} ({side_names()[then.position.to_move]})"

    return cite


def penalty_word(kind: str) -> str:
    """A kind of penalty in the language of the page."""
    return gettext(PENALTIES[kind]) if kind in PENALTIES else kind


def remedy_choices(dispute: DisputeRow, cite: Cite) -> dict[str, str]:
    """What a ruling can order, by outcome; or `RESTART`."""
    turn = cite(dispute.ply) if dispute.ply else ""
    if dispute.about == "end":
        return {
            "stands": gettext("The end stands."),
            "corrected": gettext("Correct the end: award the game, or end it without a winner."),
            "reopened": gettext("Play on: the end does not count."),
        }
    stands = gettext("Play on from %(turn)s: the turn stands.", turn=turn)
    if dispute.is_unrecorded:
        stands = gettext("Play on without %(turn)s, which is not recorded.", turn=turn)
    return {
        "stands": stands,
        "retracted": gettext("Restore the position before %(turn)s; the turn is played again.", turn=turn),
        RESTART: gettext("Restart: the game begins again from its first position."),
        "corrected": gettext("Replay %(turn)s as it was meant, or correct the board.", turn=turn),
        "ended": gettext("Award the game, or end it without a winner."),
    }


def offered_remedies(dispute: DisputeRow, cite: Cite, *, is_ended_by_rules: bool) -> dict[str, str]:
    """The `remedy_choices` that are possible as the game ended."""
    refused: tuple[str, ...] = ()
    if is_ended_by_rules:
        refused = ("corrected", "reopened") if dispute.about == "end" else ("ended",)
    return {outcome: words for outcome, words in remedy_choices(dispute, cite).items() if outcome not in refused}


def remedy_text(terms: Terms, dispute: DisputeRow, language: Language, cite: Cite) -> str:
    """What a ruling with these terms orders."""
    outcome, end = terms.outcome, terms.end
    if end is not None:
        how = termination_words(end.termination)
        if end.winner is None:
            return gettext("End the game without a winner (%(how)s).", how=how)
        return gettext("Award the game to %(side)s (%(how)s).", side=language.sides[SIDES[end.winner]], how=how)
    if outcome == "retracted" and terms.to == 0:
        outcome = RESTART
    elif outcome == "retracted" and terms.to is not None:
        return gettext("Restore the position after %(turn)s; play goes on from there.", turn=cite(terms.to))
    elif outcome == "corrected" and terms.move:
        return gettext("Replay %(turn)s as %(move)s.", turn=cite(dispute.ply), move=terms.move)
    elif outcome == "corrected" and terms.position:
        return gettext("Correct the board after %(turn)s.", turn=cite(dispute.ply))
    return remedy_choices(dispute, cite)[outcome]
