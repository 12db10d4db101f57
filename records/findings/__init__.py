"""What may have happened in a turn that does not fit the rules.

`hypotheses` lists every explanation that is considered, with the board it would leave and its prior weight. Nothing
here knows sensors: `drivers.detection` weighs hypotheses against readings, others compare exact counts.
"""

from .board_counts import BoardCounts
from .hypotheses import Hypothesis, hypotheses, taken_back
from .sowing_errors import CAUSES

__all__ = ["CAUSES", "BoardCounts", "Hypothesis", "hypotheses", "taken_back"]
