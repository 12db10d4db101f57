"""Conversations of a host with a board as data: `tests/data/protocol/conversations.txt`, which says how to read them.

    python -m tests.drivers.protocol.conversations --write

writes what host and caller hear anew: look at the difference before it is stored.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Event, Numbered
from inkeek.drivers.ports.connection import BoardSession, PortConnection
from inkeek.drivers.protocol.frames import Frame, write_line
from inkeek.drivers.protocol.session import Lights, ProtocolSession
from inkeek.records.errors import ErrorText
from tests.drivers.board_side import hello, sent

FILE = Path(__file__).parents[2] / "data" / "protocol" / "conversations.txt"


@dataclass
class Step:
    """At `time` the `action` with these `words`; `answers`: the events and lines that follow."""

    time: float
    action: str
    words: str
    answers: list[str] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """The bytes that come from the board."""
        if self.action == "bytes":
            return self.words.encode("ascii").decode("unicode_escape").encode("latin-1")
        lines = self.words.split() if self.action == "board" else []
        return b"".join(write_line(Frame(kind, tuple(rest))) for kind, *rest in (line.split(",") for line in lines))


@dataclass
class Conversation:
    """A conversation with a board after `resume`, if that is given. `is_greeted`: the board has greeted already."""

    name: str
    is_greeted: bool
    resume: tuple[str, int] | None
    steps: list[Step] = field(default_factory=list)


def read() -> list[Conversation]:
    """Read the file."""
    found: list[Conversation] = []
    for line in FILE.read_text("utf-8").splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if not line.startswith(" "):
            name, _, start = line.partition(" | ")
            boot, _, number = start.removeprefix("after ").partition(" ")
            found.append(Conversation(name, start == "greeted", (boot, int(number)) if number else None))
        elif line.startswith("    "):
            found[-1].steps[-1].answers.append(line.strip())
        else:
            found[-1].steps.append(Step(float(words[0]), words[1], " ".join(words[2:])))
    return found


def store(session: BoardSession, words: str) -> None:
    """The caller has stored an event: ``boot number``."""
    boot, number = words.split()
    session.acknowledge(Numbered(boot, int(number), 0))


def light(session: BoardSession, words: str) -> None:
    """The caller sets lights: ``South North``, then ``pit=state``, ``error`` or ``question=name``."""
    south, north, *more = words.split()
    pairs = dict(word.partition("=")[::2] for word in more)
    pits = {int(name): state for name, state in pairs.items() if name.isdigit()}
    assert isinstance(session, ProtocolSession)
    session.set_lights(Lights(pits, (south, north), "error" in pairs, pairs.get("question", "")))


ACTIONS = {"stored": store, "lights": light}  # of the caller; they take no time


def play_session(talk: Conversation) -> Iterator[list[str]]:
    """What follows each step from a session."""
    session = ProtocolSession("host", "1", talk.resume)
    session.port_opened(0.0)
    if talk.is_greeted:
        session.receive(hello(), 0.0)
        session.bytes_to_send()
    for step in talk.steps:
        events: list[Event] = []
        if step.action == "unplug":
            events = session.port_closed("gone")
        elif step.action in ACTIONS:
            ACTIONS[step.action](session, step.words)
        else:
            if step.action == "plug":
                session.port_opened(step.time)
            events = session.receive(step.data, step.time) + session.tick(step.time)
        yield told(events, session.bytes_to_send(), session.counters)


class Line:
    """The environment and the port of a connection: time and bytes are those of the step."""

    def __init__(self) -> None:
        self.time, self.incoming, self.outgoing = 0.0, b"", b""
        self.is_plugged = True

    def open(self) -> Line:
        return self

    def clock(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None: ...

    def token(self) -> str:
        raise AssertionError("these boards have boot ids of their own")

    def read(self) -> bytes:
        if not self.is_plugged:
            raise TransportError("gone")
        data, self.incoming = self.incoming, b""
        return data

    def write(self, data: bytes) -> None:
        self.outgoing += data

    def close(self) -> None: ...


def play_port(talk: Conversation) -> Iterator[list[str]]:
    """What follows each step from a connection to a port."""
    line = Line()
    connection = PortConnection(ProtocolSession("host", "1", talk.resume), line)  # type: ignore[arg-type]
    if talk.is_greeted:
        line.incoming = hello()
        connection.poll(0.0)
        line.outgoing = b""
    for step in talk.steps:
        line.time, line.incoming = step.time, step.data
        line.is_plugged = step.action != "unplug"
        if step.action in ACTIONS:
            ACTIONS[step.action](connection._session, step.words)
            yield told([], connection._session.bytes_to_send(), connection.counters)
        else:
            events = list(connection.poll(0.0))
            data, line.outgoing = line.outgoing, b""
            yield told(events, data, connection.counters)


def told(events: list[Event], data: bytes, counters: Mapping[str, int]) -> list[str]:
    """Events, lines of the host, and what it has counted so far, as the file has them."""
    lines = [f"event {describe(event)}" for event in events] + [f"host {line}" for line in sent(data)]
    counted = " ".join(f"{name}={count}" for name, count in counters.items() if count)
    return [*lines, f"counted {counted}"] if counted else lines


def describe(event: Event) -> str:
    """The kind of an event and its values; of a reason only what its words say: the words may change."""
    values = (getattr(event, one.name) for one in fields(event))
    return " ".join([type(event).__name__, *(word(value) for value in values)])


def word(value: object) -> str:
    match value:
        case ErrorText():
            return "{" + " ".join(f"{key}={word(one)}" for key, one in value.values.items()) + "}"
        case tuple():
            return ",".join(map(word, value)) or "-"
        case frozenset():
            return "+".join(sorted(map(word, value))) or "-"
    return str(value) or "''"


def write() -> None:
    """Write the answers anew."""
    text = FILE.read_text("utf-8")
    lines = text[: text.index("\n\n") + 1].splitlines()
    for talk in read():
        start = (
            f" | after {talk.resume[0]} {talk.resume[1]}" if talk.resume else " | greeted" if talk.is_greeted else ""
        )
        lines += ["", talk.name + start]
        for step, answers in zip(talk.steps, play_session(talk), strict=True):
            lines.append(f"  {step.time:g} {step.action} {step.words}".rstrip())
            lines += [f"    {answer}" for answer in answers]
    FILE.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    write()
