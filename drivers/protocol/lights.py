"""The host's side of a board's lights: what they show, and whether the board must be sent it (`docs/protocol.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inkeek.drivers import events
from inkeek.records import Side

from .frames import Frame
from .messages import LIGHTS_OUT, all_lights, error_light, pit_light, row_light

LETTERS = {"off": "0", "on": "1", "blink": "b", "error": "e"}  # of the states, in `LED,all`


@dataclass(frozen=True, slots=True)
class Lights:
    """All lights of a board: the states of the pits that are not off, of South's and North's row; the error light.

    `question`: what they offer an answer to.
    """

    pits: Mapping[int, str] = field(default_factory=dict)
    rows: tuple[str, str] = ("off", "off")
    error: bool = False
    question: str = ""

    def lines(self) -> list[Frame]:
        """Return the lines for a board of protocol 1.0."""
        lines = [LIGHTS_OUT]
        lines += (row_light(side, state) for side, state in zip(Side, self.rows, strict=True) if state != "off")
        if self.error:
            lines.append(error_light(True))
        lines += (pit_light(pit, state) for pit, state in sorted(self.pits.items()))
        return lines

    def line(self, number: int, boot: str, seq: int, sensors: int) -> Frame:
        """Return the one line for a board of protocol 1.1; see `messages.all_lights`."""
        pits = "".join(LETTERS[self.pits.get(pit, "off")] for pit in range(sensors))
        return all_lights(number, boot, seq, pits, "".join(map(LETTERS.__getitem__, self.rows)), self.error)


class LightSender:
    """Decides when a board is sent its lights.

    After a greeting they wait until the events that the board held are stored: players would take them for the answer.
    The host tells a board of protocol 1.1 which events the lights answer, and sends them until the board confirms.
    """

    def __init__(self) -> None:
        self.unconfirmed = False
        self.offer = ""  # the question that the confirmed lights offer an answer to, until that is said
        self._lights: Lights | None = None
        self._due = False
        self._number = 0  # of the set sent last
        self._answered = 0  # the last event of this run that is stored or lost
        self._after = 0  # the event to answer first
        self._button = 0  # the last button that was delivered

    def set(self, lights: Lights) -> None:
        """Show these lights from now on."""
        self._lights = lights
        self.send_again()

    def send_again(self) -> None:
        """Send the lights, if any are set: to a board that does not have them, or as the answer to a button."""
        if self._lights is not None:
            self._due = True
            self.offer = ""
            self._number += 1

    def repeat(self) -> None:
        """Send the same set again if it is not confirmed: the board has answered a later line."""
        self._due = self._due or self.unconfirmed

    def stop(self) -> None:
        """Do not send the lights again: the port is closed, or the board refuses them."""
        self._due = self.unconfirmed = False
        self.offer = ""

    def confirm(self, number: int) -> bool:
        """Note that the board shows the set with this number. Return whether it offers an answer since."""
        if number != self._number or not self.unconfirmed or self._lights is None:
            return False
        self.unconfirmed = False
        self.offer = self._lights.question
        return bool(self.offer)

    def begin_run(self) -> None:
        """Note that the board has begun another run."""
        self._answered = self._button = 0
        self.offer = ""

    def wait_for(self, last: int) -> None:
        """Send the lights to a board that has greeted, once event `last` is answered."""
        self._after = last
        self.send_again()

    def note_button(self, seq: int) -> None:
        """Note that this event is a button. Who pressed it must see an answer, even if no light changes."""
        self._button = seq

    def note_answered(self, seq: int) -> None:
        """Note that all events up to this one are stored or lost."""
        if self._answered < self._button <= seq:
            self.send_again()
        self._answered = max(self._answered, seq)

    def take(self, board: events.Connected, boot: str) -> list[Frame]:
        """Return the lines to send now to a board whose run has this boot id."""
        if not self._due or self._lights is None or self._answered < self._after or "leds" not in board.capabilities:
            return []
        self._due = False
        if not all_lights.is_known_to(board):
            return self._lights.lines()
        self.unconfirmed = True
        return [self._lights.line(self._number, boot, self._answered, board.sensors)]
