"""Where the games of an event stand: a game keeps the event, the round, the table and the players of its pairing."""

from __future__ import annotations

from collections.abc import Mapping

from service.errors import Conflict
from service.storage import GameRow, Transaction, event_of

from .plan import plan_of

PLACE = ("Event", "Round", "Board", "South", "North")


def check_keeps_place(transaction: Transaction, row: GameRow, tags: Mapping[str, str | None]) -> None:
    """Check that a game, if an event has paired it, keeps its place with these tags.

    :raises Conflict: it would not.
    """
    name = next((name for name in PLACE if name in tags and tags[name] != row.tags.get(name)), None)
    event = None if name is None else event_of(row.tags)
    planned = None if event is None else transaction.event_plans.get(event)
    for round in () if planned is None else plan_of(planned).rounds:
        table = next((one.table for one in round.pairings if one.game in (row.id, row.match_id)), None)
        if table is not None:
            raise Conflict(
                "tags.%(name)s stays %(value)r: this is the game at table %(table)s in round %(round)s of %(event)r. "
                "Change who plays there, or how a name is spelled, on the page of the event, as long as nobody has "
                "played.",
                name=name,
                value=row.tags.get(name or "", ""),
                table=table,
                round=round.number,
                event=row.tags["Event"],
                current=row,
            )
