"""docs/far.md: its numbers are those of the code, and its files exist."""

from __future__ import annotations

from service.boards.remote import driver, inbox, recorder, spool, uploader
from tests.docs.pages import ROOT, page, quoted, rows, section

TEXT = page("far.md")


def test_the_numbers_are_those_of_the_code() -> None:
    documented = {quoted(row[0])[0]: int(row[1].split()[0]) for row in rows(section(TEXT, "In numbers"))}
    assert documented == {
        "MAX_SPOOL_EVENTS": spool.MAX_SPOOL_EVENTS,
        "BATCH": uploader.BATCH,
        "HEARTBEAT_EVERY": uploader.HEARTBEAT_EVERY,
        "SILENT_AFTER": driver.SILENT_AFTER,
        "MAX_RETRY": uploader.MAX_RETRY,
        "RETRY_REFUSED": uploader.RETRY_REFUSED,
        "STATUS_EVERY": recorder.STATUS_EVERY,
        "MAX_EVENTS": inbox.MAX_EVENTS,
        "MAX_BYTES": inbox.MAX_BYTES,
        "BURST": inbox.BURST,
        "RATE": inbox.RATE,
        "MAX_SPOOL_BYTES": spool.MAX_SPOOL_BYTES,
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
        inbox.MAX_EVENTS,
    )
    assert {f"{number:.15g}" for number in expected} <= numbers


def test_the_files_are_there() -> None:
    for row in rows(section(TEXT, "How it works")):
        assert (ROOT / quoted(row[0])[0]).is_file()
