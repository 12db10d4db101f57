"""The lights: one per pit, one per row and one for errors."""

from .codec import whole

STATES = ("off", "on", "blink", "error")
BLINK_MS = 500  # a blinking light is on for this long, then off for as long
ERROR_MS = 250  # the same for a light in the state "error"

OFF, LIT, ALERT = 0, 1, 2  # what a lamp does now; ALERT is another color where lamps have one


class LightPanel:
    """The lights as the host set them. `alarms` counts how often it lit the error light, `clears` its `LED,clear`s."""

    def __init__(self, pits: int) -> None:
        self.alarms = 0
        self.clears = 0
        self._clear(pits)

    def apply(self, fields: list[str]) -> bool:
        """Apply the fields of an `LED` line. Return False and change nothing if they are invalid."""
        what = fields[0] if fields else ""
        if what == "clear":
            self.clears += 1
            self._clear(len(self.pits))
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

    def lamps(self, now: int) -> bytes:
        """Return `OFF`, `LIT` or `ALERT` for each lamp: the pits, South's row, North's row, the error light."""
        states = list(self.pits)
        states.extend([self.rows["s"], self.rows["n"], "error" if self.error else "off"])
        return bytes([_lamp(state, now) for state in states])

    def _clear(self, pits: int) -> None:
        self.pits = ["off"] * pits
        self.rows = {"s": "off", "n": "off"}
        self.error = False


def _lamp(state: str, now: int) -> int:
    if state == "on":
        return LIT
    if state == "blink":
        return OFF if now // BLINK_MS % 2 else LIT
    if state == "error":
        return OFF if now // ERROR_MS % 2 else ALERT
    return OFF
