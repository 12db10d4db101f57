"""The collection of self-play that ships: for each rule set the games of one run, as a compressed text.

The first line of a text is a JSON object: how the games were made. Each other line is a game: its turns, what the
positions after the first of them are worth for South in half seeds, how it ended, and the seeds of South and North.
"""

from __future__ import annotations

import bz2
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from records.analysis.weights import Weights
from records.errors import RecordsError
from records.moves import Move
from records.position import Position
from records.rules.outcome import Outcome
from records.rules.play import Rules

from .playing import Player, SelfPlayGame, play_game, random_opening

VALUED_TURNS = 10  # turns of a game whose values are kept
VALUES_PER_SEED = 2  # values are kept in half seeds
OPENINGS = (4, 6, 8)  # random turns before the players choose; even numbers, so that South goes on
MAX_TRIES = 50  # random openings that are looked at for one with a new position


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


def make_games(rules: Rules, making: Making) -> Iterator[SelfPlayGame]:
    """Play game after game, each from a random opening that no game before came to, as long as there are such. The
    same `making` gives the same games again."""
    rng = Random(f"{making.seed} {making.game}")
    seen: set[Position] = set()
    while True:
        plies = rng.choice(OPENINGS)
        for _ in range(MAX_TRIES):
            opening, position = random_opening(rules, rng, plies)
            if position not in seen:
                break
        players = (Player(rules, making.nodes, making.weights), Player(rules, making.nodes, making.weights))
        played = play_game(rules, opening, players)
        board = rules.board(rules.start())
        for move in played.moves[: max(OPENINGS)]:
            board.push(move)
            seen.add(board.position())
        yield SelfPlayGame(played.moves, tuple(map(_round_value, played.values[:VALUED_TURNS])), played.outcome)


def _round_value(value: float) -> float:
    return round(VALUES_PER_SEED * value) / VALUES_PER_SEED


def write_collection(making: Making, games: Iterable[SelfPlayGame]) -> bytes:
    """The collection as a compressed text."""
    return bz2.compress("\n".join([json.dumps(asdict(making)), *map(_line, games), ""]).encode())


def _line(game: SelfPlayGame) -> str:
    moves = " ".join(move.choice_text for move in game.moves)
    values = " ".join(str(round(VALUES_PER_SEED * value)) for value in game.values)
    return f"{moves}|{values}|{game.outcome.termination}|{game.outcome.score[0]}-{game.outcome.score[1]}"


def read_collection(data: bytes) -> Collection:
    """The collection that `write_collection` wrote.

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
