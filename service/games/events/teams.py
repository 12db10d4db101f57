"""The standings of an event with those of its teams, which follow from its pairings (`docs/matches.md`).

A team's match is all pairings of a round between its players and those of another team. Its match points are two for a
win and one for a draw, as FIDE's team tournaments have them; the board points are those of its players.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inkeek.service.storage import GameRow, Store

from .pairing import planned_length
from .plan import BY_FORMAT, EventPlan, Round
from .results import is_unplayed, matches_of, result_of
from .standings import KnownPersons, add_games, load_rows, standings
from .tie_breaks import Meeting, Standing, rank

ORDER = ("boards", "direct", "sticks")
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
    """The standings over these games, or over those of the rule set `game`, where teams have none."""
    counted, matches = [row for row in rows if game in (None, row.game)], matches_of(rows)
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
    return rank(list(found.values()), ORDER, meetings)


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
