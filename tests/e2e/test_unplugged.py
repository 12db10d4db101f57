"""The cable is pulled and put back in mid-turn: the game goes on by itself, and nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.chain import EXAMPLE, Chain

PULLS = ("--unplug", "2:0.2", "--unplug", "5@button:0.2", "--unplug", "9@start:0.2", "--unplug", "26@button:0.2")


@pytest.mark.parametrize(("tcp", "speed"), [(False, "max"), (True, "200")], ids=["pty", "tcp"])
def test_a_cable_that_is_pulled_again_and_again(tcp: bool, speed: str, tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, *PULLS, tcp=tcp, speed=speed) as chain:
        chain.finish()
        assert len(list(chain.board.events("unplugged"))) == 4
        assert chain.kinds().count("connected") >= 3
        assert "gap" not in chain.kinds()  # a cable loses nothing: the board kept it


def test_a_cable_that_is_pulled_twice_in_a_turn(tmp_path: Path) -> None:
    pulls = ("--unplug", "3@start:0.1", "--unplug", "3@middle:0.1", "--unplug", "3@button:0.1")
    with Chain(tmp_path, EXAMPLE, *pulls, speed="50") as chain:
        chain.finish()
