"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from __future__ import annotations

from .board import Board as Board
from .drawing.svg import notebook_svg
from .errors import (
    ERROR_CODES as ERROR_CODES,
    ErrorCode as ErrorCode,
    MoveSyntaxError as MoveSyntaxError,
    OptionError as OptionError,
    PositionError as PositionError,
    RecordsError as RecordsError,
    SourceError as SourceError,
)
from .game import Game as Game
from .moves import PASS as PASS, IllegalMove as IllegalMove, Kind as Kind, Move as Move, Turn as Turn
from .notation.commands import Remark as Remark, evaluations as evaluations, remarks as remarks
from .notation.movetext import Visitor as Visitor
from .notation.reader import (
    GameBuilder as GameBuilder,
    LenientBuilder as LenientBuilder,
    read_games as read_games,
    visit_games as visit_games,
)
from .notation.writer import write_game as write_game
from .people import Case as Case, People as People, PeopleFault as PeopleFault, Teams as Teams
from .position import NORTH as NORTH, SOUTH as SOUTH, Position as Position, Side as Side
from .record import (
    BadRecord as BadRecord,
    Ply as Ply,
    RecordError as RecordError,
    Source as Source,
    Variation as Variation,
)
from .replay import Replay as Replay
from .rules.outcome import GameEnd as GameEnd, Outcome as Outcome
from .rules.play import Rules as Rules, ruleset as ruleset
from .rules.ruleset import RuleSet as RuleSet, ruleset_ids as ruleset_ids
from .rules.trace import Trace as Trace, TraceEvent as TraceEvent
from .version import __version__ as __version__

for _kind in (Board, Game, Position, Turn):  # notebooks show them by this method
    setattr(_kind, "_repr_svg_", notebook_svg)  # noqa: B010
