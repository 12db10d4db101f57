"""The board: what it says and does about readings, contacts and lines from the host."""

from .buttons import Buttons
from .calibration import dump, load
from .codec import MAX_LINE, MAX_UINT32, Decoder, encode, whole
from .lights import Lights
from .ring import RING_SIZE, Ring
from .sensor import UNIT, Sensor

PROTOCOL = "1.0"
FIRMWARE = "0.1.0"
MAX_ROW = 16  # pits a row: the longest line still fits 256 bytes
OUT_SIZE = 4096  # bytes waiting for the line; events beyond it wait in the ring, answers are lost
COMPLAIN_MS = 1000  # at most one ERR,damaged in so long: a noisy line must not be filled with complaints
REST_MS = 300  # longest time that a button waits for loads to settle: its counts are to be of a board at rest
LOW_SUPPLY = 4300  # mV: below it amplifiers measure badly, and soon the board will start again
GOOD_SUPPLY = 4400  # mV: from it on the supply is well again
WARMER = 150  # tenths of a degree Celsius from the tare: by then a load cell has drifted

_OWN_TYPES = ("EVT", "SNAP", "STAT", "ERR")  # from a line that echoes: answering them would never end


class Board:
    """A board with `row` pits a row, which weighs its stores too if `stores`.

    The caller gives it readings and contacts (`sense`) and what came from the host (`receive`), and takes
    what is to be sent (`pump`, then `sent`) and what each lamp does (`lamps`). `sense` and `pump` each have a
    clock, in milliseconds; a real board gives both the same. It also keeps `supply` (mV) and `temperature`
    (tenths of a degree Celsius) up to date, and stores `calibration()` whenever `calibrations` has grown.
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
        """`unit` is about what a seed reads; `calibrated`: exactly that, and 0 where nothing lies. A sensor that
        reads the very same for `stuck_ms` is stuck (`sensor.STUCK_MS` where readings have noise); 0: none is.

        :raises ValueError: `row` is not 1 … `MAX_ROW`, or a text cannot stand in a line.
        """
        if not 1 <= row <= MAX_ROW:
            raise ValueError(f"a board has 1 to {MAX_ROW} pits a row, not {row}")
        self.row = row
        self.stores = stores
        self.serial = serial
        self.boot = boot
        self.firmware = firmware
        self.supply = 5000
        self.temperature = 200
        self.sensors = [Sensor(unit, calibrated, stuck_ms) for _ in range(2 * row + (2 if stores else 0))]
        self.lights = Lights(len(self.sensors))
        self.buttons = Buttons()
        self.ring = Ring(ring)
        self.decoder = Decoder()
        self.dropped = 0  # answers that found no room
        self.calibrations = 0  # steps done since the start
        self._tared_at = 200  # the temperature then
        self._low = False  # the supply
        self._pressed: list[tuple[str, str, int]] = []  # buttons that wait for loads to settle, and since when
        self._looked = self._served = False  # has the main loop been here since it was last asked?
        self._faults = [""] * len(self.sensors)
        self._now = 0  # the sensors' clock
        self._complained = -COMPLAIN_MS
        self._refused = False  # the host speaks another major version
        self._out = b""
        self._hello()

    def sense(self, readings: list[int | None], contacts: int, now: int) -> None:
        """Look at every sensor (raw hundredths of a seed, None if it does not answer) and at the buttons."""
        self._now = now
        for index, sensor in enumerate(self.sensors):
            if sensor.read(readings[index], now):
                if sensor.lifted:
                    self._event("LIFT", str(index))
                self._event("PIT", str(index), str(sensor.known))
            if sensor.fault != self._faults[index]:
                self._faults[index] = sensor.fault
                self._event("FAULT", str(index), sensor.fault or "ok")
        for side, action in self.buttons.read(contacts, now):
            self._pressed.append((side, action, now))
        if self._pressed and (self._at_rest() or now - self._pressed[0][2] >= REST_MS):
            for side, action, _ in self._pressed:
                self._event("BTN", side, action, self._counts())
            self._pressed = []
        low = self.supply < (GOOD_SUPPLY if self._low else LOW_SUPPLY)
        if low != self._low:
            self._low = low
            self._status()
        self._looked = True

    def receive(self, data: bytes) -> None:
        """Take bytes from the host and answer the lines they complete."""
        damaged = self.decoder.damaged
        for line in self.decoder.feed(data):
            self._obey(line[0], line[1:])
        if self.decoder.damaged != damaged and self._now - self._complained >= COMPLAIN_MS:
            self._complained = self._now
            self._say("ERR", "damaged", "")

    def pump(self, now: int) -> bytes:
        """What is to be sent now. The caller tells with `sent` how much of it went out."""
        self._served = True
        while len(self._out) <= OUT_SIZE - MAX_LINE and not self._refused:
            line = self.ring.take(now)
            if line is None:
                break
            self._out += line
        return self._out

    def sent(self, count: int) -> None:
        """The first `count` bytes that `pump` gave are on their way."""
        self._out = self._out[count:]

    def lamps(self, now: int) -> bytes:
        """What each lamp does at `now`: see `Lights.lamps`."""
        return self.lights.lamps(now)

    def healthy(self) -> bool:
        """Whether sensors and line have both been served since this was last said: then a watchdog may be fed."""
        well = self._looked and self._served
        if well:
            self._looked = self._served = False
        return well

    def calibration(self) -> bytes:
        """What is to be stored so that `restore` can bring it back after the board was switched off."""
        scales = [(each.zero, each.span, each.seeds) if each.calibrated else None for each in self.sensors]
        return dump(self._tared_at, scales)

    def restore(self, data: bytes) -> bool:
        """Take up a stored calibration. False, with nothing changed, when it is damaged or another board's."""
        found = load(data, len(self.sensors))
        if found is None:
            return False
        self._tared_at, scales = found
        for index, scale in enumerate(scales):
            if scale is not None:
                self.sensors[index].restore(scale[0], scale[1], scale[2])
        return True

    def _obey(self, kind: str, fields: list[str]) -> None:
        if kind == "HELLO":
            self._greet(fields)
        elif self._refused or kind in _OWN_TYPES:
            pass
        elif kind == "ACK":
            self._ack(fields)
        elif kind == "NAK":
            self.ring.rewind(self.ring.first)
        elif kind == "REPLAY":
            self._replay(fields)
        elif kind == "SNAP?":
            self._say("SNAP", self.boot, str(self.ring.last), self._ms(), self._counts(), self._confidence())
        elif kind == "LED":
            if not self.lights.order(fields):
                self._range(kind, fields)
        elif kind == "CAL":
            self._calibrate(fields)
        elif kind == "PING":
            self._status()
        else:
            self._say("ERR", "unknown", kind[:32])

    def _greet(self, fields: list[str]) -> None:
        parts = fields[0].split(".") if fields else []
        if len(parts) != 2 or whole(parts[0], MAX_UINT32) < 0 or whole(parts[1], MAX_UINT32) < 0:
            self._range("HELLO", fields)
            return
        self._refused = int(parts[0]) != int(PROTOCOL.split(".")[0])
        if self._refused:
            self._say("ERR", "version", PROTOCOL)
        self._hello()

    def _hello(self) -> None:
        stores = "1" if self.stores else "0"
        capabilities = "buttons+leds+cal"
        row, last = str(self.row), str(self.ring.last)
        self._say("HELLO", PROTOCOL, self.firmware, self.serial, self.boot, row, stores, capabilities, last)

    def _ack(self, fields: list[str]) -> None:
        number = whole(fields[1], self.ring.last) if len(fields) > 1 else -1
        if fields and fields[0] != self.boot:
            return
        if number < 0:
            self._range("ACK", fields)
        else:
            self.ring.forget(number)

    def _replay(self, fields: list[str]) -> None:
        number = whole(fields[1], MAX_UINT32) if len(fields) > 1 else -1
        if fields and fields[0] != self.boot:
            self._hello()
        elif number < 1 or number > self.ring.last + 1:
            self._range("REPLAY", fields)
        else:
            if number < self.ring.first:
                self._say("ERR", "overflow", str(self.ring.first))
            self.ring.rewind(number)

    def _calibrate(self, fields: list[str]) -> None:
        if fields and fields[0] == "tare":
            self._tared_at = self.temperature
            for index in range(len(self.sensors)):
                self._calibrated(index, self.sensors[index].tare())
        elif len(fields) > 2 and fields[0] == "seeds":
            index = whole(fields[1], len(self.sensors) - 1)
            seeds = whole(fields[2], 99)
            if index < 0 or seeds < 1:
                self._range("CAL", fields)
            else:
                self._calibrated(index, self.sensors[index].calibrate(seeds))
        else:
            self._range("CAL", fields)

    def _calibrated(self, index: int, done: bool) -> None:
        self.calibrations += done
        self._event("CAL", str(index), "ok" if done else "failed")

    def _at_rest(self) -> bool:
        return all(sensor.still or sensor.fault for sensor in self.sensors)

    def _status(self) -> None:
        faults = self._ailments()
        faults.extend([f"{fault}{index}" for index, fault in enumerate(self._faults) if fault])
        faults.extend([f"drift{index}" for index, sensor in enumerate(self.sensors) if sensor.drifted])
        held = len(self.ring)
        first = self.ring.first if held else 0
        told = "+".join(faults[:8]) or "-"
        supply, temperature = str(self.supply), str(self.temperature)
        self._say("STAT", self.boot, self._ms(), supply, temperature, told, str(held), str(first))

    def _range(self, kind: str, fields: list[str]) -> None:
        self._say("ERR", "range", (kind + " " + " ".join(fields))[:64].strip())

    def _ailments(self) -> list[str]:
        """What ails the board as a whole."""
        faults = []
        if self._low:
            faults.append("low-supply")
        if abs(self.temperature - self._tared_at) > WARMER:
            faults.append("temperature")
        for sensor in self.sensors:
            if not sensor.calibrated:
                faults.append("uncalibrated")
                break
        return faults

    def _confidence(self) -> str:
        """A hex digit a sensor; no more than 7 while the supply is low."""
        digits = [sensor.confidence for sensor in self.sensors]
        if self._low:
            digits = [min(digit, "7") for digit in digits]
        return "".join(digits)

    def _counts(self) -> str:
        return ".".join([str(sensor.count) for sensor in self.sensors])

    def _ms(self) -> str:
        return str(self._now & MAX_UINT32)

    def _event(self, *fields: str) -> None:
        line = ["EVT", self.boot, str(self.ring.last + 1), self._ms()]
        line.extend(fields)
        self.ring.append(encode(line))

    def _say(self, *fields: str) -> None:
        line = encode(list(fields))
        if len(self._out) + len(line) > OUT_SIZE:
            self.dropped += 1
        else:
            self._out += line
