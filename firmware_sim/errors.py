"""The errors of the simulator."""

from __future__ import annotations


class SimulatorError(Exception):
    """The root of all errors of `firmware_sim`."""


class BadScenario(SimulatorError):
    """The command line is invalid."""


class CableError(SimulatorError):
    """The path or the address of the cable is not available."""


class GaveUp(SimulatorError):
    """The hands stopped in mid-game: nobody answered, or one turn was refused again and again."""
