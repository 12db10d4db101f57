"""What happened in a turn: `find` weighs every account of what lies on the board.

`engine.find` searches for turns with slips and tells them as accounts (`docs/findings.md`). `hypotheses` lists boards
for `drivers.detection`, which weighs them against readings. Nothing here knows sensors.
"""

from .board_counts import BoardCounts
from .engine import find
from .evidence import Evidence, Reading, Seen
from .finding import Account, Finding
from .hypotheses import Hypothesis, hypotheses, taken_back
from .kinds import KINDS
from .several_turns import SeveralTurns, TurnAccount, find_since
from .sowing_errors import CAUSES

__all__ = [
    "CAUSES",
    "KINDS",
    "Account",
    "BoardCounts",
    "Evidence",
    "Finding",
    "Hypothesis",
    "Reading",
    "Seen",
    "SeveralTurns",
    "TurnAccount",
    "find",
    "find_since",
    "hypotheses",
    "taken_back",
]
