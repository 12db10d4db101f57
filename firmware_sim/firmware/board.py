"""The board: how it answers sensor readings, button contacts and lines from the host."""

from .codec import MAX_LINE, MAX_UINT32, LineDecoder, dump, encode, load, whole
from .panel import Buttons, LightPanel
from .self_test import SelfTest
from .sensor import UNIT, Sensor

PROTOCOL = "1.1"
FIRMWARE = "0.2.0"
CAPABILITIES = "buttons+leds+cal+test"
MAX_ROW = 16  # pits per row: the longest line still fits into 256 bytes
OUTPUT_SIZE = 4096  # bytes waiting to be sent; events beyond that wait in the ring, answers are dropped
DAMAGE_REPORT_MS = 1000  # at most one ERR,damaged in this time: a noisy line must not fill with error reports
MAX_SETTLE_MS = 300  # a button event waits this long for loads to settle, so that it reports settled counts
LOW_SUPPLY = 4300  # mV: below this, amplifiers measure badly, and the board may soon restart
GOOD_SUPPLY = 4400  # mV: from here on, the supply is good again
MAX_WARMING = 150  # tenths of a degree Celsius since the tare; beyond this, a load cell has drifted

# From a line that echoes: answering them would never end.
_OWN_TYPES = ("EVT", "SNAP", "STAT", "ERR", "LIT")


RING_SIZE = 512  # events kept: docs/protocol.md asks for at least this many
RESEND_MS = 1000  # after this, an unacknowledged event is sent again: docs/protocol.md


class Ring:
    """A bounded queue of numbered lines. When full it drops the oldest; the host learns of it by a `REPLAY`."""

    def __init__(self, size: int = RING_SIZE) -> None:
        self.size = size
        self.last = 0  # the last number used; 0 before the first event
        self._lines: list[bytes] = []
        self._sent_at: list[int] = []  # one per line; meaningless before it was taken
        self._next = 0  # index in _lines of the next line to take

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def first(self) -> int:
        """The oldest number held; the next number to be used if the ring is empty."""
        return self.last + 1 - len(self._lines)

    def append(self, line: bytes) -> None:
        """Add the line of event number `last` + 1."""
        self.last += 1
        self._lines.append(line)
        self._sent_at.append(0)
        if len(self._lines) > self.size:
            self._drop(1)

    def acknowledge(self, number: int) -> None:
        """Drop every event up to `number`."""
        self._drop(max(0, min(len(self._lines), number + 1 - self.first)))

    def rewind(self, number: int) -> None:
        """Send again from `number` on, or from the oldest held if that is later."""
        self._next = max(0, min(len(self._lines), number - self.first))

    def take(self, now: int) -> bytes | None:
        """Return the next line to send, if there is one."""
        if self._next == len(self._lines):
            if not self._lines or now - self._sent_at[0] < RESEND_MS:
                return None
            self._next = 0
        line = self._lines[self._next]
        self._sent_at[self._next] = now
        self._next += 1
        return line

    def _drop(self, count: int) -> None:
        self._lines = self._lines[count:]
        self._sent_at = self._sent_at[count:]
        self._next = max(0, self._next - count)


class BoardFirmware:
    """A board with `row` pits per row. It weighs its stores too if `stores`.

    The caller passes in readings and contacts (`sense`) and bytes from the host (`receive`), sends what `output`
    returns, reports how much of it went out (`mark_sent`), and shows the `lights`. `sense` and `output` may use
    different clocks; a real board uses one. The caller also updates `supply` (mV) and `temperature` (tenths of a
    degree Celsius), and stores `calibration()` whenever `calibrations` has grown.
    """

    def __init__(
        self,
        row: int,
        stores: bool,
        serial: str,
        boot: str,
        firmware: str = FIRMWARE,
        ring: int = RING_SIZE,
        unit: int = UNIT,
        calibrated: bool = True,
        stuck_ms: int = 0,
    ) -> None:
        """Queue the first HELLO. `unit`, `calibrated` and `stuck_ms` are those of `Sensor`.

        :raises ValueError: `row` is not 1 … `MAX_ROW`, or a text cannot stand in a line.
        """
        if not 1 <= row <= MAX_ROW:
            raise ValueError(f"a board has 1 to {MAX_ROW} pits per row, not {row}")
        self.row = row
        self.stores = stores
        self.serial = serial
        self.boot = boot
        self.firmware = firmware
        self.supply = 5000
        self.temperature = 200
        self.sensors = [Sensor(unit, calibrated, stuck_ms) for _ in range(2 * row + (2 if stores else 0))]
        self.lights = LightPanel(len(self.sensors))
        self.buttons = Buttons()
        self.self_test = SelfTest(len(self.sensors))
        self.ring = Ring(ring)
        self.decoder = LineDecoder()
        self.dropped = 0  # answers dropped because the output was full
        self.calibrations = 0  # successful calibration steps since the start
        self._tare_temperature = 200
        self._supply_low = False
        self._presses: list[tuple[str, str, int]] = []  # side, action and time of presses waiting for settled loads
        self._sensed = self._polled = False  # since the last call of `check_served`
        self._faults = [""] * len(self.sensors)
        self._now = 0  # the sensors' clock
        self._damage_reported = -DAMAGE_REPORT_MS
        self._refused = False  # the host speaks another major version
        self._output = b""
        self._send_hello()

    def sense(self, readings: list[int | None], contacts: int, now: int) -> None:
        """Process one reading per sensor (raw; None if the sensor does not answer) and the mask of closed contacts."""
        self._now = now
        self._sensed = True
        if self.self_test.running:
            units = [sensor.span // sensor.seeds for sensor in self.sensors]
            for part, result, text in self.self_test.step(readings, units, contacts, now):
                self._send("TEST", part, result, text)
            return
        for index, sensor in enumerate(self.sensors):
            if sensor.read(readings[index], now):
                if sensor.lifted:
                    self._add_event("LIFT", str(index))
                self._add_event("PIT", str(index), str(sensor.settled_count))
            if sensor.fault != self._faults[index]:
                self._faults[index] = sensor.fault
                self._add_event("FAULT", str(index), sensor.fault or "ok")
        for side, action in self.buttons.read(contacts, now):
            if action != "accept" or self.lights.answers:  # a host of protocol 1.0 does not know it
                self._presses.append((side, action, now))
        if self._presses and (self._all_settled() or now - self._presses[0][2] >= MAX_SETTLE_MS):
            for side, action, _ in self._presses:
                self._add_event("BTN", side, action, self._counts())
                self.lights.press(side, self.ring.last)
            self._presses = []
        low = self.supply < (GOOD_SUPPLY if self._supply_low else LOW_SUPPLY)
        if low != self._supply_low:
            self._supply_low = low
            self._send_status()

    def receive(self, data: bytes) -> None:
        """Take bytes from the host and answer the lines they complete."""
        damaged = self.decoder.damaged
        for line in self.decoder.feed(data):
            self._handle(line[0], line[1:])
        if self.decoder.damaged != damaged and self._now - self._damage_reported >= DAMAGE_REPORT_MS:
            self._damage_reported = self._now
            self._send("ERR", "damaged", "")

    def output(self, now: int) -> bytes:
        """Return the bytes to send. The caller then reports with `mark_sent` how many went out."""
        self._polled = True
        while len(self._output) <= OUTPUT_SIZE - MAX_LINE and not self._refused:
            line = self.ring.take(now)
            if line is None:
                break
            self._output += line
        return self._output

    def mark_sent(self, count: int) -> None:
        """Remove the first `count` bytes from the output."""
        self._output = self._output[count:]

    def lamps(self, now: int) -> bytes:
        """Return what each lamp does now; see `LightPanel.lamps`."""
        return self.self_test.lamps() if self.self_test.running else self.lights.lamps(now)

    def check_served(self) -> bool:
        """Whether sensors and line were both served since this last returned True. Then a watchdog may be fed."""
        served = self._sensed and self._polled
        if served:
            self._sensed = self._polled = False
        return served

    def calibration(self) -> bytes:
        """Return the calibration as bytes for `restore` after a restart."""
        scales = [(each.zero, each.span, each.seeds) if each.calibrated else None for each in self.sensors]
        return dump(self._tare_temperature, scales)

    def restore(self, data: bytes) -> bool:
        """Load a stored calibration. Return False and change nothing if it is damaged or from another board."""
        loaded = load(data, len(self.sensors))
        if loaded is None:
            return False
        self._tare_temperature, scales = loaded
        for index, scale in enumerate(scales):
            if scale is not None:
                self.sensors[index].restore(scale[0], scale[1], scale[2])
        return True

    def _handle(self, kind: str, fields: list[str]) -> None:
        if kind == "HELLO":
            self._handle_hello(fields)
        elif self._refused or kind in _OWN_TYPES:
            pass
        elif kind == "ACK":
            self._handle_ack(fields)
        elif kind == "NAK":
            self.ring.rewind(self.ring.first)
        elif kind == "REPLAY":
            self._handle_replay(fields)
        elif kind == "SNAP?":
            self._send("SNAP", self.boot, str(self.ring.last), self._ms(), self._counts(), self._confidence())
        elif kind == "LED":
            self._handle_lights(fields)
        elif kind == "CAL":
            self._handle_calibration(fields)
        elif kind == "PING":
            self._send_status()
        elif kind == "TEST":
            self._handle_test(fields)
        else:
            self._send("ERR", "unknown", kind[:32])

    def _handle_hello(self, fields: list[str]) -> None:
        parts = fields[0].split(".") if fields else []
        if len(parts) != 2 or whole(parts[0], MAX_UINT32) < 0 or whole(parts[1], MAX_UINT32) < 0:
            self._reject("HELLO", fields)
            return
        self._refused = int(parts[0]) != int(PROTOCOL.split(".")[0])
        self.lights.answers = int(parts[1]) > 0
        if self._refused:
            self._send("ERR", "version", PROTOCOL)
        self._send_hello()

    def _handle_ack(self, fields: list[str]) -> None:
        number = whole(fields[1], self.ring.last) if len(fields) > 1 else -1
        if fields and fields[0] != self.boot:
            return
        if number < 0:
            self._reject("ACK", fields)
        else:
            self.ring.acknowledge(number)

    def _handle_replay(self, fields: list[str]) -> None:
        number = whole(fields[1], MAX_UINT32) if len(fields) > 1 else -1
        if fields and fields[0] != self.boot:
            self._send_hello()
        elif number < 1 or number > self.ring.last + 1:
            self._reject("REPLAY", fields)
        else:
            if number < self.ring.first:
                self._send("ERR", "overflow", str(self.ring.first))
            self.ring.rewind(number)

    def _handle_lights(self, fields: list[str]) -> None:
        if not fields or fields[0] != "all":
            if not self.lights.apply(fields):
                self._reject("LED", fields)
        elif len(fields) > 2 and fields[2] != self.boot:
            self._send_hello()  # they answer events of an earlier run
        elif self.lights.apply_all(fields, self.ring.last):
            self._send("LIT", self.boot, fields[1])
        else:
            self._reject("LED", fields)

    def _handle_test(self, fields: list[str]) -> None:
        if not fields:
            self.self_test.start()
        elif fields == ["stop"] and self.self_test.running:
            part, result, text = self.self_test.stop()
            self._send("TEST", part, result, text)

    def _handle_calibration(self, fields: list[str]) -> None:
        if fields and fields[0] == "tare":
            self._tare_temperature = self.temperature
            for index, sensor in enumerate(self.sensors):
                self._add_calibration(index, sensor.tare())
            return
        index = whole(fields[1], len(self.sensors) - 1) if len(fields) > 2 else -1
        seeds = whole(fields[2], 99) if len(fields) > 2 else -1
        if index < 0 or seeds < 0 or fields[0] != "seeds":
            self._reject("CAL", fields)
        elif seeds == 0:
            self._add_calibration(index, self.sensors[index].tare(True))
        else:
            self._add_calibration(index, self.sensors[index].calibrate(seeds))

    def _add_calibration(self, index: int, reason: str) -> None:
        if reason:
            self._add_event("CAL", str(index), "failed", reason)
        else:
            self.calibrations += 1
            self._add_event("CAL", str(index), "ok")

    def _add_event(self, *fields: str) -> None:
        line = ["EVT", self.boot, str(self.ring.last + 1), self._ms()]
        line.extend(fields)
        self.ring.append(encode(line))

    def _send_hello(self) -> None:
        row, stores, last = str(self.row), "1" if self.stores else "0", str(self.ring.last)
        self._send("HELLO", PROTOCOL, self.firmware, self.serial, self.boot, row, stores, CAPABILITIES, last)

    def _send_status(self) -> None:
        faults = []
        if self._supply_low:
            faults.append("low-supply")
        if abs(self.temperature - self._tare_temperature) > MAX_WARMING:
            faults.append("temperature")
        if not all(sensor.calibrated for sensor in self.sensors):
            faults.append("uncalibrated")
        faults.extend([f"{fault}{index}" for index, fault in enumerate(self._faults) if fault])
        faults.extend([f"drift{index}" for index, sensor in enumerate(self.sensors) if sensor.drifted])
        held = len(self.ring)
        first = str(self.ring.first if held else 0)
        supply, temperature = str(self.supply), str(self.temperature)
        self._send("STAT", self.boot, self._ms(), supply, temperature, "+".join(faults[:8]) or "-", str(held), first)

    def _reject(self, kind: str, fields: list[str]) -> None:
        self._send("ERR", "range", (kind + " " + " ".join(fields))[:64].strip())

    def _send(self, *fields: str) -> None:
        line = encode(list(fields))
        if len(self._output) + len(line) > OUTPUT_SIZE:
            self.dropped += 1
        else:
            self._output += line

    def _all_settled(self) -> bool:
        return all(sensor.settled or sensor.fault for sensor in self.sensors)

    def _confidence(self) -> str:
        """One hex digit per sensor; at most 7 while the supply is low."""
        digits = [sensor.confidence for sensor in self.sensors]
        if self._supply_low:
            digits = [min(digit, "7") for digit in digits]
        return "".join(digits)

    def _counts(self) -> str:
        return ".".join([str(sensor.count) for sensor in self.sensors])

    def _ms(self) -> str:
        return str(self._now & MAX_UINT32)
