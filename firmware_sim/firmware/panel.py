"""Buttons, from contacts that bounce to presses; and lights: one per pit, one per row and one for errors."""

from .codec import MAX_UINT32, whole

DEBOUNCE_MS = 30  # a contact that has not changed for this long has stopped bouncing
LONG_MS = 1500  # a commit button held for this long also says "accept": docs/protocol.md
ACTIONS = ("commit", "undo", "dispute", "trial")
SIDES = ("s", "n")
BUTTONS = len(SIDES) * len(ACTIONS)


def contact(side: str, action: str) -> int:
    """Return a button's bit in the mask of closed contacts."""
    return 1 << (SIDES.index(side) * len(ACTIONS) + ACTIONS.index(action))


class Buttons:
    """Debounces each contact on its own, so that one that never rests does not block the others."""

    def __init__(self) -> None:
        self._mask = 0  # as last read
        self._changed_at = [0] * BUTTONS
        self._debounced = 0
        self._held: list[tuple[int, int]] = []  # commit buttons held down, and since when

    def read(self, mask: int, now: int) -> list[tuple[str, str]]:
        """Return (side, action) of each button whose press has just become certain, or long."""
        changed = mask ^ self._mask
        self._mask = mask
        if changed:
            for number in range(BUTTONS):
                if changed >> number & 1:
                    self._changed_at[number] = now
        presses = []
        for number, since in self._held:
            if now - since >= LONG_MS:
                presses.append((SIDES[number // len(ACTIONS)], "accept"))
        if presses:
            self._held = [(number, since) for number, since in self._held if now - since < LONG_MS]
        pending = mask ^ self._debounced
        if not pending:
            return presses
        for number in range(BUTTONS):
            if pending >> number & 1 and now - self._changed_at[number] >= DEBOUNCE_MS:
                self._debounced ^= 1 << number
                if number % len(ACTIONS) == 0:
                    self._held = [(other, since) for other, since in self._held if other != number]
                    if mask >> number & 1:
                        self._held.append((number, now))
                if mask >> number & 1:
                    presses.append((SIDES[number // len(ACTIONS)], ACTIONS[number % len(ACTIONS)]))
        return presses


STATES = ("off", "on", "blink", "error")
LETTERS = "01be"  # the same in `LED,all`
BLINK_MS = 500  # a blinking light is on for this long, then off for as long
ERROR_MS = 250  # the same for a light in the state "error"

OFF, LIT, ALERT = 0, 1, 2  # what a lamp does now; ALERT is another color where lamps have one


class LightPanel:
    """The lights as the host set them. `alarms` counts how often it lit the error light, `clears` its sets of lights.

    A host of protocol 1.1 says which events its lights answer (`answers` is then True). After a press only the row of
    the side that pressed blinks until lights answer it, so that nobody takes earlier lights for the answer.
    """

    def __init__(self, pits: int) -> None:
        self.alarms = 0
        self.clears = 0
        self.presses = 0  # buttons pressed since the start
        self.answers = False
        self._pressed = ""  # the side of the last press
        self._press = 0  # its event number
        self._answered = 0  # the last event that the lights answer
        self.pits = ["off"] * pits
        self.rows = {"s": "off", "n": "off"}
        self.error = False

    @property
    def waiting(self) -> bool:
        """Whether the lights do not answer the last press yet."""
        return self.answers and self._press > self._answered

    def press(self, side: str, number: int) -> None:
        """Note that event `number` is a button of this side."""
        self.presses += 1
        self._pressed = side
        self._press = number

    def apply(self, fields: list[str]) -> bool:
        """Apply the fields of an `LED` line, except `all`. Return False and change nothing if they are invalid."""
        what = fields[0] if fields else ""
        if what == "clear":
            self.clears += 1
            self.pits = ["off"] * len(self.pits)
            self.rows = {"s": "off", "n": "off"}
            self.error = False
        elif what == "error" and len(fields) > 1 and fields[1] in ("0", "1"):
            self.error = fields[1] == "1"
            self.alarms += self.error
        elif what == "row" and len(fields) > 2 and fields[1] in self.rows and fields[2] in STATES:
            self.rows[fields[1]] = fields[2]
        elif what == "pit" and len(fields) > 2 and fields[2] in STATES:
            pit = whole(fields[1], len(self.pits) - 1)
            if pit < 0:
                return False
            self.pits[pit] = fields[2]
        else:
            return False
        return True

    def apply_all(self, fields: list[str], last: int) -> bool:
        """Apply the fields of an `LED,all` line; `last` is the number of the last event.

        Return False and change nothing if they are invalid.
        """
        if len(fields) < 7 or whole(fields[1], MAX_UINT32) < 0 or fields[6] not in ("0", "1"):
            return False
        answered = whole(fields[3], last)
        pits, rows = _states(fields[4]), _states(fields[5])
        if answered < 0 or len(pits) != len(self.pits) or len(rows) != 2:
            return False
        self.answers = True
        self.clears += 1
        self.pits = pits
        self.rows = {"s": rows[0], "n": rows[1]}
        self.error = fields[6] == "1"
        self.alarms += self.error
        self._answered = answered
        return True

    def lamps(self, now: int) -> bytes:
        """Return `OFF`, `LIT` or `ALERT` for each lamp: the pits, South's row, North's row, the error light."""
        states = list(self.pits)
        if self.waiting:
            states = ["off"] * len(states)
            states.extend(["blink" if side == self._pressed else "off" for side in ("s", "n")])
            states.append("off")
        else:
            states.extend([self.rows["s"], self.rows["n"], "error" if self.error else "off"])
        return bytes([_lamp(state, now) for state in states])


def _states(letters: str) -> list[str]:
    """Return the state for each letter; no states if one is unknown."""
    states = []
    for letter in letters:
        if letter not in LETTERS:
            return []
        states.append(STATES[LETTERS.index(letter)])
    return states


def _lamp(state: str, now: int) -> int:
    if state == "on":
        return LIT
    if state == "blink":
        return OFF if now // BLINK_MS % 2 else LIT
    if state == "error":
        return OFF if now // ERROR_MS % 2 else ALERT
    return OFF
