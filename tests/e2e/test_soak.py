"""The soak command: a seed determines its troubles, and a failure is reported with the command to repeat it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from records import read_games
from tests.e2e.chain import Chain
from tests.e2e.kill_loop import KillLoop
from tests.e2e.processes import PARTS
from tests.e2e.troubles import draw

from . import soak

GAMES = ("enkeshui", "layli-goobalay", "bof", "anywoli")


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_draws_the_same_troubles(seed: int, tmp_path: Path) -> None:
    first, second = (draw(Random(seed), GAMES, tmp_path / name) for name in ("first.pmn", "second.pmn"))
    assert first == second
    text = (tmp_path / "first.pmn").read_text("utf-8")
    assert text == (tmp_path / "second.pmn").read_text("utf-8")
    (game,) = read_games(text.splitlines(keepends=True))
    assert game.errors == ()
    assert len(game.plies) == first.plies > 0


def test_a_round_is_played_and_counted() -> None:
    done = CliRunner().invoke(soak.main, ["--rounds", "1", "--seed", "3", "--game", "enkeshui"])
    assert done.exit_code == 0, done.output
    assert "1 right, 0 wrong" in done.output


def test_a_wrong_game_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def differ(chain: Chain) -> None:
        raise AssertionError("the record differs")

    monkeypatch.setattr(Chain, "finish", differ)
    done = CliRunner().invoke(soak.main, ["--rounds", "1", "--seed", "3", "--game", "enkeshui"])
    assert done.exit_code == 1
    assert "AssertionError: the record differs" in done.output
    assert "again: python -m tests.e2e.soak --seed 3 --only 0" in done.output


def test_games_go_on_while_every_process_is_killed() -> None:
    tally = KillLoop(seed=1, together=3, seconds=0.0, games=("enkeshui",)).run()
    assert tally.wrong == []
    assert set(tally.killed) == set(PARTS)
    assert tally.games >= 3
    assert tally.resumed >= len(PARTS) - 2  # the desk and the process of jobs have no streams
    assert tally.imported >= tally.analyzed > 0
