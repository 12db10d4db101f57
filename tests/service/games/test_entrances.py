"""What comes in passes the same checks at every entrance, and whatever is taken can be edited, exported and read again.

The entrances are the API, an import in the notation, one of lines of JSON, and the archive.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records import Game, Move, Ply, RecordsError, Variation, read_games, write_game
from records.match import MAX_GAMES
from service.errors import ServiceError
from service.games.corrections import CorrectedEnd, correct_end
from service.games.transfer import event_contents
from service.games.validation import MAX_ACTOR, MAX_COMMENT, MAX_COMMENTS, MAX_TAGS, MAX_TEXT
from service.games.write import Write
from service.maintenance import archive
from service.storage import GENESIS, seal
from tests.records.notation.commands_made import commands
from tests.service.transfers import import_lines, import_text
from tests.strategies import games as records_made
