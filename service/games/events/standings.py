"""Standings of an event, over its matches, the tally of its games and its byes (`docs/matches.md`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from inkeek.service.errors import Invalid, NotFound
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.matches.games import games_that_count, up_to_live
from inkeek.service.storage import EventCounts, GameRow, NameRow, PlayerCounts, Store, Transaction
from inkeek.service.storage.search import players_of

from .plan import BY_FORMAT, EventPlan, counts_in, plan_of
from .results import (
    BYES,
    DRAWN,
    FORFEITS,
    OPEN,
    POINTS,
    decision_of,
    decision_of_game,
    games_of_pairing,
    is_unplayed,
    matches_of,
    result_of,
)
from .tie_breaks import Meeting, Score, Standing, rank


@dataclass(frozen=True, slots=True)
class KnownPersons:
    """Of players: whose a joined name is, and how each person is shown, by key."""

    owners: Mapping[str, str]
    names: Mapping[str, str]

    def owner(self, key: str) -> str:
        """The key of the person who has this name."""
        return self.owners.get(key, key)


def load_player(store: Store, key: str) -> PlayerCounts:
    """What is counted of a player.

    :raises NotFound: nobody has played under that name.
    """
    with store.reading() as transaction:
        found = transaction.names.player(transaction.persons.owner(key))
    if found is None:
        raise NotFound("no game has a player with the name %(key)r", key=key[:80])
    return found


def load_event(store: Store, key: str) -> EventCounts:
    """What is counted of an event.

    :raises NotFound: no game has it, and nobody has planned it.
    """
    with store.reading() as transaction:
        found, planned = transaction.names.event(key), transaction.event_plans.get(key)
    if found is not None and planned is not None:
        return found._replace(name=planned.name)
    if planned is not None:
        plan = plan_of(planned)
        return EventCounts(plan.name, 0, 0, plan.first_date or None, plan.last_date or plan.first_date or None, True)
    if found is None:
        raise NotFound("no game has the event %(key)r", key=key[:80])
    return found


def event_names(transaction: Transaction, prefix: str, limit: int, after: str | None = None) -> list[NameRow]:
    """At most `limit` events that games name or that are planned, as `NameTable.events` lists those of games."""
    rows = [*transaction.names.events(prefix, limit, after), *transaction.event_plans.names(prefix, limit, after)]
    found = {row.key: row for row in rows}
    return [found[key] for key in sorted(found)][:limit]


def load_rows(store: Store, key: str, most: int) -> tuple[list[GameRow], EventPlan | None, KnownPersons]:
    """The games that count in the event with that key, its plan as `as_written` has it, and who plays in them.

    :raises NotFound: there is neither. :raises Invalid: it has more than `most` games.
    """
    with store.reading() as transaction:
        planned = transaction.event_plans.get(key)
        exceeds, is_named = (transaction.games.event_exceeds(key, count) for count in (most, 0))
        plan = None if planned is None else plan_of(planned)
        rows = [] if exceeds else games_that_count(transaction, event_rows(transaction, key, plan, most))
        plan = plan and as_written(transaction, plan)
        persons = known_persons(transaction, rows, plan)
    if exceeds:
        raise Invalid(
            "The event %(key)r has more than %(most)s games: no standings are computed. Give its parts "
            "events of their own, or raise the setting max_event_games.",
            key=key[:80],
            most=most,
        )
    if not is_named and planned is None:
        raise NotFound("no game has the event %(key)r", key=key[:80])
    return rows, plan, persons


def event_rows(transaction: Transaction, key: str, plan: EventPlan | None, most: int) -> list[GameRow]:
    """The games that count in the event with that key, in the order they were stored."""
    rows = [*filter(counts_in(plan), transaction.games.of_event(key, most))]
    for game in (plan.paired if plan else set()) - {row.match_id or row.id for row in rows}:
        rows += games_of_pairing(transaction, game)
    return rows


def known_persons(transaction: Transaction, rows: Sequence[GameRow], plan: EventPlan | None) -> KnownPersons:
    """The persons who play in these games, and those of the plan."""
    keys = {key for row in rows for key in players_of(row.tags) if key}
    keys |= {player.key for player in plan.players} if plan else set()
    owners = transaction.persons.owners(keys)
    people = {owners.get(key, key) for key in keys}
    written = {owners.get(player.key, player.key): player.name for player in (plan.players if plan else ())}
    return KnownPersons(owners, written | transaction.names.shown(people))


def as_written(transaction: Transaction, plan: EventPlan) -> EventPlan:
    """The plan with its players as they are written everywhere: the name in the plan is that of who has no games."""
    owners = transaction.persons.owners({player.key for player in plan.players})
    keys = {player.id: owners.get(player.key, player.key) for player in plan.players}
    names = transaction.names.shown({*keys.values()}, hide=False)
    players = (msgspec.structs.replace(one, name=names.get(keys[one.id], one.name)) for one in plan.players)
    return msgspec.structs.replace(plan, players=tuple(players))


def standings(
    rows: Sequence[GameRow], persons: KnownPersons, plan: EventPlan | None = None, *, together: bool = True
) -> list[Standing]:
    """The standings over these games, which are in the order they were stored, best first. `together`: they are all
    games of the event, so that its byes count too, and all its players are there."""
    found: dict[str, Standing] = {}
    matches = matches_of(rows)
    pairings = {one.game: one for one in plan.pairings} if plan else {}
    players = plan.by_id if plan else {}
    if plan and together:
        for player in plan.players:
            key = persons.owner(player.key)
            found[key] = Standing(key, persons.names.get(key, player.name), team=player.team)
    meetings: dict[str, list[Meeting]] = defaultdict(list)
    for id, games in matches.items():
        pairing = pairings.get(id)
        if pairing is None:
            keys = [*players_of(games[0].tags, persons.owners)]
        else:
            keys = [persons.owner(players[id].key) for id in pairing.players]
        sides = [found.setdefault(key, Standing(key, persons.names.get(key, key))) if key else None for key in keys]
        if pairing is not None and (pairing.north is None or result_of(pairing, matches).unplayed):
            continue
        played = games if pairing is None else [row for row in games if not is_unplayed(row)]
        add_games([one.tally if one else None for one in sides], played)
        decision = decision_of(games)
        _add([one.matches if one else None for one in sides], decision)
        if pairing is None and decision in POINTS and all(keys) and keys[0] != keys[1]:
            for one, other, points in zip(keys, keys[::-1], POINTS[decision], strict=True):
                meetings[one].append(Meeting(other, points))
    if plan and together:
        _add_rounds(plan, persons, matches, found, meetings)
    order = plan.order if plan else BY_FORMAT["free"]
    return rank(list(found.values()), order, meetings)


def _add_rounds(
    plan: EventPlan,
    persons: KnownPersons,
    matches: dict[str, list[GameRow]],
    found: dict[str, Standing],
    meetings: dict[str, list[Meeting]],
) -> None:
    """Count byes and forfeits, and what everybody did in each round."""
    players = plan.by_id
    for round in plan.rounds:
        away = {persons.owner(player.key) for player in plan.players}
        for pairing in round.pairings:
            keys = [persons.owner(players[id].key) for id in pairing.players]
            away -= {*keys}
            unplayed, points = result_of(pairing, matches)
            if points is None:
                continue
            for key, other, scored in zip(keys, [*keys[1:], *keys[:1]], points, strict=False):
                if not unplayed:
                    meetings[key].append(Meeting(other, scored))
                    continue
                voluntary = unplayed in ("half", "zero") or (unplayed in FORFEITS and not scored)
                meetings[key].append(Meeting(None, scored, played=False, voluntary=voluntary))
                if unplayed in BYES:
                    found[key].extra += scored
                else:
                    score = found[key].matches
                    score.won, score.lost = score.won + (scored == 1), score.lost + (scored == 0)
        for key in away:  # came later, or was away
            meetings[key].append(Meeting(None, 0.0, played=False, voluntary=True))


def add_games(scores: Sequence[Score | None], games: Sequence[GameRow]) -> None:
    """Count what South and North, if they are named, have of the games of a match."""
    still = {row.id for row in up_to_live(games)[1]}
    for row in games:
        _add(scores, OPEN if row.id in still else decision_of_game(row))


def _add(scores: Sequence[Score | None], decision: str | None) -> None:
    """Count what South and North, if they are named, have of a game or a match."""
    if decision is None or scores[0] is scores[1]:
        return
    for side, score in zip(SIDES, scores, strict=True):
        if score is None:
            continue
        if decision == OPEN:
            score.open += 1
        elif decision == DRAWN:
            score.drawn += 1
        elif decision == side:
            score.won += 1
        else:
            score.lost += 1
