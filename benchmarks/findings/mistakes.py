"""Human mistakes before the detector: ``python -m benchmarks.findings.mistakes``.

Games are played at random with stones that differ in weight. In some turns, each on a board of its own, hands make one
slip of every kind, drawn by chance from all that are possible (`slipping_hands.py`: they know nothing of the detector,
and go on by the rules from what lies there after a slip); then who played presses their button. What concerns buttons
and second thoughts are steps of the simulated hands (`firmware_sim/hands/mistakes.py`). Counted for each kind:

* *cannot show*: the board is exactly what a legal turn leaves, or as before the turn; no sensor can notice that;
* *noticed*: of the others, how many were not taken for a turn, or for one and the next;
* *named*: of these, how many were called by their name first, and how many were one of several causes that leave the
  same board, according to the detector.

The turn before is always complete: a board notices if it is not.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from drivers.detection.detector import detect
from drivers.detection.noise_estimate import NoiseEstimate
from drivers.detection.verdicts import Clear, NoFit, TakenBack, TwoTurns, Unchanged, Verdict
from firmware_sim.hands.mistakes import Steps, variants
from firmware_sim.hands.plan import GamePlan, plan_turns
from records import PASS, Position, Rules, Side, ruleset, ruleset_ids

from ..boards.stones import Stones
from ..corpus import random_plies
from .slip_scenes import Scene, every_slip
from .slipping_hands import Played
from .slips import NAMES

# What the simulated hands do, and the names that the detector has for it: these are not slips in sowing.
SECOND_THOUGHTS = {"hasty": ("begun-early",), "take-back": ("taken-back",), "change-mind": (), "shake": ()}
HARMLESS = ("change-mind", "shake")  # the board is right in the end
KINDS = (*(kind for kind in NAMES if kind != "previous-unfinished"), *SECOND_THOUGHTS)


@dataclass(frozen=True)
class Desk:
    """A board in a game: what its controller knows when the turn `ply` is played from `position`."""

    rules: Rules
    position: Position
    stones: Stones
    estimate: NoiseEstimate
    earlier: tuple[Position, ...]
    before: tuple[float, ...]
    has_stores: bool

    def sensed(self, counts: Sequence[int]) -> tuple[int, ...]:
        """The part of the counts of all places that the board has sensors for."""
        return tuple(counts) if self.has_stores else tuple(counts[: 2 * self.rules.row])

    def legal(self) -> set[tuple[int, ...]]:
        """What the sensors can see after a legal turn."""
        rules, position = self.rules, self.position
        turns = (rules.play(position, move).position for move in rules.legal_moves(position))
        return {self.sensed((*after.pits, *after.stores)) for after in turns}

    def verdict(self, stones: Stones, pressed: Side | None) -> Verdict:
        """What the detector says of these stones."""
        model, readings = self.estimate.model(), stones.readings(self.has_stores)
        return detect(
            self.rules, self.position, readings,
            pressed_by=pressed, model=model, before=self.before, earlier=self.earlier,
        )  # fmt: skip


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


def outcome_of(verdict: Verdict, names: Sequence[str]) -> str:
    """``missed``, ``first``, ``alike:…`` or the name of another cause."""
    name = name_of(verdict)
    if name in names:
        return "first"
    if isinstance(verdict, Clear | Unchanged | TwoTurns):
        return "missed"  # of two turns, the first is recorded at least
    return f"alike:{name}" if set(names) & set(getattr(verdict, "alike", ())) else name


def judge_slip(desk: Desk, played: Played, legal: set[tuple[int, ...]]) -> str:
    """Make the slip, and ask the detector: ``hidden``, or what `outcome_of` says."""
    position, kind = desk.position, played.slips[0].kind
    counts = (*played.pits, *played.stores)
    if desk.sensed(counts) in legal or desk.sensed(counts) == desk.sensed((*position.pits, *position.stores)):
        return "hidden"
    stones = desk.stones.copy()
    stones.become(counts, played.emptied)
    mover = position.to_move
    pressed = mover.other if kind in ("out-of-turn", "next-turn") else mover
    return outcome_of(desk.verdict(stones, pressed), (NAMES[kind],))


def judge_steps(desk: Desk, kind: str, steps: Steps) -> str:
    """Do what the hands do, and ask the detector when somebody presses: as `judge_slip`."""
    stones, mover = desk.stones.copy(), desk.position.to_move
    if kind != "take-back":
        stones.do(steps)
        verdict = desk.verdict(stones, mover)
        if kind in HARMLESS:
            return "first" if isinstance(verdict, Clear) else name_of(verdict)
        return "hidden" if desk.sensed(stones.counts()) in desk.legal() else outcome_of(verdict, SECOND_THOUGHTS[kind])
    pressed = next(at for at, step in enumerate(steps) if step.kind == "press")
    undone = next(at for at, step in enumerate(steps) if step.kind == "undo")
    stones.do(steps[: pressed + 1])
    readings = stones.readings(desk.has_stores)
    clear = desk.verdict(stones, mover)
    if not isinstance(clear, Clear):
        return "hidden"  # the turn was refused already: nothing to take back
    stones.do(steps[pressed + 1 : undone + 1])
    earlier = (*desk.earlier, desk.position)
    later = Desk(desk.rules, clear.turn.position, stones, desk.estimate, earlier, tuple(readings), desk.has_stores)
    return outcome_of(later.verdict(stones, None), SECOND_THOUGHTS[kind])


def outcomes(rng: Random, desk: Desk, scene: Scene, plan: GamePlan, ply: int) -> Iterator[tuple[str, str]]:
    """One mistake of each kind that is possible, and how it came out."""
    possible: dict[str, list[Played]] = defaultdict(list)
    for played in every_slip(scene):
        possible[played.slips[0].kind].append(played)
    legal = desk.legal()
    for kind in KINDS:
        if kind in SECOND_THOUGHTS:
            ways = list(variants(kind, plan, ply))
            if ways:
                yield kind, judge_steps(desk, kind, rng.choice(ways))
        elif possible[kind]:
            yield kind, judge_slip(desk, rng.choice(possible[kind]), legal)


def play(rules: Rules, rng: Random, stone: float, sensor: float, stores: bool, found: dict[str, Counter[str]]) -> None:
    """One game, with a mistake of every kind in one of four turns."""
    plies = list(random_plies(rng, rules))
    moves = [move for _, move in plies]
    plan = plan_turns(rules, rules.start(), moves)
    stones = Stones(rules.start(), rng, stone, sensor)
    before = stones.readings(stores)
    estimate = NoiseEstimate().with_position(rules.start(), before)
    for ply, (position, move) in enumerate(plies, 1):
        trace = rules.trace(position, move)
        assert trace.turn is not None
        if rng.random() < 0.25 and move != PASS and ply < len(moves) and moves[ply] != PASS:
            earlier = tuple(position for position, _ in plies[: ply - 1])
            desk = Desk(rules, position, stones, estimate, earlier, tuple(before), stores)
            for kind, outcome in outcomes(rng, desk, Scene(rules, position, None), plan, ply):
                found[kind][outcome] += 1
        stones.follow(trace.events)
        after = stones.readings(stores)
        estimate = estimate.with_turn(trace.turn, before, after)
        before = after


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
    whole: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for id in options.game or ruleset_ids():
        rng, rules = Random(id + options.seed), ruleset(id)
        found: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        while found["pit-skipped"].total() < options.each:
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
        shares = [f"{100 * part / of:.1f} %" if of else "–" for part, of in (
            (noticed, visible), (results["first"], noticed), (results["first"] + alike, noticed),
        )]  # fmt: skip
        names = ", ".join(f"{name} {many}" for name, many in others.items()) or "–"
        print(f"| {kind} | {made} | {results['hidden']} | {' | '.join(shares)} | {names} |")


if __name__ == "__main__":
    main()
