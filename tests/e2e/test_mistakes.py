"""Mistakes in sowing, together with unplugged cables and killed processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.chain import EXAMPLE, PATIENCE, Chain

# Turns of the example in which the mistake is possible.
MISTAKES = {"skip": 6, "double": 6, "forget-capture": 8}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_at_a_board_with_a_loose_cable_is_mended(kind: str, tmp_path: Path) -> None:
    ply = MISTAKES[kind]
    unplugs = ("--unplug", f"{ply}@button:0.2", "--unplug", f"{ply + 2}:0.2")
    with Chain(tmp_path, EXAMPLE, "--mistake", f"{ply}:{kind}", *unplugs, speed="100") as chain:
        chain.board.until("refused", PATIENCE, ply)
        chain.service.kill("desk")  # the refusal is stored: the players must still correct the board
        chain.board.until("mended", PATIENCE, ply)
        chain.played(ply + 3)
        chain.service.kill("all")
        chain.finish()
        (refused,) = (entry["data"] for entry in chain.log() if entry["kind"] == "refused")
        assert (refused["ply"], refused["meant"]) == (ply, chain.moves[ply - 1])
        (mended,) = (entry["data"] for entry in chain.log() if entry["kind"] == "mended")
        assert mended == {"ply": ply, "move": chain.moves[ply - 1]}


def test_mistakes_in_turn_after_turn_over_tcp_are_mended(tmp_path: Path) -> None:
    mistakes = ("--mistake", "5:double", "--mistake", "6:skip", "--mistake", "7:forget-capture")
    with Chain(tmp_path, EXAMPLE, *mistakes, "--unplug", "6@button:0.2", tcp=True, speed="100") as chain:
        chain.board.until("mended", PATIENCE, 5)
        chain.service.kill("desk")
        chain.board.until("mended", PATIENCE, 7)
        chain.service.kill("all")
        chain.finish()
        assert chain.kinds().count("mended") == 3
