"""A board without hardware: tests set its counts and press its buttons. Bytes go in, and bytes come out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .deviations import Deviations
from .wire import LineReader, check_digits

RESEND_AFTER = 1.0  # seconds without an acknowledgement
WRAP = 2**32
LIGHTS = ("off", "on", "blink", "error")


@dataclass
class Lights:
    """What the lights show: pits and rows that are not off, and the error light."""

    pits: dict[int, str] = field(default_factory=dict)
    rows: dict[str, str] = field(default_factory=dict)
    error: bool = False


class ForeignBoard:
    """A board of 2×`row` pits, with sensors for both stores if `stores`.

    `clock` returns seconds. `sensor` turns the seeds in a pit (index, seeds) into what its sensor reads, in seeds.
    Public methods may be called from any thread.
    """

    def __init__(
        self,
        row: int = 12,
        *,
        stores: bool = False,
        serial: str = "FB-1",
        boot: str = "00000001",
        version: str = "1.0",
        firmware: str = "foreign-1",
        capabilities: Sequence[str] = ("buttons", "leds", "cal"),
        ring: int = 512,
        clock: Callable[[], float] = time.monotonic,
        sensor: Callable[[int, float], float] = lambda pit, seeds: seeds,
        deviations: Deviations | None = None,
    ) -> None:
        self.row, self.stores = row, stores
        self.serial, self.version, self.firmware = serial, version, firmware
        self.capabilities = list(capabilities)
        self.ring_size = ring
        self.clock, self.sensor = clock, sensor
        self.deviations = deviations or Deviations()
        self.seeds: list[float] = [0.0] * self.sensors
        self.confidence = [15] * self.sensors
        self.faults: list[str] = []  # the codes of STAT
        self.millivolts, self.decidegrees = 5000, 215
        self.ms_offset = 0  # added to the board's clock: near 2**32 it wraps soon
        self.lights = Lights()
        self.heard: list[list[str]] = []  # the host's good lines: type and fields
        self.damaged = 0  # lines of the host
        self.events: list[tuple[str, int, list[str]]] = []  # all there ever were: boot, number, kind and fields
        self.lock = threading.RLock()
        self._boots = int(boot, 16)
        self.host_minor = 0  # the host's minor version of the protocol, as far as it is known
        self._drop = 0  # lines for the host that get lost
        self._start(boot)

    # --- what tests do --------------------------------------------------------------------------------------

    @property
    def sensors(self) -> int:
        return 2 * self.row + (2 if self.stores else 0)

    def set_counts(self, seeds: Iterable[float]) -> None:
        """Set what lies in the pits (and stores), without events. Missing ones at the end stay."""
        for pit, number in enumerate(seeds):
            self.seeds[pit] = number

    def put(self, pit: int, seeds: float) -> None:
        """Change what lies in a pit; the sensor settles: a ``PIT`` event."""
        self.seeds[pit] = seeds
        self.emit("PIT", pit, self.count(pit))

    def lift(self, pit: int) -> None:
        """A hand empties a pit: ``LIFT``, and ``PIT`` with what the sensor reads then."""
        self.seeds[pit] = 0
        self.emit("LIFT", pit)
        self.emit("PIT", pit, self.count(pit))

    def press(self, side: str, action: str = "commit", counts: Iterable[float] | None = None) -> None:
        """Press a button of ``s`` or ``n``; with `counts` (in seeds) the event carries these and not the sensors'."""
        text = self.counts() if counts is None else self._joined([_hundredths(number) for number in counts])
        number = self.emit("BTN", side, action, text)
        if self._minor >= 1 and "leds" in self.capabilities:
            self._unanswered, self.lights = number, Lights(rows={side: "blink"})

    def long_press(self, side: str) -> None:
        """Press and hold commit: ``commit``, and ``accept`` where board and host speak version 1.1."""
        self.press(side)
        if self._minor >= 1:
            self.press(side, "accept")

    def fault(self, pit: int, code: str = "open", *, confidence: int | None = None) -> None:
        """A sensor fails (or recovers: ``ok``). Its confidence becomes 0 (15), or `confidence`."""
        self.confidence[pit] = (15 if code == "ok" else 0) if confidence is None else confidence
        self.faults = [text for text in self.faults if text.strip("abcdefghijklmnopqrstuvwxyz-") != str(pit)]
        if code != "ok":
            self.faults.append(f"{code}{pit}")
        self.emit("FAULT", pit, code)

    def emit(self, kind: str, *fields: object) -> int:
        """Make an event of any kind, send it, and keep it until it is acknowledged. Return its number."""
        with self.lock:
            self.last += 1
            number = 1 if self.deviations.numbers_stuck else self.last
            texts = [kind, *map(str, fields)]
            line = self._line("EVT", self.boot_text, number, self.ms, *texts)
            self.events.append((self.boot, self.last, texts))
            if not self.deviations.forgets_unacknowledged:
                self._ring.append((self.last, line))
                del self._ring[: -self.ring_size]
            self._send(line)
            if self._resend_at is None:
                self._resend_at = self.clock() + RESEND_AFTER
            return self.last

    def send(self, *fields: object) -> None:
        """Send a line of any type."""
        with self.lock:
            self._send(self._line(*fields))

    def send_bytes(self, data: bytes) -> None:
        """Send anything."""
        with self.lock:
            self._out += data

    def drop_lines(self, number: int) -> None:
        """Lose the next lines for the host on the way."""
        self._drop = number

    def restart(self, boot: str | None = None) -> None:
        """Switch off and on: all events are lost. `boot`: a boot id that came before, for a bad random generator."""
        with self.lock:
            if boot is None:
                self._boots += 1
                boot = self.boot if self.deviations.boot_kept else f"{self._boots:08x}"
            last = self.last
            self._start(boot)
            if self.deviations.numbers_kept:
                self.last = last
            self._greet()

    @property
    def held(self) -> list[int]:
        """The numbers of the events in the ring."""
        return [number for number, _ in self._ring]

    # --- what its port does ---------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Take bytes from the host."""
        with self.lock:
            self._reader.checks_crc = not self.deviations.accepts_damaged
            for line in self._reader.read(data):
                if self._stopped:
                    continue
                if line is None:
                    self.damaged += 1
                    self.send("ERR", "damaged", "")
                else:
                    self.heard.append(line)
                    self._answer(*line)

    def tick(self) -> None:
        """Do what is due: send unacknowledged events again."""
        with self.lock:
            if not self._ring:
                self._resend_at = None
            elif self._resend_at is not None and self.clock() >= self._resend_at and not self._out:
                self._send_again(0)

    def take(self) -> bytes:
        """Return the bytes for the host, each once."""
        with self.lock:
            data, self._out = bytes(self._out), bytearray()
            return data

    # --- inside ---------------------------------------------------------------------------------------------

    def _start(self, boot: str) -> None:
        self.boot = boot
        self.last = 0
        self.lights = Lights()
        self._unanswered = 0  # the number of the last press that no lights have answered yet
        self._ring: list[tuple[int, bytes]] = []
        self._resend_at: float | None = None
        self._started_at = self.clock()
        self._reader = LineReader()
        self._out = bytearray()
        self._stopped = False

    @property
    def _minor(self) -> int:
        """The lower of both minor versions."""
        return min(int(self.version.partition(".")[2]), self.host_minor)

    @property
    def boot_text(self) -> str:
        return self.boot.upper() if self.deviations.boot_upper else self.boot

    @property
    def ms(self) -> int:
        ms = round((self.clock() - self._started_at) * 1000) + self.ms_offset
        return ms if self.deviations.ms_not_wrapping else ms % WRAP

    def count(self, pit: int) -> int:
        """What the sensor reads, in hundredths of a seed."""
        count = _hundredths(self.sensor(pit, self.seeds[pit]))
        return count // 100 if self.deviations.counts_rounded else count

    def counts(self) -> str:
        return self._joined([self.count(pit) for pit in range(self.sensors)])

    def _joined(self, counts: list[int]) -> str:
        return ".".join(map(str, counts[: len(counts) - self.deviations.counts_missing]))

    def _line(self, *fields: object) -> bytes:
        separator = ";" if self.deviations.without_commas else ","
        body = separator.join(map(str, fields)).encode("ascii")
        digits = check_digits(body, self.deviations.crc_start)
        if self.deviations.crc_lower:
            digits = digits.lower()
        return b"$%s*%s%s" % (body, digits.encode("ascii"), self.deviations.line_end)

    def _send(self, line: bytes) -> None:
        if self._drop:
            self._drop -= 1
        elif not self._stopped:
            self._out += self.deviations.debug_text + line

    def _send_again(self, first: int) -> None:
        """Send all events in the ring from number `first` on."""
        self._resend_at = self.clock() + RESEND_AFTER
        for number, line in self._ring:
            if number >= first:
                self._send(line)

    def _greet(self) -> None:
        if not self.deviations.never_greets:
            capabilities = "+".join(self.capabilities) or "-"
            who = (self.version, self.firmware, self.serial, self.boot_text)
            self.send("HELLO", *who, self.row, int(self.stores), capabilities, self.last)

    def _answer(self, kind: str, *fields: str) -> None:
        answers = {
            "HELLO": self._on_hello,
            "ACK": self._on_ack,
            "NAK": self._on_nak,
            "REPLAY": self._on_replay,
            "SNAP?": self._on_snap,
            "PING": self._on_ping,
        }
        if "leds" in self.capabilities:
            answers["LED"] = self._on_led
        if "cal" in self.capabilities:
            answers["CAL"] = self._on_cal
        if kind not in answers:
            self._stopped = self.deviations.stops_on_unknown
            self.send("ERR", "unknown", kind)
            return
        try:
            answers[kind](*fields)
        except (TypeError, ValueError, IndexError):  # too few fields, a word for a number, no such pit
            self.send("ERR", "range", kind)

    def _on_hello(self, version: str, name: str, host: str, *later: str) -> None:
        major, _, minor = version.partition(".")
        self.host_minor = int(minor)
        if int(major) != int(self.version.partition(".")[0]):
            self.send("ERR", "version", self.version)
        self._greet()

    def _on_ack(self, boot: str, number: str, *later: str) -> None:
        upto = _number(number, 0, self.last)
        if boot == self.boot_text and not self.deviations.never_forgets:
            self._ring = [entry for entry in self._ring if entry[0] > upto]
            self._resend_at = self.clock() + RESEND_AFTER if self._ring else None

    def _on_nak(self, *later: str) -> None:
        if not self.deviations.never_replays:
            self._send_again(0)

    def _on_replay(self, boot: str, number: str, *later: str) -> None:
        first = _number(number, 0, WRAP - 1)
        if self.deviations.never_replays:
            return
        if boot != self.boot_text:
            self._greet()
            return
        held = self._ring[0][0] if self._ring else self.last + 1
        if max(first, 1) < held and not self.deviations.silent_overflow:
            self.send("ERR", "overflow", held)
        self._send_again(first)

    def _on_snap(self, *later: str) -> None:
        if not self.deviations.never_snaps:
            confidence = "".join(f"{digit:x}" for digit in self.confidence)
            self.send("SNAP", self.boot_text, self.last, self.ms, self.counts(), confidence)

    def _on_ping(self, *later: str) -> None:
        faults = "+".join(self.faults[:8]) or "-"
        supply = (self.millivolts, self.decidegrees)
        first = self._ring[0][0] if self._ring else 0
        self.send("STAT", self.boot_text, self.ms, *supply, faults, len(self._ring), first)

    def _on_led(self, what: str, *fields: str) -> None:
        lights = Lights() if self.deviations.ignores_lights else self.lights
        if what == "pit":
            _switch(lights.pits, _number(fields[0], 0, self.sensors - 1), fields[1])
        elif what == "row":
            _switch(lights.rows, "sn"["sn".index(fields[0])], fields[1])
        elif what == "error":
            lights.error = bool(_number(fields[0], 0, 1))
        elif what == "clear":
            self.lights = Lights()
        elif what == "all" and self.version != "1.0":
            self._show_all(*fields)
        else:
            raise ValueError(what)

    def _show_all(self, number: str, boot: str, upto: str, pits: str, rows: str, error: str, *later: str) -> None:
        if len(pits) != self.sensors or len(rows) != 2:
            raise ValueError(pits)
        letters = dict(zip("01be", LIGHTS, strict=True))
        lights = Lights(error=bool(_number(error, 0, 1)))
        for pit, letter in enumerate(pits):
            _switch(lights.pits, pit, letters.get(letter, ""))
        for side, letter in zip("sn", rows, strict=True):
            _switch(lights.rows, side, letters.get(letter, ""))
        self.host_minor = max(self.host_minor, 1)
        if boot != self.boot_text:
            self._greet()
            return
        answered = _number(upto, 0, WRAP - 1)
        if answered >= self._unanswered:
            self._unanswered = 0
            self.lights = self.lights if self.deviations.ignores_lights else lights
        if not self.deviations.never_confirms_lights:
            self.send("LIT", self.boot_text, _number(number, 0, WRAP - 1))

    def _on_cal(self, step: str, *fields: str) -> None:
        if step == "tare":
            pits = list(range(self.sensors))
        elif step == "seeds":
            pits = [_number(fields[0], 0, self.sensors - 1)]
            _number(fields[1], 1, 99)
        else:
            raise ValueError(step)
        for pit in pits:
            self.emit("CAL", pit, "ok")


def _hundredths(seeds: float) -> int:
    return min(max(round(seeds * 100), 0), 9999)


def _number(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit()) or not low <= int(text) <= high:
        raise ValueError(text)
    return int(text)


def _switch(lights: dict[int, str] | dict[str, str], key: int | str, light: str) -> None:
    if light not in LIGHTS:
        raise ValueError(light)
    lights.pop(key, None)  # type: ignore[arg-type]
    if light != "off":
        lights[key] = light  # type: ignore[index]
