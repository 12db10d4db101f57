"""Boards: the check, faults of lines, wrong boards and a session of the protocol; drivers' events; recordings."""

from __future__ import annotations

from dataclasses import fields

from inkeek.drivers import events
from inkeek.drivers.conformance.board_check import FAILED
from inkeek.drivers.conformance.steps import STEPS
from inkeek.drivers.protocol.line_report import FAULTS
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


def faults_table(_: str) -> str:
    """Why a line is refused."""
    return table(("fault", "what"), [(f"`{name}`", what) for name, what in FAULTS.items()])


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
    "line-faults": faults_table,
    "wrong-boards": wrong_boards_table,
    "session": session,
}
