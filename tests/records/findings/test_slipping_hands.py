"""The hands that slip play by the rules when they do not, and know nothing of findings."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random

import pytest

from inkeek.records import ruleset, ruleset_ids

from . import slip_scenes, slipping_hands
from .slip_scenes import Scene, every_slip, moves_of, play
from .slipped_turns import random_position
from .slipping_hands import GaveUp


def scenes(game: str, many: int) -> list[Scene]:
    rules, rng = ruleset(game), Random(5)
    return [Scene(rules, random_position(rng, rules), None) for _ in range(many)]


@pytest.mark.parametrize("game", ruleset_ids())
def test_hands_that_do_not_slip_play_by_the_rules(game: str) -> None:
    checked = 0
    for scene in scenes(game, 30):
        for move in moves_of(scene)[:6]:
            turn = scene.rules.play(scene.position, move)
            try:
                played, _ = play(scene, move)
            except GaveUp:
                continue
            assert played.board == (turn.position.pits, turn.position.stores)
            size = len(scene.position.pits)
            assert played.emptied == {pit for pit in range(size) if turn.emptied >> pit & 1}
            checked += 1
    assert checked > 50


@pytest.mark.parametrize("game", ruleset_ids())
def test_what_was_lifted_was_emptied(game: str) -> None:
    for scene in scenes(game, 2):
        for played in every_slip(scene):
            assert {pit for _, pit in played.lifts} <= played.emptied


@pytest.mark.parametrize("module", [slipping_hands, slip_scenes])
def test_nothing_of_the_findings_is_used(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported
    assert not any("findings" in str(name) for name in imported)
