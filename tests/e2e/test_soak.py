"""The soak command: a seed determines its troubles, and a failure is reported with the command to repeat it."""

from click.testing import CliRunner

from tests.e2e.kill_loop import KillLoop
from tests.e2e.processes import PARTS

from . import soak


def test_a_round_is_played_and_counted() -> None:
    done = CliRunner().invoke(soak.main, ["--rounds", "1", "--seed", "3", "--game", "enkeshui"])
    assert done.exit_code == 0, done.output
    assert "1 right, 0 wrong" in done.output


def test_games_go_on_while_every_process_is_killed() -> None:
    tally = KillLoop(seed=1, together=3, seconds=0.0, games=("enkeshui",), between=(0.5, 1.5)).run()
    assert tally.wrong == []
    assert set(tally.killed) == set(PARTS)
    assert tally.games >= 3
    assert tally.resumed >= len(PARTS) - 2  # the desk and the process of jobs have no streams
    assert tally.imported >= tally.analyzed > 0
