"""What the games of self-play show of a position: which turns were played, how often, with what results and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from inkeek.records.position import NORTH, SOUTH, Position
from inkeek.records.rules.play import ruleset

from .collection import VALUED_TURNS, Collection, load_collection

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
