"""What the room of analyses brings, and the analysis board."""

from inkeek.service.errors import gettext_later as later
from inkeek.service.room import MORE, Entry, Room

ROOM = Room(
    "study",
    "what positions and games are worth, and what was played from them",
    operations=(
        ".api:analysis_blueprint",
        ".jobs:blueprint",
        ".api:explorer_blueprint",
        ".api:positions_blueprint",
    ),
    pages=(".pages",),
    package=__package__,
    optional=False,
)
ANALYSIS_BOARD = Room(
    "analysis_board",
    "the analysis board",
    pages=(f"{__package__}.analysis_board:pages",),
    entries=(Entry("web.analysis_board", later("Analysis board"), MORE),),
    position_page="web.analysis_board",
)
