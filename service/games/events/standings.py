"""Standings of an event, over its matches, the tally of its games and its byes; and those of its teams, which follow
from its pairings (`docs/matches.md`).

A team's match is all pairings of a round between its players and those of another team. Its match points are two for a
win and one for a draw, as FIDE's team tournaments have them; the board points are those of its players.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inkeek.service.errors import Invalid, NotFound
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.matches.games import games_that_count, up_to_live
from inkeek.service.storage import GameRow, NameRow
from inkeek.service.storage.search import game_key, name_key, players_of
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.names import EventCounts, PlayerCounts
from inkeek.service.storage.transaction import Transaction

from .pairing import planned_length
from .plan import BY_FORMAT, EventPlan, Round, counts_in, names_in, plan_of, with_names
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
    """The plan with its persons as they are written everywhere: the name in the plan is that of who has no games."""
    keys = {name: name_key(name) for name in names_in(plan).values()}
    owners = transaction.persons.owners({*keys.values()})
    keys = {name: owners.get(key, key) for name, key in keys.items()}
    names = transaction.names.shown({*keys.values()}, hide=False)
    return with_names(plan, lambda _, name: names.get(keys[name], name))


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


TEAM_ORDER = ("boards", "direct", "sticks")
"""What decides among teams with equal match points."""


@dataclass(slots=True)
class TeamStanding(Standing):
    """A team in the standings. `matches` counts its matches, `tally` the games of its players. `extra`: match points of
    rounds without an opponent."""

    @property
    def points(self) -> float:
        return 2 * self.matches.won + self.matches.drawn + self.extra


@dataclass(frozen=True, slots=True)
class EventStandings:
    """Players and teams of an event, best first, and what decides among players with equal points. `finished`: the
    last round is over, and no other follows."""

    players: list[Standing]
    teams: list[TeamStanding]
    order: tuple[str, ...]
    finished: bool

    @property
    def winners(self) -> list[str]:
        """The names of those who have won the event: teams, if it is one of teams."""
        ranked: Sequence[Standing] = self.teams or self.players
        return [one.name for one in ranked if one.rank == 1] if self.finished else []


def event_standings(
    rows: Sequence[GameRow], persons: KnownPersons, plan: EventPlan | None, game: str | None = None
) -> EventStandings:
    """The standings over these games, or over those of the rule set `game` or with that `game_key`, where teams have
    none."""
    counted = [row for row in rows if game in (None, row.game, game_key(row.game, row.tags))]
    matches = matches_of(rows)
    players = standings(counted, persons, plan, together=game is None)
    teams = team_standings(plan, matches) if game is None else []
    return EventStandings(players, teams, plan.order if plan else BY_FORMAT["free"], is_finished(plan, matches))


def load_standings(store: Store, key: str, most: int, game: str | None = None) -> EventStandings:
    """The standings of the event with that key, over all its games or those of the rule set `game`.

    :raises NotFound: there is no such event. :raises Invalid: it has more than `most` games.
    """
    rows, plan, persons = load_rows(store, key, most)
    return event_standings(rows, persons, plan, game)


def team_standings(plan: EventPlan | None, matches: Mapping[str, list[GameRow]]) -> list[TeamStanding]:
    """The teams, best first; none unless the event is one of teams. A round counts for whom its players played then."""
    if plan is None or plan.format != "teams":
        return []
    names = dict.fromkeys(player.team for player in plan.players)
    names |= dict.fromkeys(team for pairing in plan.pairings for team in pairing.teams)
    found = {team: TeamStanding(team, team) for team in names}
    meetings: dict[str, list[Meeting]] = defaultdict(list)
    for round in plan.rounds:
        _add_round(round, matches, found, meetings)
    return rank(list(found.values()), TEAM_ORDER, meetings)


def _add_round(
    round: Round,
    matches: Mapping[str, list[GameRow]],
    found: Mapping[str, TeamStanding],
    meetings: dict[str, list[Meeting]],
) -> None:
    """Count what the teams have of a round. A player without an opponent helps the team in its match of the round."""
    scores: dict[frozenset[str], dict[str, float]] = {}
    alone: dict[str, float] = defaultdict(float)
    going: set[frozenset[str]] = set()
    for pairing in round.pairings:
        teams, pair, points = pairing.teams, frozenset(pairing.teams), result_of(pairing, matches).points
        for team, scored in zip(teams, points or (), strict=False):
            found[team].boards += scored
        if pairing.north is None:
            alone[teams[0]] += points[0] if points else 0
            continue
        played = [row for row in matches.get(pairing.game, ()) if not is_unplayed(row)]
        add_games([found[team].tally for team in teams], played)
        if len(pair) == 2:
            score = scores.setdefault(pair, dict.fromkeys(teams, 0.0))
            for team, scored in zip(teams, points or (), strict=False):
                score[team] += scored
            going |= {pair} if points is None else set()
    for team, scored in alone.items():
        own = [score for pair, score in scores.items() if team in pair]
        if len(own) == 1:
            own[0][team] += scored
        elif not own and scored:
            found[team].extra += 2
            meetings[team].append(Meeting(None, 2, played=False))
    for pair, score in scores.items():
        _add_match(score, [found[team] for team in score], meetings, is_open=pair in going)


def _add_match(
    score: Mapping[str, float],
    teams: Sequence[TeamStanding],
    meetings: dict[str, list[Meeting]],
    *,
    is_open: bool,
) -> None:
    for one, other in (teams, teams[::-1]):
        own, theirs = score[one.key], score[other.key]
        if is_open:
            one.matches.open += 1
            continue
        one.matches.won += own > theirs
        one.matches.drawn += own == theirs
        one.matches.lost += own < theirs
        meetings[one.key].append(Meeting(other.key, 2.0 * (own > theirs) + (own == theirs)))


def is_finished(plan: EventPlan | None, matches: Mapping[str, list[GameRow]]) -> bool:
    """Whether the last round of an event is over and no other follows: it says who has won."""
    if plan is None or not plan.rounds:
        return False
    if any(result_of(one, matches).points is None for one in plan.rounds[-1].pairings):
        return False
    planned = planned_length(plan)
    return plan.state == "over" or (planned is not None and len(plan.rounds) >= planned)
