"""The errors of the simulator."""

from __future__ import annotations


class SimulatorError(Exception):
    """The root of what `firmware_sim` raises: what was asked for cannot be simulated, and why."""


class BadScenario(SimulatorError):
    """The command line, or the file of a scenario, asks for what there is not."""


class LinkError(SimulatorError):
    """The cable cannot be laid: a path or an address that is not to be had."""


class GaveUp(SimulatorError):
    """The hands stopped in the middle of a game: nobody answered, or a turn was refused again and again."""
