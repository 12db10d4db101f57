from __future__ import annotations

import pytest

from inkeek.drivers.base import Driver, Guidance
from inkeek.drivers.boards.standard import StandardBoard, lights
from inkeek.drivers.events import Numbered, PitChanged
from inkeek.drivers.protocol.frames import write_line
from inkeek.records import NORTH, SOUTH
from tests.drivers.board_side import poll_for, sent
from tests.foreign_board import ForeignBoard, PtyPort
from tests.service.waiting import until

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


def test_a_board_on_a_pseudo_terminal() -> None:
    board = ForeignBoard(2)
    board.lift(0)
    with PtyPort(board) as port:
        connection = BOARD.open(port.url, resume=(board.boot, 1))
        (changed,) = [event for event in poll_for(connection, PitChanged) if isinstance(event, Numbered)]
        assert changed.seq == 2
        connection.acknowledge(changed)
        connection.close()
        until(lambda: not board.held)
    greeting, *rest = board.heard
    assert greeting[:3] == ["HELLO", "1.1", "inkeek"]
    assert rest[:2] == [["REPLAY", board.boot, "2"], ["SNAP?"]]
