"""docs/protocol.md against the code: what the board check does and says."""

from __future__ import annotations

from tests.docs.protocol_tables import PAGE, faults_table, steps_table, tables_of, wrong_boards_table
from tests.drivers.conformance.people import WRONG_BOARDS


def test_steps_and_faults_are_those_of_the_check() -> None:
    tables = tables_of(PAGE.read_text("utf-8"))
    assert tables["| step |"] == steps_table()
    assert tables["| fault |"] == faults_table()


def test_every_wrong_board_has_a_row() -> None:
    rows = tables_of(PAGE.read_text("utf-8"))["| the board |"].splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {wrong.mistake}" for wrong in WRONG_BOARDS]


def test_the_check_says_of_wrong_boards_what_the_table_says() -> None:
    assert tables_of(PAGE.read_text("utf-8"))["| the board |"] == wrong_boards_table()
