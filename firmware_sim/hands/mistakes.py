"""Mistakes that human hands make: from a planned turn to what the hands do instead. Nothing here takes time.

The hands believe that they play right: after the mistake they go on as planned with what they find, or stop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from firmware_sim.errors import SimulatorError

from .plan import IN_HAND, Plan, PlannedTurn, Step, counts_after

SHORTEST = 3  # seeds in a lap that a mistake in its middle needs
MAX_WAYS = 200  # in which one mistake is made in one turn: enough to choose from
MAX_JUMPS = 3  # stones that leave their pits when the table is bumped
PRESS = Step("press")
UNDO = Step("undo")
SHAKE = Step("shake")

Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A turn on a board with `row` pits a row, and the one that is to follow it, if any."""

    row: int
    turn: PlannedTurn
    following: PlannedTurn | None

    @property
    def steps(self) -> Steps:
        return self.turn.steps


@dataclass(frozen=True, slots=True)
class _Lap:
    """One handful, lifted in step `lift` and sown in steps `drops` (pits only)."""

    lift: int
    drops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A kind of mistake: `ways` yields what hands do that make it, the likeliest first.

    `lacks` says of a turn that gives no occasion what is missing. `spoils`: it leaves another board than the turn.
    """

    ways: Callable[[Scene], Iterator[Steps]]
    lacks: str
    spoils: bool = True


def spoil(kind: str, plan: Plan, ply: int) -> Steps:
    """What the hands do in turn `ply` (from 1) of a plan when they make a mistake of a `kind` (a key of `MISTAKES`).

    :raises SimulatorError: there is no such turn, or it gives no occasion for it.
    """
    steps = next(ways(kind, plan, ply), None)
    if steps is None:
        raise SimulatorError(f"the mistake {kind!r} cannot be made: the turn {MISTAKES[kind].lacks}")
    return steps


def ways(kind: str, plan: Plan, ply: int) -> Iterator[Steps]:
    """Up to `MAX_WAYS` ways of making it: the steps of both hands, presses of buttons included.

    :raises SimulatorError: there is no such turn.
    """
    if not 1 <= ply <= len(plan.turns):
        raise SimulatorError(f"there is no turn {ply}: the game has {len(plan.turns)}")
    mistake = MISTAKES[kind]
    turn = plan.turns[ply - 1]
    scene = Scene(plan.row, turn, plan.turns[ply] if ply < len(plan.turns) else None)
    found = islice(mistake.ways(scene), MAX_WAYS)
    if not mistake.spoils:
        return found
    return (steps for steps in found if at_button(turn.before, steps) != turn.counts)


def at_button(before: Sequence[int], steps: Steps) -> tuple[int, ...]:
    """What every place holds when a button is first pressed, or at the end when none is."""
    until = next((at for at, step in enumerate(steps) if step.kind in ("press", "undo")), len(steps))
    return counts_after(before, steps[: until + 1])


# One seed wrong in a lap


def skip(scene: Scene) -> Iterator[Steps]:
    """Skip one pit in the middle of a lap: the seeds after it all fall one pit further on."""

    def late(pits: list[int], middle: int) -> list[int]:
        beyond = (2 * pits[-1] - pits[-2]) % (2 * scene.row)
        return [*pits[:middle], *pits[middle + 1 :], beyond]

    return _in_a_lap(scene, late)


def double(scene: Scene) -> Iterator[Steps]:
    """Drop two seeds in one pit in the middle of a lap: the handful ends one pit early."""
    return _in_a_lap(scene, lambda pits, middle: [*pits[: middle + 1], *pits[middle:-1]])


def _in_a_lap(scene: Scene, change: Callable[[list[int], int], list[int]]) -> Iterator[Steps]:
    """Laps sown wrong from the middle outwards, the last lap first.

    First come those whose pits are not emptied later in the turn: then the mistake stays what it was.
    """
    grown = []
    for lap in _laps(scene.steps, scene.row):
        pits = [scene.steps[at].place for at in lap.drops]
        centre = len(pits) // 2
        middles = range(1, len(pits) - 1) if len(pits) >= SHORTEST else range(0)
        for _, middle in sorted((abs(middle - centre), middle) for middle in middles):
            wrong = change(pits, middle)
            spoilt = list(scene.steps)
            for at, pit in zip(lap.drops, wrong, strict=True):
                spoilt[at] = Step("drop", pit)
            differ = (Counter(pits) - Counter(wrong)) + (Counter(wrong) - Counter(pits))
            if _touched(scene.steps[lap.drops[-1] + 1 :], set(differ)):
                grown.append(tuple(spoilt))
            else:
                yield (*spoilt, PRESS)
    yield from ((*spoilt, PRESS) for spoilt in grown)


def leave_behind(scene: Scene) -> Iterator[Steps]:
    """Leave one seed in the pit that is picked up: the handful ends one pit early."""
    for lap in _laps(scene.steps, scene.row):
        if len(lap.drops) > 1:
            steps, last = scene.steps, lap.drops[-1]
            lifted = (steps[lap.lift], Step("drop", steps[lap.lift].place))
            yield (*steps[: lap.lift], *lifted, *steps[lap.lift + 1 : last], *steps[last + 1 :], PRESS)


# Another lap than was to be sown; the turn ends with it


def wrong_pit(scene: Scene) -> Iterator[Steps]:
    """Take the pit beside the right one, sow that, and stop."""
    for lap in _laps(scene.steps, scene.row):
        done = scene.steps[: lap.lift]
        held = counts_after(scene.turn.before, done)
        pit, way = scene.steps[lap.lift].place, _way(scene, lap)
        for beside in (pit + 1, pit - 1):
            if beside // scene.row == pit // scene.row and 0 <= beside < 2 * scene.row and held[beside]:
                yield (*done, *_sown(scene.row, beside, held[beside], way), PRESS)


def wrong_way(scene: Scene) -> Iterator[Steps]:
    """Sow a handful the other way round, and stop."""
    for lap in _laps(scene.steps, scene.row):
        done = scene.steps[: lap.lift]
        pit, seeds = scene.steps[lap.lift].place, len(lap.drops)
        yield (*done, *_sown(scene.row, pit, seeds, -_way(scene, lap)), PRESS)


def stop_early(scene: Scene) -> Iterator[Steps]:
    """Take the turn to be over when a lap of it has yet to be sown."""
    for lap in _laps(scene.steps, scene.row):
        if lap.lift:
            yield (*scene.steps[: lap.lift], PRESS)


# Captures


def forget_capture(scene: Scene) -> Iterator[Steps]:
    """Leave what was captured in its pits."""
    spoilt = tuple(step for step in scene.steps if step.kind != "take" or step.place == IN_HAND)
    if spoilt != scene.steps:
        yield (*spoilt, PRESS)


def wrong_store(scene: Scene) -> Iterator[Steps]:
    """Put what was captured into the other side's store."""
    south, north = 2 * scene.row, 2 * scene.row + 1
    swapped = {south: north, north: south}
    spoilt = tuple(replace(step, to=swapped[step.to]) if step.kind == "take" else step for step in scene.steps)
    if spoilt != scene.steps:
        yield (*spoilt, PRESS)


# Buttons, the other hand, second thoughts, the table


def forget_button(scene: Scene) -> Iterator[Steps]:
    """Play right, and press no button."""
    yield scene.steps


def hasty(scene: Scene) -> Iterator[Steps]:
    """The other side lifts its pit, and sows some of it, before the button of this turn is pressed."""
    if scene.following is None or scene.following.side == scene.turn.side:
        return
    begun = tuple(replace(step, hand=1) for step in scene.following.steps)
    first_lap = next((at for at, step in enumerate(begun) if at and step.kind != "drop"), len(begun))
    for length in range(1, first_lap):  # one seed at least is still in the hand
        yield (*scene.steps, *begun[:length], PRESS)


def take_back(scene: Scene) -> Iterator[Steps]:
    """Play, press the button, put everything back and press undo; then play the turn again."""
    if scene.steps:
        back = _carried(scene.turn.counts, scene.turn.before)
        yield (*scene.steps, PRESS, *back, UNDO, *scene.steps, PRESS)


def change_mind(scene: Scene) -> Iterator[Steps]:
    """Begin with another pit, put its seeds back, and only then play."""
    own = scene.row if scene.turn.side == "n" else 0
    for pit in range(own, own + scene.row):
        seeds = scene.turn.before[pit]
        if seeds and scene.steps and scene.steps[0].place != pit:
            begun = _sown(scene.row, pit, seeds, 1)
            back = _carried(counts_after(scene.turn.before, begun), scene.turn.before)
            yield (*begun, *back, *scene.steps, PRESS)


def bump(scene: Scene) -> Iterator[Steps]:
    """Bump the table before the button is pressed: one to `MAX_JUMPS` stones jump to pits beside theirs."""
    pits = 2 * scene.row
    full = [pit for pit in range(pits) if scene.turn.counts[pit]]
    jumps = [Step("shift", pit, (pit + way) % pits) for way in (1, -1) for pit in full]
    for count in range(1, MAX_JUMPS + 1):
        for first in range(len(jumps)):
            some = tuple(jumps[(first + 5 * more) % len(jumps)] for more in range(count))
            yield (*scene.steps, SHAKE, *some, PRESS)


def shake(scene: Scene) -> Iterator[Steps]:
    """Bump the table so that no stone moves, but the scales see it."""
    yield (*scene.steps, SHAKE, PRESS)


MISTAKES: dict[str, Mistake] = {
    "skip": Mistake(skip, f"has no lap of {SHORTEST} seeds or more"),
    "double": Mistake(double, f"has no lap of {SHORTEST} seeds or more"),
    "leave-behind": Mistake(leave_behind, "has no lap of 2 seeds or more"),
    "wrong-pit": Mistake(wrong_pit, "picks up no pit beside a full one of its row"),
    "wrong-way": Mistake(wrong_way, "has no lap"),
    "stop-early": Mistake(stop_early, "has no second lap"),
    "forget-capture": Mistake(forget_capture, "captures nothing"),
    "wrong-store": Mistake(wrong_store, "captures nothing"),
    "forget-button": Mistake(forget_button, "", spoils=False),
    "hasty": Mistake(hasty, "is not followed by one of the other side that sows"),
    "take-back": Mistake(take_back, "is a pass", spoils=False),
    "change-mind": Mistake(change_mind, "could not begin with another pit", spoils=False),
    "bump": Mistake(bump, "leaves no stone in a pit"),
    "shake": Mistake(shake, "", spoils=False),
}


def _laps(steps: Steps, row: int) -> Iterator[_Lap]:
    """Each handful that is sown in pits, the last one first."""
    lifts = [at for at, step in enumerate(steps) if step.kind == "lift"]
    ends = [*lifts[1:], len(steps)]
    for lift, end in zip(reversed(lifts), reversed(ends), strict=True):
        drops = [at for at in range(lift + 1, end) if steps[at].kind == "drop"]
        if drops and all(steps[at].place < 2 * row for at in drops):
            yield _Lap(lift, tuple(drops))


def _way(scene: Scene, lap: _Lap) -> int:
    """1 when the lap goes counter-clockwise, else -1."""
    first, lifted = scene.steps[lap.drops[0]].place, scene.steps[lap.lift].place
    return -1 if (first - lifted) % (2 * scene.row) == 2 * scene.row - 1 else 1


def _sown(row: int, pit: int, seeds: int, way: int) -> Steps:
    """A pit lifted and its seeds sown one by one."""
    return (Step("lift", pit), *(Step("drop", (pit + way * at) % (2 * row)) for at in range(1, seeds + 1)))


def _touched(steps: Steps, places: set[int]) -> bool:
    """Whether any of the places is emptied, or gives a seed away."""
    return any(step.place in places for step in steps if step.kind != "drop")


def _carried(counts: Sequence[int], wanted: Sequence[int]) -> Steps:
    """Seeds carried one by one until every place holds what is wanted of it."""
    surplus = [place for place, held in enumerate(counts) for _ in range(held - wanted[place])]
    lacking = [place for place, held in enumerate(counts) for _ in range(wanted[place] - held)]
    return tuple(Step("shift", place, to) for place, to in zip(surplus, lacking, strict=True))
