import pytest
from rich.console import Console

from inkeek.drivers import events as board_events
from inkeek.drivers.base import Guidance
from inkeek.drivers.recording.json_form import KINDS, event_json
from inkeek.records import NORTH, SOUTH
from inkeek.service.cli.boards.board import MAX_SHOWN, BoardView
from inkeek.service.cli.boards.events import event_text

BOOT = "0000000a"
CONNECTED = board_events.Connected("B-1", "1.0", (1, 0), BOOT, 2, True, frozenset({"leds", "cal"}))
COUNTS = (4.0, 3.97, 0.02, 12.0, 1.0, 2.0)


def drawn(view: BoardView, width: int = 80, **figures: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as caught:
        console.print(view.render(figures))
    return [line.strip("│ ") for line in caught.get().splitlines()]


def shown(*events: board_events.Event) -> BoardView:
    view = BoardView("/dev/ttyACM0", "inkeek")
    for number, event in enumerate(events):
        view.add(float(number), event)
    return view


def test_before_anybody_answers() -> None:
    lines = drawn(shown())
    assert "/dev/ttyACM0 (inkeek)" in lines[0]
    assert len(lines) == 5


def test_the_pits_as_south_sees_them() -> None:
    view = shown(CONNECTED, board_events.Snapshot(BOOT, 0, COUNTS, (15, 15, 3, 15, 15, 15)))
    assert [line.split() for line in drawn(view)[1:5]] == [
        ["North", "B", "A"],
        ["2.00", "12.0", "0.02?"],
        ["4.00", "3.97", "1.00"],
        ["South", "a", "b"],
    ]


def test_what_changes_is_followed() -> None:
    view = shown(
        CONNECTED,
        board_events.Snapshot(BOOT, 0, COUNTS, (15,) * 6),
        board_events.Lifted(BOOT, 1, 0, 0),
        board_events.PitChanged(BOOT, 2, 0, 1, 4.97),
        board_events.Fault(BOOT, 3, 0, 3, "open"),
        board_events.Status(4.98, 21.3, ("open3",), 7),
        board_events.Disconnected("pulled out"),
    )
    lines = drawn(view, damaged=3, misfits=1, duplicates=2)
    assert lines[2].split() == ["2.00", "open", "0.02"]
    assert lines[3].split() == ["0.00", "4.97", "1.00"]
    assert "pulled out" in lines[5]
    health = " ".join(lines[6:8])
    for figure in ("4.98 V", "21.3 °C", "open3", "held: 7", ": 3 ", ": 1 ", ": 2"):
        assert figure in health
    assert lines[-1].endswith("pulled out")
    view.add(9.0, board_events.Fault(BOOT, 4, 0, 3, "ok"))
    assert drawn(view)[2].split() == ["2.00", "12.0", "0.02"]


def test_lights() -> None:
    view = shown(CONNECTED, board_events.Snapshot(BOOT, 0, COUNTS, (15,) * 6))
    view.guidance = Guidance(NORTH)
    assert [line.endswith("●") for line in drawn(view)[1:5]] == [True, False, False, False]
    view.guidance = Guidance(SOUTH, frozenset({0}), refused=True)
    assert [line.endswith("●") for line in drawn(view)[1:5]] == [False, False, False, True]


def test_only_the_last_events_are_kept_and_a_large_board_fits() -> None:
    large = board_events.Connected("B-1", "1.0", (1, 0), BOOT, 12, True, frozenset())
    view = shown(
        large, board_events.Snapshot(BOOT, 0, (12.5,) * 26, (15,) * 26), *[board_events.Lifted(BOOT, 1, 0, 0)] * 100
    )
    lines = drawn(view)
    assert len(lines) < 12 + MAX_SHOWN
    assert all(len(line) <= 80 for line in lines)
    assert lines[1].split() == ["North", *"LKJIHGFEDCBA"]


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
