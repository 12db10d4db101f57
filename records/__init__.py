"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from .errors import IllegalMove, MoveSyntaxError, OptionError, PositionError, RecordsError
from .game import BadRecord, Game, Line, Ply, RecordError, Source
from .moves import PASS, Kind, Move, Turn
from .notation.reader import read_games
from .notation.writer import write_game
from .outcome import Outcome
from .play import Rules, ruleset
from .position import NORTH, SOUTH, Position, Side
from .replay import Replay
from .ruleset import RuleSet, ruleset_ids
from .trace import Event, Trace

__all__ = [
    "NORTH",
    "PASS",
    "SOUTH",
    "BadRecord",
    "Event",
    "Game",
    "IllegalMove",
    "Kind",
    "Line",
    "Move",
    "MoveSyntaxError",
    "OptionError",
    "Outcome",
    "Ply",
    "Position",
    "PositionError",
    "RecordError",
    "RecordsError",
    "Replay",
    "RuleSet",
    "Rules",
    "Side",
    "Source",
    "Trace",
    "Turn",
    "read_games",
    "ruleset",
    "ruleset_ids",
    "write_game",
]
