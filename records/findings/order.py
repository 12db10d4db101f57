"""How well the order of lifts and drops that was seen fits an account."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inkeek.records.rules.trace import TraceEvent

from .board_counts import empties_pit
from .evidence.evidence import Evidence
from .kinds import IMAGINED, MISSED, MISSED_OF_ALL, TOUCHED

MAX_PRODUCT = 250_000  # pairs of a seen and a true event that are compared


def other_order_log(evidence: Evidence) -> float:
    """The log-likelihood of what was seen, if something else happened: one pit is as likely as the other each time."""
    return -len(evidence.seen) * math.log(len(evidence.before.pits))


def order_log(evidence: Evidence, events: Sequence[TraceEvent]) -> float:
    """The log-likelihood of what was seen, if these were the events.

    Each event was missed or seen; what was seen and is no event was imagined. If only lifts were seen, drops say
    nothing. Sensors report a pit that a capture empties like one that is lifted.
    """
    if not evidence.seen:
        return 0.0
    kinds = {seen.kind for seen in evidence.seen}
    by_board = evidence.seen_by_board
    true = [("lift" if by_board and empties_pit(event) else event.kind, event.pit) for event in events]
    true = [event for event in true if event[0] in kinds]
    seen = [(one.kind, one.pit) for one in evidence.seen]
    missed = math.log(MISSED_OF_ALL if evidence.seen_all else MISSED)
    imagined = math.log(TOUCHED if by_board else IMAGINED)
    # What is equal at both ends is equal in the best alignment.
    while true and seen and true[0] == seen[0]:
        true, seen = true[1:], seen[1:]
    while true and seen and true[-1] == seen[-1]:
        true, seen = true[:-1], seen[:-1]
    if not true or not seen or len(true) * len(seen) > MAX_PRODUCT:
        return missed * len(true) + imagined * len(seen)
    row = [missed * at for at in range(len(true) + 1)]
    for one in seen:
        above, row = row, [row[0] + imagined]
        for at, event in enumerate(true, 1):
            best = max(above[at] + imagined, row[-1] + missed)
            if event == one:
                best = max(best, above[at - 1])
            row.append(best)
    return row[-1]
