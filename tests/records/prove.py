"""Hold `records` against the reference: ``python -m tests.records.prove --turns 1000000``.

Random rules, random positions; for each, every turn that the reference finds must be found by both twins of the
kernel with the same board after it, no other, and every endless one refused with its cycle.

``--twins`` holds the two kernels against each other alone, which is quicker: every turn sown by both from the same
position must come out alike, in status, laps, cycle, reason and the board after it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from inkeek.records import IllegalMove, Move, Position, Rules, ruleset_ids
from inkeek.records.moves import MAX_CHOICES, PASS
from inkeek.records.rules.play import ENDED

from . import positions, reference

MAX_TURNS = 3000  # of one position: few have so many, and the slow twin takes its time
MAX_TWIN_TURNS = 100  # of one position, where very many positions are looked at
MAX_TWIN_LAPS = 5000  # of one turn: a longer one takes the slow twin too long
NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
CONSTRUCTED = 0.5  # of the positions that the twins are compared in; the others come up in random games


def signs(choices: tuple[int, ...]) -> str:
    return "".join("<" if direction < 0 else ">" for direction in choices)


def refusal(rules: Rules, position: Position, move: Move) -> str:
    """Why a move is refused: the reason and the message; empty if it is not."""
    try:
        rules.play(position, move)
    except IllegalMove as error:
        return f"{error.reason} {error.message}"
    return ""


def compare(twins: tuple[Rules, ...], position: Position, most_laps: int = 20_000) -> Counter[str]:
    """How many turns, endless ones and positions were compared; `long` counts positions that the reference gave up.

    :raises AssertionError: a twin and the reference differ; quotes rules, position and turns.
    """
    rules = twins[0]
    try:
        found = reference.all_turns(rules.info.family, rules.options, position, most_laps)
    except reference.TooLong:
        return Counter(long=1)
    if len(found) > MAX_TURNS:
        return Counter(long=1)
    done = [turn for turn in found if isinstance(turn, reference.Done)]
    endless = [turn for turn in found if isinstance(turn, reference.Endless)]
    count = Counter(positions=1, turns=len(done), endless=len(endless))
    expected = {}
    for turn in done:
        key = (turn.pit, signs(turn.choices))
        assert key not in expected, f"the reference finds {key} twice in {position}"
        expected[key] = (turn.pits, turn.marks, turn.stores, turn.laps, turn.again)
    listed = {key: value for key, value in expected.items() if len(key[1]) <= MAX_CHOICES}
    for twin in twins:
        where = f"{twin!r} in {position}"
        turns = [turn for turn in twin.turns(position) if turn.move != PASS]
        got = {}
        for turn in turns:
            move, after = turn.move, turn.position
            assert turn == twin.play(position, move), f"{where}: {move} is listed as {turn}"
            assert after.seeds == position.seeds, f"{where}: {move} loses seeds: {after}"
            assert after.ply == position.ply + 1, f"{where}: {move}"
            again = after.to_move is position.to_move
            got[move.pit_index(rules.row), move.choices] = (after.pits, after.marks, after.stores, turn.laps, again)
        assert got == listed, f"{where}: {sorted(set(got.items()) ^ set(listed.items()))}"
        assert len(turns) == len(got), f"{where}: a move is listed twice"
        for turn in endless:
            if len(turn.choices) > MAX_CHOICES:
                continue
            move = Move.from_pit(turn.pit, rules.row, signs(turn.choices))
            refused = refusal(twin, position, move)
            assert refused.startswith("endless-sowing "), f"{where}: {move} is endless: {refused}"
            assert f"repeats every {turn.cycle} laps" in refused, f"{where}: {refused}, not {turn.cycle}"
    return count


def compare_rearrangement(rules: Rules, position: Position, move: Move) -> None:
    """:raises AssertionError: the rules and the reference differ about a rearrangement."""
    pits = [position.letter(pit) for pit in range(2 * rules.row)]
    laid = [(pits.index(pit), count) for pit, count in move.laid]
    expected = reference.rearrange(
        rules.options, position, (pits.index(move.emptied[0]), pits.index(move.emptied[1])), laid
    )
    where = f"{rules!r} in {position}: {move}"
    assert rules.is_legal(position, move) is (expected is not None), where
    if expected is None:
        return
    after = rules.play(position, move).position
    assert after.marks == position.marks, where
    assert after.stores == position.stores, where
    assert (list(after.pits), after.to_move, after.ply, after.unsown) == expected, f"{where} leads to {after}"


def prove(
    id: str,
    turns: int,
    seed: int,
    report: Callable[[Counter[str]], None] = lambda count: None,
    given: Mapping[str, str] = NO_OPTIONS,
) -> Counter[str]:
    """Compare random positions of a game until `turns` turns were; half of them reachable. Options that are not `given`
    are random.

    :raises AssertionError: as `compare`.
    """
    rng = Random(f"{id} {seed}")
    count: Counter[str] = Counter()
    while count["turns"] < turns:
        rules = positions.random_rules(rng, id, None, **given)
        twins = (rules, positions.other_kernel(rules))
        game = list(positions.random_game(rng, rules))
        chosen = rng.sample(game, min(len(game), 8)) + [positions.constructed(rng, rules) for _ in range(8)]
        for position in chosen:
            count += compare(twins, position)
            if "rearrangement" in rules.options:
                compare_rearrangement(rules, position, positions.random_rearrangement(rng, rules, position))
        report(count)
    return count


def twins(
    id: str,
    turns: int,
    seed: int,
    report: Callable[[Counter[str]], None] = lambda count: None,
    given: Mapping[str, str] = NO_OPTIONS,
) -> Counter[str]:
    """Compare the two kernels until both have sown `turns` turns that end, in random games and constructed positions.

    :raises AssertionError: they differ; quotes rules, position and turn.
    """
    rng = Random(f"{id} {seed}")
    count: Counter[str] = Counter()
    while count["turns"] < turns:
        rules = positions.random_rules(rng, id, "compiled", **given)
        slow = positions.other_kernel(rules)._load(rules.start())
        fast = rules._load(rules.start())
        position = rules.start()
        for _ in range(positions.MAX_PLIES):
            after = compare_kernels(fast, slow, rules, position, count)
            laid = rng.random() < CONSTRUCTED
            if laid:
                compare_kernels(fast, slow, rules, positions.constructed(rng, rules), count)
            if not after:
                break
            position = rng.choice(after)
        report(count)
    return count


def compare_kernels(fast: Any, slow: Any, rules: Rules, position: Position, count: Counter[str]) -> list[Position]:
    """Sow every turn of a position with both kernels, endless ones too; the positions after those that ended.

    :raises AssertionError: as `twins`.
    """
    reached = []
    fast.load(*position)
    slow.load(*position)
    starts = [pit for pit in range(2 * rules.row) if fast.may_start(pit)]
    assert starts == [pit for pit in range(2 * rules.row) if slow.may_start(pit)], f"{rules!r} in {position}: starts"
    found = fast.turns(MAX_TWIN_TURNS, 10 * MAX_TWIN_TURNS)
    listed = {result[:2]: result for result in found}
    for pit, choices in [*listed, *((pit, "") for pit in starts if (pit, "") not in listed)]:
        fast.load(*position)
        slow.load(*position)
        code = Move.from_pit(pit, rules.row, choices).code
        assert code is not None
        status = fast.sow(*code[:4])
        failure = fast.failure()
        if failure[0] > MAX_TWIN_LAPS:
            count["long"] += 1
            continue
        where = f"{rules!r} in {position}: {position.letter(pit)}{choices}"
        other = slow.sow(*code[:4]), slow.failure()
        assert other == (status, failure), f"{where}: compiled {(status, failure)}, interpreted {other}"
        assert ((pit, choices) in listed) <= (status == ENDED), f"{where}: listed, and does not end"
        if status == ENDED:
            result = fast.result()
            assert result == slow.result(), f"{where}: compiled {result}, interpreted {slow.result()}"
            assert result == listed.get((pit, choices), result), f"{where}: {result}, listed as {listed[pit, choices]}"
            count["turns"] += 1
            reached.append(rules._turn(position, result).position)
            assert reached[-1].seeds == position.seeds, f"{where}: seeds are lost: {reached[-1]}"
        else:
            count["endless"] += 1
    count["positions"] += 1
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold the rules against a second, slow writing of them.")
    parser.add_argument("--turns", type=int, default=100_000, help="turns to compare of each rule set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="only this rule set")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="always this option")
    parser.add_argument("--twins", action="store_true", help="the two kernels alone")
    options = parser.parse_args()
    compare_all = twins if options.twins else prove
    given = dict(option.split("=", 1) for option in options.option)
    for id in options.game or ruleset_ids():
        began = time.monotonic()

        def report(count: Counter[str], id: str = id) -> None:
            if sys.stderr.isatty():
                print(f"\r{id}: {count['turns']:,} turns", end="", file=sys.stderr)

        try:
            count = compare_all(id, options.turns, options.seed, report, given)
        except AssertionError as error:
            print(f"\n{error}", file=sys.stderr)
            return 1
        print(
            f"\r{id}: {count['turns']:,} turns and {count['endless']:,} endless ones in {count['positions']:,} "
            f"positions agree, {count['long']} took too long ({time.monotonic() - began:.0f} s)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
