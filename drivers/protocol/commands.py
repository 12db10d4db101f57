"""Lines that have a board calibrate its sensors or test itself."""

from __future__ import annotations

from drivers.errors import DriverError
from drivers.events import Connected

from .frames import Frame
from .messages import TARE, TEST, TEST_STOP, calibrate_seeds


def self_test(board: Connected, stop: bool) -> Frame:
    """Return the line that starts the self-test, or stops it.

    :raises DriverError: the board has none.
    """
    if "test" not in board.capabilities:
        raise DriverError(f"board {board.serial!r} has no self-test")
    return TEST_STOP if stop else TEST


def calibration(board: Connected, pit: int | None, seeds: int) -> Frame:
    """Return the line for a step of the calibration: `seeds` lie in `pit`; None: all pits and stores are empty.

    :raises DriverError: the board cannot do this step.
    """
    if "cal" not in board.capabilities:
        raise DriverError(f"board {board.serial!r} does not support calibration over the line")
    if pit is None:
        return TARE
    if 0 <= pit < board.sensors and seeds >= (0 if board.version >= (1, 1) else 1):
        return calibrate_seeds(pit, seeds)
    expected = f"pit 0 to {board.sensors - 1}, 1 seed or more"
    raise DriverError(f"cannot calibrate pit {pit} with {seeds} seeds: expected {expected}")
