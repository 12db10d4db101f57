from __future__ import annotations

import os
import select
import tty

import pytest

from inkeek.drivers.base import Driver, Guidance
from inkeek.drivers.boards.standard import StandardBoard, lights
from inkeek.drivers.events import Connected, Lifted
from inkeek.drivers.protocol.frames import write_line
from inkeek.records import NORTH, SOUTH
from tests.drivers.board_side import BOOT, hello, lift, poll_for, sent

BOARD: Driver = StandardBoard()


@pytest.mark.parametrize(
    ("guidance", "lines"),
    [
        (Guidance(None), []),
        (Guidance(SOUTH), ["LED,row,s,on"]),
        (Guidance(NORTH), ["LED,row,n,on"]),
        (
            Guidance(NORTH, frozenset({9, 2}), refused=True),
            ["LED,row,n,on", "LED,error,1", "LED,pit,2,error", "LED,pit,9,error"],
        ),
        (Guidance(SOUTH, frozenset({0})), ["LED,row,s,on", "LED,error,1", "LED,pit,0,error"]),
        (Guidance(SOUTH, refused=True), ["LED,row,s,on", "LED,error,1"]),
        (Guidance(SOUTH, pending=True), ["LED,row,s,blink"]),
        (Guidance(NORTH, frozenset({0}), refused=True, pending=True), ["LED,row,n,blink"]),
        (Guidance(None, over=True), ["LED,row,s,blink", "LED,row,n,blink"]),
        (Guidance(SOUTH, frozenset({0}), over=True), ["LED,row,s,blink", "LED,row,n,blink"]),
        (Guidance(SOUTH, last=frozenset({11, 4})), ["LED,row,s,on", "LED,pit,4,on", "LED,pit,11,on"]),
        (Guidance(SOUTH, refused=True, last=frozenset({4})), ["LED,row,s,on", "LED,error,1"]),
        (Guidance(None, over=True, last=frozenset({4})), ["LED,row,s,blink", "LED,row,n,blink", "LED,pit,4,on"]),
    ],
)
def test_lights_show_the_guidance(guidance: Guidance, lines: list[str]) -> None:
    assert sent(b"".join(map(write_line, lights(guidance).lines()))) == ["LED,clear", *lines]


def read_lines(file: int, count: int) -> bytes:
    """Read this many lines, in whatever pieces they arrive."""
    data = b""
    while data.count(b"\n") < count and select.select([file], [], [], 5.0)[0]:
        data += os.read(file, 4096)
    return data


def test_a_board_on_a_pseudo_terminal() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    try:
        connection = BOARD.open(os.ttyname(slave), resume=(BOOT, 1))
        try:
            os.write(master, hello(last=2))
            poll_for(connection, Connected)
            os.write(master, lift(1) + lift(2))
            (lifted,) = [event for event in poll_for(connection, Lifted) if isinstance(event, Lifted)]
            connection.acknowledge(lifted)
        finally:
            connection.close()
        greeting, *rest = sent(read_lines(master, 5))
        assert greeting.startswith("HELLO,1.1,inkeek,")
        assert rest == [f"REPLAY,{BOOT},2", "SNAP?", f"ACK,{BOOT},1", f"ACK,{BOOT},2"]
    finally:
        os.close(slave)
        os.close(master)
