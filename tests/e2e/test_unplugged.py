"""The cable is unplugged and plugged in again in mid-turn: the game goes on, and no event is lost or repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.chain import EXAMPLE, Chain

UNPLUGS = ("--unplug", "2:0.2", "--unplug", "5@button:0.2", "--unplug", "9@start:0.2", "--unplug", "26@button:0.2")


@pytest.mark.parametrize(("tcp", "speed"), [(False, "max"), (True, "200")], ids=["pty", "tcp"])
def test_a_game_survives_a_cable_unplugged_again_and_again(tcp: bool, speed: str, tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, *UNPLUGS, tcp=tcp, speed=speed) as chain:
        chain.finish()
        assert len(list(chain.board.events("unplugged"))) == 4
        assert chain.kinds().count("connected") >= 3
        assert "gap" not in chain.kinds()  # the board kept its events


def test_a_game_survives_a_cable_unplugged_three_times_in_a_turn(tmp_path: Path) -> None:
    unplugs = ("--unplug", "3@start:0.1", "--unplug", "3@middle:0.1", "--unplug", "3@button:0.1")
    with Chain(tmp_path, EXAMPLE, *unplugs, speed="50") as chain:
        chain.finish()
