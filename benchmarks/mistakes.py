"""Human mistakes before the detector: ``python -m benchmarks.mistakes``.

Games are played at random with stones that differ in weight; in some turns the simulated hands make a mistake of every
kind, in a way drawn by chance (`firmware_sim/hands/mistakes.py`), on a board of its own. Counted for each kind:

* *cannot show*: the board is exactly what a legal turn leaves; no sensor can notice that;
* *noticed*: of the others, how many were not taken for a turn;
* *named*: of these, how many were called by their name first, and how many were one of several causes that leave the
  same board, according to the detector.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random

from drivers.detection.detector import detect
from drivers.detection.noise_estimate import NoiseEstimate
from drivers.detection.verdicts import Clear, NoFit, TakenBack, TwoTurns, Unchanged, Verdict
from firmware_sim.hands.mistakes import MISTAKES, Steps, variants
from firmware_sim.hands.plan import GamePlan, plan_turns
from records import PASS, Position, Rules, Side, ruleset, ruleset_ids

from .corpus import random_plies
from .stones import Stones

# The names that the detector has for them: a lap from a wrong pit may also be one from where no turn may begin.
NAMES = {
    "skip": ("skipped",),
    "double": ("doubled",),
    "leave-behind": ("left-behind",),
    "wrong-pit": ("wrong-pit", "wrong-start", "special-emptied"),
    "wrong-way": ("wrong-way",),
    "stop-early": ("unfinished",),
    "forget-capture": ("captured-left",),
    "wrong-store": ("wrong-store",),
    "forget-button": ("two-turns",),
    "hasty": ("begun-early",),
    "take-back": ("taken-back",),
    "bump": ("bumped",),
}
HARMLESS = ("change-mind", "shake")  # these are not mistakes: the board is right in the end


def name_of(verdict: Verdict) -> str:
    """The name of what happened, according to a verdict."""
    match verdict:
        case NoFit():
            return verdict.cause
        case TakenBack():
            return "taken-back"
        case TwoTurns():
            return "two-turns" if verdict.complete else "begun-early"
        case _:
            return type(verdict).__name__.lower()


def sensed(position: Position, stores: bool) -> tuple[int, ...]:
    return (*position.pits, *position.stores) if stores else position.pits


def moments(kind: str, steps: Steps, plan: GamePlan, ply: int) -> Iterator[tuple[Steps, Side | None, bool]]:
    """For each press at which the detector runs: the steps since the last one, who pressed, and whether the mistake can
    be seen then."""
    mover = Side("sn".index(plan.turns[ply - 1].side))
    if kind == "forget-button":
        yield (*steps, *plan.turns[ply].steps), Side("sn".index(plan.turns[ply].side)), True
    elif kind == "take-back":
        first = next(at for at, step in enumerate(steps) if step.kind == "press")
        undo = next(at for at, step in enumerate(steps) if step.kind == "undo")
        yield steps[: first + 1], mover, False
        yield steps[first + 1 : undo + 1], None, True
    else:
        yield steps, mover, True


def judge(
    rules: Rules, position: Position, stones: Stones, estimate: NoiseEstimate, earlier: list[Position], kind: str,
    steps: Steps, plan: GamePlan, ply: int, stores: bool, before: list[float],
) -> str:  # fmt: skip
    """Make the mistake, ask the detector: ``hidden``, ``missed``, ``first``, ``alike`` or another cause's name."""
    for part, pressed, shows in moments(kind, steps, plan, ply):
        stones.do(part)
        counts = stones.counts() if stores else stones.counts()[: 2 * rules.row]
        legal = [sensed(rules.play(position, move).position, stores) for move in rules.legal_moves(position)]
        readings = stones.readings(stores)
        verdict = detect(
            rules, position, readings, pressed_by=pressed, model=estimate.model(), before=before, earlier=earlier
        )
        if not shows:
            if not isinstance(verdict, Clear):
                return "hidden"  # the first press was refused already: nothing to take back
            position, earlier, before = verdict.turn.position, [*earlier, position], readings
            continue
        if kind in HARMLESS:
            return "first" if isinstance(verdict, Clear) else name_of(verdict)
        if counts in legal or (kind != "take-back" and counts == sensed(position, stores)):
            return "hidden"
        if isinstance(verdict, Clear | Unchanged):
            return "missed"
        name = name_of(verdict)
        if name in NAMES[kind]:
            return "first"
        return f"alike:{name}" if set(NAMES[kind]) & set(getattr(verdict, "alike", ())) else name
    raise AssertionError("a mistake that can never be seen")


def play(rules: Rules, rng: Random, stone: float, sensor: float, stores: bool, found: dict[str, Counter[str]]) -> None:
    """One game, with a mistake of every kind in one of four turns."""
    moves = [move for _, move in random_plies(rng, rules)]
    plan = plan_turns(rules, rules.start(), moves)
    position = rules.start()
    earlier: list[Position] = []
    stones = Stones(position, rng, stone, sensor)
    before = stones.readings(stores)
    estimate = NoiseEstimate().with_position(position, before)
    for ply, move in enumerate(moves, 1):
        trace = rules.trace(position, move)
        assert trace.turn is not None
        if rng.random() < 0.25 and move != PASS and ply < len(moves) and moves[ply] != PASS:
            for kind in MISTAKES:
                possible = list(variants(kind, plan, ply))
                if possible:
                    steps = rng.choice(possible)
                    args = estimate, earlier, kind, steps, plan, ply, stores, before
                    found[kind][judge(rules, position, stones.copy(), *args)] += 1
        stones.follow(trace.events)
        after = stones.readings(stores)
        estimate = estimate.with_turn(trace.turn, before, after)
        before, earlier, position = after, [*earlier, position], trace.turn.position


def main() -> None:
    parser = argparse.ArgumentParser(description="Human mistakes before the detector.")
    parser.add_argument("--each", type=int, default=100, help="mistakes of each kind with each rule set, about")
    parser.add_argument("--stone", type=float, default=0.05, help="standard deviation of a stone's weight")
    parser.add_argument("--sensor", type=float, default=0.03, help="standard deviation of a reading, in stones")
    parser.add_argument("--no-stores", action="store_true", help="the board does not weigh the stores")
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="only with this rule set")
    parser.add_argument("--seed", default="", help="for other games than the usual ones")
    parser.add_argument("--detail", action="store_true", help="also what else they were called")
    options = parser.parse_args()
    whole: dict[str, Counter[str]] = {kind: Counter() for kind in MISTAKES}
    for id in options.game or ruleset_ids():
        rng, rules = Random(id + options.seed), ruleset(id)
        found: dict[str, Counter[str]] = {kind: Counter() for kind in MISTAKES}
        while found["skip"].total() < options.each:
            play(rules, rng, options.stone, options.sensor, not options.no_stores, found)
        for kind, results in found.items():
            whole[kind] += results
        if options.detail:
            print(id, {kind: dict(results) for kind, results in found.items()}, flush=True)
    print("| mistake | made | cannot show | noticed | named first | named among equals | called something else |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for kind, results in whole.items():
        made = results.total()
        visible = made - results["hidden"]
        noticed = visible - results["missed"]
        alike = sum(many for name, many in results.items() if name.startswith("alike:"))
        others = {name: many for name, many in results.most_common() if name not in ("hidden", "missed", "first")}
        shares = [f"{100 * part / max(of, 1):.1f} %" for part, of in (
            (noticed, visible), (results["first"], noticed), (results["first"] + alike, noticed),
        )]  # fmt: skip
        names = ", ".join(f"{name} {many}" for name, many in others.items()) or "–"
        print(f"| {kind} | {made} | {results['hidden']} | {' | '.join(shares)} | {names} |")


if __name__ == "__main__":
    main()
