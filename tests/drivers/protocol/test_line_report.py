from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inkeek.drivers.protocol.frames import Frame, FrameDecoder
from inkeek.drivers.protocol.line_report import FAULTS, MAX_TEXT, LineInspector
from inkeek.drivers.protocol.messages import TYPES
from tests.drivers.protocol.golden import BY_NAME, DAMAGED, GOLDEN, GOOD, named, raw
from tests.foreign_board.wire import check_digits, write

FAULT_OF_GOLDEN = {
    "longer than 256 bytes": "too-long",
    "the CRC is wrong": "crc",
    "a character that no line may have": "characters",
    "a star that does not introduce the check digits": "characters",
}


def inspect(data: bytes, size: int = 4096, sensors: int | None = None) -> list[tuple[str, bool]]:
    inspector = LineInspector()
    inspector.sensors = sensors
    reports = [one for at in range(0, len(data), size) for one in inspector.feed(data[at : at + size])]
    reports += inspector.rest()
    assert all(bool(one.reason) == bool(one.fault) and one.fault in ("", *FAULTS) for one in reports)
    return [(one.fault, one.accepted) for one in reports]


@pytest.mark.parametrize("golden", GOOD, ids=named)
def test_golden_frames_of_boards_are_accepted(golden: dict[str, object]) -> None:
    lower = golden["name"] in ("lower-case check digits", "lower-case check digits from the host")
    is_known = golden["type"] in TYPES and golden["direction"] == "board"
    if golden["direction"] == "board":
        expected = ("crc-case" if lower else "", True) if is_known else ("type", False)
        assert inspect(raw(golden)) == [expected]


@pytest.mark.parametrize("golden", DAMAGED, ids=named)
def test_each_damaged_golden_frame_has_a_reason(golden: dict[str, object]) -> None:
    ((fault, accepted), *_) = inspect(raw(golden))
    assert not accepted
    if golden["name"] == "a carriage return too many":
        assert fault == "line-end"
    elif golden["why"] in FAULT_OF_GOLDEN:
        assert fault == FAULT_OF_GOLDEN[str(golden["why"])]


@pytest.mark.parametrize(
    ("line", "fault", "words"),
    [
        (b"$NAK*0D62\n", "line-end", ["\\n"]),
        (b"$NAK*0D62\r", "line-end", ["\\r"]),
        (b"$NAK*0D62", "line-end", []),
        (b"$NAK\r\n", "no-crc", ["0D62"]),
        (b"$NAK*D62\r\n", "no-crc", ["D62", "0D62"]),
        (b"$NAK*0000\r\n", "crc", ["0000", "0D62"]),
        (b"$NA", "cut-off", []),
        (b"weight 412\r\n", "text", []),
        (b"HELLO,1.0*ABCD\r\n", "text", []),
        (b"\xf8\x00\x9e\xfe\x80\xf8\r\n", "binary", ["115200"]),
        (b"$" + b"x" * 300, "too-long", ["256"]),
        (write("hello", 1), "type", ["hello"]),
        (write("HELLO", "1.0", "x", "y", "1a2b3c4d", 40, 0, "-", 0), "fields", ["'40'"]),
        (write("EVT", "1a2b3c4d", 1, 2, "PIT", "c", 400), "fields", ["'c'"]),
        (write("EVT", "1a2b3c4d", 1, 2, "PIT", 8, 400), "fields", ["8", "7"]),
        (write("EVT", "1a2b3c4d", 1, 2, "BTN", "s", "commit", "400.400"), "fields", ["2", "8"]),
        (write("SNAP", "1a2b3c4d", 1, 2, "4.4", "ff"), "fields", ["2", "8"]),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else "",
)
def test_a_refused_line_has_a_fault_and_quotes_it(line: bytes, fault: str, words: list[str]) -> None:
    inspector = LineInspector()
    inspector.sensors = 8
    (report, *_) = inspector.feed(line) or inspector.rest()
    assert (report.fault, report.accepted) == (fault, False)
    assert all(word in report.reason for word in words), report.reason


def test_a_well_known_other_crc_is_recognized() -> None:
    body = b"SNAP?"
    for start, hint in ((0x0000, "0x0000"), (0x1D0F, "0x1D0F")):
        inspector = LineInspector()
        (report,) = inspector.feed(b"$%s*%s\r\n" % (body, check_digits(body, start).encode()))
        assert hint in report.reason
    (report,) = LineInspector().feed(b"$SNAP?*0001\r\n")
    assert "0x" not in report.reason


def test_text_between_lines_is_reported_line_by_line() -> None:
    good = raw(BY_NAME["a hand emptied a pit"])
    text = b"boot ok\r\nweight="
    for size in (1, 7, 1000):
        assert inspect(text + good + b"\r\n" + good, size) == [("text", False)] * 2 + [("", True)] * 2


@given(
    st.lists(st.sampled_from([*map(raw, GOLDEN), b"text\n", b"\r\n", b"$", b"x" * 30]), max_size=12),
    st.integers(1, 400),
)
def test_the_host_decodes_what_the_inspector_accepts(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    inspector, frames = LineInspector(), list[Frame]()
    for at in range(0, len(data), size):
        inspector.feed(data[at : at + size])
        frames += inspector.frames
    assert frames == FrameDecoder().feed(data)


@given(st.lists(st.sampled_from([*map(raw, GOLDEN), b"text\n", b"$", b"x" * 300]), max_size=12), st.integers(1, 400))
def test_every_byte_is_observed_once_and_in_order(pieces: list[bytes], size: int) -> None:
    data, observed = b"".join(pieces), list[bytes]()
    decoder = FrameDecoder(lambda line, frame: observed.append(line))
    for at in range(0, len(data), size):
        decoder.feed(data[at : at + size])
    assert b"".join(observed) + decoder.waiting == data


def test_an_endless_text_is_reported_in_bounded_pieces() -> None:
    inspector = LineInspector()
    reports = [one for _ in range(100) for one in inspector.feed(b"x" * 1000)]
    assert all(len(one.line) <= MAX_TEXT + 1000 for one in reports)
    assert len(reports) > 10
