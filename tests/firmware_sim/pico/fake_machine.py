"""Fake hardware of a Pico: pins, bus, lamps, watchdog, and HX711s behind shift registers.

Runs under CPython and MicroPython. For differences from real hardware see `docs/board.md`, "Limits".
"""


class Chain:
    """Amplifiers whose data lines are read together, in place of `hx711.LineReader`."""

    def __init__(self, values):
        self.values = values  # of the next conversion: a number; None: the line stays high; "low": it stays low
        self.ready = [True] * len(values)
        self.width = (len(values) + 7) // 8
        self.early = set()  # amplifiers whose next conversion ends while this one is read

    def convert(self, *late):
        """End a conversion, except for those that are `late`."""
        for index in range(len(self.values)):
            self.ready[index] = index not in late

    def levels(self):
        return self._sample(0)

    def read(self):
        samples = bytearray()
        for pulses in range(26):
            samples += self._sample(pulses)
        self.ready = [False] * len(self.values)
        return samples

    def _sample(self, pulses):
        line = bytearray(self.width)
        for index in range(len(self.values)):
            line[index >> 3] |= self._level(index, pulses) << (7 - (index & 7))
        return line

    def _level(self, index, pulses):
        value = self.values[index]
        if value == "low":
            return 0
        if value is None:
            return 1
        if pulses == 0 or not self.ready[index]:
            return 0 if self.ready[index] else 1
        if pulses <= 24:
            return (value & 0xFFFFFF) >> (24 - pulses) & 1
        return 0 if index in self.early else 1


class Pin:
    """A pin whose level the test sets."""

    def __init__(self):
        self.level = 1

    def value(self):
        return self.level


class Lamps:
    """A chain of lamps. `shown` counts the writes."""

    def __init__(self, count):
        self.colors = [(0, 0, 0)] * count
        self.shown = 0

    def __setitem__(self, number, color):
        self.colors[number] = color

    def write(self):
        self.shown += 1


class Wire:
    """Both ends of a serial line."""

    def __init__(self):
        self.incoming = b""
        self.outgoing = b""
        self.full = False

    def read(self, count):
        data = self.incoming[:count]
        self.incoming = self.incoming[count:]
        return data

    def write(self, data):
        self.outgoing += data


class Gauge:
    """An input of the converter."""

    def __init__(self, value):
        self.value = value

    def read_u16(self):
        return self.value


class Watchdog:
    """A watchdog that counts how often it is fed."""

    def __init__(self):
        self.fed = 0

    def feed(self):
        self.fed += 1


class Memory:
    """Replaces `parts.BoardFile`."""

    def __init__(self, data=b""):
        self.data = data
        self.saved = 0

    def load(self):
        return self.data

    def save(self, data):
        self.data = data
        self.saved += 1
