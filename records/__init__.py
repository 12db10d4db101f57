"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from __future__ import annotations

from .board import Board
from .errors import (
    ERROR_CODES,
    ErrorCode,
    MoveSyntaxError,
    OptionError,
    PositionError,
    RecordsError,
    SourceError,
)
from .game import Game
from .moves import PASS, IllegalMove, Kind, Move, Turn
from .notation.game_builder import GameBuilder
from .notation.lenient import LenientBuilder
from .notation.reader import GameLocation, index_games, read_game_at, read_games, visit_games
from .notation.visitors import Counts, CountsBuilder, TagsBuilder, Visitor
from .notation.writer import write_game
from .people import Case, People, PeopleFault, Teams
from .position import NORTH, SOUTH, Position, Side
from .record import BadRecord, Ply, RecordError, Source, Variation
from .remark import Remark, clocks, evaluations, remarks, times
from .replay import Replay
from .rules.outcome import GameEnd, Outcome
from .rules.play import Rules, ruleset
from .rules.ruleset import RuleSet, ruleset_ids
from .rules.trace import Trace, TraceEvent
from .version import __version__

__all__ = [
    "ERROR_CODES",
    "NORTH",
    "PASS",
    "SOUTH",
    "BadRecord",
    "Board",
    "Case",
    "Counts",
    "CountsBuilder",
    "ErrorCode",
    "Game",
    "GameBuilder",
    "GameEnd",
    "GameLocation",
    "IllegalMove",
    "Kind",
    "LenientBuilder",
    "Move",
    "MoveSyntaxError",
    "OptionError",
    "Outcome",
    "People",
    "PeopleFault",
    "Ply",
    "Position",
    "PositionError",
    "RecordError",
    "RecordsError",
    "Remark",
    "Replay",
    "RuleSet",
    "Rules",
    "Side",
    "Source",
    "SourceError",
    "TagsBuilder",
    "Teams",
    "Trace",
    "TraceEvent",
    "Turn",
    "Variation",
    "Visitor",
    "__version__",
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
