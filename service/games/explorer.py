"""What stored games show of a position: which turns were played from it, how often, and with what results."""

from __future__ import annotations

from dataclasses import dataclass

from records import Position, Rules, Turn
from records.budget import Budget
from service.storage import ContinuationRow, Store, position_key

MAX_TURNS = 200  # legal turns that are listed
BUDGET = 1_000  # plies of a record that may take as long as listing them


@dataclass(frozen=True, slots=True)
class Continuation:
    """A legal turn, and what came of the games in which the position after it came next; None if there are none."""

    turn: Turn
    counts: ContinuationRow | None


@dataclass(frozen=True, slots=True)
class Exploration:
    """The legal turns of a position, those played most often first.

    `times` is how often the games went on from the position; `other` how often by what is no legal turn: an irregular
    turn, a rearrangement. `complete` is False if not all legal turns could be listed.
    """

    continuations: tuple[Continuation, ...]
    times: int
    other: int
    complete: bool


def explore(
    store: Store, rules: Rules, position: Position, player: str | None = None, event: str | None = None
) -> Exploration:
    """What was played from a position, in games under the same rules, of a player and an event if they are given.

    The newest games in which the position came up are counted (`storage.position_table.COUNTED`).
    """
    with store.reading() as transaction:
        found = transaction.positions.continuations(rules.id, rules.changed, str(position), player, event)
    counts = {row.key: row for row in found}
    turns = rules.turns(position, MAX_TURNS, Budget(BUDGET))
    continuations = [Continuation(turn, counts.get(position_key(rules.id, str(turn.position)))) for turn in turns]
    continuations.sort(key=lambda each: -each.counts.times if each.counts else 0)
    times = sum(row.times for row in found)
    known = {each.counts.key: each.counts.times for each in continuations if each.counts}
    return Exploration(tuple(continuations), times, times - sum(known.values()), turns.complete)
