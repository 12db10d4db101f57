"""What happened in a turn: `find` weighs every account of what lies on the board.

`engine.find` searches for turns with slips and tells them as accounts (`docs/findings.md`): the hands go on by the
rules after a slip. `inkeek.drivers.detection` weighs the same drafts by what a board reads. Nothing here knows sensors.
"""

from .board_counts import BoardCounts
from .drafts import Draft
from .engine import find
from .evidence.evidence import Evidence, Reading, Seen
from .finding import Account, Finding
from .kinds import KINDS
from .several_turns import find_since

__all__ = [
    "KINDS",
    "Account",
    "BoardCounts",
    "Draft",
    "Evidence",
    "Finding",
    "Reading",
    "Seen",
    "find",
    "find_since",
]
