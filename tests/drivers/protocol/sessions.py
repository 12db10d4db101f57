"""Sessions with a board at the start of a conversation, and what tests ask of their events."""

from __future__ import annotations

from inkeek.drivers.events import (
    Event,
    Numbered,
)
from inkeek.drivers.protocol.session import ProtocolSession
from tests.drivers.board_side import BOOT, hello, sent


def opened(resume: tuple[str, int] | None = None) -> ProtocolSession:
    session = ProtocolSession("host", "1", resume)
    session.port_opened(0.0)
    assert sent(session.bytes_to_send()) == ["HELLO,1.1,host,1"]
    return session


def ready(resume: tuple[str, int] | None = None, boot: str = BOOT, last: int = 0) -> ProtocolSession:
    session = opened(resume)
    session.receive(hello(boot, last), 0.0)
    session.bytes_to_send()
    return session


def numbers(events: list[Event]) -> list[int]:
    return [event.seq for event in events if isinstance(event, Numbered)]


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]
