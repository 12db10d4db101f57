"""The whole chain: cables are unplugged, the board restarts, and the service is killed; the game is what was played."""

from pathlib import Path

import pytest

from tests.e2e.chain import EXAMPLE, PATIENCE, Chain

UNPLUGS = ("--unplug", "2:0.2", "--unplug", "5@button:0.2", "--unplug", "9@start:0.2", "--unplug", "26@button:0.2")


@pytest.mark.parametrize(("tcp", "speed"), [(False, "max"), (True, "200")], ids=["pty", "tcp"])
def test_a_game_survives_a_cable_unplugged_again_and_again(tcp: bool, speed: str, tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, *UNPLUGS, tcp=tcp, speed=speed) as chain:
        chain.finish()
        assert len(list(chain.board.events("unplugged"))) == 4
        assert chain.kinds().count("connected") >= 3
        assert "gap" not in chain.kinds()  # the board kept its events


def test_a_button_pressed_while_the_service_is_down_is_answered_later(tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, "--mistake", "10:skip", speed="100") as chain:
        chain.played(9)
        chain.service.crash()
        chain.board.until("mistake", PATIENCE, 10)
        chain.service.start()
        chain.board.until("mended", PATIENCE, 10)
        chain.finish()
        assert chain.kinds().count("refused") == 1


def test_a_restart_of_the_board_while_the_service_is_down_is_logged(tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, "--restart", "6@button", speed="50") as chain:
        chain.played(5)
        chain.service.crash()
        chain.board.until("restarted", PATIENCE)
        chain.service.start()
        chain.finish()
        assert chain.kinds().count("gap") == 1
