"""From a port's URL to an open port, and to the same board again when it comes back under another name.

A URL is one of `transport`, or ``board:SERIAL``: the board with that serial number, on whatever serial port it is. The
number may be that of the USB adapter, which the system knows; otherwise the board is asked, on free ports only. A port
without the board is not asked again until it was unplugged or `ASK_AGAIN` has passed: the device on it may belong
to somebody else.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from inkeek.drivers.attention import Attention
from inkeek.drivers.base import ByteStream, OpenPort
from inkeek.drivers.errors import MessageError, TransportError, UrlError
from inkeek.drivers.events import Connected
from inkeek.drivers.protocol.frames import FrameDecoder, write_line
from inkeek.drivers.protocol.limits import HELLO_EVERY, PROTOCOL
from inkeek.drivers.protocol.messages import BoardHello, host_hello, parse
from inkeek.records.errors import ErrorText, joined_texts, message_of

from . import transport
from .transport import Port, Transport, real_name

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


MAX_SERIAL = 100  # characters of a serial number in a URL
_BOARD = re.compile(r"board:(?P<serial>[!-#%-)+\--~](?:[ -#%-)+\--~]*[!-#%-)+\--~])?)")  # as a field of the protocol


def check_url(url: str) -> None:
    """Check that `url` can name a port, or a board on any port; opens nothing.

    :raises UrlError: it cannot; says what is expected.
    """
    if not url.startswith("board:"):
        transport.check_url(url)
    elif _BOARD.fullmatch(url) is None or len(url) > MAX_SERIAL + len("board:"):
        raise UrlError(
            "%(port)r is not a port: expected board: and a serial number, such as board:SIM-0001, of at most "
            "%(characters)s printable characters other than '$', '*' and ','",
            port=url[:100],
            characters=MAX_SERIAL,
        )


class SystemEnvironment:
    """The `base.Environment` of this machine: its ports, its clock, its randomness.

    A serial device that comes back under another name is found by the USB serial number of its adapter, also if
    another device has its old name now. `open_port` is the port that was opened last. `probe` asks boards who they
    are; without it ``board:`` URLs use USB serial numbers alone.

    :raises UrlError: `url` cannot name a port.
    """

    def __init__(
        self,
        url: str,
        probe: type[HelloProbe] | None = None,
        *,
        ports: Callable[[], list[Port]] = transport.ports,
    ) -> None:
        check_url(url)
        board = _BOARD.fullmatch(url)
        self._url = url
        self._finder = None if board is None else Finder(board["serial"], probe, ports=ports)
        self._ports = ports
        self.open_port: OpenPort | None = None
        self.clock = time.monotonic
        self.wait = time.sleep

    def token(self) -> str:
        """See `base.Environment.token`."""
        return secrets.token_hex(4)

    def open(self) -> ByteStream:
        """See `base.Environment.open`."""
        stream = Transport.open(self._where()) if self._finder is None else self._finder.open()
        adapter = None
        if "://" not in stream.url:
            name = real_name(stream.url)
            listed = sorted(self._ports(), key=lambda port: port.url != stream.url)  # the one of this name first
            adapter = next((port.serial_number for port in listed if real_name(port.url) == name), None)
        self.open_port = OpenPort(stream.url, adapter)
        return stream

    def _where(self) -> str:
        """The port where the device is now that was opened before, if exactly one has its USB serial number."""
        if self.open_port is None or self.open_port.adapter is None:
            return self._url
        found = [port.url for port in self._ports() if port.serial_number == self.open_port.adapter]
        return found[0] if len(found) == 1 else self._url
