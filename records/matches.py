"""Matches: an agreed number of games, games for the surplus, and Bò·f's rounds (`docs/matches.md`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from .errors import OptionError, RecordsError
from .game import Game
from .notation.tags import MAX_GAMES, carried_rules, described, format_options, match_game, parse_match, setup_of
from .position import CLOSED, NORTH, ORDINARY, SOUTH, Position, Side
from .rules.outcome import Outcome
from .rules.play import Rules
from .rules.ruleset import format_value
from .setups import (
    fill_from_right,
    least_to_play,
    match_kind,
    open_pits,
    row_of,
    seeds_and_marks,
    seeds_of,
    setup_faults,
    standard_start,
)

PLAYERS = ("South", "North")  # tags that name the players: equal in all records of a match that have them


class MatchError(RecordsError):
    """Games that are no match, or a game that does not follow from those before it."""


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game. In a match for the surplus and in rounds `outcome.score` shares out all seeds of the board."""

    first: Side
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Tally:
    """Games won by South and by North, and drawn."""

    south: int
    north: int
    drawn: int


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """How a match ended: ``games-played`` (all that were agreed on), or ``cannot-lay`` (the loser has too few seeds to
    fill a pit). `winner` is None for a draw."""

    winner: Side | None
    reason: str


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game. `start`: its set-up. `first`: who begins; None where a race decides. `seeds`: those of
    (South, North). `standard`: whether (South, North) have the standard row."""

    number: int
    start: Position
    first: Side | None
    seeds: tuple[int, int]
    standard: tuple[bool, bool]


@dataclass(frozen=True)
class Match:
    """A match as far as it was played.

    `rules` start from the standard set-up, and their option `match` is the kind of match. `title` is the text of the
    `Match` tag, which may give the agreed number of games. `begun`: the next game is being played.

    :raises MatchError: the rules are not for a match, or a game does not follow from those before it.
    """

    rules: Rules
    title: str = ""
    played: tuple[Played, ...] = ()
    begun: bool = False

    def __post_init__(self) -> None:
        if self.kind == "none":
            kinds = [format_value(value) for value in self.rules.info.option("match").allowed if value != "none"]
            raise MatchError(f"{self.rules.id} has match=none: expected match={' or match='.join(kinds)}")
        if len(self.played) > MAX_GAMES:
            raise MatchError(f"{len(self.played)} games: a match has at most {MAX_GAMES}")
        if parse_match(self.title)[0] not in (None, self.kind):
            raise MatchError(f"Match is {self.title!r}, but the options say match={self.kind}")
        faults = setup_faults(self.rules, self.rules.start(), first_game=True)
        if faults:
            raise MatchError(f"the rules start from {self.rules.start()}: {faults[0]}")
        for number, game in enumerate(self.played, 1):
            self.verify_first(number, game.first)
            seeds = sum(self._holdings[number - 1])
            if self.kind != "games" and sum(game.outcome.score) != seeds:
                south, north = game.outcome.score
                raise MatchError(f"game {number}: the score {south}-{north} does not share out the {seeds} seeds")
            if number < len(self.played) + self.begun and self._ended_after(number):
                raise MatchError(f"game {number + 1}: the match ended with game {number}")

    @property
    def kind(self) -> str:
        """One of `MATCH_KINDS`, or ``none``."""
        return match_kind(self.rules)

    @property
    def agreed(self) -> int | None:
        """How many games were agreed on; None if the title does not say."""
        return parse_match(self.title)[1]

    @property
    def tally(self) -> Tally:
        """The games won and drawn."""
        winners = [game.outcome.winner for game in self.played]
        return Tally(winners.count(SOUTH), winners.count(NORTH), winners.count(None))

    @property
    def seeds(self) -> tuple[int, int]:
        """The seeds of (South, North) for the next game."""
        return self._holdings[-1]

    @property
    def removed(self) -> int:
        """Seeds that left the match as a winner's surplus."""
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
        """The next game. `closed`: letters of the pits that the sides close in a round; a side that names none closes
        its leftmost.

        :raises MatchError: the match is over, or the pits cannot be closed.
        """
        number = len(self.played) + 1
        if self.outcome is not None:
            raise MatchError(f"the match is over after {len(self.played)} games: there is no game {number}")
        if closed and self.kind != "rounds":
            raise MatchError(f"pits {closed} cannot be closed with match={self.kind}: only match=rounds closes pits")
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
        """The tags of the next game's record that follow from the match; `closed` as for `next_game`.

        :raises MatchError: as `next_game`.
        """
        coming = self.next_game(closed)
        tags = {**described(self.rules.info), "Options": format_options(self.rules.changed)}
        if coming.first is not None:
            tags["First"] = str(coming.first)
        if not self._is_standard(coming.start):
            tags["Setup"] = str(coming.start)
        return tags | {"Match": self.title or self.kind, "MatchGame": str(coming.number)}

    def _is_standard(self, start: Position) -> bool:
        """Whether the options alone say this set-up. Where the first game was set up as a position, they may name none
        of this board."""
        try:
            return seeds_and_marks(start) == seeds_and_marks(standard_start(self.rules))
        except OptionError:
            return False

    def verify_first(self, number: int, first: Side) -> None:
        """Check who begins game `number`.

        :raises MatchError: the games before it decide otherwise.
        """
        expected = self._first(number)
        if expected not in (None, first):
            name = "round_starter" if self.kind == "rounds" else "starter"
            rule = f"{name}={self.rules.options[name]}"
            raise MatchError(f"game {number}: {first} begins: expected {expected}, with {rule}")

    def verify_start(self, start: Position) -> None:
        """Check that the next game may be set up as `start`, whoever is to move.

        :raises MatchError: it may not; says which set-up is expected.
        """
        coming = self.next_game()
        fits = seeds_and_marks(start) == seeds_and_marks(coming.start)
        if self.kind == "rounds":  # any pits may be closed, so many seeds given
            shared = (seeds_of(start, SOUTH), seeds_of(start, NORTH)) == self.seeds
            fits = shared and not setup_faults(self.rules, start, first_game=False)
        if not fits:
            raise MatchError(
                f"game {coming.number}: the set-up is {start}: expected {coming.start}, as South has "
                f"{self.seeds[SOUTH]} seeds and North {self.seeds[NORTH]}"
            )

    @cached_property
    def _holdings(self) -> tuple[tuple[int, int], ...]:
        """The seeds of (South, North) before each game, and after the last."""
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
        """Who begins game `number`; None where the games before it do not decide."""
        if self.rules.options.get("race", "none") != "none" or number == 1:
            return None
        last = self.played[number - 2]
        winner = last.outcome.winner
        rule = self.rules.options["round_starter" if self.kind == "rounds" else "starter"]
        if rule == "alternate" or winner is None:
            return last.first.other
        return winner if rule == "winner" else winner.other

    def _round(self, start: Position, closed: str) -> Position:
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
        faults = setup_faults(self.rules, laid, first_game=False)
        if faults:
            raise MatchError("; ".join(faults))
        return laid


def read_match(games: Iterable[Game]) -> Match:
    """The match of these records, in order from its first game; the last may have no result yet.

    :raises MatchError: there are no records, one is wrong, or one does not follow from those before it; says which.
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
        raise MatchError("there are no records: expected those of the match, from its first game on")
    return match


def played_of(game: Game) -> Played:
    """A finished game as a match counts it. If players ended it and the record has no `Score`, the seeds in ordinary
    pits go to the owner of the row.

    :raises MatchError: the record is wrong or has no result.
    """
    replay = game.replay()
    end = replay.outcome
    if game.errors or end is None or end.result == "*":
        raise MatchError(f"the record has no result: {game.errors[0] if game.errors else 'the game goes on'}")
    score = game.rules().final_score(replay.positions[-1]) if end.score is None else end.score
    return Played(replay.positions[0].to_move, Outcome(end.termination, end.winner, score))


def _begin(game: Game) -> Match:
    rules = game.rules()
    # The rules of a record start after its race; those of a match, from its set-up.
    setup = setup_of(game.tags) if match_kind(rules) == "games" else None
    return Match(Rules(rules.info, rules.options, setup), game.tags.get("Match", ""))


def _follow(match: Match, game: Game, number: int, tags: Mapping[str, str]) -> Match:
    rules = game.rules()
    here, there = (
        {"game": one.id, "rules": carried_rules(described(one.info)), **one.options} for one in (rules, match.rules)
    )
    differ = [name for name in there if here.get(name) != there[name]]
    if differ:
        name = differ[0]
        raise MatchError(f"game {number}: {name} is {here.get(name)}, but in game 1 {there[name]}")
    title = game.tags.get("Match", match.title)
    if parse_match(title)[1] != match.agreed:
        raise MatchError(f"game {number}: Match is {title!r}, but in game 1 {match.title!r}")
    match_number = match_game(game.tags, rules)
    if match_number not in (None, number):
        raise MatchError(f"game {number}: MatchGame is {match_number}: expected all games of the match, in order")
    for name in PLAYERS:
        if "?" not in (game.tags.get(name, "?"), tags.get(name, "?")) and game.tags[name] != tags[name]:
            raise MatchError(f"game {number}: {name} is {game.tags[name]!r}, but in game 1 {tags[name]!r}")
    match.verify_start(setup_of(game.tags) or standard_start(rules))
    replayed = game.replay()
    if replayed.outcome is None or replayed.outcome.result == "*":
        match.verify_first(number, replayed.positions[0].to_move)
        return replace(match, begun=True)
    return match.add(played_of(game))
