"""The main loop of a real board."""

from ..firmware.board import BoardFirmware
from .amplifiers import Amplifiers
from .parts import BoardFile, ButtonPins, Gauges, Pixels, UsbLine

GAUGE_MS = 1000  # between two readings of supply and temperature


class Loop:
    """One board and its parts. `ticks` counts milliseconds and wraps; `since(new, old)` is the difference."""

    def __init__(  # type: ignore[no-untyped-def]
        self,
        board: BoardFirmware,
        amplifiers: Amplifiers,
        buttons: ButtonPins,
        pixels: Pixels,
        line: UsbLine,
        file: BoardFile,
        gauges: Gauges,
        watchdog,
        ticks,
        since,
    ) -> None:
        self._board = board
        self._amplifiers = amplifiers
        self._buttons = buttons
        self._pixels = pixels
        self._line = line
        self._file = file
        self._gauges = gauges
        self._watchdog = watchdog
        self._ticks = ticks
        self._since = since
        self._last_ticks = ticks()
        self.now = 0  # milliseconds since the start; does not wrap
        self._gauged = -GAUGE_MS
        self._stored = board.calibrations
        board.restore(file.load())

    def start_self_test(self) -> None:
        """Run the board's self-test, as a line of the host does."""
        self._board.self_test.start()

    def step(self) -> None:
        """Do whatever is due. Feed the watchdog only if sensors and line were both served."""
        board = self._board
        new_ticks = self._ticks()
        self.now += self._since(new_ticks, self._last_ticks)
        self._last_ticks = new_ticks
        board.receive(self._line.read())
        readings = self._amplifiers.poll(self.now)
        if readings is not None:
            if self.now - self._gauged >= GAUGE_MS:
                self._gauged = self.now
                board.supply = self._gauges.supply()
                board.temperature = self._gauges.temperature()
            board.sense(readings, self._buttons.read(), self.now)
            self._pixels.show(board.lamps(self.now))
        board.mark_sent(self._line.write(board.output(self.now)))
        if board.calibrations != self._stored:
            self._stored = board.calibrations
            self._file.save(board.calibration())
        if board.check_served():
            self._watchdog.feed()
