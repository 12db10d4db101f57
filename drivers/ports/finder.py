"""Finding a board by its serial number, on whatever port it is.

The number may be that of the USB adapter, which the system knows; otherwise the board is asked. Only free ports are
asked. A port without the board is not asked again until it was unplugged or `ASK_AGAIN` has passed: the device on it
may belong to somebody else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from inkeek.drivers.attention import Attention
from inkeek.drivers.base import ByteStream
from inkeek.drivers.errors import MessageError, TransportError
from inkeek.drivers.events import Connected
from inkeek.drivers.protocol.frames import FrameDecoder, write_line
from inkeek.drivers.protocol.limits import HELLO_EVERY, PROTOCOL
from inkeek.drivers.protocol.messages import BoardHello, host_hello, parse
from inkeek.records.errors import ErrorText, joined_texts, message_of

from . import transport
from .transport import Port, Transport

ANSWER_WITHIN = 3.0  # seconds: some microcontrollers restart when their port is opened, which takes two
ASK_AGAIN = 30.0  # seconds until a port where the board was not found is asked again
MAX_ASKED = 32  # ports asked at once
NAME = "inkeek-finder"  # the host's name in greetings
NOBODY = ErrorText("nobody answers there")


class HelloProbe:
    """Asks who is on a port, in the project's own protocol. The board may speak any version of it.

    `serial` is None, and `title` empty, until there is an answer.
    """

    def __init__(self) -> None:
        self.serial: str | None = None
        self.title = ""
        self.board: Connected | None = None
        self._decoder = FrameDecoder()

    def request(self) -> bytes:
        """Return the bytes to send: first, and again every second until there is an answer."""
        return write_line(host_hello(PROTOCOL, NAME, "1"))

    def receive(self, data: bytes) -> None:
        """Take what came back."""
        for frame in self._decoder.feed(data):
            with suppress(MessageError):  # another kind of device, or a damaged line
                message = parse(frame)
                if isinstance(message, BoardHello):
                    self.board = board = message.board
                    self.serial = board.serial
                    size = f"2×{board.row} {'with' if board.stores else 'without'} stores"
                    version = ".".join(map(str, board.version))
                    self.title = f"board {board.serial}, {size}, firmware {board.firmware}, protocol {version}"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Who is on a port: `serial` and `title` of a board; or None, and as `title` why not (`NOBODY`: no answer)."""

    port: Port
    serial: str | None
    title: str


@dataclass
class _Probing:
    port: Port
    stream: Transport
    probe: HelloProbe


def probe_ports(
    ports: Sequence[Port],
    make_probe: Callable[[], HelloProbe] = HelloProbe,
    wanted: str | None = None,
    clock: Callable[[], float] = time.monotonic,
    opener: Callable[[str], Transport] = Transport.open,
) -> tuple[list[ProbeResult], Transport | None]:
    """Ask on the first `MAX_ASKED` of these ports who is there, all at once, for about `ANSWER_WITHIN` seconds.

    With `wanted` this ends as soon as the board of that serial number has answered, and returns its open port. All
    others are closed. Ports that another program uses are left alone.
    """
    results: list[ProbeResult] = []
    probing: list[_Probing] = []
    found: Transport | None = None
    try:
        for port in ports[:MAX_ASKED]:
            try:
                probing.append(_Probing(port, opener(port.url), make_probe()))
            except TransportError as error:
                results.append(ProbeResult(port, None, message_of(error)))
        now = clock()
        until, request_at = now + ANSWER_WITHIN, now
        attention = Attention(now)
        while probing and found is None and attention.at(clock()) < until:
            if is_due := clock() >= request_at:
                request_at = clock() + HELLO_EVERY
            for one in list(probing):
                result = _exchange(one, is_due)
                if result is None:
                    continue
                results.append(result)
                probing.remove(one)
                if wanted is not None and result.serial == wanted:
                    found = one.stream
                    break
                _close(one.stream)
    finally:
        for one in probing:
            _close(one.stream)
    if found is None:
        results += (ProbeResult(one.port, None, NOBODY) for one in probing)
    return results, found


def _exchange(one: _Probing, is_due: bool) -> ProbeResult | None:
    """Send the request if it is due, and read; None until there is a result."""
    try:
        if is_due:
            one.stream.write(one.probe.request())
        one.probe.receive(one.stream.read())
    except TransportError as error:
        return ProbeResult(one.port, None, message_of(error))
    return None if one.probe.serial is None else ProbeResult(one.port, one.probe.serial, one.probe.title)


def _close(stream: ByteStream) -> None:
    with suppress(TransportError):  # it is not used any more
        stream.close()


class Finder:
    """Opens the board with a serial number, wherever it is. Remembers where it is not."""

    def __init__(
        self,
        serial: str,
        make_probe: Callable[[], HelloProbe] | None,
        *,
        ports: Callable[[], list[Port]] = transport.ports,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """:param make_probe: None for boards that cannot be asked, and are known by their USB serial number alone."""
        self._serial = serial
        self._make_probe = make_probe
        self._ports = ports
        self._clock = clock
        self._elsewhere: dict[Port, tuple[float, ProbeResult]] = {}  # results, and until when they are used

    def open(self) -> Transport:
        """Return the board's port, open.

        :raises TransportError: the board is on none of the free ports; lists what is on them.
        """
        ports = self._ports()
        numbered = [port for port in ports if port.serial_number == self._serial]
        if len(numbered) == 1:
            return Transport.open(numbered[0].url)
        if self._make_probe is None:
            raise self._not_found(ports, len(numbered))
        now = self._clock()
        self._elsewhere = {port: old for port, old in self._elsewhere.items() if port in ports and now < old[0]}
        old_results = [result for _, result in self._elsewhere.values()]
        unknown = [port for port in ports if port not in self._elsewhere]
        results, stream = probe_ports(unknown, self._make_probe, self._serial)
        if stream is not None:
            return stream
        again = self._clock() + ASK_AGAIN
        for result in results:
            if result.serial is not None or result.title == NOBODY:
                self._elsewhere[result.port] = (again, result)
        asked = sorted(old_results + results, key=lambda result: result.port.url)[:MAX_ASKED]
        lines = [ErrorText("%(port)s: %(reason)s", port=result.port.url, reason=result.title) for result in asked]
        where = joined_texts(lines, "; ") if lines else ErrorText("this machine has no serial ports now")
        raise TransportError("board %(serial)r was not found: %(where)s", serial=self._serial, where=where)

    def _not_found(self, ports: list[Port], count: int) -> TransportError:
        numbers = ", ".join(f"{port.url} ({port.serial_number or '–'})" for port in ports[:MAX_ASKED])
        return TransportError(
            "board %(serial)r was not found: %(count)s serial ports have that USB serial number, and this kind "
            "of board cannot be asked for its own. Ports: %(numbers)s",
            serial=self._serial,
            count=count,
            numbers=numbers or "–",
        )
