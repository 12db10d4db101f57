"""The collection of self-play that ships: for each rule set the games of one run, as a compressed text.

The first line of a text is a JSON object: how the games were made. Each other line is a game: its turns, what the
positions after the first of them are worth for South in half seeds, how it ended, and the seeds of South and North.
"""

from __future__ import annotations

import bz2
import json
from dataclasses import dataclass
from pathlib import Path

from inkeek.records.analysis.weights import Weights
from inkeek.records.errors import RecordsError
from inkeek.records.moves import Move
from inkeek.records.rules.outcome import Outcome

from .playing import SelfPlayGame

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
