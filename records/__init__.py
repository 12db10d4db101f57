"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# Modules with the names that are imported from them on first use: who plays turns does not wait for the notation.
_NAMES = {
    ".board": ("Board",),
    ".errors": (
        "ERROR_CODES",
        "ErrorCode",
        "MoveSyntaxError",
        "OptionError",
        "PositionError",
        "RecordsError",
        "SourceError",
    ),
    ".game": ("Game",),
    ".moves": ("PASS", "IllegalMove", "Kind", "Move", "Turn"),
    ".notation.game_builder": ("GameBuilder",),
    ".notation.lenient": ("LenientBuilder",),
    ".notation.reader": ("GameLocation", "index_games", "read_game_at", "read_games", "visit_games"),
    ".notation.visitors": ("Counts", "CountsBuilder", "TagsBuilder", "Visitor"),
    ".notation.writer": ("write_game",),
    ".people": ("Case", "People", "PeopleFault", "Teams"),
    ".position": ("NORTH", "SOUTH", "Position", "Side"),
    ".record": ("BadRecord", "Ply", "RecordError", "Source", "Variation"),
    ".remark": ("Remark", "clocks", "evaluations", "remarks", "times"),
    ".replay": ("Replay",),
    ".rules.outcome": ("GameEnd", "Outcome"),
    ".rules.play": ("Rules", "ruleset"),
    ".rules.ruleset": ("RuleSet", "ruleset_ids"),
    ".rules.trace": ("Trace", "TraceEvent"),
    ".version": ("__version__",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
    return value
