"""The tables of docs/protocol.md that follow from the code: steps of the board check, faults of lines, wrong boards.

``python -m tests.docs.protocol_tables`` writes them into the page again.
"""

from __future__ import annotations

from drivers.conformance.board_check import FAILED
from drivers.conformance.steps import STEPS
from drivers.protocol.line_report import FAULTS
from tests.docs.pages import ROOT, blocks, section
from tests.docs.worked_session import WorkedSession
from tests.drivers.conformance.people import WRONG_BOARDS, check

PAGE = ROOT / "docs/protocol.md"


def steps_table() -> str:
    """The steps of the check in order."""
    lines = ["| step | what it checks | section |", "|---|---|---|"]
    for step in STEPS:
        anchor = step.section.lower().replace(" ", "-")
        lines.append(f"| `{step.name}` | {step.title} | [{step.section}](#{anchor}) |")
    return "\n".join(lines) + "\n"


def faults_table() -> str:
    """Why a line is refused."""
    return (
        "\n".join(["| fault | what |", "|---|---|", *(f"| `{name}` | {what} |" for name, what in FAULTS.items())])
        + "\n"
    )


def wrong_boards_table() -> str:
    """What the check says of each wrong board, at the first step that names its mistake."""
    lines = ["| the board | steps that fail | what the check says |", "|---|---|---|"]
    for wrong in WRONG_BOARDS:
        failed = [result for result in check(wrong) if result.outcome == FAILED]
        result = next(
            (one for one in failed if any(word in f"{one.came} {one.expected}" for word in wrong.words)), failed[0]
        )
        names = ", ".join(f"`{one.name}`" for one in failed)
        lines.append(
            f"| {wrong.mistake} | {names} | `{result.came}`; expected: `{result.expected}` |".replace("``", "`")
        )
    return "\n".join(lines) + "\n"


TABLES = {"| step |": steps_table, "| fault |": faults_table, "| the board |": wrong_boards_table}


def tables_of(page: str) -> dict[str, str]:
    """Return the tables that stand on the page, by their beginning."""
    found = {}
    for start in TABLES:
        at = page.index(f"\n{start}") + 1
        found[start] = page[at : page.index("\n\n", at) + 1]
    return found


def session_of(page: str) -> str:
    """Return the worked session on the page."""
    return next(block.text for block in blocks(section(page, "As bytes")))


def main() -> None:
    page = PAGE.read_text("utf-8")
    page = page.replace(session_of(page), "\n".join(WorkedSession().lines) + "\n")
    for start, table in tables_of(page).items():
        page = page.replace(table, TABLES[start]())
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
