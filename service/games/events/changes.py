"""What a change of a plan changed, in parts that a program and a page can show. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from .plan import EventPlan, Round

LISTS = ("players", "rounds")
FIELDS = tuple(name for name in EventPlan.__struct_fields__ if name not in LISTS)
PARTS = (*FIELDS, "player", "round", "table", "result", "keeper", "guest", "invitation")
KINDS = ("created", "plan", "people")


def changed_part(field: str, at: str, before: Any, after: Any) -> dict[str, Any]:
    """A part of a change: a field of the plan; the ``player``, the ``round`` or the ``table`` (``2/3``: table 3 of
    round 2) with the number `at`; the ``result`` that somebody said of the game at a table; the name of the ``keeper``
    of the table `at`, or of a ``guest`` with that role; the table of an ``invitation`` with that role, empty for all.
    """
    return {"field": field, "at": at, "before": before, "after": after}


def changed_parts(before: EventPlan | None, after: EventPlan) -> list[dict[str, Any]]:
    """What differs between two plans; `before` is None for a new one."""
    return list(_parts(EventPlan("") if before is None else before, after))


def _parts(before: EventPlan, after: EventPlan) -> Iterator[dict[str, Any]]:
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(after)
    for name in FIELDS:
        if old.get(name) != new.get(name):
            yield changed_part(name, "", old.get(name), new.get(name))
    players = [{one["id"]: one for one in plan.get("players", ())} for plan in (old, new)]
    for id in dict.fromkeys(chain(*players)):
        if players[0].get(id) != players[1].get(id):
            yield changed_part("player", str(id), players[0].get(id), players[1].get(id))
    for round in after.rounds:
        yield from _round_parts(before.round(round.number), round)


def _round_parts(before: Round | None, after: Round) -> Iterator[dict[str, Any]]:
    if before is None:
        yield changed_part("round", str(after.number), None, msgspec.to_builtins(after.pairings))
        return
    places = [{one.table: msgspec.to_builtins(one) for one in round.pairings} for round in (before, after)]
    for table in dict.fromkeys(chain(*places)):
        if places[0].get(table) != places[1].get(table):
            yield changed_part("table", f"{after.number}/{table}", places[0].get(table), places[1].get(table))
