"""docs/far.md: its numbers are those of the code."""

from __future__ import annotations

from inkeek.service.boards import bindings
from inkeek.service.boards.remote import delivery, reports, spool
from tests.docs.pages import page, quoted, rows, section

TEXT = page("far.md")


def test_the_numbers_are_those_of_the_code() -> None:
    documented = {quoted(row[0])[0]: int(row[1].split()[0]) for row in rows(section(TEXT, "In numbers"))}
    assert documented == {
        "HEARTBEAT_EVERY": delivery.HEARTBEAT_EVERY,
        "BURST": reports.BURST,
        "RATE": reports.RATE,
    }


def test_what_happens_in_failures_has_the_same_numbers() -> None:
    text = section(TEXT, "When something fails")
    numbers = {word.strip("(),.;") for word in text.replace(",000", "000").split()}
    expected = (
        delivery.FIRST_RETRY,
        delivery.MAX_RETRY,
        delivery.RETRY_REFUSED,
        bindings.SILENT_AFTER,
        spool.MAX_REPORTS,
        spool.MAX_BYTES >> 20,
    )
    assert {f"{number:.15g}" for number in expected} <= numbers
