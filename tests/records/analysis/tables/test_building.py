from __future__ import annotations

import hashlib
import subprocess
import sys
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from inkeek.records import Position, Rules, ruleset
from inkeek.records.analysis import tables
from inkeek.records.analysis.tables import (
    VALUES,
    TableError,
    TableLayer,
    build_table,
    check_table,
    closing_patterns,
    pattern_of,
    write_header,
)
from inkeek.records.kernel.endgame import positions_of
from inkeek.records.position import CLOSED, ORDINARY, Side
from tests.records.analysis.plain_solver import reachable, solve
from tests.records.analysis.small_boards import small_rules

SMALL = [
    ("kalah", 2, 3, {}),
    ("kalah", 2, 3, {"empty_capture": True}),
    ("kalah", 2, 4, {"skip_origin": True}),
    ("oware", 2, 2, {"majority_end": False}),
    ("oware", 3, 1, {"majority_end": False, "skip_origin": False}),
    ("bof", 3, 2, {}),
    ("bof", 2, 4, {"direction": "cw"}),
    ("bof", 4, 1, {"skip_origin": True}),
    ("anywoli", 3, 2, {}),
    ("anywoli", 3, 2, {"no_move": "end"}),
    ("anywoli", 3, 2, {"last_four": "none", "repetition": 0}),
    ("layli-goobalay", 3, 1, {}),
    ("layli-goobalay", 2, 4, {"direction": "ccw"}),
    ("layli-goobalay", 2, 5, {"skip_origin": True}),
    ("enkeshui", 3, 1, {}),
    ("enkeshui", 2, 4, {"direction_choice": "none"}),
    ("enkeshui", 3, 1, {"direction_choice": "each-relay", "skip_origin": True}),
    ("enkeshui", 3, 1, {"direction_choice": "after-one-lap", "capture_after_relay": False}),
    ("enkeshui-wikipedia", 3, 1, {"rearrangement": "none"}),
]

LARGER = [
    ("enkeshui", 3, 2, {}),
    ("layli-goobalay", 3, 2, {}),
    ("oware", 3, 2, {"majority_end": False}),
    ("bof", 4, 2, {"skip_origin": True}),
]


def compared(rules: Rules, found: tables.Tables, starts: list[Position]) -> int:
    """Compare the table with the plain solver in every position that turns lead to; return how many there are."""
    solved = solve(rules, reachable(rules, starts))
    wrong = {str(position): bounds for position, bounds in solved.items() if found.bounds(rules, position) != bounds}
    assert not wrong
    return len(solved)


@pytest.mark.parametrize(("game", "pits", "seeds", "options"), SMALL)
def test_every_value_of_a_small_game_is_that_of_a_plain_solver(
    game: str, pits: int, seeds: int, options: dict[str, Any], tmp_path: Path
) -> None:
    rules = small_rules(game, pits, seeds, **options)
    build_table(tmp_path / "table", rules, rules.seeds, workers=2)
    assert compared(rules, tables.open(tmp_path), [rules.start()]) > 10


@pytest.mark.parametrize(
    ("game", "options"),
    [("anywoli", {"pits": 7}), ("layli-goobalay", {"pits": 6}), ("enkeshui", {"pits": 8}), ("oware", {}), ("bof", {})],
)
def test_few_seeds_on_a_whole_board_have_the_values_of_a_plain_solver(
    game: str, options: dict[str, Any], tmp_path: Path
) -> None:
    rules = ruleset(game, **options)
    build_table(tmp_path / "table", rules, 4)
    rng = Random(5)
    starts = []
    for _ in range(4):
        pits = [0] * (2 * rules.row)
        for _ in range(4):
            pits[rng.randrange(len(pits))] += 1
        south = rng.randint(rules.seeds // 2 - 3, rules.seeds // 2)  # near the majority that ends Oware
        stores = (south, rules.seeds - 4 - south)
        starts.append(Position(tuple(pits), (ORDINARY,) * len(pits), stores, Side(rng.randrange(2)), 2))
    compared(rules, tables.open(tmp_path), starts)


def test_a_game_with_closed_pits_has_the_values_of_a_plain_solver(tmp_path: Path) -> None:
    rules = ruleset("bof")
    start = Position.parse("x.x.2.x.1/1.2.x.x.x 20-14 s 2")
    assert start.marks.count(CLOSED) == 6
    build_table(tmp_path / "table", rules, 6, [pattern_of(start)])
    compared(rules, tables.open(tmp_path), [start])
    assert pattern_of(start) in closing_patterns(5)


def test_special_pits_on_the_board_count_for_their_owners(tmp_path: Path) -> None:
    rules = ruleset("layli-goobalay", pits=6)
    start = Position.parse("2.0.5s.1.3.0/0.1.0.2s.7n.1 14-12 n 9")
    build_table(tmp_path / "table", rules, 8, [pattern_of(start)])
    compared(rules, tables.open(tmp_path), [start])


@pytest.mark.parametrize(("game", "pits", "seeds", "options"), LARGER)
def test_every_value_of_a_larger_game_is_that_of_a_plain_solver(
    game: str, pits: int, seeds: int, options: dict[str, Any], tmp_path: Path
) -> None:
    rules = small_rules(game, pits, seeds, **options)
    build_table(tmp_path / "table", rules, rules.seeds)
    assert compared(rules, tables.open(tmp_path), [rules.start()]) > 1000


def test_a_second_pass_finds_nothing(tmp_path: Path) -> None:
    build_table(tmp_path / "table", ruleset("oware"), 5, workers=2)
    assert check_table(tmp_path / "table", workers=2).positions > 1000


def test_a_second_pass_finds_a_wrong_value(tmp_path: Path) -> None:
    rules = ruleset("kalah")
    header = build_table(tmp_path, rules, 3)
    values = bytearray((tmp_path / VALUES).read_bytes())
    layer = header.layers[2]
    values[layer.start + 7] ^= 1
    (tmp_path / VALUES).write_bytes(values)
    with pytest.raises(TableError, match="2 seeds"):
        check_table(tmp_path)
    checksum = hashlib.sha256(values[layer.start : layer.start + layer.size]).hexdigest()
    layers = [msgspec.structs.replace(one, sha256=checksum) if one is layer else one for one in header.layers]
    write_header(tmp_path, msgspec.structs.replace(header, layers=layers))
    with pytest.raises(TableError, match="2 seeds"):
        check_table(tmp_path)


def test_damaged_layers_are_built_again(tmp_path: Path) -> None:
    rules = ruleset("oware")
    whole = build_table(tmp_path, rules, 5)
    values = bytearray((tmp_path / VALUES).read_bytes())
    values[whole.layers[3].start] ^= 1
    (tmp_path / VALUES).write_bytes(values)
    built: list[int] = []
    again = build_table(tmp_path, rules, 5, finished=lambda layer: built.append(layer.seeds))
    assert built == [3, 4, 5]
    assert again == whole


def test_a_table_can_grow_and_does_not_shrink(tmp_path: Path) -> None:
    rules = ruleset("bof")
    built: list[int] = []
    build_table(tmp_path, rules, 4, finished=lambda layer: built.append(layer.seeds))
    larger = build_table(tmp_path, rules, 6, finished=lambda layer: built.append(layer.seeds))
    assert built == list(range(7))
    assert build_table(tmp_path, rules, 2) == larger


def test_a_table_for_other_rules_is_left_alone(tmp_path: Path) -> None:
    build_table(tmp_path, ruleset("bof"), 2)
    with pytest.raises(TableError):
        build_table(tmp_path, ruleset("bof", direction="cw"), 2)


def test_a_build_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from inkeek.records import ruleset\n"
        "from inkeek.records.analysis.tables import build_table\n"
        "build_table(Path(sys.argv[1]), ruleset('kalah'), 20, finished=lambda layer: print(layer.seeds, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path / "killed"], stdout=subprocess.PIPE, text=True
    ) as builder:
        assert builder.stdout is not None
        for line in builder.stdout:
            if int(line) == 4:
                builder.kill()
                break
    built: list[int] = []
    rules = ruleset("kalah")
    found = build_table(tmp_path / "killed", rules, 7, finished=lambda layer: built.append(layer.seeds))
    assert 4 not in built
    assert found.layers[:8] == build_table(tmp_path / "whole", rules, 7).layers
    whole = (tmp_path / "whole" / VALUES).read_bytes()
    assert (tmp_path / "killed" / VALUES).read_bytes()[: len(whole)] == whole


def test_two_builders_do_not_meet(tmp_path: Path) -> None:
    rules = ruleset("kalah")

    def build_again(layer: TableLayer) -> None:
        with pytest.raises(TableError):
            build_table(tmp_path, rules, 2)

    build_table(tmp_path, rules, 1, finished=build_again)


def test_without_more_memory_the_values_are_the_same(tmp_path: Path) -> None:
    rules = ruleset("oware", majority_end=False)
    layers = [build_table(tmp_path / str(memory), rules, 5, memory=memory).layers for memory in (0, 4000, 1 << 30)]
    assert [[layer.sha256 for layer in each] for each in layers] == 3 * [[layer.sha256 for layer in layers[0]]]


@pytest.mark.parametrize(
    ("game", "seeds", "options"),
    [("enkeshui-wikipedia", 3, {}), ("anywoli", 90, {}), ("enkeshui", 40, {"pits": 12}), ("oware", 49, {})],
)
def test_a_table_that_cannot_be_is_refused(game: str, seeds: int, options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(TableError):
        build_table(tmp_path / "table", ruleset(game, **options), seeds)


def test_first_turns_with_rules_of_their_own_are_in_no_table(tmp_path: Path) -> None:
    rules = ruleset("layli-goobalay", pits=6)
    build_table(tmp_path / "table", rules, 3)
    found = tables.open(tmp_path)
    position = Position.parse("1.0.0.0.0.1/0.0.1.0.0.0 25-20 s 0")
    assert found.value(rules, position) is None
    assert found.value(rules, position.replaced(ply=1)) is not None
    assert found.value(ruleset("layli-goobalay", pits=6, first_move="free"), position) is not None


def test_oware_has_as_many_positions_as_are_published(tmp_path: Path) -> None:
    """Those published leave out what no turn leads to: after it, the pit that was sown is empty."""
    header = build_table(tmp_path, ruleset("oware", majority_end=False), 10)
    assert header.layers[10].positions == 352_716
    assert header.layers[10].positions - header.layers[4].positions == 351_351
    pits = list(product(range(5), repeat=3))  # the same count on a smaller board, one by one
    counted = sum(1 for south in pits for north in pits if sum(south + north) == 4 and 0 in north)
    assert counted == positions_of(6, 4) - positions_of(6, 1)


@pytest.mark.parametrize("is_unix", [True, False])
def test_one_process_at_a_time_builds_a_table(tmp_path, monkeypatch, is_unix):
    fcntl = pytest.importorskip("fcntl")

    def locking(descriptor: int, mode: int, size: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError from error

    if not is_unix:
        monkeypatch.setattr(tables, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
    with tables._lock(tmp_path), pytest.raises(TableError, match=str(tmp_path)), tables._lock(tmp_path):
        pass
    with tables._lock(tmp_path):
        pass
