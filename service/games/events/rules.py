"""What the rules of an event say about penalties and appeals, and which penalties its players have already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from inkeek.records.notation.commands import PENALTIES
from inkeek.service.errors import Invalid
from inkeek.service.storage import DisputeRow, EventRules, GameRow, Limit, event_of
from inkeek.service.storage.clock import Clock, moment, stamp, utc_now
from inkeek.service.storage.search import players_of

if TYPE_CHECKING:
    from inkeek.service.storage.store import Store
    from inkeek.service.storage.transaction import Transaction

# Of events that say nothing else: a kind of penalty that is added changes none of them.
DEFAULT = EventRules(("warning", "time", "seeds", "turn", "game", "expulsion"))
MAX_MINUTES = 60 * 24 * 365  # for an appeal
MAX_RULINGS = 1000  # of an event that are examined, the newest ones


@dataclass(frozen=True, slots=True)
class GivenPenalty:
    """A penalty of a player by a ruling that stands."""

    dispute: str
    kind: str
    seeds: int | None
    time: str


@dataclass(frozen=True, slots=True)
class PlayerPenalties:
    """The penalties of a side's player, newest first, and the next one by the event's rules."""

    side: str
    given: tuple[GivenPenalty, ...]
    next: str


def rules_in(transaction: Transaction, tags: Mapping[str, str]) -> EventRules:
    """The rules of the event that a game with these tags belongs to."""
    event = event_of(tags)
    return (None if event is None else transaction.event_rules.get(event)) or DEFAULT


def load_rules(store: Store, event: str) -> EventRules:
    """The rules of the event with that key."""
    with store.reading() as transaction:
        return transaction.event_rules.get(event) or DEFAULT


def set_rules(store: Store, event: str, rules: EventRules, clock: Clock = utc_now) -> None:
    """Set the rules of the event with that key. A new deadline for appeals begins now for rulings that were before it.

    :raises Invalid: see `check_rules`.
    """
    check_rules(rules)
    with store.writing() as transaction:
        before = transaction.event_rules.get(event) or DEFAULT
        since = before.appeal_since if rules.appeal_minutes == before.appeal_minutes else stamp(clock())
        transaction.event_rules.put(event, rules._replace(appeal_since=since))


def check_rules(rules: EventRules) -> None:
    """Check the rules of an event.

    :raises Invalid: a penalty is unknown or comes twice, there is none, or the time for an appeal is impossible.
    """
    ladder, minutes = rules.ladder, rules.appeal_minutes
    if not ladder or len(set(ladder)) < len(ladder) or not set(ladder) <= set(PENALTIES):
        raise Invalid(
            "ladder is %(ladder)s: expected some of %(penalties)s, each once, the mildest first",
            field="ladder",
            ladder=" ".join(ladder)[:200] or "empty",
            penalties=" ".join(PENALTIES),
        )
    if minutes is not None and not 1 <= minutes <= MAX_MINUTES:
        raise Invalid(
            "appeal_minutes is %(minutes)s: expected 1 to %(most)s, or nothing if appeals have no deadline",
            field="appeal_minutes",
            minutes=minutes,
            most=MAX_MINUTES,
        )


def appeal_until(rules: EventRules, dispute: DisputeRow) -> str | None:
    """Until when an appeal against the last ruling is possible; None: always, or there is no ruling."""
    if rules.appeal_minutes is None or dispute.ruled is None:
        return None
    since = max(dispute.ruled, rules.appeal_since or "")
    return stamp(moment(since) + timedelta(minutes=rules.appeal_minutes))


def load_penalties(
    store: Store, row: GameRow, within: Limit | None = None
) -> tuple[EventRules, tuple[PlayerPenalties, PlayerPenalties]]:
    """The rules that hold for a game, and the penalties of South and North in the games of its event, compared by name.
    Without an event, or for players without a name, only those of this game count. `within`: the games to be named."""
    place = Limit("game", row.id) if event_of(row.tags) is None else Limit("event", row.tags["Event"])
    with store.reading() as transaction:
        rules = rules_in(transaction, row.tags)
        found = transaction.disputes.standing_rulings(place, within, MAX_RULINGS)
        keys = {key for tags in (row.tags, *(tags for _, tags in found)) for key in players_of(tags)}
        owners = transaction.persons.owners(keys)
    names = players_of(row.tags, owners)
    given: dict[str, list[GivenPenalty]] = {"South": [], "North": []}
    for event, tags in found:
        players = dict(zip(given, players_of(tags, owners), strict=True))
        for penalty in event.data.get("penalties", ()):
            for (side, list_), name in zip(given.items(), names, strict=True):
                is_same = players[penalty["side"]] == name if name else (event.game, penalty["side"]) == (row.id, side)
                if is_same:
                    dispute = f"{event.game}-{event.data['dispute']}"
                    list_.append(GivenPenalty(dispute, penalty["kind"], penalty.get("seeds"), event.time))
    south, north = (
        PlayerPenalties(side, tuple(list_), next_penalty(rules.ladder, [one.kind for one in list_]))
        for side, list_ in given.items()
    )
    return rules, (south, north)


def next_penalty(ladder: Sequence[str], given: Sequence[str]) -> str:
    """The penalty after the gravest one that was given; the last one can come again."""
    reached = max((ladder.index(kind) for kind in given if kind in ladder), default=-1)
    return ladder[min(reached + 1, len(ladder) - 1)]
