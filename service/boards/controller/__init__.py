"""The controller of a board: events of the board become turns of its game, and the game sets the board's lights.

`controller` is the event loop, `core` what it knows and how that is stored. The other modules say what to do:
`turns`, `undo`, `dispute` and `trial` about buttons, `settled` about a board without them, `health` about its sensors.
"""

from .controller import BoardController
from .core import FLUSH_AFTER, BoardReleased
from .settled import SETTLED_AFTER

__all__ = ["FLUSH_AFTER", "SETTLED_AFTER", "BoardController", "BoardReleased"]
