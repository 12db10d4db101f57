"""What the room of analyses brings, and the analysis board."""

from __future__ import annotations

from inkeek.service.errors import gettext_later as later
from inkeek.service.room import MORE, Entry, Room

HERE = "inkeek.service.study"

ROOM = Room(
    "study",
    "what positions and games are worth, and what was played from them",
    operations=(
        f"{HERE}.api:analysis_blueprint",
        f"{HERE}.jobs:blueprint",
        f"{HERE}.api:explorer_blueprint",
        f"{HERE}.api:positions_blueprint",
    ),
    pages=(f"{HERE}.pages",),
    package=HERE,
    optional=False,
)
ANALYSIS_BOARD = Room(
    "analysis_board",
    "the analysis board",
    pages=(f"{HERE}.analysis_board:pages",),
    entries=(Entry("web.analysis_board", later("Analysis board"), MORE),),
    position_page="web.analysis_board",
)
