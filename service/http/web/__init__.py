"""The pages: `blueprint` holds their routes, `html_error` answers errors outside the API."""

from __future__ import annotations

from . import appearance as appearance  # these routes are on the same blueprint
from . import boards as boards
from . import dispute_board as dispute_board
from . import disputes as disputes
from . import findings as findings
from . import game_analysis as game_analysis
from . import hall as hall
from . import help as help
from . import imports as imports
from . import library as library
from . import live_actions as live_actions
from . import matches as matches
from . import rules as rules
from . import sheet as sheet
from . import signing as signing
from . import study as study
from . import tokens as tokens
from .pages import blueprint, html_error

__all__ = ["blueprint", "html_error"]
