"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from .errors import MoveSyntaxError, OptionError, PositionError, RecordsError
from .game import BadRecord, Game, Line, Ply, RecordError, Source
from .moves import PASS, IllegalMove, Kind, Move, Turn
from .notation.lenient import Lenient
from .notation.reader import Place, index_games, read_game_at, read_games, visit_games
from .notation.visitors import Building, Counting, Counts, Headers, Visitor
from .notation.writer import write_game
from .outcome import Outcome
from .people import Case, Fault, People, Teams
from .play import Rules, ruleset
from .position import NORTH, SOUTH, Position, Side
from .remarks import Noted, clocks, evaluations, remarks, times
from .replay import Replay
from .ruleset import RuleSet, ruleset_ids
from .trace import Trace, TraceEvent

__all__ = [
    "NORTH",
    "PASS",
    "SOUTH",
    "BadRecord",
    "Building",
    "Case",
    "Counting",
    "Counts",
    "Fault",
    "Game",
    "Headers",
    "IllegalMove",
    "Kind",
    "Lenient",
    "Line",
    "Move",
    "MoveSyntaxError",
    "Noted",
    "OptionError",
    "Outcome",
    "People",
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
    "Teams",
    "Trace",
    "TraceEvent",
    "Turn",
    "Visitor",
    "clocks",
    "evaluations",
    "index_games",
    "read_game_at",
    "read_games",
    "remarks",
    "ruleset",
    "ruleset_ids",
    "times",
    "visit_games",
    "write_game",
]
