"""Boards: the check, faults of lines, wrong boards and a session of the protocol; drivers' events; recordings."""

from __future__ import annotations

from dataclasses import fields
from itertools import groupby

from inkeek.drivers import events
from inkeek.drivers.conformance.board_check import FAILED, STEPS
from inkeek.drivers.protocol.messages import EVENT_KINDS, FROM_BOARD, FROM_HOST, Field, MessageForm
from inkeek.drivers.recording.file import KINDS
from inkeek.service.reference.tables import table
from tests.docs.worked_session import WorkedSession
from tests.drivers.conformance.people import WRONG_BOARDS, check


def steps_table(_: str) -> str:
    """The steps of the check in order."""
    rows = [
        (f"`{step.name}`", step.title, f"[{step.section}](#{step.section.lower().replace(' ', '-')})") for step in STEPS
    ]
    return table(("step", "what it checks", "section"), rows)


def _fields(message: MessageForm, after: int = 0) -> str:
    """The fields of a message, without the first ones, as the documentation names them."""
    parts = [f"`{part}`" if isinstance(part, str) else _field(part) for part in message.parts[after:]]
    return message.what or ", ".join(filter(None, parts)) or "none"


def _field(field: Field) -> str:
    """What a field is; nothing of one that only later versions have, which the one before it explains."""
    return field.says or ("" if field.is_later else field.what.removeprefix("the ").removeprefix("a "))


def board_lines_table(_: str) -> str:
    """The messages of the board."""
    rows = [
        (f"[`{one.type}`](#version-11) (1.1)" if one.since > (1, 0) else f"`{one.type}`", _fields(one))
        for one in FROM_BOARD
    ]
    return table(("line", "fields"), rows)


def event_kinds_table(_: str) -> str:
    """The kinds of events."""
    return table(
        ("event kind", "fields", "when"),
        [(f"`{name}`", _fields(kind, 4), kind.says) for name, kind in EVENT_KINDS.items()],
    )


def host_lines_table(_: str) -> str:
    """The messages of the host, those of one type and version together."""
    rows = []
    for (kind, since, answer), group in groupby(FROM_HOST, lambda one: (one.type, one.since, one.says)):
        name = f"`{kind}` (1.1)" if since > (1, 0) else f"`{kind}`"
        rows.append((name, " · ".join(map(_fields, group)), answer))
    return table(("line", "fields", "answer"), rows)


def wrong_boards_table(_: str) -> str:
    """What the check says of each wrong board, at the first step that names its mistake."""
    rows = []
    for wrong in WRONG_BOARDS:
        failed = [result for result in check(wrong) if result.outcome == FAILED]
        result = next(
            (one for one in failed if any(word in f"{one.came} {one.expected}" for word in wrong.words)), failed[0]
        )
        names = ", ".join(f"`{one.name}`" for one in failed)
        rows.append((wrong.mistake, names, f"`{result.came}`; expected: `{result.expected}`".replace("``", "`")))
    return table(("the board", "steps that fail", "what the check says"), rows)


def session(_: str) -> str:
    """The worked session, line by line."""
    return "\n".join(["```", *WorkedSession().lines, "```"]) + "\n"


def events_table(_: str) -> str:
    """What drivers report: each kind of event with its fields, but those of its base class."""
    rows = []
    for kind in vars(events).values():
        if isinstance(kind, type) and issubclass(kind, events.Event) and kind is not events.Event:
            inherited = {one.name for base in kind.__bases__ if base is events.Numbered for one in fields(base)}
            own = [f"`{one.name}`" for one in fields(kind) if one.name not in inherited]
            rows.append(
                (f"`{kind.__name__}`", ", ".join(own), " ".join((kind.__doc__ or "").replace("``", "`").split()))
            )
    return table(("event", "fields", "what"), rows)


def items_table(_: str) -> str:
    """The items of a recording."""
    return table(("key", "value", "what happened"), [(f"`{name}`", *kind[1:]) for name, kind in KINDS.items()])


PARTS = {
    "recording-items": items_table,
    "driver-events": events_table,
    "check-steps": steps_table,
    "board-lines": board_lines_table,
    "event-kinds": event_kinds_table,
    "host-lines": host_lines_table,
    "wrong-boards": wrong_boards_table,
    "session": session,
}
