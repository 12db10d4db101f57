"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from __future__ import annotations

from .board import Board
from .drawing.svg import notebook_svg
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
from .notation.lenient import LenientBuilder
from .notation.movetext import Counts, CountsBuilder, TagsBuilder, Visitor
from .notation.reader import GameBuilder, GameLocation, index_games, read_game_at, read_games, visit_games
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

for _kind in (Board, Game, Position, Turn):  # notebooks show them by this method
    setattr(_kind, "_repr_svg_", notebook_svg)  # noqa: B010
