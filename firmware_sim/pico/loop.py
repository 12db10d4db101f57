"""The main loop of a real board."""

from firmware_sim.firmware.board import Board

from .amplifiers import Amplifiers
from .parts import Gauges, Keys, Line, Pixels, Store

GAUGE_MS = 1000  # between two looks at supply and temperature


class Loop:
    """One board and its parts. `ticks` is a counter of milliseconds that wraps, `since(new, old)` its difference."""

    def __init__(  # type: ignore[no-untyped-def]
        self,
        board: Board,
        amplifiers: Amplifiers,
        keys: Keys,
        pixels: Pixels,
        line: Line,
        store: Store,
        gauges: Gauges,
        watchdog,
        ticks,
        since,
    ) -> None:
        self._board = board
        self._amplifiers = amplifiers
        self._keys = keys
        self._pixels = pixels
        self._line = line
        self._store = store
        self._gauges = gauges
        self._watchdog = watchdog
        self._ticks = ticks
        self._since = since
        self._seen = ticks()
        self.now = 0  # milliseconds since the start, which do not wrap
        self._gauged = -GAUGE_MS
        self._stored = board.calibrations
        board.restore(store.load())

    def step(self) -> None:
        """Do what is due. The watchdog is fed only when sensors and line were both served."""
        board = self._board
        seen = self._ticks()
        self.now += self._since(seen, self._seen)
        self._seen = seen
        board.receive(self._line.read())
        readings = self._amplifiers.poll(self.now)
        if readings is not None:
            if self.now - self._gauged >= GAUGE_MS:
                self._gauged = self.now
                board.supply = self._gauges.supply()
                board.temperature = self._gauges.temperature()
            board.sense(readings, self._keys.read(), self.now)
            self._pixels.show(board.lamps(self.now))
        board.sent(self._line.write(board.pump(self.now)))
        if board.calibrations != self._stored:
            self._stored = board.calibrations
            self._store.save(board.calibration())
        if board.healthy():
            self._watchdog.feed()
