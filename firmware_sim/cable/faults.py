"""A cable that is not perfect: bytes go in at one end and come out at the other late, wrong, twice, or not at all."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from random import Random

KINDS = ("drop", "duplicate", "corrupt", "reorder", "delay")
MAX_RATE = 100.0  # bursts in a thousand bytes
MAX_BURST = 64  # bytes
MAX_LATE = 5000  # milliseconds


@dataclass(frozen=True, slots=True)
class CableFaults:
    """How often each kind of fault strikes, in bursts for a thousand bytes each way.

    A burst of one to `burst` bytes is lost (`drop`), comes twice (`duplicate`), has a bit of each byte turned over
    (`corrupt`), or changes places with as many after it (`reorder`); or all that follows comes up to `late`
    milliseconds later (`delay`).
    """

    drop: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    reorder: float = 0.0
    delay: float = 0.0
    burst: int = 8
    late: int = 300

    @property
    def rates(self) -> tuple[float, ...]:
        return (self.drop, self.duplicate, self.corrupt, self.reorder, self.delay)


class Wire:
    """One direction of a cable. Times are milliseconds of any clock that never goes back."""

    def __init__(self, faults: CableFaults, random: Random) -> None:
        self.struck: Counter[str] = Counter()  # how often each kind of fault did
        self._faults = faults
        self._random = random
        self._total = sum(faults.rates) / 1000
        self._clean = self._gap()  # bytes until the next fault
        self._held: deque[tuple[float, bytes]] = deque()  # on the way: when it comes out, and what
        self._late = 0.0  # nothing comes out before

    def put(self, data: bytes, now: float) -> None:
        """Bytes go in."""
        while len(data) > self._clean:
            length = self._random.randint(1, self._faults.burst)
            good, piece, data = data[: self._clean], data[self._clean : self._clean + length], data[self._clean :]
            data = data[length:]
            kind = self._random.choices(KINDS, self._faults.rates)[0]
            self.struck[kind] += 1
            if kind == "duplicate":
                piece += piece
            elif kind == "corrupt":
                piece = bytes(byte ^ 1 << self._random.randrange(8) for byte in piece)
            elif kind == "reorder":
                piece, data = data[:length] + piece, data[length:]
            elif kind == "drop":
                piece = b""
            self._send(good, now)
            if kind == "delay":
                self._late = max(self._late, now + self._random.uniform(0, self._faults.late))
            self._send(piece, now)
            self._clean = self._gap()
        self._clean -= len(data)
        self._send(data, now)

    def take(self, now: float) -> bytes:
        """What has come out by now."""
        out = b""
        while self._held and self._held[0][0] <= now:
            out += self._held.popleft()[1]
        return out

    def cut(self) -> None:
        """What was on the way is lost."""
        self._held.clear()

    def _send(self, data: bytes, now: float) -> None:
        if data:
            self._held.append((max(now, self._late), data))

    def _gap(self) -> int:
        return int(self._random.expovariate(self._total)) if self._total else 1 << 62
