"""What happened in a disputed turn, found in the process that answers such questions."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from records.findings import Evidence, Finding, SeveralTurns
from service.errors import TooBusy, TookTooLong
from service.games import disputes
from service.games.snapshot import GameSnapshot
from service.storage import DisputeRow

from .context import current_caller, current_services
from .dispute_json import seen_finding_json

DisputeFinding = tuple[Evidence, Finding | SeveralTurns]


def find_disputed(snapshot: GameSnapshot, dispute: DisputeRow, language: str = "en") -> DisputeFinding | None:
    """What is known of a disputed turn, and what happened; or since then, where turns followed it. None if it is not
    about a turn, or nobody said and no board reported what lies there.

    :raises RecordsError: the board does not fit this game. :raises TooBusy: too many requests at once.
    :raises TookTooLong: there was no answer in time.
    """
    evidence = disputes.known_evidence(snapshot.state, dispute)
    if evidence is None:
        return None
    finder, known = current_services().finder, bool(current_caller().id)
    moves = disputes.moves_since(snapshot.state, dispute)
    if len(moves) <= 1:
        return evidence, finder.find(snapshot.rules, evidence, language=language, known=known)
    return evidence, finder.find_since(snapshot.rules, evidence.before, moves, evidence, language=language, known=known)


def finding_seen(dispute_id: str) -> dict[str, Any] | None:
    """What there is to see of the finding for who rules now. A ruling does not wait for it: None if there is no answer
    in time.

    :raises NotFound: there is no such dispute.
    """
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    with suppress(TooBusy, TookTooLong):
        found = find_disputed(snapshot, course.row)
        return seen_finding_json(None if found is None else found[1])
    return None
