"""The collection of self-play that ships: for each rule set the games of one run, as a compressed text.

The first line of a text is a JSON object: how the games were made. Each other line is a game: its turns, what the
positions after the first of them are worth for South in half seeds, how it ended, and the seeds of South and North.
"""

from __future__ import annotations

import bz2
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from inkeek.records.analysis.search import Weights
from inkeek.records.errors import RecordsError
from inkeek.records.moves import Move
from inkeek.records.position import NORTH, SOUTH, Position
from inkeek.records.rules.outcome import Outcome
from inkeek.records.rules.play import Rules, ruleset

# Games between programs, and how they end.

MAX_PLIES = 1000  # of a game; then it is adjudicated by the seeds in stores and special pits
REPETITIONS = 3  # that end a game under rules that leave it to the players


@dataclass(frozen=True, slots=True)
class SelfPlayGame:
    """A game of self-play from the set-up. `values`: what the position after each of the first turns is worth for
    South, in seeds, by the search that was asked there; as many as the game has turns, or as were kept."""

    moves: tuple[Move, ...]
    values: tuple[float, ...]
    outcome: Outcome


def game_end(rules: Rules, position: Position, times: int) -> Outcome | None:
    """How a game between programs ends in a position that came up `times` times; None if it continues.

    It ends by the rules, by repetition also where they leave that to the players, and after `MAX_PLIES` turns.
    """
    outcome = rules.outcome(position) or rules.repetition(position, times)
    if outcome is not None:
        return outcome
    is_endless = rules.options["repetition"] == 0 and times >= REPETITIONS
    if position.ply - rules.start().ply >= MAX_PLIES or is_endless:
        return Outcome.of("adjudication", rules.score(position))
    return None


VALUED_TURNS = 10  # turns of a game whose values are kept
VALUES_PER_SEED = 2  # values are kept in half seeds


class CollectionError(RecordsError):
    """A collection of self-play that is damaged."""


@dataclass(frozen=True, slots=True)
class Making:
    """How the games of a collection were made: each side searched `nodes` positions a turn, with these `weights`."""

    game: str
    seed: int
    nodes: int
    weights: Weights


@dataclass(frozen=True, slots=True)
class Collection:
    """Games of self-play, and how they were made."""

    making: Making
    games: tuple[SelfPlayGame, ...]


def read_collection(data: bytes) -> Collection:
    """The collection in a compressed text.

    :raises CollectionError: it is damaged.
    """
    try:
        head, *lines = bz2.decompress(data).decode().splitlines()
        sent = json.loads(head)
        making = Making(**{**sent, "weights": Weights(**sent["weights"])})
        return Collection(making, tuple(map(_read_line, lines)))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CollectionError(f"this is no collection of self-play: {error}") from error


def _read_line(line: str) -> SelfPlayGame:
    moves, values, termination, score = line.split("|")
    south, north = map(int, score.split("-"))
    return SelfPlayGame(
        tuple(map(Move.parse, moves.split())),
        tuple(int(value) / VALUES_PER_SEED for value in values.split()),
        Outcome.of(termination, (south, north)),
    )


def file_name(id: str) -> str:
    """The name of a rule set's file in the folder ``games``."""
    return f"{id}.bz2"


def load_collection(id: str) -> Collection | None:
    """The games that ship for a rule set; None if there are none."""
    file = Path(__file__).parent / "games" / file_name(id)
    return read_collection(file.read_bytes()) if file.is_file() else None


# What the games of self-play show of a position: which turns were played, how often, with what results and values.

MIN_GAMES = 2  # games that a position must have come up in

Key = tuple[tuple[int, ...], tuple[int, ...], int]  # pits, marks, side to move: as stored games are searched


@dataclass(slots=True)
class BookTurn:
    """What came of the games that went from one position to another one.

    `difference`: South's seeds less North's at the end, on average. `value`: what the position after the turn is worth
    for South by the search, on average.
    """

    times: int = 0
    south: int = 0
    north: int = 0
    drawn: int = 0
    difference: float = 0.0
    value: float = 0.0


class Book:
    """The first turns of all games of a collection, counted by position."""

    def __init__(self, collection: Collection) -> None:
        rules = ruleset(collection.making.game)
        self.games = len(collection.games)
        counted: dict[Key, dict[Key, BookTurn]] = {}
        start = rules.start()
        for game in collection.games:
            board = rules.board(start)
            keys = [position_key(start)]
            for move in game.moves[:VALUED_TURNS]:
                board.push(move)
                keys.append(position_key(board.position()))
            difference = game.outcome.score[0] - game.outcome.score[1]
            for (before, after), value in zip(pairwise(keys), game.values, strict=True):
                turn = counted.setdefault(before, {}).setdefault(after, BookTurn())
                turn.times += 1
                turn.south += game.outcome.winner is SOUTH
                turn.north += game.outcome.winner is NORTH
                turn.drawn += game.outcome.winner is None
                turn.difference += difference
                turn.value += value
        self._turns = {
            before: turns
            for before, turns in counted.items()
            if sum(turn.times for turn in turns.values()) >= MIN_GAMES
        }
        for turns in self._turns.values():
            for turn in turns.values():
                turn.difference = round(turn.difference / turn.times, 2)
                turn.value = round(turn.value / turn.times, 2)

    def turns(self, position: Position) -> Mapping[Key, BookTurn]:
        """The turns from a position, by the key of the position after each."""
        return self._turns.get(position_key(position), {})


def position_key(position: Position) -> Key:
    """What of a position counts for the book: not the stores, nor the number of its turn."""
    return position.pits, position.marks, position.to_move


@cache
def load_book(id: str) -> Book | None:
    """The book of a rule set with its default options; None if no games of it ship."""
    collection = load_collection(id)
    return None if collection is None else Book(collection)
