from __future__ import annotations

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.boards.typed import HELP, TypedSession
from inkeek.drivers.events import Button, Connected, Event, PitChanged, Snapshot
from inkeek.records import NORTH, SOUTH, Move, ruleset

RULES = ruleset("enkeshui", pits="8")


class Person:
    """Types lines and reads the answers."""

    def __init__(self) -> None:
        self.session = TypedSession(lambda: "0000000a", None)
        self.session.port_opened(0.0)
        self.read()

    def types(self, text: str) -> list[Event]:
        return self.session.receive(text.encode() + b"\n", 1.0)

    def read(self) -> list[str]:
        return self.session.bytes_to_send().decode().split("\r\n")[:-1]


def test_counts_and_a_commit() -> None:
    person = Person()
    connected, snapshot = person.types("4 4 4 4 | 0 0")
    assert isinstance(connected, Connected)
    assert isinstance(snapshot, Snapshot)
    assert (connected.row, connected.stores) == (2, True)
    assert len(person.types("0 5 5 5 | 1 0")) == 5
    (button,) = person.types("commit s")
    assert isinstance(button, Button)
    assert (button.side, button.counts) == (SOUTH, (0, 5, 5, 5, 1, 0))
    assert person.read() == []


def test_c_is_the_button_of_the_side_to_move() -> None:
    person = Person()
    person.types("4 4")
    assert person.types("c") == []
    (answer,) = person.read()
    assert "commit s" in answer
    assert "commit n" in answer
    person.session.show(Guidance(NORTH))
    (answer,) = person.read()
    assert "North" in answer
    (button,) = person.types("c")
    assert isinstance(button, Button)
    assert (button.side, button.action) == (NORTH, "commit")
    (button,) = person.types("u")
    assert isinstance(button, Button)
    assert button.action == "undo"


def test_a_move_sets_the_board_that_it_leaves() -> None:
    person = Person()
    person.types("rules enkeshui pits=8")
    move = RULES.legal_moves(RULES.start(), 1)[0]
    *changed, button = person.types(str(move))
    turn = RULES.play(RULES.start(), move)
    assert isinstance(button, Button)
    assert (button.side, button.action) == (SOUTH, "commit")
    assert button.counts == tuple(map(float, (*turn.position.pits, *turn.position.stores)))
    assert {type(event) for event in changed} == {PitChanged}
    assert person.read() == [str(RULES.start()), str(turn.position)]


def test_a_position_says_whose_turn_it_is() -> None:
    person = Person()
    person.types("rules enkeshui pits=8")
    turn = RULES.play(RULES.start(), RULES.legal_moves(RULES.start(), 1)[0])
    person.types(str(turn.position))
    reply = RULES.legal_moves(turn.position, 1)[0]
    button = person.types(str(reply))[-1]
    assert isinstance(button, Button)
    assert button.side is NORTH


def test_counts_without_stores_keep_the_stores() -> None:
    person = Person()
    person.types("4.4/4.4 3-5 s 0")
    assert [type(event) for event in person.types("0 5 5 5")] == [PitChanged] * 4
    assert person.session.board.counts == (0, 5, 5, 5, 3, 5)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("d<", "'d<'"),
        ("rules", "''"),
        ("rules chess", "'chess'"),
        ("rules enkeshui pits", "'enkeshui pits'"),
        ("4 4 4", "3 pits"),
        ("4/4/4 s", "4/4/4 s"),
        ("commit s", ""),
    ],
)
def test_invalid_lines_are_answered(text: str, quoted: str) -> None:
    person = Person()
    assert person.types(text) == []
    (answer,) = person.read()
    assert quoted in answer


def test_an_illegal_move_is_answered() -> None:
    person = Person()
    person.types("rules enkeshui pits=8")
    person.read()
    illegal = next(m for m in map(Move.parse, "abcdefgh") if m not in RULES.legal_moves(RULES.start()))
    assert person.types(str(illegal)) == []
    assert len(person.read()) == 1
    assert person.session.misfits == 1


def test_guidance_is_shown_in_words() -> None:
    person = Person()
    person.types("4.4/4.4 0-0 s 0")
    person.read()
    for guidance in (
        Guidance(SOUTH, frozenset({0, 3}), refused=True),
        Guidance(SOUTH, refused=True),
        Guidance(None, over=True),
        Guidance(None),
    ):
        person.session.show(guidance)
    refused, again, over = person.read()
    assert "a, B" in refused
    assert "South" in refused
    assert "South" in again
    assert refused != again
    assert over


def test_help_is_answered() -> None:
    person = Person()
    assert person.types("help") == []
    assert person.read() == list(HELP)
