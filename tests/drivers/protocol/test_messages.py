from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from inkeek.drivers.errors import MessageError
from inkeek.drivers.events import (
    Button,
    Calibrated,
    Connected,
    Fault,
    Lifted,
    PitChanged,
    SelfTestReport,
    Snapshot,
    Status,
    Unrecognized,
)
from inkeek.drivers.protocol.frames import Frame, write_line
from inkeek.drivers.protocol.messages import (
    EVENT_KINDS,
    FROM_BOARD,
    FROM_HOST,
    BoardError,
    BoardHello,
    Field,
    LightsShown,
    MessageForm,
    StatusReport,
    ack,
    calibrate_seeds,
    parse,
    pit_light,
    row_light,
)
from inkeek.drivers.protocol.session import Lights
from inkeek.records import NORTH, SOUTH
from tests.drivers.protocol.golden import BOOT, BY_NAME, GOOD, as_frame, named as golden_name, raw

EIGHT = tuple([4.0] * 6 + [0.0] * 4 + [4.0] * 6)
UNSURE = (15, 15, 0, 15, 7, *[15] * 11)
CAN = frozenset({"buttons", "leds", "cal"})
LATER_HELLO = BoardHello(Connected("IK-0001", "0.2.0", (1, 1), BOOT, 8, False, CAN | {"wheels"}), 12)
HELLO_12 = BoardHello(Connected("A board 7", "2.0.1-rc1", (1, 3), BOOT, 12, True, frozenset()), 4711)
ALL_FAULTS = ("low-supply", "temperature", "uncalibrated", "stuck3", "overload4", "drift5")
COLD = StatusReport(BOOT, Status(4.89, -5.2, ("open5", "low-supply"), 0), 0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("board says hello", BoardHello(Connected("IK-0001", "0.1.0", (1, 0), BOOT, 8, False, CAN), 0)),
        ("board with stores and no capabilities", HELLO_12),
        ("hello with further fields", LATER_HELLO),
        ("a pit has settled", PitChanged(BOOT, 1, 10250, 3, 4.12)),
        ("the last pit of the largest board", PitChanged(BOOT, 2**32 - 1, 2**32 - 1, 31, 99.99)),
        ("a hand emptied a pit", Lifted(BOOT, 2, 10251, 3)),
        ("commit by South", Button(BOOT, 3, 12000, SOUTH, "commit", EIGHT)),
        ("trial by North", Button(BOOT, 6, 12003, NORTH, "trial", (3.98, 4.02, 0.0, 0.0))),
        ("a sensor is open", Fault(BOOT, 7, 13000, 5, "open")),
        ("a calibration step is done", Calibrated(BOOT, 11, 14000, 0, True)),
        ("a calibration step failed", Calibrated(BOOT, 12, 14001, 15, False)),
        ("an event kind of a later version", Unrecognized(BOOT, 13, 15000, "TILT", ("7", "left"))),
        ("a snapshot with a broken and a moving sensor", Snapshot(BOOT, 13, EIGHT, UNSURE)),
        ("a status without faults", StatusReport(BOOT, Status(5.012, 23.1, (), 3), 13)),
        ("a cold board with two faults and an empty ring", COLD),
        (
            "a snapshot with a bowl off and a scale that is not calibrated",
            Snapshot(BOOT, 14, (4.0, 0.0, 4.12, 3.98), (15, 1, 11, 15)),
        ),
        ("everything ails the board", StatusReport(BOOT, Status(4.19, 41.2, ALL_FAULTS, 512), 599)),
        ("events are lost", BoardError("overflow", "9")),
        ("North holds the commit button", Button(BOOT, 14, 15001, NORTH, "accept", (3.98, 4.02, 0.0, 0.0))),
        ("a calibration step failed on a pit that is not empty", Calibrated(BOOT, 15, 15002, 3, False, "not-empty")),
        ("the lights are on", LightsShown(BOOT, 7)),
        ("the self-test waits for a hand", SelfTestReport("scale 3", "wait", "press on the bowl of scale 3")),
        ("a type of a later version", None),
    ],
)  # fmt: skip
def test_lines_of_a_board_are_parsed(name: str, message: object) -> None:
    assert parse(as_frame(BY_NAME[name])) == message


@pytest.mark.parametrize("golden", [frame for frame in GOOD if frame["direction"] == "host"], ids=golden_name)
def test_every_golden_frame_of_a_host_is_a_declared_message(golden: dict[str, object]) -> None:
    frame = as_frame(golden)
    written = [form(*form.read(frame)) for form in FROM_HOST if is_of(form, frame)]
    assert written == ([frame] if golden["type"] != "DANCE" else [])


def is_of(form: MessageForm, frame: Frame) -> bool:
    """Whether the frame has the type, the words and the number of fields of a message."""
    is_alike = (form.type, len(form.parts)) == (frame.type, len(frame.fields))
    return is_alike and all(
        part == text for part, text in zip(form.parts, frame.fields, strict=True) if isinstance(part, str)
    )


def test_lights_are_golden_frames() -> None:
    lights = Lights({3: "on", 8: "blink", 13: "error"}, ("on", "off"))
    assert write_line(lights.line(7, BOOT, 14, 18)) == raw(BY_NAME["all lights at once"])
    lights = Lights(dict.fromkeys(range(34), "error"), ("off", "blink"), True)
    golden = BY_NAME["all lights of the largest board show an error"]
    assert write_line(lights.line(2**32 - 1, BOOT, 2**32 - 1, 34)) == raw(golden)


@given(st.sampled_from([*FROM_BOARD, *EVENT_KINDS.values(), *FROM_HOST]), st.data())
def test_whatever_fits_the_fields_of_a_message_is_read(form: MessageForm, data: st.DataObject) -> None:
    texts = [part if isinstance(part, str) else data.draw(texts_of(part)) for part in form.parts]
    if form.type == "SNAP":
        texts[4] = ("f7" * 17)[: texts[3].count(".") + 1]
    more = data.draw(st.lists(st.just("later"), max_size=2))
    message = form.read(Frame(form.type, (*texts, *more)))
    if form in FROM_HOST:
        assert form.read(form(*message)) == message
    elif "{kind}" not in form.line:
        assert parse(Frame(form.type, (*texts, *more))) == message
        assert not isinstance(message, Unrecognized)


def texts_of(field: Field) -> st.SearchStrategy[str]:
    """Texts that a field may hold."""
    if limits := re.fullmatch(", (-?[0-9]+) to ([0-9]+)", field.bounds):
        return st.integers(int(limits[1]), int(limits[2])).map(str)
    return st.from_regex(field.form, fullmatch=True)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("HELLO,1.0,x,B,1a2b3c4d,8,0,-", ("HELLO", "8")),
        ("HELLO,one,x,B,1a2b3c4d,8,0,-,0", ("HELLO", "1", "'one'", "major.minor")),
        ("HELLO,1.0,x,B,1a2b3c4d,17,0,-,0", ("HELLO", "5", "'17'", "1 to 16")),
        ("HELLO,1.0,x,B,1A2B3C4D,8,0,-,0", ("4", "'1A2B3C4D'", "8")),
        ("HELLO,1.0,x,B,1a2b3c4d,8,yes,-,0", ("6", "'yes'", "0, 1")),
        ("EVT,1a2b3c4d,0,5,LIFT,1", ("EVT", "2", "'0'", "1 to 4294967295")),
        ("EVT,1a2b3c4d,4294967296,5,LIFT,1", ("2", "'4294967296'")),
        ("SNAP,1a2b3c4d,1,5,400.+1,ff", ("SNAP", "4", "'400.+1'", "34", "0 to 9999")),
        ("SNAP,1a2b3c4d,1,5,400.10000,ff", ("4", "'400.10000'")),
        ("SNAP,1a2b3c4d,1,5,400.400,fff", ("SNAP", "5", "'fff'", "2")),
        ("SNAP,1a2b3c4d,1,5," + ".".join(["0"] * 35) + "," + "f" * 35, ("34",)),
        ("STAT,1a2b3c4d,1,5000,1e3,-,0,0", ("STAT", "4", "'1e3'")),
        ("ERR,sorry,x", ("ERR", "1", "'sorry'", "version, overflow")),
    ],
)
def test_errors_quote_the_field_and_what_is_expected(text: str, named: tuple[str, ...]) -> None:
    kind, *fields = text.split(",")
    with pytest.raises(MessageError) as caught:
        parse(Frame(kind, tuple(fields)))
    assert [name for name in named if name not in str(caught.value)] == []


@pytest.mark.parametrize("rest", ["PIT,34,1", "PIT,x,1", "PIT,3", "BTN,w,commit,0.0", "BTN,s,fold,0.0", "LIFT,", ""])
def test_a_numbered_event_is_never_dropped_for_bad_fields(rest: str) -> None:
    kind, *fields = rest.split(",")
    message = parse(Frame("EVT", (BOOT, "7", "5", kind, *fields)))
    assert message == Unrecognized(BOOT, 7, 5, kind, tuple(fields))


def test_a_numbered_event_is_never_dropped_for_a_bad_clock() -> None:
    assert parse(Frame("EVT", (BOOT, "7", "-5", "LIFT", "1"))) == Unrecognized(BOOT, 7, 0, "LIFT", ("1",))
    assert parse(Frame("EVT", (BOOT, "7"))) == Unrecognized(BOOT, 7, 0, "", ())


@given(st.sampled_from(["HELLO", "EVT", "SNAP", "STAT", "ERR"]), st.lists(st.text(max_size=8), max_size=10))
def test_bad_fields_raise_only_message_errors(kind: str, fields: list[str]) -> None:
    try:
        parse(Frame(kind, tuple(fields)))
    except MessageError:
        pass
    else:
        assert fields


@pytest.mark.parametrize(
    ("make", "values", "quoted"),
    [
        (ack, ("zz", 1), "'zz'"),
        (ack, (BOOT, -1), "-1: expected 0 to 4294967295"),
        (pit_light, (34, "on"), "34: expected 0 to 33"),
        (pit_light, (3, "red"), "'red': expected one of off, on, blink, error"),
        (row_light, ("w", "on"), "'w'"),
        (calibrate_seeds, (3, 100), "100"),
    ],
)
def test_values_out_of_range_are_refused(make: Callable[..., Frame], values: tuple[object, ...], quoted: str) -> None:
    with pytest.raises(MessageError) as caught:
        make(*values)
    assert quoted in str(caught.value)
