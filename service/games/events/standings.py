"""Standings of an event, over its matches, the tally of its games and its byes (`docs/matches.md`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from records import Outcome, RecordsError, Rules
from records.matches.match import Match, Played
from records.rules.ruleset import Value, load_ruleset
from service.errors import Invalid, NotFound
from service.games.event_data import SIDES
from service.games.matches.games import games_that_count, up_to_live
from service.games.snapshot import position_of, rules_of
from service.storage import EventCounts, GameRow, NameRow, PlayerCounts, Store, Transaction
from service.storage.search import players_of

from .plan import BY_FORMAT, BYES, FORFEITS, EventPlan, Pairing, plan_of
from .tie_breaks import Meeting, Points, Score, Standing, rank

DRAWN, OPEN = "drawn", "open"
POINTS: dict[str | None, tuple[float, float]] = {"South": (1.0, 0.0), "North": (0.0, 1.0), DRAWN: (0.5, 0.5)}
DECISIONS = {"1-0": "South", "0-1": "North", "1/2-1/2": DRAWN, "*": None}


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
    if found is None and planned is not None:
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
    """The games of the event with that key, in the order they were stored, its plan, and who plays in them.

    :raises NotFound: there is neither. :raises Invalid: it has more than `most` games.
    """
    with store.reading() as transaction:
        planned = transaction.event_plans.get(key)
        exceeds = transaction.games.event_exceeds(key, most)
        rows = [] if exceeds else games_that_count(transaction, transaction.games.of_event(key, most))
        plan = None if planned is None else plan_of(planned)
        persons = known_persons(transaction, rows, plan)
    if exceeds:
        raise Invalid(
            "The event %(key)r has more than %(most)s games: no standings are computed. Give its parts "
            "events of their own, or raise the setting max_event_games.",
            key=key[:80],
            most=most,
        )
    if not rows and planned is None:
        raise NotFound("no game has the event %(key)r", key=key[:80])
    return rows, plan, persons


def known_persons(transaction: Transaction, rows: Sequence[GameRow], plan: EventPlan | None) -> KnownPersons:
    """The persons who play in these games, and those of the plan."""
    keys = {key for row in rows for key in players_of(row.tags) if key}
    keys |= {player.key for player in plan.players} if plan else set()
    owners = transaction.persons.owners(keys)
    return KnownPersons(owners, transaction.names.shown({owners.get(key, key) for key in keys}))


def matches_of(rows: Sequence[GameRow]) -> dict[str, list[GameRow]]:
    """The games by the id of their match, or their own if they are in none."""
    matches: dict[str, list[GameRow]] = defaultdict(list)
    for row in rows:
        matches[row.match_id or row.id].append(row)
    return matches


def points_of(pairing: Pairing, matches: Mapping[str, list[GameRow]]) -> Points | None:
    """What a pairing brought South and North; None while it is open."""
    if pairing.result in BYES:
        return BYES[pairing.result], 0.0
    if pairing.result:
        return FORFEITS[pairing.result]
    games = matches.get(pairing.game or "")
    return POINTS.get(_decision_of(games)) if games else None


def standings(
    rows: Sequence[GameRow], persons: KnownPersons, plan: EventPlan | None = None, *, together: bool = True
) -> list[Standing]:
    """The standings over these games, which are in the order they were stored, best first. `together`: they are all
    games of the event, so that its byes count too, and all its players are there."""
    found: dict[str, Standing] = {}
    matches = matches_of(rows)
    pairings = {one.game: one for round in plan.rounds for one in round.pairings if one.game} if plan else {}
    players = plan.by_id if plan else {}
    if plan and together:
        for player in plan.players:
            key = persons.owner(player.key)
            found[key] = Standing(key, persons.names.get(key, player.name), team=player.team)
    meetings: dict[str, list[Meeting]] = defaultdict(list)
    still = {row.id for games in matches.values() for row in up_to_live(games)[1]}
    for id, games in matches.items():
        pairing = pairings.get(id)
        if pairing is None:
            keys = players_of(games[0].tags, persons.owners)
        else:
            keys = persons.owner(players[pairing.south].key), persons.owner(players[pairing.north or 0].key)
        sides = [found.setdefault(key, Standing(key, persons.names.get(key, key))) if key else None for key in keys]
        if pairing is not None and pairing.result:
            continue
        for row in games:
            _add([one.tally if one else None for one in sides], OPEN if row.id in still else _decision(row))
        decision = _decision_of(games)
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
            points = points_of(pairing, matches)
            if points is None:
                continue
            for key, other, scored in zip(keys, [*keys[1:], *keys[:1]], points, strict=False):
                if not pairing.result:
                    meetings[key].append(Meeting(other, scored))
                    continue
                voluntary = pairing.result in ("half", "zero") or (pairing.result in FORFEITS and not scored)
                meetings[key].append(Meeting(None, scored, played=False, voluntary=voluntary))
                if pairing.result in BYES:
                    found[key].extra += scored
                else:
                    score = found[key].matches
                    score.won, score.lost = score.won + (scored == 1), score.lost + (scored == 0)
        for key in away:  # came later, or was away
            meetings[key].append(Meeting(None, 0.0, played=False, voluntary=True))


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


def _decision(row: GameRow) -> str | None:
    """The winner of a game, `DRAWN` or `OPEN`; None if it ended without a result."""
    return OPEN if row.state == "live" else DECISIONS[row.result]


def _decision_of(games: Sequence[GameRow]) -> str | None:
    """As `_decision`, of a match or of a game without one."""
    return _decision(games[0]) if games[0].match_id is None else _match_decision(games)


def _match_decision(rows: Sequence[GameRow]) -> str:
    """As `_decision`, of a match with these games in the event."""
    played = [row for row in up_to_live(rows)[0] if row.state == "ended"]
    try:
        rules = _match_rules(rows[0].game, tuple(rows[0].options.items()), position_of(rows[0].start).row)
        match = Match(rules, rows[0].tags.get("Match", ""), tuple(map(_played_game, played)))
    except RecordsError:  # games are missing here, or were corrected so that the next one does not follow
        return OPEN
    if match.outcome is None:
        return OPEN
    return DRAWN if match.outcome.winner is None else str(match.outcome.winner)


@lru_cache(maxsize=256)
def _match_rules(game: str, options: tuple[tuple[str, Value], ...], pits: int) -> Rules:
    info = load_ruleset(game)
    return Rules(info, info.resolve({"pits": pits, **dict(options)}, laid_out=False))


def _played_game(row: GameRow) -> Played:
    """A finished game as its match counts it (`records.matches.match.played_of`)."""
    score = row.score
    if score is None:  # players ended it
        score = rules_of(row).final_score(position_of(row.position))
    winner = None if row.winner is None else SIDES[row.winner]
    return Played(position_of(row.start).to_move, Outcome(row.termination or "", winner, score))


def games_of_pairing(transaction: Transaction, id: str) -> list[GameRow]:
    """A game, or those of the match that it began."""
    first = transaction.games.get(id)
    if first is None:
        return []
    return [first] if first.match_id is None else list(transaction.games.of_match(id))


def is_unrecorded(row: GameRow) -> bool:
    """Whether the result is all that is known of a game that is over."""
    return row.state == "ended" and row.ply == 0 and row.termination in ("adjudication", "agreement")
