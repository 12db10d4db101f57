"""A second board: the board's side of the protocol, written from `docs/protocol.md` alone, for tests.

It shares no code with `drivers/` or `firmware_sim/` (`tests/test_house.py` holds that), and so none of their mistakes.
"""

from .board import ForeignBoard
from .deviations import Deviations
from .hand import Hand
from .line import Bench, Environment
from .ports import PtyPort

__all__ = ["Bench", "Deviations", "Environment", "ForeignBoard", "Hand", "PtyPort"]
