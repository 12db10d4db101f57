"""Everything else of a real board: buttons, lamps, the line, the stored calibration, and the gauges."""

CHUNK = 64  # bytes that the line takes and gives at once: a packet of USB

FULL = 65535  # what the converter says to 3.3 V
FULL_MV = 3300


class Keys:
    """Buttons that connect their pin to ground, in the order of `firmware.buttons.contact`."""

    def __init__(self, pins) -> None:  # type: ignore[no-untyped-def]
        self._pins = pins

    def read(self) -> int:
        """The mask of closed contacts."""
        mask = 0
        for number, pin in enumerate(self._pins):
            if not pin.value():
                mask |= 1 << number
        return mask


class Pixels:
    """A chain of lamps in colours, lit anew only when something changes: they cost time."""

    def __init__(self, chain, colours) -> None:  # type: ignore[no-untyped-def]
        self._chain = chain
        self._colours = colours
        self._shown = b""

    def show(self, lamps: bytes) -> None:
        """What `Board.lamps` says."""
        if lamps != self._shown:
            self._shown = lamps
            for number, state in enumerate(lamps):
                self._chain[number] = self._colours[state]
            self._chain.write()


class Line:
    """The serial line over USB. `readable` and `writable` say whether a byte can be had or a packet put now."""

    def __init__(self, source, sink, readable, writable) -> None:  # type: ignore[no-untyped-def]
        self._source = source
        self._sink = sink
        self._readable = readable
        self._writable = writable

    def read(self) -> bytes:
        """What has come, at most a packet. One byte at a time: asking for more would wait until they are all there."""
        data = b""
        while len(data) < CHUNK and self._readable():
            data += self._source.read(1)
        return data

    def write(self, data: bytes) -> int:
        """How many of the bytes are on their way."""
        if not data or not self._writable():
            return 0
        packet = data[:CHUNK]
        self._sink.write(packet)
        return len(packet)


class Store:
    """A file that holds the calibration. A board that is switched off while it writes keeps the old one."""

    def __init__(self, path: str, rename) -> None:  # type: ignore[no-untyped-def]
        self._path = path
        self._rename = rename

    def load(self) -> bytes:
        """What was saved; nothing when nothing was."""
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
        """In mV; the Pico measures a third of it."""
        return int(self._supply.read_u16()) * 3 * FULL_MV // FULL

    def temperature(self) -> int:
        """In tenths of a degree Celsius: 27 °C at 0.706 V, and 1.721 mV less for each degree more."""
        microvolts = int(self._thermometer.read_u16()) * FULL_MV * 1000 // FULL
        return 270 - (microvolts - 706000) * 10 // 1721
