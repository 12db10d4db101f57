"""Finding a board by its serial number, on whatever port it is now.

A board's number may be that of its USB adapter, which the system tells; where it does not, the board is asked. Only
ports that nobody else holds are asked, and one that has answered is not asked again before it was unplugged or
`ASK_AGAIN` has passed: it may be no board at all, and belong to somebody.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from drivers.base import ByteStream
from drivers.errors import MessageError, TransportError
from drivers.protocol.frames import Decoder, encode, parse
from drivers.protocol.limits import HELLO_EVERY, PROTOCOL
from drivers.protocol.messages import BoardHello, HostHello

from . import transport
from .transport import Port, Transport

ANSWER_WITHIN = 3.0  # seconds: some microcontrollers start anew when their port is opened, and take two for that
ASK_AGAIN = 30.0  # seconds until a port that turned out not to have the board is asked again
MAX_ASKED = 32  # ports asked at once
NAME = "inkeek-finder"  # as whom boards are greeted
NOBODY = "nobody answers there"


class Greeting(Protocol):
    """One greeting of whoever is on a line. `serial` is None, and `title` empty, until they have answered."""

    serial: str | None
    title: str

    def say(self) -> bytes:
        """What to send: at first, and again every second until there is an answer."""

    def hear(self, data: bytes) -> None:
        """Take what came back."""


class Hello:
    """A `Greeting` in the project's own protocol. The version of the board does not matter: it may be told."""

    def __init__(self) -> None:
        self.serial: str | None = None
        self.title = ""
        self._decoder = Decoder()

    def say(self) -> bytes:
        """See `Greeting.say`."""
        return encode(HostHello(PROTOCOL, NAME, "1"))

    def hear(self, data: bytes) -> None:
        """See `Greeting.hear`."""
        for frame in self._decoder.feed(data):
            with suppress(MessageError):  # somebody else's line, or a damaged board's: no answer
                message = parse(frame)
                if isinstance(message, BoardHello):
                    self.serial = message.serial
                    stores = "with" if message.stores else "without"
                    version = ".".join(map(str, message.version))
                    self.title = (
                        f"board {message.serial}, 2×{message.row} {stores} stores, "
                        f"firmware {message.firmware}, protocol {version}"
                    )


@dataclass(frozen=True, slots=True)
class Answer:
    """Who is on a port: `serial` and `title` of a board; or None, and as `title` why not (`NOBODY`: silence)."""

    port: Port
    serial: str | None
    title: str


@dataclass
class _Asked:
    port: Port
    line: ByteStream
    greeting: Greeting


def ask(
    ports: Sequence[Port],
    greet: Callable[[], Greeting] = Hello,
    wanted: str | None = None,
    clock: Callable[[], float] = time.monotonic,
    opener: Callable[[str], ByteStream] = Transport.open,
) -> tuple[list[Answer], ByteStream | None]:
    """Ask on the first `MAX_ASKED` of these ports who is there, all at once, for at most about `ANSWER_WITHIN` seconds.

    With `wanted` it ends as soon as the board of that serial number has answered, and gives its line, open. All others
    are closed. A port that another program holds is left alone.
    """
    answers: list[Answer] = []
    asked: list[_Asked] = []
    found: ByteStream | None = None
    try:
        for port in ports[:MAX_ASKED]:
            try:
                asked.append(_Asked(port, opener(port.url), greet()))
            except TransportError as error:
                answers.append(Answer(port, None, str(error)))
        now = clock()
        until, greet_at = now + ANSWER_WITHIN, now
        while asked and found is None and clock() < until:
            if greeting := clock() >= greet_at:
                greet_at = clock() + HELLO_EVERY
            for one in list(asked):
                answer = _exchange(one, greeting)
                if answer is None:
                    continue
                answers.append(answer)
                asked.remove(one)
                if wanted is not None and answer.serial == wanted:
                    found = one.line
                    break
                _close(one.line)
    finally:
        for one in asked:
            _close(one.line)
    if found is None:
        answers += (Answer(one.port, None, NOBODY) for one in asked)
    return answers, found


def _exchange(one: _Asked, greeting: bool) -> Answer | None:
    """Greet if it is time, and listen; an answer is final."""
    try:
        if greeting:
            one.line.write(one.greeting.say())
        one.greeting.hear(one.line.read())
    except TransportError as error:
        return Answer(one.port, None, str(error))
    if one.greeting.serial is None:
        return None
    return Answer(one.port, one.greeting.serial, one.greeting.title)


def _close(line: ByteStream) -> None:
    with suppress(TransportError):  # nothing of ours was on it
        line.close()


class Finder:
    """Opens the board with a serial number, wherever it is. Remembers where it is not."""

    def __init__(
        self,
        serial: str,
        greet: Callable[[], Greeting] | None,
        *,
        ports: Callable[[], list[Port]] = transport.ports,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """:param greet: None when this kind of board cannot be asked, and is known by its USB number alone."""
        self._serial = serial
        self._greet = greet
        self._ports = ports
        self._clock = clock
        self._elsewhere: dict[Port, tuple[float, Answer]] = {}  # what was asked, and until when that holds

    def open(self) -> ByteStream:
        """The board's line, open.

        :raises TransportError: it is on none of the ports that are free; says what is on them.
        """
        ports = self._ports()
        numbered = [port for port in ports if port.serial_number == self._serial]
        if len(numbered) == 1:
            return Transport.open(numbered[0].url)
        if self._greet is None:
            raise self._missing(ports, "none" if not numbered else "more than one")
        now = self._clock()
        self._elsewhere = {port: known for port, known in self._elsewhere.items() if port in ports and now < known[0]}
        answers, line = ask([port for port in ports if port not in self._elsewhere], self._greet, self._serial)
        if line is not None:
            return line
        told = [known[1] for known in self._elsewhere.values()] + answers
        again = self._clock() + ASK_AGAIN
        for answer in answers:
            if answer.serial is not None or answer.title == NOBODY:
                self._elsewhere[answer.port] = (again, answer)
        where = "; ".join(f"{a.port.url}: {a.title}" for a in sorted(told, key=lambda a: a.port.url)[:MAX_ASKED])
        raise TransportError(
            f"board {self._serial!r} was not found: " + (where or "this machine has no serial ports now")
        )

    def _missing(self, ports: list[Port], many: str) -> TransportError:
        numbers = ", ".join(f"{port.url} ({port.serial_number or 'no number'})" for port in ports[:MAX_ASKED])
        return TransportError(
            f"board {self._serial!r} was not found: {many} of the serial ports has that USB serial number, and this "
            f"kind of board cannot be asked for its own; there are {numbers or 'no ports'}"
        )
