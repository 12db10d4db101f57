"""What stored games show of a position: which turns were played from it, how often, and with what results."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.records import Position, Rules, Turn
from inkeek.records.errors import Budget
from inkeek.records.notation.tags import carried_rules, described
from inkeek.service.storage import EVERYTHING, GameFilter, position_key
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.positions import ContinuationRow

SETUP = "setup"  # the option that names a set-up
MAX_TURNS = 200  # legal turns that are listed
BUDGET_PLIES = 1_000  # plies of a record that may take as long as listing them


@dataclass(frozen=True, slots=True)
class Continuation:
    """A legal turn, and what came of the stored games in which its position came next; None if there are none."""

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


def explore(store: Store, rules: Rules, position: Position, where: GameFilter = EVERYTHING) -> Exploration:
    """What was played from a position, in games under the same rules, however they were set up, that match `where`.

    The newest games in which the position came up are counted (`storage.position_table.COUNTED`).
    """
    with store.reading() as transaction:
        options = {name: value for name, value in rules.changed.items() if name != SETUP}
        whatever = SETUP if rules.info.setups else None
        carried = carried_rules(described(rules.info))
        found = transaction.positions.continuations(rules.id, carried, options, str(position), where, whatever=whatever)
    counts = {row.key: row for row in found}
    turns = rules.turns(position, MAX_TURNS, Budget(BUDGET_PLIES))
    continuations = [Continuation(turn, counts.get(position_key(rules.id, str(turn.position)))) for turn in turns]
    continuations.sort(key=_times_played, reverse=True)
    times = sum(row.times for row in found)
    known = {each.counts.key: each.counts.times for each in continuations if each.counts}
    return Exploration(tuple(continuations), times, times - sum(known.values()), turns.complete)


def _times_played(one: Continuation) -> int:
    return one.counts.times if one.counts else 0
