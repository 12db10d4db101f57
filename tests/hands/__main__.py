"""Play scenes of real hands: ``python -m tests.hands --scenes 2000 --seed 1``. Or one: ``--play 'oware | … | …'``."""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import defaultdict
from dataclasses import replace
from itertools import cycle
from statistics import mean

from .behaviours import BEHAVIOURS, explanations, make_scene
from .play import Result, Scene, Stand, run, stand

OUTCOMES = ("right", "asked", "alike", "wrong", "lost")


def needs_no_question(result: Result) -> bool:
    """Whether only one course explains what lies on the board after a scene of a clean turn or a chain."""
    table = result.scene.table
    position = table.rules.start()
    turns = [action.split()[2] for action in result.scene.actions if action.startswith("play")]
    after = position
    for move in turns:
        after = table.rules.play(after, move).position
    longest = 1 if len(turns) == 1 else 4
    return explanations(table.rules, position, after, table.stores, longest) == 1


def is_asked_needlessly(result: Result) -> bool:
    """Whether people are asked though only one course of turns explains the board and the presses."""
    if result.course is None:
        return False
    record, board = result.course
    table = result.scene.table
    return record == board or explanations(table.rules, record, board, table.stores, 4) == 1


def play_all(at: Stand, options: argparse.Namespace) -> list[Result]:
    """Every third scene leaves questions open; the others take turns."""
    names = [name for name in BEHAVIOURS if options.only is None or options.only in name]
    all_names, open_names = cycle(names), cycle([name for name in names if "pile up" in name] or names)
    until = time.monotonic() + 60 * options.minutes
    results: list[Result] = []
    for number in range(options.scenes):
        if time.monotonic() > until or sum(one.turns for one in results) >= options.turns:
            break
        rng = random.Random(f"{options.seed}:{number}")
        scene = make_scene(next(open_names if number % 3 == 2 else all_names), rng)
        if scene is None:
            continue
        try:
            results.append(run(at, scene))
            if number % 100 == 0:
                print(f"scene {number}, {sum(one.turns for one in results)} turns", file=sys.stderr, flush=True)
            if results[-1].outcome in ("wrong", "lost"):
                print(results[-1], flush=True)
        except Exception:  # noqa: BLE001 - the other scenes are played all the same
            print(f"FAILED ({scene.behaviour})\n    {scene}", flush=True)
            traceback.print_exc()
    return results


def shortened(at: Stand, result: Result) -> Result:
    """The same fault with as few actions as are needed."""
    number = 0
    while number < len(result.scene.actions):
        actions = result.scene.actions
        shorter = run(at, replace(result.scene, actions=(*actions[:number], *actions[number + 1 :])))
        if (shorter.outcome, shorter.why) == (result.outcome, result.why):
            result = shorter
        else:
            number += 1
    return result


def table_of(results: list[Result]) -> str:
    """One line for each behaviour."""
    by_name: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        by_name[result.scene.behaviour].append(result)
    lines = [
        "| behaviour | scenes | turns | right | asked | needlessly | alike | wrong | lost | seconds | stuck |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, group in [*by_name.items(), ("**all**", results)]:
        counts = [sum(one.outcome == outcome for one in group) for outcome in OUTCOMES]
        counts.insert(2, sum(map(is_asked_needlessly, group)))
        times = [one.seconds for one in group if one.seconds is not None and one.outcome == "asked"]
        stuck = sum(one.is_stuck for one in group)
        figures = [len(group), sum(one.turns for one in group), *counts, f"{mean(times):.0f}" if times else "", stuck]
        lines.append(f"| {name} | {' | '.join(map(str, figures))} |")
    return "\n".join(lines)


def shares_of(results: list[Result]) -> str:
    """How often clean turns and chains that need no question are asked about."""
    lines = []
    aims = {"clean single turn": "0.5%", "a chain of one side and one press": "2%"}
    aims["two turns one press by the second"] = "none"
    for name, aim in aims.items():
        group = [one for one in results if one.scene.behaviour == name]
        plain = [one for one in group if needs_no_question(one)]
        asked = sum(one.outcome == "asked" for one in plain)
        share = asked / len(plain) if plain else 0.0
        others = sum(one.outcome == "asked" for one in group) - asked
        lines.append(
            f"{name}: {asked} of {len(plain)} asked where one course explains the board ({share:.2%}, "
            f"aim {aim}); {others} of {len(group) - len(plain)} where several do"
        )
    slowest = max((one.slowest for one in results), default=0.0)
    over = sum(one.slowest > 0.1 for one in results)
    lines.append(f"slowest step {slowest:.2f} s; over 0.1 s in {over} of {len(results)} scenes")
    return "\n".join([*lines, *(str(one.scene) for one in results if one.slowest == slowest)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--turns", type=int, default=1_000_000, help="end once so many turns were played and judged")
    parser.add_argument("--minutes", type=float, default=1_000, help="begin no scene after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="behaviours whose names have these words")
    parser.add_argument("--play", action="append", help="play this line")
    parser.add_argument("--stuck", action="store_true", help="print also the scenes after which play did not go on")
    parser.add_argument("--needless", action="store_true", help="print also the scenes that are asked needlessly")
    parser.add_argument("--shorten", action="store_true", help="leave out actions that a fault does not need")
    options = parser.parse_args()
    with stand() as at:
        if options.play:
            results = [run(at, Scene.parse(line)) for line in options.play]
            if options.shorten:
                results = [shortened(at, one) for one in results]
            print(*results, sep="\n")
        else:
            results = play_all(at, options)
            if options.stuck:
                print(*(one for one in results if one.is_stuck), sep="\n")
            if options.needless:
                print(*filter(is_asked_needlessly, results), sep="\n")
            print(table_of(results), shares_of(results), sep="\n\n")
    return 1 if any(one.outcome in ("wrong", "lost") for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
