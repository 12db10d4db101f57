from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import MessageError
from drivers.protocol.frames import Decoder, Frame, crc, encode, parse, read_line, write_line
from drivers.protocol.limits import MAX_LINE
from drivers.protocol.messages import (
    Ack,
    BoardError,
    BoardHello,
    BoardSnapshot,
    BoardStatus,
    ButtonEvent,
    CalibrateSeeds,
    CalibrationEvent,
    ErrorLight,
    FaultEvent,
    HostHello,
    LiftEvent,
    LightsOut,
    Nak,
    OtherEvent,
    Ping,
    PitEvent,
    PitLight,
    Replay,
    RowLight,
    SnapRequest,
    Tare,
)

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "data" / "protocol" / "frames.json").read_text("ascii"),
)
GOOD = [frame for frame in GOLDEN if not frame.get("damaged")]
DAMAGED = [frame for frame in GOLDEN if frame.get("damaged")]
BY_NAME = {frame["name"]: frame for frame in GOLDEN}
BOOT = "1a2b3c4d"


def named(frame: dict[str, object]) -> str:
    return str(frame["name"])


def raw(frame: dict[str, object]) -> bytes:
    return str(frame["line"]).encode("latin-1")


def as_frame(golden: dict[str, object]) -> Frame:
    fields = golden["fields"]
    assert isinstance(fields, list)
    return Frame(str(golden["type"]), tuple(fields))


def feed(data: bytes, size: int) -> tuple[list[Frame], Decoder]:
    decoder = Decoder()
    frames = [frame for at in range(0, len(data), size) for frame in decoder.feed(data[at : at + size])]
    return frames, decoder


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("golden", GOOD, ids=named)
def test_golden_frames_are_read_in_pieces_of_any_size(golden: dict[str, object], size: int) -> None:
    frames, decoder = feed(raw(golden), size)
    assert frames == [as_frame(golden)]
    assert (decoder.damaged, decoder.ignored) == (0, 0)


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("golden", DAMAGED, ids=named)
def test_damaged_frames_are_dropped_and_the_next_is_read(golden: dict[str, object], size: int) -> None:
    after = raw(BY_NAME["a hand emptied a pit"])
    frames, decoder = feed(raw(golden), size)
    assert (frames, decoder.damaged) == ([], 1)
    assert decoder.feed(after) == [as_frame(BY_NAME["a hand emptied a pit"])]


@pytest.mark.parametrize("golden", [frame for frame in GOOD if not frame.get("read_only")], ids=named)
def test_golden_frames_are_written(golden: dict[str, object]) -> None:
    assert write_line(as_frame(golden)) == raw(golden)


def test_all_golden_frames_with_garbage_between() -> None:
    garbage = b"\x00noise\r\n*FFFF\xff"
    frames, decoder = feed(garbage + garbage.join(raw(golden) for golden in GOOD), 5)
    assert frames == [as_frame(golden) for golden in GOOD]
    assert (decoder.damaged, decoder.ignored) == (0, len(garbage) * len(GOOD))


def test_crc_is_ccitt_false() -> None:
    assert crc(b"123456789") == 0x29B1  # the check value in catalogues of CRCs


@given(st.lists(st.integers(1, 60), min_size=1), st.lists(st.sampled_from(GOLDEN), max_size=6), st.binary(max_size=80))
def test_any_chunking_gives_the_same(sizes: list[int], golden: list[dict[str, object]], noise: bytes) -> None:
    data = noise + b"".join(raw(frame) for frame in golden) + noise
    whole = Decoder()
    expected = whole.feed(data)
    pieces, at, turn, frames = Decoder(), 0, 0, []
    while at < len(data):
        size = sizes[turn % len(sizes)]
        frames += pieces.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    assert frames == expected
    assert (pieces.damaged, pieces.ignored) == (whole.damaged, whole.ignored)


@given(st.binary(max_size=2000))
def test_random_bytes_never_raise(data: bytes) -> None:
    decoder = Decoder()
    for frame in decoder.feed(data.replace(b"@", b"$")):
        write_line(frame)


def test_the_decoder_holds_one_line_at_most() -> None:
    decoder = Decoder()
    assert decoder.feed(b"$" + b"x" * 1_000_000) == []
    assert decoder.damaged == 1
    assert decoder.ignored == 1_000_001 - MAX_LINE
    assert decoder.feed(raw(BY_NAME["are you there"])) == [Frame("PING", ())]


def test_one_line_is_read_whole_or_not_at_all() -> None:
    assert read_line(raw(BY_NAME["are you there"])) == Frame("PING", ())
    assert read_line(raw(BY_NAME["are you there"])[:-1]) is None


EIGHT = tuple([400] * 6 + [0] * 4 + [400] * 6)
UNSURE = (15, 15, 0, 15, 7, *[15] * 11)
CAN = frozenset({"buttons", "leds", "cal"})
HELLO_12 = BoardHello((1, 3), "2.0.1-rc1", "A board 7", BOOT, 12, True, frozenset(), 4711)
ALL_FAULTS = ("low-supply", "temperature", "uncalibrated", "stuck3", "overload4", "drift5")
COLD = BoardStatus(BOOT, 17001, 4890, -52, ("open5", "low-supply"), 0, 0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("board says hello", BoardHello((1, 0), "0.1.0", "IK-0001", BOOT, 8, False, CAN, 0)),
        ("board with stores and no capabilities", HELLO_12),
        ("hello with further fields", BoardHello((1, 1), "0.2.0", "IK-0001", BOOT, 8, False, CAN | {"wheels"}, 12)),
        ("a pit has settled", PitEvent(BOOT, 1, 10250, 3, 412)),
        ("the last pit of the largest board", PitEvent(BOOT, 2**32 - 1, 2**32 - 1, 31, 9999)),
        ("a hand emptied a pit", LiftEvent(BOOT, 2, 10251, 3)),
        ("commit by South", ButtonEvent(BOOT, 3, 12000, "s", "commit", EIGHT)),
        ("trial by North", ButtonEvent(BOOT, 6, 12003, "n", "trial", (398, 402, 0, 0))),
        ("a sensor is open", FaultEvent(BOOT, 7, 13000, 5, "open")),
        ("a calibration step is done", CalibrationEvent(BOOT, 11, 14000, 0, True)),
        ("a calibration step failed", CalibrationEvent(BOOT, 12, 14001, 15, False)),
        ("an event kind of a later version", OtherEvent(BOOT, 13, 15000, "TILT", ("7", "left"))),
        ("a snapshot with a broken and a moving sensor", BoardSnapshot(BOOT, 13, 16001, EIGHT, UNSURE)),
        ("a status without faults", BoardStatus(BOOT, 17000, 5012, 231, (), 3, 11)),
        ("a cold board with two faults and an empty ring", COLD),
        (
            "a snapshot with a bowl off and a scale that is not calibrated",
            BoardSnapshot(BOOT, 14, 16002, (400, 0, 412, 398), (15, 1, 11, 15)),
        ),
        ("everything ails the board", BoardStatus(BOOT, 17002, 4190, 412, ALL_FAULTS, 512, 88)),
        ("events are lost", BoardError("overflow", "9")),
        ("a type of a later version", None),
    ],
)  # fmt: skip
def test_what_a_board_says(name: str, message: object) -> None:
    assert parse(as_frame(BY_NAME[name])) == message


@pytest.mark.parametrize("golden", [frame for frame in GOOD if frame["direction"] == "board"], ids=named)
def test_every_golden_frame_of_a_board_is_understood(golden: dict[str, object]) -> None:
    parse(as_frame(golden))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("host says hello", HostHello((1, 0), "inkeek", "0.1.0")),
        ("everything up to 12 is safe", Ack(BOOT, 12)),
        ("a damaged line was seen", Nak()),
        ("replay from 3", Replay(BOOT, 3)),
        ("what lies there", SnapRequest()),
        ("pit light on", PitLight(3, "on")),
        ("pit light shows an error", PitLight(7, "error")),
        ("row light of North blinks", RowLight("n", "blink")),
        ("error light on", ErrorLight(True)),
        ("error light off", ErrorLight(False)),
        ("all lights off", LightsOut()),
        ("calibrate empty pits", Tare()),
        ("calibrate ten seeds in pit 3", CalibrateSeeds(3, 10)),
        ("are you there", Ping()),
    ],
)
def test_what_the_host_says(name: str, message: object) -> None:
    assert encode(message) == raw(BY_NAME[name])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("HELLO,1.0,x,B,1a2b3c4d,8,0,-", "HELLO: field 8 is missing: expected the last sequence number used"),
        ("HELLO,one,x,B,1a2b3c4d,8,0,-,0", "HELLO: field 1 is 'one': expected the protocol version as major.minor"),
        ("HELLO,1.0,x,B,1a2b3c4d,17,0,-,0", "HELLO: field 5 is '17': expected pits a row, 1 to 16"),
        ("HELLO,1.0,x,B,1A2B3C4D,8,0,-,0", "field 4 is '1A2B3C4D': expected a boot id of 8 lower-case hex digits"),
        ("HELLO,1.0,x,B,1a2b3c4d,8,yes,-,0", "field 6 is 'yes': expected stores weighed: one of 0, 1"),
        ("EVT,1a2b3c4d,0,5,LIFT,1", "EVT: field 2 is '0': expected a sequence number, 1 to 4294967295"),
        ("EVT,1a2b3c4d,4294967296,5,LIFT,1", "field 2 is '4294967296'"),
        ("SNAP,1a2b3c4d,1,5,400.+1,ff", "SNAP: field 4 is '400.+1': expected up to 34 counts of 0 to 9999"),
        ("SNAP,1a2b3c4d,1,5,400.10000,ff", "field 4"),
        ("SNAP,1a2b3c4d,1,5,400.400,fff", "SNAP: field 5 is 'fff': expected 2 hex digits of confidence"),
        ("SNAP,1a2b3c4d,1,5," + ".".join(["0"] * 35) + "," + "f" * 35, "up to 34 counts"),
        ("STAT,1a2b3c4d,1,5000,1e3,-,0,0", "STAT: field 4 is '1e3': expected temperature"),
        ("ERR,sorry,x", "ERR: field 1 is 'sorry': expected an error code: one of version, overflow"),
    ],
)
def test_fields_that_do_not_fit_are_quoted(text: str, complaint: str) -> None:
    kind, *fields = text.split(",")
    with pytest.raises(MessageError) as caught:
        parse(Frame(kind, tuple(fields)))
    assert complaint in str(caught.value)


@pytest.mark.parametrize("rest", ["PIT,34,1", "PIT,x,1", "PIT,3", "BTN,w,commit,0.0", "BTN,s,fold,0.0", "LIFT,", ""])
def test_a_numbered_event_is_never_dropped_for_its_fields(rest: str) -> None:
    kind, *fields = rest.split(",")
    message = parse(Frame("EVT", (BOOT, "7", "5", kind, *fields)))
    assert message == OtherEvent(BOOT, 7, 5, kind, tuple(fields))


def test_nor_for_its_clock() -> None:
    assert parse(Frame("EVT", (BOOT, "7", "-5", "LIFT", "1"))) == OtherEvent(BOOT, 7, 0, "LIFT", ("1",))
    assert parse(Frame("EVT", (BOOT, "7"))) == OtherEvent(BOOT, 7, 0, "", ())


@given(st.sampled_from(["HELLO", "EVT", "SNAP", "STAT", "ERR"]), st.lists(st.text(max_size=8), max_size=10))
def test_only_message_errors_come_of_strange_fields(kind: str, fields: list[str]) -> None:
    try:
        parse(Frame(kind, tuple(fields)))
    except MessageError:
        pass
    else:
        assert fields


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (Ack("zz", 1), "not a boot id: 'zz'"),
        (Ack(BOOT, -1), "sequence number -1: 0 to 4294967295 are possible"),
        (PitLight(34, "on"), "pit index 34: 0 to 33 are possible"),
        (PitLight(3, "red"), "not a light: 'red': one of off, on, blink, error is needed"),
        (RowLight("w", "on"), "not a side: 'w'"),
        (CalibrateSeeds(3, 100), "number of seeds 100"),
        (HostHello((1, 0), "in,keek", "1"), "not a field: 'in,keek'"),
        (HostHello((1, 0), "ïnkeek", "1"), "not a field: 'ïnkeek'"),
        (HostHello((1, 0), "x" * 250, "1"), "at most 256 are possible"),
    ],
)
def test_what_cannot_be_said_is_refused(message: object, complaint: str) -> None:
    with pytest.raises(MessageError) as caught:
        encode(message)  # type: ignore[arg-type]
    assert complaint in str(caught.value)
