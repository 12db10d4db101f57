"""A cable that loses, doubles, damages, mixes up and delays bytes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import astuple, dataclass
from random import Random

from inkeek.firmware_sim.cable import Cable

KINDS = ("drop", "duplicate", "corrupt", "reorder", "delay")


@dataclass(frozen=True, slots=True)
class CableFaults:
    """How often each kind of fault happens, in bursts per thousand bytes in each direction."""

    drop: float = 0.0  # lost bursts
    duplicate: float = 0.0  # bursts that arrive twice
    corrupt: float = 0.0  # bursts with a bit of each byte flipped
    reorder: float = 0.0  # bursts that trade places with as many bytes after them
    delay: float = 0.0  # pauses
    burst: int = 8  # longest burst, in bytes
    late: int = 300  # longest pause, in milliseconds

    @property
    def rates(self) -> tuple[float, ...]:
        """The rates of `KINDS`, in their order."""
        return astuple(self)[: len(KINDS)]


class Wire:
    """One direction of a cable. Times are milliseconds of any clock that never goes back."""

    def __init__(self, faults: CableFaults, random: Random) -> None:
        self.fault_counts: Counter[str] = Counter()
        self._faults = faults
        self._random = random
        self._total = sum(faults.rates) / 1000
        self._clean = self._draw_gap()  # bytes until the next fault
        self._in_transit: deque[tuple[float, bytes]] = deque()  # when they come out, and the bytes
        self._delayed_until = 0.0

    def put(self, data: bytes, now: float) -> None:
        """Put bytes in."""
        while len(data) > self._clean:
            length = self._random.randint(1, self._faults.burst)
            good, data = data[: self._clean], data[self._clean :]
            piece, data = data[:length], data[length:]
            kind = self._random.choices(KINDS, self._faults.rates)[0]
            self.fault_counts[kind] += 1
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
                self._delayed_until = max(self._delayed_until, now + self._random.uniform(0, self._faults.late))
            self._send(piece, now)
            self._clean = self._draw_gap()
        self._clean -= len(data)
        self._send(data, now)

    def take(self, now: float) -> bytes:
        """Return the bytes that have come out by now."""
        out = b""
        while self._in_transit and self._in_transit[0][0] <= now:
            out += self._in_transit.popleft()[1]
        return out

    def cut(self) -> None:
        """Lose all bytes in transit."""
        self._in_transit.clear()

    def _send(self, data: bytes, now: float) -> None:
        if data:
            self._in_transit.append((max(now, self._delayed_until), data))

    def _draw_gap(self) -> int:
        return int(self._random.expovariate(self._total)) if self._total else 1 << 62


class FaultyCable:
    """A cable with faults: `to_host` and `to_board` are its directions, `clock` returns seconds."""

    def __init__(self, cable: Cable, to_host: Wire, to_board: Wire, clock: Callable[[], float]) -> None:
        self._cable = cable
        self._to_host = to_host
        self._to_board = to_board
        self._clock = clock
        self._arrived = b""  # at the host's end, but not taken yet
        self.plug = cable.plug
        self.files = cable.files

    @property
    def url(self) -> str:
        return self._cable.url

    def unplug(self) -> None:
        self._to_host.cut()
        self._to_board.cut()
        self._arrived = b""
        self._cable.unplug()

    def receive(self) -> bytes:
        self._to_board.put(self._cable.receive(), self._now)
        return self._to_board.take(self._now)

    def send(self, data: bytes) -> int:
        if self._arrived:  # the host is slow: send nothing more for now
            data = b""
        self._to_host.put(data, self._now)
        self._arrived += self._to_host.take(self._now)
        self._arrived = self._arrived[self._cable.send(self._arrived) :]
        return len(data)

    @property
    def _now(self) -> float:
        return self._clock() * 1000
