"""Lines of a board, the host's lines taken apart, and the events of a connection."""

from __future__ import annotations

from inkeek.drivers.base import Connection
from inkeek.drivers.events import Event
from inkeek.drivers.protocol.frames import Frame, FrameDecoder, write_line

BOOT = "1a2b3c4d"
LATER_BOOT = "99999999"


def line(kind: str, *fields: object) -> bytes:
    return write_line(Frame(kind, tuple(map(str, fields))))


def hello(boot: str = BOOT, last: int = 0, *, version: str = "1.0", row: int = 2, capabilities: str = "leds") -> bytes:
    return line("HELLO", version, "0.1", "B-1", boot, row, 0, capabilities, last)


def lift(seq: int, boot: str = BOOT, pit: int = 0) -> bytes:
    return line("EVT", boot, seq, 100 * seq, "LIFT", pit)


def sent(data: bytes) -> list[str]:
    """The lines the host has sent, without CRC."""
    decoder = FrameDecoder()
    frames = decoder.feed(data)
    assert (decoder.damaged, decoder.ignored) == (0, 0)
    return [",".join((frame.type, *frame.fields)) for frame in frames]


def poll_for(connection: Connection, kind: type[Event]) -> list[Event]:
    """Poll until an event of this kind comes; return all events until then."""
    events: list[Event] = []
    for _ in range(200):
        events += connection.poll(0.1)
        if any(isinstance(event, kind) for event in events):
            return events
    raise AssertionError(f"no {kind.__name__} in {events}")
