"""The main loop of a real board, and its parts besides the scales: buttons, lamps, serial line, files, gauges."""

from ..firmware.board import BoardFirmware
from .hx711 import Amplifiers

PACKET = 64  # bytes read or written at once: one USB packet

FULL = 65535  # the converter's value at 3.3 V
FULL_MV = 3300


class ButtonPins:
    """Buttons that connect their pins to ground, in the order of `firmware.panel.contact`."""

    def __init__(self, pins) -> None:  # type: ignore[no-untyped-def]
        self._pins = pins

    def read(self) -> int:
        """Return the mask of closed contacts."""
        mask = 0
        for number, pin in enumerate(self._pins):
            if not pin.value():
                mask |= 1 << number
        return mask


class Pixels:
    """A chain of color lamps, written only when something changes: writing takes time."""

    def __init__(self, chain, colors) -> None:  # type: ignore[no-untyped-def]
        self._chain = chain
        self._colors = colors
        self._shown = b""

    def show(self, lamps: bytes) -> None:
        """Show the result of `LightPanel.lamps`."""
        if lamps != self._shown:
            self._shown = lamps
            for number, state in enumerate(lamps):
                self._chain[number] = self._colors[state]
            self._chain.write()


class UsbLine:
    """The serial line over USB. `readable` and `writable` say whether a byte or a packet can pass now."""

    def __init__(self, source, sink, readable, writable) -> None:  # type: ignore[no-untyped-def]
        self._source = source
        self._sink = sink
        self._readable = readable
        self._writable = writable

    def read(self) -> bytes:
        """Return up to one packet. It reads single bytes: asking for more would block until all are there."""
        data = b""
        while len(data) < PACKET and self._readable():
            data += self._source.read(1)
        return data

    def write(self, data: bytes) -> int:
        """Send up to one packet and return how many bytes it took."""
        if not data or not self._writable():
            return 0
        packet = data[:PACKET]
        self._sink.write(packet)
        return len(packet)


class BoardFile:
    """Stores the calibration. A board that loses power during `save` keeps the old file."""

    def __init__(self, path: str, rename) -> None:  # type: ignore[no-untyped-def]
        self._path = path
        self._rename = rename

    def load(self) -> bytes:
        """Return the saved bytes, or none if nothing was saved."""
        try:
            with open(self._path, "rb") as file:
                return file.read()
        except OSError:
            return b""

    def save(self, data: bytes) -> None:
        with open(self._path + ".new", "wb") as file:
            file.write(data)
        self._rename(self._path + ".new", self._path)


class Gauges:
    """Supply and temperature, from two inputs of the converter."""

    def __init__(self, supply, thermometer) -> None:  # type: ignore[no-untyped-def]
        self._supply = supply
        self._thermometer = thermometer

    def supply(self) -> int:
        """Return mV. The Pico measures a third of the supply."""
        return int(self._supply.read_u16()) * 3 * FULL_MV // FULL

    def temperature(self) -> int:
        """Return tenths of a degree Celsius: 27 °C at 0.706 V, and 1.721 mV less for each degree more."""
        microvolts = int(self._thermometer.read_u16()) * FULL_MV * 1000 // FULL
        return 270 - (microvolts - 706000) * 10 // 1721


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
