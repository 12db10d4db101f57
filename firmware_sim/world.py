"""The things on the table: stones in pits, sensors under them, buttons beside them.

A place is a pit index or, after the pits, a store (South's, North's). Every stone has its own weight, near 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .errors import SimulatorError
from .firmware.buttons import contact

STONE_SD = 0.03  # of a stone's weight: sorted pebbles; the counts stay clear
NOISE_SD = 3.0  # of a reading, in hundredths of a seed
BOUNCE_MS = 15  # how long a contact chatters after it moved
LIGHTEST = 0.2  # of a stone: a normal distribution has tails, a stone has none
_NOISE = 4096  # readings after which the noise comes round again; a power of two


class World:
    """Stones, sensors and buttons. Times are milliseconds from the caller's clock."""

    def __init__(
        self,
        row: int,
        stores: bool,
        random: Random,
        *,
        stone_sd: float = STONE_SD,
        noise_sd: float = NOISE_SD,
        bounce_ms: int = BOUNCE_MS,
    ) -> None:
        self.row = row
        self.bounce_ms = bounce_ms
        self._sensors = 2 * row + (2 if stores else 0)
        self._random = random
        self._stone_sd = stone_sd
        self._places: list[list[float]] = [[] for _ in range(2 * row + 2)]
        self._loads = [0] * len(self._places)  # hundredths of a seed
        self._noise = [round(random.gauss(0, noise_sd)) for _ in range(_NOISE)]
        self._at = 0
        self._pressed: dict[int, tuple[int, int]] = {}  # contact: (closed at, opened at)
        self.broken: set[int] = set()  # sensors that do not answer

    def counts(self) -> tuple[int, ...]:
        """How many stones lie in each place, stores included, weighed or not."""
        return tuple(len(stones) for stones in self._places)

    def add(self, place: int, count: int) -> None:
        """Bring `count` new stones to a place."""
        for _ in range(count):
            self._places[place].append(max(LIGHTEST, self._random.gauss(1, self._stone_sd)))
        self._weigh(place)

    def lay(self, counts: Sequence[int]) -> None:
        """Bring new stones to every place."""
        for place, count in enumerate(counts):
            self.add(place, count)

    def lift(self, place: int) -> list[float]:
        """Take all stones of a place into the hand."""
        stones = self._places[place]
        self._places[place] = []
        self._weigh(place)
        return stones

    def drop(self, place: int, stone: float) -> None:
        """Let one stone fall."""
        self._places[place].append(stone)
        self._weigh(place)

    def carry(self, place: int, to: int) -> None:
        """Carry one stone from a place to another.

        :raises SimulatorError: there is none.
        """
        if not self._places[place]:
            raise SimulatorError(f"there is no stone in place {place} to carry to place {to}")
        self.drop(to, self._places[place].pop())
        self._weigh(place)

    def press(self, side: str, action: str, start: int, end: int) -> None:
        """Hold a button (side ``s`` or ``n``) from `start` to `end`."""
        self._pressed[contact(side, action)] = (start, end)

    def readings(self) -> list[int | None]:
        """What each sensor says now: hundredths of a seed with noise, None when it is broken."""
        self._at = at = (self._at + 61) % _NOISE
        noise = self._noise
        found: list[int | None] = [self._loads[i] + noise[(at + 7 * i) % _NOISE] for i in range(self._sensors)]
        for sensor in self.broken:
            found[sensor] = None
        return found

    def contacts(self, now: int) -> int:
        """The mask of closed contacts; just after a movement a contact is open or closed by chance."""
        if not self._pressed:
            return 0
        mask = 0
        for button, (start, end) in list(self._pressed.items()):
            if now >= end + self.bounce_ms:
                del self._pressed[button]
            elif start <= now < start + self.bounce_ms or now >= end:
                mask |= button * self._random.getrandbits(1)
            elif now >= start:
                mask |= button
        return mask

    def _weigh(self, place: int) -> None:
        self._loads[place] = round(100 * sum(self._places[place]))
