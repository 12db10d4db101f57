"""What happened in a disputed turn, found in the process that answers such questions."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from inkeek.records import Move
from inkeek.records.findings import Evidence, Finding, find, find_since
from inkeek.service.errors import TooBusy, TookTooLong
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.context import current_limit, current_sender, current_services
from inkeek.service.storage import DisputeRow

from . import disputes
from .answers import seen_finding_json
from .consequences import Consequences, consequences_of
from .courses import Course
from .effects import Effects, effects_of
from .terms import Terms

EARLIER = 0.2  # the probability of a slip in an earlier turn from which the disputed turn is not looked at alone


class DisputeFinding(NamedTuple):
    """What is known of a disputed turn, and what was found.

    `first`: the number of the turn from which accounts of several turns count. `examined`: that of the first turn that
    may have gone wrong; those before it are taken as right.
    """

    evidence: Evidence
    finding: Finding
    first: int
    examined: int


def find_disputed(snapshot: GameSnapshot, dispute: DisputeRow, language: str = "en") -> DisputeFinding | None:
    """What is known of a disputed turn, and what happened; or since then, where turns followed it. If no legal turn
    explains the board, earlier turns are examined too. None if it is not about a turn, or nobody said and no board
    reported what lies there.

    :raises RecordsError: the board does not fit this game. :raises TooBusy: too many requests at once.
    :raises TookTooLong: there was no answer in time.
    """
    evidence = disputes.known_evidence(snapshot.state, dispute)
    if evidence is None:
        return None
    rules, findings, sender = snapshot.rules, current_services().findings, current_sender()
    moves = disputes.moves_since(snapshot.state, dispute)
    if len(moves) <= 1:
        found = findings.call(find, rules, evidence, None, language, sender=sender)
    else:
        found = findings.call(find_since, rules, evidence.before, moves, evidence, language, sender=sender)
    alone = DisputeFinding(evidence, found, dispute.ply, dispute.ply)
    first = disputes.first_examined(dispute)
    if first == dispute.ply or _is_as_written(found, moves):
        return alone
    earlier = disputes.evidence_from(snapshot.state, dispute, evidence, first)
    moves = disputes.moves_since(snapshot.state, dispute, first)
    try:
        question = rules, earlier.before, moves, earlier, language, dispute.ply - first
        since: Finding = findings.call(find_since, *question, sender=sender)
    except TookTooLong:
        return alone
    blamed = [one.probability for one in since.accounts if one.ply is not None and first + one.ply < dispute.ply]
    if sum(blamed) < EARLIER:
        return alone._replace(examined=first)
    return DisputeFinding(earlier, since, first, first)


def _is_as_written(found: Finding, moves: list[Move]) -> bool:
    """Whether the likeliest account is that all was played as it is written."""
    if found.agreed is not None:
        return found.agreed == len(moves)
    account = found.accounts[0]
    return bool(account.legal) and account.move is not None and [account.move.choice] == [m.choice for m in moves]


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


def preview_ruling(snapshot: GameSnapshot, course: Course, terms: Terms) -> tuple[Effects, Consequences]:
    """What a ruling with these terms would change, as far as the current request may see it.

    :raises Conflict, Invalid, Illegal, RecordsError: as `rulings.rule`.
    """
    state, limit, services = snapshot.state, current_limit(), current_services()
    effects, most = effects_of(state, course, terms.checked()), services.settings.max_event_games
    sees_event = limit is None or limit.kind == "event"
    return effects, consequences_of(services.store, state, course, effects, most, sees_event=sees_event)
