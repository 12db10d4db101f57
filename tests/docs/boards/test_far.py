"""docs/far.md: its numbers are those of the code."""

from __future__ import annotations

from inkeek.service.boards.remote import driver, inbox, recorder, spool, uploader
from tests.docs.pages import page, quoted, rows, section

TEXT = page("far.md")


def test_the_numbers_are_those_of_the_code() -> None:
    documented = {quoted(row[0])[0]: int(row[1].split()[0]) for row in rows(section(TEXT, "In numbers"))}
    assert documented == {
        "BATCH": uploader.BATCH,
        "HEARTBEAT_EVERY": uploader.HEARTBEAT_EVERY,
        "STATUS_EVERY": recorder.STATUS_EVERY,
        "BURST": inbox.BURST,
        "RATE": inbox.RATE,
    }


def test_what_happens_in_failures_has_the_same_numbers() -> None:
    text = section(TEXT, "When something fails")
    numbers = {word.strip("(),.;") for word in text.replace(",000", "000").split()}
    expected = (
        uploader.FIRST_RETRY,
        uploader.MAX_RETRY,
        uploader.RETRY_REFUSED,
        driver.SILENT_AFTER,
        spool.MAX_SPOOL_EVENTS,
        spool.MAX_SPOOL_BYTES >> 20,
        inbox.MAX_EVENTS,
        inbox.MAX_BYTES >> 20,
    )
    assert {f"{number:.15g}" for number in expected} <= numbers
