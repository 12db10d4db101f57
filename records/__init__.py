"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from .errors import IllegalMove, MoveSyntaxError, OptionError, PositionError, RecordsError
from .moves import PASS, Kind, Move, Turn
from .play import Outcome, Rules, ruleset
from .position import NORTH, SOUTH, Position, Side
from .ruleset import RuleSet, ruleset_ids
from .trace import Event, Trace

__all__ = [
    "NORTH",
    "PASS",
    "SOUTH",
    "Event",
    "IllegalMove",
    "Kind",
    "Move",
    "MoveSyntaxError",
    "OptionError",
    "Outcome",
    "Position",
    "PositionError",
    "RecordsError",
    "RuleSet",
    "Rules",
    "Side",
    "Trace",
    "Turn",
    "ruleset",
    "ruleset_ids",
]
