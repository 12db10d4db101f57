"""The lights: one a pit, one a row and one for errors."""

from .codec import whole

STATES = ("off", "on", "blink", "error")
BLINK_MS = 500  # a light that blinks is lit for so long, then dark for as long
ERROR_MS = 250  # the same for one that shows an error

OFF, LIT, ALERT = 0, 1, 2  # what a lamp does now; ALERT is another colour where lamps have one


class Lights:
    """What the host has asked to be shown. `alarms` counts how often it lit the error light, `renewals` how
    often it showed all anew."""

    def __init__(self, pits: int) -> None:
        self.pits = ["off"] * pits
        self.rows = {"s": "off", "n": "off"}
        self.error = False
        self.alarms = 0
        self.renewals = 0

    def order(self, fields: list[str]) -> bool:
        """Obey the fields of a `LED` line; False, with nothing changed, when they make no sense."""
        what = fields[0] if fields else ""
        if what == "clear":
            self.renewals += 1
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

    def lamps(self, now: int) -> bytes:
        """What each lamp does at `now`, `OFF`, `LIT` or `ALERT`: the pits', South's row, North's, the error light."""
        lamps = [_lamp(state, now) for state in self.pits]
        lamps.append(_lamp(self.rows["s"], now))
        lamps.append(_lamp(self.rows["n"], now))
        lamps.append(_lamp("error" if self.error else "off", now))
        return bytes(lamps)


def _lamp(state: str, now: int) -> int:
    if state == "on":
        return LIT
    if state == "blink":
        return OFF if now // BLINK_MS % 2 else LIT
    if state == "error":
        return OFF if now // ERROR_MS % 2 else ALERT
    return OFF
