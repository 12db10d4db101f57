"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from .errors import IllegalMove, MoveSyntaxError, OptionError, PositionError, RecordsError
from .game import BadRecord, Game, Line, Ply, RecordError, Source
from .moves import PASS, Kind, Move, Turn
from .notation.lenient import Lenient
from .notation.reader import Place, index_games, read_game_at, read_games, visit_games
from .notation.visitors import Building, Counting, Counts, Headers, Visitor
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
    "Building",
    "Counting",
    "Counts",
    "Event",
    "Game",
    "Headers",
    "IllegalMove",
    "Kind",
    "Lenient",
    "Line",
    "Move",
    "MoveSyntaxError",
    "OptionError",
    "Outcome",
    "Place",
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
    "Visitor",
    "index_games",
    "read_game_at",
    "read_games",
    "ruleset",
    "ruleset_ids",
    "visit_games",
    "write_game",
]
