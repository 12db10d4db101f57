"""What else works for a game that is a table: values, findings, detection, annotations, and what it lacks."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.verdicts import Ambiguous, Clear, Several
from inkeek.records import Game, Ply, Position, Rules, ruleset
from inkeek.records.analysis import Limits, solve
from inkeek.records.analysis.annotation import annotate
from inkeek.records.analysis.tables import TableRules
from inkeek.records.errors import RecordsError
from inkeek.records.findings import Evidence, find
from inkeek.records.moves import Kind, Turn
from inkeek.records.notation.tags import described
from inkeek.records.rules.ruleset import read_rulesets, ruleset_of
from tests.records import positions
from tests.records.analysis.plain import TooManyPositions, plain_bounds
from tests.records.prove_tables import random_file

FILES = {
    file.path.stem: file.info
    for file in read_rulesets(Path(__file__).parents[3] / "docs" / "examples" / "rules")
    if file.info
}


def sown(rng: Random, rules: Rules, count: int) -> list[Turn]:
    """Turns of random positions."""
    game = list(positions.random_game(rng, rules))
    boards = [*rng.sample(game, min(len(game), count)), *(positions.constructed(rng, rules) for _ in range(count))]
    turns = [[turn for turn in rules.turns(board, 20) if turn.move.kind is Kind.SOW] for board in boards]
    return [rng.choice(found) for found in turns if found]


def board_of(position: Position) -> tuple[int, ...]:
    return (*position.pits, *position.stores)


@pytest.mark.parametrize("seed", range(40))
def test_a_search_proves_what_a_plain_one_finds(seed: int) -> None:
    rng = Random(seed)
    data = {**random_file(rng), "pits": rng.choice((1, 2)), "each": rng.choice((1, 2))}
    data["sow"]["choices"] = "none"
    rules = ruleset(ruleset_of(data))
    position = positions.constructed(rng, rules)
    found = solve(rules, position, limits=Limits(nodes=100_000), memory=1)
    try:
        low, high = plain_bounds(rules, position)
    except TooManyPositions:
        return
    assert found.lower <= low <= high <= found.upper, f"{data} {position}"


@pytest.mark.parametrize(("name", "value"), [("ayoayo", 2), ("jodu", 4)])
def test_a_value_counts_what_is_left_as_the_file_says(name: str, value: int) -> None:
    rules = ruleset(FILES[name])
    # No turn feeds North: the seed goes to North, the opponent, or to the owner of the row.
    position = Position.parse("1.0.0.0.0.0/0.0.0.0.0.0 25-22 s 40")
    assert solve(rules, position, memory=1).value == value


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_turn_is_found_on_the_board_and_a_slip_is_told_in_both_languages(name: str) -> None:
    rng = Random(name)
    rules = ruleset(FILES[name])
    for turn in sown(rng, rules, 4):
        board = board_of(turn.position)
        accounts = find(rules, Evidence(before=turn.before, counts=board), 1).accounts
        assert any(one.kinds == ("legal",) and one.board == board for one in accounts), f"{turn.before} {turn.move}"
        reading = [float(seeds) for seeds in board]
        before = [float(seeds) for seeds in board_of(turn.before)]
        verdict = detect(rules, turn.before, reading, pressed_by=turn.before.to_move, before=before)
        assert isinstance(verdict, Clear | Ambiguous | Several), f"{turn.before} {turn.move}: {verdict}"
        assert not isinstance(verdict, Clear) or verdict.turn.position == turn.position
        if sum(turn.position.pits) < 2:
            continue
        wrong = list(board)
        start, to = rng.sample([pit for pit, seeds in enumerate(turn.position.pits) if seeds] * 2, 2)
        wrong[start] -= 1
        wrong[to] += 1
        for language in ("en", "sw"):
            evidence = Evidence(before=turn.before, counts=tuple(wrong))
            assert all(one.sentences for one in find(rules, evidence, 1, language).accounts)


def test_a_capture_that_was_left_is_found_although_the_turn_went_on() -> None:
    rules = ruleset(FILES["pallanguzhi"])
    before = Position.parse("2.0.0.0.3.0.1/0.0.0.2.0.0.0 38-38 s 9")
    found = find(rules, Evidence(before=before, counts=(0, 1, 1, 0, 3, 0, 0, 1, 0, 0, 2, 0, 0, 0, 38, 38)), 1)
    assert found.accounts[0].kinds == ("captured-left",)


def test_a_turn_either_way_is_found() -> None:
    rules = ruleset(FILES["um-el-bagara"])
    turn = rules.play(rules.start(), "c<")
    found = find(rules, Evidence(before=turn.before, counts=board_of(turn.position)), 1)
    assert (found.accounts[0].kinds, str(found.accounts[0].move)) == (("legal",), "c<")


@pytest.mark.parametrize("name", ["toguz-korgool", "congkak", "um-el-bagara"])
def test_a_game_is_annotated(name: str) -> None:
    rules, rng = ruleset(FILES[name]), Random(name)
    turns: list[Turn] = []
    position = rules.start()
    for _ in range(6):
        turns.append(rng.choice(rules.turns(position, 50)))
        position = turns[-1].position
    annotation = annotate(Game(described(rules.info), tuple(Ply(turn.move) for turn in turns)), Limits(nodes=500))
    assert len(annotation.turns) == 6


def test_endgame_tables_refuse_with_words() -> None:
    rules = ruleset(FILES["krur"])
    with pytest.raises(RecordsError, match="hassaniya:krur is only a table of rules: endgame tables hold enkeshui"):
        TableRules.of(rules)
