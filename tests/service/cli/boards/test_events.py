import pytest

from inkeek.drivers import events as board_events
from inkeek.drivers.recording.json_form import KINDS, event_json
from inkeek.records import NORTH
from inkeek.service.cli.boards.steps import event_text

BOOT = "0000000a"
CONNECTED = board_events.Connected("B-1", "1.0", (1, 0), BOOT, 2, True, frozenset({"leds", "cal"}))
COUNTS = (4.0, 3.97, 0.02, 12.0, 1.0, 2.0)


EVENTS = [
    CONNECTED,
    board_events.Disconnected("pulled"),
    board_events.Refused("too new"),
    board_events.Gap("lost", BOOT, 3),
    board_events.Snapshot(BOOT, 3, COUNTS, (15,) * 6),
    board_events.Status(5.0, 20.0, (), 0),
    board_events.SelfTestReport("scale 3", "ok", "it weighs"),
    board_events.Complaint("range", "LED"),
    board_events.OfferShown("0000000a:3"),
    board_events.PitChanged(BOOT, 1, 0, 5, 2.5),
    board_events.Lifted(BOOT, 2, 0, 3),
    board_events.Button(BOOT, 3, 0, NORTH, "commit", COUNTS),
    board_events.Fault(BOOT, 4, 0, 0, "stuck"),
    board_events.Calibrated(BOOT, 5, 0, 4, False),
    board_events.Unrecognized(BOOT, 6, 0, "TILT", ("x",)),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_has_words_and_an_object(event: board_events.Event) -> None:
    assert "(" not in event_text(event, 2).split(":")[0]
    data = event_json(event)
    assert KINDS[data["event"]] is type(event)
    assert len(data) > 1


def test_no_event_is_forgotten() -> None:
    assert {type(event) for event in EVENTS} == {
        kind
        for kind in vars(board_events).values()
        if isinstance(kind, type)
        and issubclass(kind, board_events.Event)
        and kind not in (board_events.Event, board_events.Numbered)
    }


def test_pits_are_named_as_in_records() -> None:
    text = event_text(board_events.PitChanged(BOOT, 1, 0, 5, 2.5), 2)
    assert "North" in text
    assert text.endswith("2.50")
    assert "B" in event_text(board_events.Lifted(BOOT, 2, 0, 3), 2).split()
    assert event_json(board_events.Button(BOOT, 3, 0, NORTH, "commit", (1.0,)))["side"] == "North"
