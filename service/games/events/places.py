"""Where the games of an event stand: a game keeps the event, the round, the table and the players of its pairing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from inkeek.records.errors import ErrorText, joined_texts
from inkeek.service.errors import Conflict
from inkeek.service.storage import GameRow, event_of

from .plan import Pairing, plan_of
from .results import is_unrecorded

if TYPE_CHECKING:
    from inkeek.service.storage import Transaction

TEAMS = ("SouthTeam", "NorthTeam")
PLACE = ("Event", "Round", "Board", "South", "North", "Match", "MatchGame", *TEAMS)


def check_keeps_place(transaction: Transaction, row: GameRow, tags: Mapping[str, str | None]) -> None:
    """Check that a game, if an event has paired it, keeps its place with these tags.

    :raises Conflict: it would not.
    """
    changed = [name for name in PLACE if name in tags and tags[name] != row.tags.get(name)]
    event = event_of(row.tags) if changed else None
    planned = None if event is None else transaction.event_plans.get(event)
    plan = None if planned is None else plan_of(planned)
    if plan is not None and plan.format != "teams":
        changed = [name for name in changed if name not in TEAMS]
    for number, one in plan.places if plan and changed else ():
        if one.game in (row.id, row.match_id):
            stays = ErrorText(
                "tags.%(name)s stays %(value)r: this is the game at table %(table)s in round %(round)s of %(event)r.",
                name=changed[0],
                value=row.tags.get(changed[0], ""),
                table=one.table,
                round=number,
                event=row.tags["Event"],
            )
            raise Conflict(joined_texts([stays, _way(row, one, changed[0])]), current=row)


def _way(row: GameRow, pairing: Pairing, name: str) -> ErrorText:
    """How what a tag says is changed, as far as it is."""
    if name not in ("South", "North"):
        return ErrorText("It follows from the plan of the event.")
    if pairing.north is None:
        return ErrorText("Change who plays there on the page of the event, or a name under 'Players and settings'.")
    if is_unrecorded(row):
        return ErrorText(
            "Somebody gave its result: on the page of the event choose 'the game decides after all' first, then change "
            "who plays there."
        )
    if row.ply or row.state == "ended":
        return ErrorText(
            "Somebody has played: its players stay. Two names of one person are joined on the page of the player."
        )
    return ErrorText("Change who plays there, or how a name is spelled, on the page of the event.")
