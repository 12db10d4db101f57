"""docs/recordings.md describes the format that is written and read."""

from __future__ import annotations

import pytest

from inkeek.drivers.recording.file import FORMAT, MAX_SIZE, Recording
from inkeek.drivers.recording.playback import Playback
from inkeek.drivers.registry import driver
from inkeek.service.boards.board_work import FOLDER_SHARE
from tests.docs.pages import ROOT, blocks, page

TEXT = page("recordings.md")
EXAMPLE = ROOT / "docs/examples/board.jsonl"


def test_the_limits_are_those_of_the_code() -> None:
    assert f"and {MAX_SIZE >> 20} MiB" in TEXT
    assert FOLDER_SHARE == 4
    assert "at most a quarter of `recordings_size`" in TEXT
    assert f"the version of this format, {FORMAT})" in TEXT


def test_the_example_on_the_page_is_the_file() -> None:
    (block,) = (block for block in blocks(TEXT) if block.kind == "json")
    assert block.text == EXAMPLE.read_text("ascii")


@pytest.mark.usefixtures("installed")
def test_the_example_plays() -> None:
    recording = Recording(EXAMPLE)
    playback = Playback(recording, driver(recording.header.driver))
    events = list(playback.events())
    recording.close()
    assert (playback.differences, recording.cut) == ([], None)
    assert len(events) == 9
