"""Human mistakes: from a planned turn to what the hands do instead.

The hands do not notice the mistake: they go on as planned with what they find, or stop. Scenarios name these mistakes;
they try the way from the board to the page. How well mistakes are recognized is measured with hands that have no plan
(`tests/records/findings/slipping_hands.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from inkeek.firmware_sim.errors import SimulatorError

from .plan import IN_HAND, GamePlan, PlannedTurn, Step, counts_after

MIN_LAP = 3  # seeds in a lap that a mistake in its middle needs
MAX_VARIANTS = 200  # of one mistake in one turn
MAX_JUMPS = 3  # stones that leave their pits when the table is bumped
PRESS = Step("press")
UNDO = Step("undo")
SHAKE = Step("shake")

Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A turn on a board with `row` pits per row, and the next turn, if any."""

    row: int
    turn: PlannedTurn
    next_turn: PlannedTurn | None

    @property
    def steps(self) -> Steps:
        return self.turn.steps


Variants = Callable[[Scene], Iterator[Steps]]


@dataclass(frozen=True, slots=True)
class _Handful:
    """One lap, lifted in step `lift` and sown in the steps `drops` (pits only)."""

    lift: int
    drops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MistakeKind:
    """`variants` yields the steps of each way to make the mistake, likeliest first.

    `missing` says what a turn lacks that cannot have it. `changes_board`: it leaves another board than the turn.
    """

    variants: Variants
    missing: str
    changes_board: bool


MISTAKES: dict[str, MistakeKind] = {}


def _mistake(missing: str, changes_board: bool = True) -> Callable[[Variants], Variants]:
    """Register a function that yields the variants of the mistake it is named after."""

    def register(function: Variants) -> Variants:
        MISTAKES[function.__name__.replace("_", "-")] = MistakeKind(function, missing, changes_board)
        return function

    return register


def make_mistake(kind: str, plan: GamePlan, ply: int) -> Steps:
    """Return what the hands do in turn `ply` (from 1) when they make this kind of mistake (a key of `MISTAKES`).

    :raises SimulatorError: there is no such turn, or the mistake is impossible in it.
    """
    steps = next(variants(kind, plan, ply), None)
    if steps is None:
        turn = f"turn {ply}, {plan.turn(ply).move}"
        raise SimulatorError(f"{turn}: the mistake {kind!r} is impossible: the turn {MISTAKES[kind].missing}")
    return steps


def variants(kind: str, plan: GamePlan, ply: int) -> Iterator[Steps]:
    """Yield up to `MAX_VARIANTS` ways to make it: the steps of both hands, presses of buttons included.

    :raises SimulatorError: there is no such turn.
    """
    mistake = MISTAKES[kind]
    turn = plan.turn(ply)
    scene = Scene(plan.row, turn, plan.turns[ply] if ply < len(plan.turns) else None)
    found = islice(mistake.variants(scene), MAX_VARIANTS)
    if not mistake.changes_board:
        return found
    return (steps for steps in found if counts_at_button(turn.before, steps) != turn.after)


def counts_at_button(before: Sequence[int], steps: Steps) -> tuple[int, ...]:
    """Return what every place holds when a button is first pressed, or at the end if none is."""
    until = next((at for at, step in enumerate(steps) if step.kind in ("press", "undo")), len(steps))
    return counts_after(before, steps[: until + 1])


@_mistake(f"has no lap of {MIN_LAP} seeds or more")
def skip(scene: Scene) -> Iterator[Steps]:
    """Skip a pit in the middle of a lap: all later seeds fall one pit farther on."""
    # The last lap comes first, and of each the pits from the middle outwards. Laps whose changed pits are emptied later
    # in the turn come last: there the mistake grows.
    growing = []
    for lap in _laps(scene):
        pits = [scene.steps[at].place for at in lap.drops]
        center = len(pits) // 2
        middles = range(1, len(pits) - 1) if len(pits) >= MIN_LAP else range(0)
        for middle in sorted(middles, key=lambda middle: (abs(middle - center), middle)):
            wrong = [*pits[:middle], *pits[middle + 1 :], (2 * pits[-1] - pits[-2]) % (2 * scene.row)]
            steps = list(scene.steps)
            for at, pit in zip(lap.drops, wrong, strict=True):
                steps[at] = Step("drop", pit)
            changed = (Counter(pits) - Counter(wrong)) + (Counter(wrong) - Counter(pits))
            if any(step.place in changed for step in scene.steps[lap.drops[-1] + 1 :] if step.kind != "drop"):
                growing.append(tuple(steps))
            else:
                yield (*steps, PRESS)
    yield from ((*steps, PRESS) for steps in growing)


# Another lap than planned, which ends the turn


@_mistake("picks up no pit beside a full one of its row")
def wrong_pit(scene: Scene) -> Iterator[Steps]:
    """Take the pit beside the right one, sow it, and stop."""
    for lap in _laps(scene):
        done = scene.steps[: lap.lift]
        held = counts_after(scene.turn.before, done)
        pit, direction = scene.steps[lap.lift].place, _direction(scene, lap)
        for beside in (pit + 1, pit - 1):
            if beside // scene.row == pit // scene.row and 0 <= beside < 2 * scene.row and held[beside]:
                yield (*done, *_sow(scene.row, beside, held[beside], direction), PRESS)


@_mistake("captures nothing")
def forget_capture(scene: Scene) -> Iterator[Steps]:
    """Leave the captured seeds in their pits."""
    steps = tuple(step for step in scene.steps if step.kind != "take" or step.place == IN_HAND)
    if steps != scene.steps:
        yield (*steps, PRESS)


# Buttons, the other hand, second thoughts, the table


@_mistake("", changes_board=False)
def forget_button(scene: Scene) -> Iterator[Steps]:
    """Play right, and press the button six seconds late."""
    yield scene.steps


@_mistake("is not followed by one of the other side that sows")
def hasty(scene: Scene) -> Iterator[Steps]:
    """The other side begins to sow before the button of this turn is pressed."""
    if scene.next_turn is None or scene.next_turn.side == scene.turn.side:
        return
    begun = tuple(replace(step, hand=1) for step in scene.next_turn.steps)
    first_lap = next((at for at, step in enumerate(begun) if at and step.kind != "drop"), len(begun))
    for length in range(1, first_lap):  # at least one seed stays in the hand
        yield (*scene.steps, *begun[:length], PRESS)


@_mistake("is a pass", changes_board=False)
def take_back(scene: Scene) -> Iterator[Steps]:
    """Play, press the button, put everything back and press undo; then play the turn again."""
    if scene.steps:
        back = carry(scene.turn.after, scene.turn.before)
        yield (*scene.steps, PRESS, *back, UNDO, *scene.steps, PRESS)


@_mistake("could not begin with another pit", changes_board=False)
def change_mind(scene: Scene) -> Iterator[Steps]:
    """Begin with another pit, put its seeds back, and then play."""
    own = scene.row if scene.turn.side == "n" else 0
    for pit in range(own, own + scene.row):
        seeds = scene.turn.before[pit]
        if seeds and scene.steps and scene.steps[0].place != pit:
            begun = _sow(scene.row, pit, seeds, 1)
            back = carry(counts_after(scene.turn.before, begun), scene.turn.before)
            yield (*begun, *back, *scene.steps, PRESS)


@_mistake("leaves no stone in a pit")
def bump(scene: Scene) -> Iterator[Steps]:
    """Bump the table before the button is pressed: one to three stones jump to adjacent pits."""
    pits = 2 * scene.row
    full = [pit for pit in range(pits) if scene.turn.after[pit]]
    jumps = [Step("shift", pit, (pit + direction) % pits) for direction in (1, -1) for pit in full]
    for count in range(1, MAX_JUMPS + 1):
        for first in range(len(jumps)):
            some = tuple(jumps[(first + 5 * more) % len(jumps)] for more in range(count))
            yield (*scene.steps, SHAKE, *some, PRESS)


@_mistake("", changes_board=False)
def shake(scene: Scene) -> Iterator[Steps]:
    """Bump the table so that no stone moves but the scales swing."""
    yield (*scene.steps, SHAKE, PRESS)


def _laps(scene: Scene) -> Iterator[_Handful]:
    """Yield each handful that is sown into pits, the last one first."""
    steps = scene.steps
    lifts = [at for at, step in enumerate(steps) if step.kind == "lift"]
    ends = [*lifts[1:], len(steps)]
    for lift, end in zip(reversed(lifts), reversed(ends), strict=True):
        drops = [at for at in range(lift + 1, end) if steps[at].kind == "drop"]
        if drops and all(steps[at].place < 2 * scene.row for at in drops):
            yield _Handful(lift, tuple(drops))


def _direction(scene: Scene, lap: _Handful) -> int:
    """Return 1 for a counter-clockwise lap, else -1."""
    first, lifted = scene.steps[lap.drops[0]].place, scene.steps[lap.lift].place
    return -1 if (first - lifted) % (2 * scene.row) == 2 * scene.row - 1 else 1


def _sow(row: int, pit: int, seeds: int, direction: int) -> Steps:
    """Lift a pit and sow its seeds one by one."""
    return (Step("lift", pit), *(Step("drop", (pit + direction * at) % (2 * row)) for at in range(1, seeds + 1)))


def carry(counts: Sequence[int], wanted: Sequence[int]) -> Steps:
    """Carry seeds one by one until every place holds the wanted count."""
    surplus = [place for place, held in enumerate(counts) for _ in range(held - wanted[place])]
    lacking = [place for place, held in enumerate(counts) for _ in range(wanted[place] - held)]
    return tuple(Step("shift", place, to) for place, to in zip(surplus, lacking, strict=True))
