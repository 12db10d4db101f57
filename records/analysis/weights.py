"""The weights of the estimate that a search makes where it goes no deeper."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NONE = {"row": 0.0, "mobility": 0.0, "special": 0.0, "turn": 0.0}


@dataclass(frozen=True, slots=True)
class Weights:
    """What things are worth in seeds, for the side that has more of them.

    `row`: a seed in an ordinary pit of the own row, `mobility`: an own pit with seeds, `special`: a special pit,
    besides the seeds in it, `turn`: being to move.
    """

    row: float
    mobility: float
    special: float
    turn: float


@cache
def load_weights(id: str, family: str = "") -> Weights:
    """The weights for a rule set: its own, else those of its family, else none: then counted seeds alone say what a
    position is worth."""
    fitted = tomllib.loads(Path(__file__).with_name("weights.toml").read_text("utf-8"))
    return Weights(**(fitted.get(id) or fitted.get(family) or NONE))
