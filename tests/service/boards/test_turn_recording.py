import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inkeek.service.boards import turn_recording
from inkeek.service.boards.turn_recording import read_touches, recorded_touches
from inkeek.service.settings import Settings

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "board.jsonl"
START = datetime(2026, 11, 21, 11, tzinfo=UTC)
UPRIGHT = [("ab12", False)]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    shutil.copy(EXAMPLE, tmp_path / "20261121T110000.000000Z-ab12.jsonl")
    return Settings(recordings=str(tmp_path))


def seen(settings: Settings, boards, since: float, until: float) -> list[tuple[str, int, float]]:
    found = recorded_touches(settings, boards, START + timedelta(seconds=since), START + timedelta(seconds=until))
    assert found.complete
    return [(touch.kind, touch.pit, touch.seeds) for touch in found.touches]


def test_what_was_noticed_comes_in_order_with_its_time(settings):
    assert seen(settings, UPRIGHT, 0, 60) == [
        ("count", 2, 0.0),
        ("count", 3, 5.0),
        ("count", 4, 5.0),
        ("count", 5, 5.0),
        ("count", 12, 1.0),
        ("button", 0, 0.0),
    ]
    first = recorded_touches(settings, UPRIGHT, START, START + timedelta(seconds=60)).touches[0]
    assert first.time == START + timedelta(seconds=4.201844)


def test_only_the_time_that_is_asked_for_counts(settings):
    assert seen(settings, UPRIGHT, 4.5, 5) == [("count", 3, 5.0), ("count", 4, 5.0)]
    assert seen(settings, UPRIGHT, -60, -1) == []


def test_a_board_that_lies_the_wrong_way_round_is_turned(settings):
    assert seen(settings, [("ab12", True)], 0, 4.5) == [("count", 8, 0.0)]


def test_another_board_has_nothing_to_tell(settings):
    assert seen(settings, [("other", False)], 0, 60) == []
    assert seen(Settings(), UPRIGHT, 0, 60) == []


def test_a_later_recording_is_played_and_an_earlier_one_is_not(settings, tmp_path):
    (tmp_path / "20261121T100000.000000Z-ab12.jsonl").write_text("this would be damaged")
    assert seen(settings, UPRIGHT, 0, 4.5) == [("count", 2, 0.0)]


HEADER = '{"inkeek-recording":1,"driver":"none","port":"","started":"2026-11-21T11:00:00Z","host":"","resume":null}\n'


@pytest.mark.parametrize("text", ["", "no recording", HEADER])
def test_a_damaged_recording_is_told_and_stops_nothing(settings, tmp_path, text):
    (tmp_path / "20261121T105959.000000Z-zz.jsonl").write_text(text)
    found = recorded_touches(settings, [("zz", False), *UPRIGHT], START, START + timedelta(seconds=60))
    assert len(found.touches) == 6
    assert not found.complete


def test_what_is_played_is_bounded(settings, monkeypatch):
    monkeypatch.setattr(turn_recording, "MAX_PLAYED", 100)
    files = [(next(Path(settings.recordings).iterdir()), False)]
    found = read_touches(files, START, START + timedelta(seconds=60))
    assert (found.touches, found.complete) == ((), False)
    monkeypatch.undo()
    monkeypatch.setattr(turn_recording, "MAX_TOUCHES", 2)
    found = read_touches(files, START, START + timedelta(seconds=60))
    assert (len(found.touches), found.complete) == (2, False)
