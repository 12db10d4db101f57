"""docs/far.md: its numbers are those of the code, its files exist, its unit starts what there is."""

from __future__ import annotations

import re
import shlex

from service.boards.remote import driver, inbox, recorder, spool, uploader
from service.cli.remote import attach
from tests.docs.pages import ROOT, blocks, page, quoted, rows, section

TEXT = page("far.md")


def test_the_numbers_are_those_of_the_code() -> None:
    told = {quoted(row[0])[0]: int(row[1].split()[0]) for row in rows(section(TEXT, "In numbers"))}
    assert told == {
        "LIMIT": spool.LIMIT,
        "BATCH": uploader.BATCH,
        "HEARD_EVERY": uploader.HEARD_EVERY,
        "SILENT_AFTER": driver.SILENT_AFTER,
        "AGAIN_WITHIN": uploader.AGAIN_WITHIN,
        "REFUSED_AGAIN": uploader.REFUSED_AGAIN,
        "STATUS_EVERY": recorder.STATUS_EVERY,
        "MAX_EVENTS": inbox.MAX_EVENTS,
    }


def test_what_happens_in_failures_has_the_same_numbers() -> None:
    text = section(TEXT, "When something fails")
    for number in (f"{uploader.FIRST_AGAIN} to {uploader.AGAIN_WITHIN:g} s", f"{spool.LIMIT:,} events"):
        assert number in text
    assert f"for {driver.SILENT_AFTER:g} s" in text
    assert f"{inbox.MAX_EVENTS:,} events wait" in text
    assert f"again after {uploader.REFUSED_AGAIN:g} s" in text


def test_the_files_are_there() -> None:
    for row in rows(section(TEXT, "What happens where")):
        assert (ROOT / quoted(row[0])[0]).is_file()


def test_the_unit_for_systemd_starts_what_there_is(tmp_path) -> None:
    unit = next(block.text for block in blocks(TEXT) if block.kind == "ini")
    command = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert command is not None
    (tmp_path / "token").write_text("ink_t_x")
    program, *words = shlex.split(command[1].replace("%d", str(tmp_path)))
    assert [program.rpartition("/")[2], *words[:2]] == ["inkeek", "board", "attach"]
    told = attach.make_context("attach", words[2:]).params
    assert (told["port"], told["game"], told["spool"]) == ("/dev/ttyACM0", "k3v9wqz2mt", "/var/lib/inkeek-bench")
