"""What happened in a turn: `find` weighs every account of what lies on the board.

`posterior.weigh` searches for turns with slips and weighs them, by what people count or by what a board reads
(`inkeek.drivers.detection`); `engine.find` tells them as accounts (`docs/findings.md`). The hands go on by the rules
after a slip. Nothing here knows sensors.
"""

from .account_steps import BoardCounts
from .engine import find, find_since
from .evidence import Evidence, Reading, Seen
from .finding import Account, Finding
from .kinds import KINDS

__all__ = [
    "KINDS",
    "Account",
    "BoardCounts",
    "Evidence",
    "Finding",
    "Reading",
    "Seen",
    "find",
    "find_since",
]
