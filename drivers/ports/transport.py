"""Reads and writes ports, and lists them. Only this module uses pyserial.

A port is a URL: a device (``/dev/ttyACM0``, ``COM3``, a pty), ``socket://host:port``, ``rfc2217://host:port``, or
``loop://``, which sends back what is written to it.
"""

from __future__ import annotations

import errno
import os
import queue
import re
import select
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import serial
from serial.tools import list_ports

from inkeek.drivers.errors import TransportError, UrlError
from inkeek.drivers.protocol.limits import MAX_READ
from inkeek.records.errors import ErrorText

BAUD_RATE = 115200
READ_WAIT = 0.2  # seconds one read waits at most; empty reads cost time, a hundred boards a hundred times as much
WRITE_WAIT = 2.0  # seconds until a port that accepts nothing counts as gone

try:
    from termios import error as _TerminalError  # of a device that was just unplugged: it is no OSError
except ImportError:  # Windows
    _TerminalError = OSError  # type: ignore[assignment, misc]

_FAILURES = (OSError, ValueError, _TerminalError)  # SerialException is an OSError; ValueError: the file was closed
_NETWORK = re.compile(r"(?:socket|rfc2217)://(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<port>[0-9]{1,5})")
_COM = re.compile(r"(?:\\\\\.\\)?(COM[0-9]{1,3})", re.IGNORECASE)
_EXPECTED = ErrorText(
    "expected a device such as /dev/ttyACM0 or COM3, socket://host:port, rfc2217://host:port, loop:// or board:SERIAL"
)


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port of this machine. `serial_number` is that of its USB adapter, if any, not that of the board."""

    url: str
    description: str
    serial_number: str | None


def ports() -> list[Port]:
    """List the serial ports of this machine by name. Network ports cannot be listed."""
    found = (Port(port.device, port.description, port.serial_number) for port in list_ports.comports())
    return sorted(found, key=lambda port: port.url)


def check_url(url: str) -> None:
    """Check that `url` can name a port; opens nothing.

    :raises UrlError: it cannot; says what is expected.
    """
    if not url.isprintable():
        raise UrlError("%(port)r is not a port: %(expected)s", port=url[:100], expected=_EXPECTED)
    if url == "loop://" or url.startswith("/") or _COM.fullmatch(url):
        return
    network = _NETWORK.fullmatch(url)
    if network is None:
        raise UrlError("%(port)r is not a port: %(expected)s", port=url[:100], expected=_EXPECTED)
    if not 1 <= int(network["port"]) <= 65535:
        raise UrlError(
            "%(port)r is not a port: TCP port %(number)s is not in 1 to 65535", port=url, number=network["port"]
        )


# What the system says most often, by its error number, so that it is translated: all else stays in its own words.
_REASONS = {
    errno.ENOENT: ErrorText("No such file or directory"),
    errno.EACCES: ErrorText("Permission denied"),
    errno.EBUSY: ErrorText("Device or resource busy"),
    errno.EIO: ErrorText("Input/output error"),
    errno.ENXIO: ErrorText("No such device or address"),
    errno.ENODEV: ErrorText("No such device"),
    errno.ECONNREFUSED: ErrorText("Connection refused"),
    errno.ETIMEDOUT: ErrorText("Connection timed out"),
    errno.EHOSTUNREACH: ErrorText("No route to host"),
}


class Transport:
    """An open port. `Transport.open` opens it; after a `TransportError` it can only be closed."""

    def __init__(self, url: str, port: serial.Serial) -> None:
        self.url = url
        self._port = port
        self._waits = _supports_select(port)
        if self._waits:
            port.timeout = 0  # return what has arrived; setting this on an rfc2217 port would renegotiate it

    @classmethod
    def open(cls, url: str) -> Transport:
        """Open the port, exclusively where the system supports that.

        :raises UrlError: `url` names no port.
        :raises TransportError: the port is missing, in use or forbidden, or nobody answers there.
        """
        check_url(url)
        if url.startswith("/"):
            _check_device(url)
        try:
            port = serial.serial_for_url(url, do_not_open=True, baudrate=BAUD_RATE, timeout=READ_WAIT)
            if not url.startswith("rfc2217:"):  # refuses a timeout, and gives up after five seconds
                port.write_timeout = WRITE_WAIT
            if os.name == "posix" and "://" not in url:
                port.exclusive = True
            port.open()
        except _FAILURES as error:
            raise _cannot_open(url, error) from error
        return cls(url, port)

    def read(self) -> bytes:
        """Return what has arrived, at most `MAX_READ` bytes; wait `READ_WAIT` for the first, then return nothing.

        :raises TransportError: the other end is gone.
        """
        data = bytearray()
        try:
            if self._waits:
                if select.select([self._port], [], [], READ_WAIT)[0]:
                    data += self._port.read(MAX_READ)
                return bytes(data)
            data += self._port.read(1)
            while data and len(data) < MAX_READ and (waiting := self._port.in_waiting):
                data += self._port.read(min(waiting, MAX_READ - len(data)))
        except _FAILURES as error:
            if not data:  # return what arrived before the end; the next read finds the end again
                raise _lost(self.url, error) from error
        return bytes(data)

    def write(self, data: bytes) -> None:
        """Send all of `data`.

        :raises TransportError: the other end is gone, or accepted nothing for `WRITE_WAIT`.
        """
        if not data:
            return
        try:
            self._port.write(data)
        except (*_FAILURES, queue.Full) as error:  # Full: from loop://
            raise _lost(self.url, error) from error

    def close(self) -> None:
        """Release the port. May be called twice.

        :raises TransportError: the system reports an error; the port is released all the same.
        """
        try:
            self._port.close()
        except _FAILURES as error:
            raise TransportError(f"cannot close {self.url}: {error}") from error


def _cannot_open(port: str, error: Exception) -> TransportError:
    reason = holder_text(port) if "exclusively lock" in str(error) else _reason(error)
    return TransportError("cannot open %(port)s: %(reason)s", port=port, reason=reason)


def _lost(port: str, error: Exception) -> TransportError:
    return TransportError("lost %(port)s: %(reason)s", port=port, reason=_reason(error))


def _reason(error: Exception) -> str:
    """Why a port could not be opened, or was lost; in the words of the system if they are not known here."""
    cause = error.__context__  # pyserial's message repeats this one
    cause = cause if isinstance(cause, OSError) and cause.strerror else error
    return _REASONS.get(getattr(cause, "errno", None) or 0) or getattr(cause, "strerror", None) or str(error)


def _check_device(path: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise _cannot_open(path, error) from error
    if not stat.S_ISCHR(mode):
        raise TransportError("cannot open %(port)s: it is not a serial device", port=path)


def _supports_select(port: serial.Serial) -> bool:
    """Whether `select` can wait for the port: not where pyserial reads in a thread, nor on Windows."""
    if os.name != "posix":
        return False
    try:
        return port.fileno() >= 0
    except OSError:  # io.UnsupportedOperation
        return False


def real_name(url: str) -> str:
    """The same text for all names of a port, as far as the system tells."""
    if url.startswith("/"):
        return os.path.realpath(url)
    if com := _COM.fullmatch(url):
        return com[1].upper()
    return url.lower() if "://" in url else url


DATABASE = "--database"  # argument of a desk; the next one is the URL of its database
UNKNOWN = ErrorText("another program is using it")


def holder_text(path: str) -> str:
    """Who has locked a device, as far as the system tells."""
    with suppress(OSError, ValueError):  # not Linux, or the process is just gone
        found = os.stat(path)
        file = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
        for line in Path("/proc/locks").read_text("ascii").splitlines():
            _, kind, _, _, pid, locked, *_ = line.split()
            if (kind, locked) == ("FLOCK", file):
                return _process_text(pid)
    return UNKNOWN


def _process_text(pid: str) -> str:
    folder = Path("/proc", pid)
    arguments = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    if DATABASE in arguments[:-1]:
        database = arguments[arguments.index(DATABASE) + 1]
        return ErrorText(
            "the Inkeek service with the database %(database)s is using it (process %(pid)s)",
            database=database,
            pid=pid,
        )
    program = (folder / "comm").read_text("utf-8", "replace").strip()
    return ErrorText("the program %(program)s is using it (process %(pid)s)", program=program, pid=pid)
