"""Standings of an event, over its matches and the tally of its games (`docs/matches.md`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from records import Outcome, RecordsError, Rules
from records.matches.match import Match, Played
from records.rules.ruleset import Value, load_ruleset
from service.errors import Invalid, NotFound
from service.games.matches.games import games_that_count, standing_still
from service.games.plies import SIDES
from service.games.snapshot import position_of, rules_of
from service.storage import EventCounts, GameRow, PlayerCounts, Store, Transaction
from service.storage.search import players_of

DRAWN, OPEN = "drawn", "open"
DECISIONS = {"1-0": "South", "0-1": "North", "1/2-1/2": DRAWN, "*": None}


@dataclass(slots=True)
class Score:
    """How many were won, drawn and lost, and how many are not over."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    open: int = 0


@dataclass(slots=True)
class Standing:
    """A player in the standings. `tally` counts games, `matches` matches; a game without a match is a match of its
    own."""

    key: str
    name: str
    rank: int = 0
    matches: Score = field(default_factory=Score)
    tally: Score = field(default_factory=Score)

    @property
    def points(self) -> float:
        """One for a match that was won, half for a draw."""
        return self.matches.won + self.matches.drawn / 2

    @property
    def order(self) -> tuple[float, int, int]:
        """What ranks: points, sticks won less sticks lost, sticks won; a stick is a game won."""
        return self.points, self.tally.won - self.tally.lost, self.tally.won


@dataclass(frozen=True, slots=True)
class KnownPersons:
    """Persons who play in some games: the `owners` of names that were joined, and how each is shown."""

    owners: Mapping[str, str]
    names: Mapping[str, str]


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

    :raises NotFound: no game has it.
    """
    with store.reading() as transaction:
        found = transaction.names.event(key)
    if found is None:
        raise NotFound("no game has the event %(key)r", key=key[:80])
    return found


def load_standings(store: Store, key: str, most: int) -> list[Standing]:
    """The standings of the event with that key.

    :raises NotFound: no game has it. :raises Invalid: it has more than `most` games.
    """
    with store.reading() as transaction:
        exceeds = transaction.games.event_exceeds(key, most)
        rows = [] if exceeds else transaction.games.of_event(key, most)
        persons = known_persons(transaction, rows)
    if exceeds:
        raise Invalid(
            "The event %(key)r has more than %(most)s games: no standings are computed. Give its parts "
            "events of their own, or raise the setting max_event_games.",
            key=key[:80],
            most=most,
        )
    if not rows:
        raise NotFound("no game has the event %(key)r", key=key[:80])
    return standings(rows, persons)


def known_persons(transaction: Transaction, rows: Sequence[GameRow]) -> KnownPersons:
    """The persons who play in these games."""
    keys = {key for row in rows for key in players_of(row.tags) if key}
    owners = transaction.persons.owners(keys)
    return KnownPersons(owners, transaction.names.shown({owners.get(key, key) for key in keys}))


def standings(rows: Sequence[GameRow], persons: KnownPersons) -> list[Standing]:
    """The standings over these games, which are in the order they were stored, best first."""
    found: dict[str, Standing] = {}
    matches: dict[str, list[GameRow]] = defaultdict(list)
    for row in rows:
        matches[row.match_id or row.id].append(row)
    still = frozenset().union(*map(standing_still, matches.values()))
    for row in rows:
        sides = [
            found.setdefault(key, Standing(key, persons.names.get(key, key))) if key else None
            for key in players_of(row.tags, persons.owners)
        ]
        decision = OPEN if row.id in still else _decision(row)
        _add([one.tally if one else None for one in sides], decision)
    for games in matches.values():
        decision = _decision(games[0]) if games[0].match_id is None else _match_decision(games)
        _add([found[key].matches if key else None for key in players_of(games[0].tags, persons.owners)], decision)
    ordered = sorted(found.values(), key=lambda one: one.key)
    ordered.sort(key=lambda one: one.order, reverse=True)
    for place, one in enumerate(ordered):
        tied = place > 0 and ordered[place - 1].order == one.order
        one.rank = ordered[place - 1].rank if tied else place + 1
    return ordered


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


def _match_decision(rows: Sequence[GameRow]) -> str:
    """As `_decision`, of a match with these games in the event."""
    played = [row for row in games_that_count(rows) if row.state == "ended"]
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
