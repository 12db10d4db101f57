"""Guests who are players of an event: each round leads their phones to the tables that they play at."""

from __future__ import annotations

from inkeek.service.games.events.plan import EventPlan, plan_of
from inkeek.service.storage import KeyRow, Transaction
from inkeek.service.storage.search import name_key, table_limit

from .roles import KEEPER, ROLES, role_of

NOWHERE = "?"  # instead of a table: no game has it


def follow_players(transaction: Transaction, before: EventPlan, after: EventPlan) -> None:
    """Lead the guests with names of players where these play after a change of the plan, and spell them as it does.

    A guest who keeps the score at another table than the own one stays there until the player's table changes.
    """
    ids, players = {player.key: player.id for player in before.players}, after.by_id
    old, new = _places(before), _places(after)
    for key in transaction.keys.guests(name_key(after.name)):
        id = ids.get(name_key(key.name))
        if id is None or id not in players or key.revoked is not None:
            continue
        found = key._replace(name=players[id].name)
        if old.get(id) != new.get(id) and key.limit is not None and key.limit.kind == "table":
            table = str(new[id][1]) if id in new else NOWHERE
            found = found._replace(limit=table_limit(after.name, table))
            if (key.asked is not None and _was_invited_to_keep(transaction, key)) or role_of(key.scopes) == KEEPER:
                found = found._replace(scopes=ROLES[KEEPER].scopes, asked=None)
        if found != key:
            transaction.keys.put(found)


def _was_invited_to_keep(transaction: Transaction, key: KeyRow) -> bool:
    row = transaction.keys.invitation_of(key)
    return row is not None and role_of(row.scopes) == KEEPER


def plays_at(transaction: Transaction, event: str, name: str, table: str) -> bool:
    """Whether a player of that name plays at the table in the last round of the event with that key."""
    row = transaction.event_plans.get(event)
    plan = EventPlan("") if row is None else plan_of(row)
    places = _places(plan)
    return any(
        player.id in places and str(places[player.id][1]) == name_key(table)
        for player in plan.players
        if player.key == name_key(name)
    )


def table_of_guest(key: KeyRow) -> str:
    """The table that a guest's session is limited to; empty: none."""
    return "" if key.table == NOWHERE else key.table


def _places(plan: EventPlan) -> dict[int, tuple[int, int]]:
    """The last round and the table in it, by the players who have an opponent."""
    return {
        id: (round.number, one.table)
        for round in plan.rounds[-1:]
        for one in round.pairings
        if one.north is not None
        for id in one.players
    }
