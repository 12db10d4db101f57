"""The parts of docs/protocol.md: steps of the board check, faults of lines, wrong boards, the worked session."""

from __future__ import annotations

from drivers.conformance.board_check import FAILED
from drivers.conformance.steps import STEPS
from drivers.protocol.line_report import FAULTS
from tests.docs.worked_session import WorkedSession
from tests.drivers.conformance.people import WRONG_BOARDS, check

from .tables import table


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


PARTS = {
    "check-steps": steps_table,
    "line-faults": faults_table,
    "wrong-boards": wrong_boards_table,
    "session": session,
}
