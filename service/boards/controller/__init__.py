"""A board's seat at the desk: what the board says becomes turns of its game, and what the game says goes to its lights.

`seat` hears a board's events, `sitting` holds what is known and stores it, `turns`, `buttons` and `still` say what
follows from them.
"""

from .controller import BoardController
from .settled import STILL_AFTER
from .sitting import FLUSH_AFTER

__all__ = ["FLUSH_AFTER", "STILL_AFTER", "BoardController"]
