"""Matches: an agreed number of games, games for the surplus, and Bò·f's rounds (`docs/matches.md`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from .errors import RecordsError
from .game import Game
from .match_setup import (
    fill_from_right,
    layout_faults,
    least_to_play,
    match_kind,
    open_pits,
    row_of,
    seeds_of,
    standard_start,
    what_lies,
)
from .notation.tags import MAX_GAMES, format_options, match_game, parse_match, setup_of
from .outcome import Outcome
from .play import Rules
from .position import CLOSED, NORTH, ORDINARY, SOUTH, Position, Side
from .ruleset import format_value

PLAYERS = ("South", "North")  # tags that say who plays: the same in every record of a match that tells them


class MatchError(RecordsError):
    """Games that do not make a match, or a game that does not follow from those before it."""


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game: who began it, and its outcome. In a match for the surplus and in rounds `outcome.score` shares
    out all the seeds that were on the board."""

    first: Side
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Tally:
    """The sticks: games won by South and by North, and drawn."""

    south: int
    north: int
    drawn: int


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match ended: ``games-played``, all that were agreed on, or ``cannot-lay``, the loser has too few seeds to
    lay out one pit. `winner` is None for a draw."""

    winner: Side | None
    reason: str


@dataclass(frozen=True, slots=True)
class NextGame:
    """The game that comes next. `start`: what each side lays out. `first`: who begins; None where a race tells it.
    `seeds`: what (South, North) have. `standard`: whether (South, North) lay the standard set-up."""

    number: int
    start: Position
    first: Side | None
    seeds: tuple[int, int]
    standard: tuple[bool, bool]


@dataclass(frozen=True)
class Match:
    """A match as far as it was played.

    `rules` start from the standard set-up and say by their option `match` what kind it is. `title` is the text of the
    `Match` tag, which may tell the agreed number of games. `begun`: the next game is being played.

    :raises MatchError: the rules are of no match, or a game does not follow from those before it.
    """

    rules: Rules
    title: str = ""
    played: tuple[Played, ...] = ()
    begun: bool = False

    def __post_init__(self) -> None:
        if self.kind == "none":
            kinds = [format_value(value) for value in self.rules.info.option("match").allowed if value != "none"]
            raise MatchError(f"{self.rules.id} with match=none is no match: expected match={' or match='.join(kinds)}")
        if len(self.played) > MAX_GAMES:
            raise MatchError(f"{len(self.played)} games: a match has at most {MAX_GAMES}")
        told = parse_match(self.title)[0]
        if told not in (None, self.kind):
            raise MatchError(f"the match is called {self.title!r}, but its options say match={self.kind}")
        faults = layout_faults(self.rules, self.rules.start(), first_game=True)
        if faults:
            raise MatchError(f"the rules start from {self.rules.start()}: {faults[0]}")
        for number, game in enumerate(self.played, 1):
            expected = self._first(number)
            if expected not in (None, game.first):
                raise MatchError(f"game {number}: {game.first} begins: expected {expected}, {self._starter_told()}")
            seeds = sum(self._holdings[number - 1])
            if self.kind != "games" and sum(game.outcome.score) != seeds:
                south, north = game.outcome.score
                raise MatchError(f"game {number}: the score {south}-{north} does not share out the {seeds} seeds")
            if number < len(self.played) + self.begun and self._ended_after(number):
                raise MatchError(f"game {number + 1}: the match was over after game {number}")

    @property
    def kind(self) -> str:
        """One of `layout.KINDS`."""
        return match_kind(self.rules)

    @property
    def agreed(self) -> int | None:
        """How many games were agreed on, where the title tells it."""
        return parse_match(self.title)[1]

    @property
    def tally(self) -> Tally:
        """The games won and drawn."""
        winners = [game.outcome.winner for game in self.played]
        return Tally(winners.count(SOUTH), winners.count(NORTH), winners.count(None))

    @property
    def seeds(self) -> tuple[int, int]:
        """What (South, North) have for the next game."""
        return self._holdings[-1]

    @property
    def removed(self) -> int:
        """Seeds that have left the match as a winner's surplus."""
        return sum(self._holdings[0]) - sum(self.seeds)

    @property
    def outcome(self) -> MatchOutcome | None:
        """How the match ended; None while it goes on."""
        return self._ended_after(len(self.played))

    def add(self, game: Played) -> Match:
        """The match with one more game finished.

        :raises MatchError: it is over, or the game does not follow from those before it.
        """
        return replace(self, played=(*self.played, game), begun=False)

    def next_game(self, closed: str = "") -> NextGame:
        """What comes next. `closed`: the letters of the pits that sides close in a round; a side for which none is
        named closes its leftmost.

        :raises MatchError: the match is over, or pits that cannot be closed.
        """
        number = len(self.played) + 1
        if self.outcome is not None:
            raise MatchError(f"the match is over after {len(self.played)} games: there is no game {number}")
        if closed and self.kind != "rounds":
            raise MatchError(f"pits {closed} cannot be closed: only rounds close pits, and this is match={self.kind}")
        standard = self.rules.start()
        first = self._first(number)
        start = standard.replaced(to_move=standard.to_move if first is None else first)
        if self.kind == "surplus":
            rows = (fill_from_right(row_of(standard, side), self.seeds[side]) for side in Side)
            start = start.replaced(pits=tuple(seeds for row in rows for seeds in row))
        elif self.kind == "rounds":
            start = self._round(start, closed)
        south, north = (row_of(start, side) == row_of(standard, side) for side in Side)
        return NextGame(number, start, first, self.seeds, (south, north))

    def next_tags(self, closed: str = "") -> dict[str, str]:
        """The tags that the record of the next game has by this match; `closed` as for `next_game`.

        :raises MatchError: as `next_game`.
        """
        coming = self.next_game(closed)
        tags = {"Game": self.rules.id, "Options": format_options(self.rules.changed)}
        if coming.first is not None:
            tags["First"] = str(coming.first)
        if what_lies(coming.start) != what_lies(standard_start(self.rules)):
            tags["Setup"] = str(coming.start)
        return tags | {"Match": self.title or self.kind, "MatchGame": str(coming.number)}

    def verify_start(self, start: Position) -> None:
        """Check that the next game may be set up as `start`, whoever is to move.

        :raises MatchError: it may not; says what is expected.
        """
        coming = self.next_game()
        fits = what_lies(start) == what_lies(coming.start)
        if self.kind == "rounds":  # any pits may be closed, so many seeds given
            shared = (seeds_of(start, SOUTH), seeds_of(start, NORTH)) == self.seeds
            fits = shared and not layout_faults(self.rules, start, first_game=False)
        if not fits:
            raise MatchError(
                f"game {coming.number}: the set-up is {start}: South has {self.seeds[SOUTH]} seeds and North "
                f"{self.seeds[NORTH]}, so it is {coming.start}"
            )

    @cached_property
    def _holdings(self) -> tuple[tuple[int, int], ...]:
        """What (South, North) have before each game, and after the last."""
        standard = self.rules.start()
        laid = (seeds_of(standard, SOUTH), seeds_of(standard, NORTH))
        found = [laid]
        for game in self.played:
            south, north = game.outcome.score
            if self.kind == "games":
                found.append(laid)
            elif self.kind == "surplus":
                found.append((min(south, laid[SOUTH]), min(north, laid[NORTH])))
            else:
                found.append((south, north))
        return tuple(found)

    def _ended_after(self, games: int) -> MatchOutcome | None:
        """How the match ended with so many games played; None if it went on."""
        if self.kind == "games":
            if self.agreed is None or games < self.agreed:
                return None
            winners = [game.outcome.winner for game in self.played[:games]]
            south, north = winners.count(SOUTH), winners.count(NORTH)
            return MatchOutcome(None if south == north else (SOUTH if south > north else NORTH), "games-played")
        for side in Side:
            if self._holdings[games][side] < least_to_play(row_of(self.rules.start(), side)):
                return MatchOutcome(side.other, "cannot-lay")
        return None

    def _first(self, number: int) -> Side | None:
        """Who begins game `number`; None where nothing before it tells."""
        if self.rules.options.get("race", "none") != "none" or number == 1:
            return None
        last = self.played[number - 2]
        winner = last.outcome.winner
        rule = self.rules.options["round_starter" if self.kind == "rounds" else "starter"]
        if rule == "alternate" or winner is None:
            return last.first.other
        return winner if rule == "winner" else winner.other

    def _starter_told(self) -> str:
        name = "round_starter" if self.kind == "rounds" else "starter"
        return f"with {name}={self.rules.options[name]}"

    def _round(self, start: Position, closed: str) -> Position:
        """The next round's set-up: pits filled in full or closed, what is left over in the store."""
        pits, marks, stores = list(start.pits), [ORDINARY] * len(start.pits), [0, 0]
        each = self.rules.info.seeds_in_pit(self.rules.options)
        named = set(closed)
        for side in Side:
            own = start.pits_of(side)
            filled = open_pits(self.rules, self.seeds[side])
            stores[side] = self.seeds[side] - each * filled
            shut = [pit for pit in own if start.letter(pit) in named] or list(own[: len(own) - filled])
            if len(shut) != len(own) - filled:
                raise MatchError(
                    f"closed pits {closed!r}: {side} has {self.seeds[side]} seeds and must close {len(own) - filled}, "
                    f"not {len(shut)}"
                )
            for pit in shut:
                pits[pit], marks[pit] = 0, CLOSED
        unknown = named - {start.letter(pit) for pit in range(len(pits))}
        if unknown:
            raise MatchError(f"there is no pit {' '.join(sorted(unknown))} to close")
        laid = start.replaced(pits=tuple(pits), marks=tuple(marks), stores=(stores[0], stores[1]))
        faults = layout_faults(self.rules, laid, first_game=False)
        if faults:
            raise MatchError("; ".join(faults))
        return laid


def read_match(games: Iterable[Game]) -> Match:
    """The match that these records tell, in order from its first game; the last may have no result yet.

    :raises MatchError: there are none, one is wrong, or one does not follow from those before it; says which.
    """
    match: Match | None = None
    tags: Mapping[str, str] = {}
    for number, game in enumerate(games, 1):
        if game.errors:
            raise MatchError(f"game {number}: {game.errors[0]}")
        if match is None:
            match, tags = _begin(game), game.tags
        elif match.begun:
            raise MatchError(f"game {number - 1} has no result: only the last record of a match may have none")
        if number > MAX_GAMES:
            raise MatchError(f"more than {MAX_GAMES} games")
        match = _follow(match, game, number, tags)
    if match is None:
        raise MatchError("there is no record: expected those of the match, from its first game on")
    return match


def played_of(game: Game) -> Played:
    """A finished game as a match counts it. Where players ended it and gave no `Score`, the seeds still in ordinary
    pits go to the owner of the row.

    :raises MatchError: it has no result, or is wrong.
    """
    replay = game.replay()
    if game.errors or replay.outcome is None:
        raise MatchError(f"the record has no result: {game.errors[0] if game.errors else 'the game goes on'}")
    outcome = replay.outcome
    if "Score" not in game.tags and outcome.termination not in ("normal", "repetition"):
        outcome = replace(outcome, score=game.rules().final_score(replay.positions[-1]))
    return Played(replay.positions[0].to_move, outcome)


def _begin(game: Game) -> Match:
    """The match of which this is the first record."""
    rules = game.rules()
    # The rules of a record start after its race; those of a match, from what is laid out.
    setup = setup_of(game.tags) if match_kind(rules) == "games" else None
    return Match(Rules(rules.info, rules.options, setup), game.tags.get("Match", ""))


def _follow(match: Match, game: Game, number: int, tags: Mapping[str, str]) -> Match:
    """The match with the next record. `tags` are those of the first."""
    rules = game.rules()
    here = {"game": rules.id, **rules.options}
    there = {"game": match.rules.id, **match.rules.options}
    differ = [name for name in there if here.get(name) != there[name]]
    if differ:
        name = differ[0]
        raise MatchError(f"game {number}: {name} is {here.get(name)}, but in game 1 {there[name]}")
    title = game.tags.get("Match", match.title)
    if parse_match(title)[1] != match.agreed:
        raise MatchError(f"game {number}: Match is {title!r}, but in game 1 {match.title!r}")
    told = match_game(game.tags, rules)
    if told not in (None, number):
        raise MatchError(f"game {number}: MatchGame is {told}: expected the records of a match from its first on")
    for name in PLAYERS:
        if "?" not in (game.tags.get(name, "?"), tags.get(name, "?")) and game.tags[name] != tags[name]:
            raise MatchError(f"game {number}: {name} is {game.tags[name]!r}, but in game 1 {tags[name]!r}")
    match.verify_start(setup_of(game.tags) or standard_start(rules))
    if game.replay().outcome is None:
        return replace(match, begun=True)
    return match.add(played_of(game))
