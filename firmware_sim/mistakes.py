"""Mistakes that human hands make. Each changes the steps of a turn; the hand believes it played right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .errors import SimulatorError
from .plan import Step

SHORTEST = 3  # seeds in a lap that a mistake in its middle needs

Steps = tuple[Step, ...]


def skip(steps: Steps, row: int) -> Steps | None:
    """Skip one pit in the middle of a lap: the seeds after it all fall one pit further on."""
    found = None
    for lap in _laps(steps):
        for middle in _middles(lap):
            late = [steps[i].place for i in lap[middle + 1 :]]
            late.append(_beyond(steps, lap, row))
            spoilt = list(steps)
            for i, place in zip(lap[middle:], late, strict=True):
                spoilt[i] = Step("drop", place)
            if not _touched(steps[lap[-1] + 1 :], {steps[lap[middle]].place, late[-1]}):
                return tuple(spoilt)
            found = found or tuple(spoilt)
    return found


def double(steps: Steps, row: int) -> Steps | None:
    """Drop two seeds in one pit in the middle of a lap: the handful ends one pit early."""
    found = None
    for lap in _laps(steps):
        for middle in _middles(lap):
            early = [steps[i].place for i in lap[middle:-1]]
            spoilt = list(steps)
            for i, place in zip(lap[middle + 1 :], early, strict=True):
                spoilt[i] = Step("drop", place)
            if not _touched(steps[lap[-1] + 1 :], {steps[lap[middle]].place, steps[lap[-1]].place}):
                return tuple(spoilt)
            found = found or tuple(spoilt)
    return found


def forget_capture(steps: Steps, row: int) -> Steps | None:
    """Leave what was captured in its pits."""
    spoilt = tuple(step for step in steps if step.kind != "take" or step.place < 0)
    return spoilt if spoilt != steps else None


MISTAKES: dict[str, tuple[Callable[[Steps, int], Steps | None], str]] = {
    "skip": (skip, f"has no lap of {SHORTEST} seeds or more"),
    "double": (double, f"has no lap of {SHORTEST} seeds or more"),
    "forget-capture": (forget_capture, "captures nothing"),
}


def spoil(kind: str, steps: Steps, row: int) -> Steps:
    """The steps of a turn with a mistake of a `kind` (a key of `MISTAKES`) in them.

    Of all places where it could be made, one is taken whose pits are not emptied later in the turn, if there
    is one: then the mistake stays what it was.
    :raises SimulatorError: the turn gives no occasion for it.
    """
    make, lacks = MISTAKES[kind]
    spoilt = make(steps, row)
    if spoilt is None:
        raise SimulatorError(f"the mistake {kind!r} cannot be made: the turn {lacks}")
    return spoilt


def _laps(steps: Steps) -> list[list[int]]:
    """For each handful of at least `SHORTEST` seeds, the last one first, the indices of its drops."""
    laps: list[list[int]] = []
    for i, step in enumerate(steps):
        if step.kind == "lift":
            laps.append([])
        elif step.kind == "drop":
            laps[-1].append(i)
    return [lap for lap in reversed(laps) if len(lap) >= SHORTEST]


def _middles(lap: Sequence[int]) -> list[int]:
    """Which drops of a lap are neither its first nor its last, from the middle outwards."""
    return sorted(range(1, len(lap) - 1), key=lambda drop: abs(drop - len(lap) // 2))


def _beyond(steps: Steps, lap: Sequence[int], row: int) -> int:
    """The pit that follows the last one of a lap."""
    last, before = steps[lap[-1]].place, steps[lap[-2]].place
    return (2 * last - before) % (2 * row)


def _touched(steps: Steps, places: set[int]) -> bool:
    """Whether any of the places is emptied, or gives a seed away."""
    return any(step.place in places for step in steps if step.kind != "drop")
