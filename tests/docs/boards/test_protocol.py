"""docs/protocol.md: both sides of the project take the worked session, and the limits are those of the code."""

from __future__ import annotations

from inkeek.drivers.boards.standard import StandardSession
from inkeek.drivers.events import Button, Connected, Gap
from inkeek.drivers.ports.environment import MAX_SERIAL
from inkeek.drivers.protocol.frames import FrameDecoder
from inkeek.drivers.protocol.limits import MAX_COUNT, MAX_LINE, MAX_NUMBER, MAX_ROW, MAX_SEEDS_LAID
from inkeek.firmware_sim.firmware.board import BoardFirmware
from inkeek.service.boards.controller import health
from tests.docs.pages import blocks, page, rows, section
from tests.docs.worked_session import HOST_VERSION, WorkedSession

TEXT = page("protocol.md")
SESSION = next(block.text for block in blocks(section(TEXT, "As bytes"))).splitlines()


def session_lines(sender: str) -> list[bytes]:
    """The lines of one side in the session on the page, with their ends."""
    return [line.split()[1].encode("ascii") + b"\r\n" for line in SESSION if line.startswith(sender)]


def test_the_session_is_what_host_and_board_say() -> None:
    session = WorkedSession()
    assert session.lines == SESSION
    for sender in ("host", "board"):
        assert [line.decode().rstrip() for line in session_lines(sender)] == session.sent[sender]
    assert [type(event) for event in session.events if isinstance(event, Connected | Button | Gap)] == [
        Connected,
        Button,
        Connected,
        Gap,
    ]


def test_the_projects_own_sides_take_the_session() -> None:
    """The board's lines go to the host's session, and the host's to the firmware."""
    host = StandardSession("inkeek", HOST_VERSION)
    host.port_opened(0.0)
    events = host.receive(b"".join(session_lines("board")), 0.1)
    assert [type(event) for event in events if isinstance(event, Connected | Button | Gap)][-1] is Gap
    firmware = BoardFirmware(2, False, "MY-1", "3f09a6c1")
    firmware.receive(b"".join(session_lines("host")))
    errors = {frame.fields[0] for frame in FrameDecoder().feed(firmware.output(0)) if frame.type == "ERR"}
    assert errors <= {"range"}  # this board has not sent the events that are acknowledged


def test_limits_are_those_of_the_code() -> None:
    limits = {row[0].split(",")[0]: row[1] for row in rows(section(TEXT, "Numbers"))}
    assert limits["pits a row"] == f"1 to {MAX_ROW}"
    assert limits["serial number"] == f"1 to {MAX_SERIAL} characters"
    assert limits["count"].startswith(f"0 to {MAX_COUNT}")
    assert limits["ms"] == f"0 to {MAX_NUMBER}"
    assert limits["sequence number"] == f"1 to {MAX_NUMBER}"
    assert limits["seeds in a calibration step"] == f"1 to {MAX_SEEDS_LAID}"
    counts = ".".join([str(MAX_COUNT)] * (2 * MAX_ROW + 2))
    snap = f"$SNAP,ffffffff,{MAX_NUMBER},{MAX_NUMBER},{counts},{'f' * (2 * MAX_ROW + 2)}*0000\r\n"
    assert len(snap) <= MAX_LINE


def test_the_confidence_of_evidence_is_that_of_the_code() -> None:
    text = section(TEXT, "Faulty and unsure sensors")
    reports = [row[0] for row in rows(text)]
    assert f"confidence `{health.MOVING}`" in reports
    assert f"confidence `{health.TRUSTED}` to `f`" in reports
