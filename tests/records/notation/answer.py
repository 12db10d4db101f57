"""What this project's reader answers to the runner of the conformance corpus (`tests/data/notation/README.md`).

python -m tests.records.notation.answer < games.pmn
"""

from __future__ import annotations

import io
import json
import sys
from dataclasses import asdict
from typing import Any

from inkeek.records import Game, read_games, write_game


def answer(data: bytes) -> dict[str, Any]:
    """The answer about a file."""
    return {"records": [_of_record(game) for game in read_games(io.BytesIO(data))]}


def _of_record(game: Game) -> dict[str, Any]:
    error = game.errors[0] if game.errors else None
    return {
        "record": None if game.faults else game.to_json(),
        "error": asdict(error) if error else None,
        "turns": [str(turn.move) for turn in game.replay().turns],
        "canonical": None if game.faults else write_game(game),
    }


if __name__ == "__main__":
    json.dump(answer(sys.stdin.buffer.read()), sys.stdout)
