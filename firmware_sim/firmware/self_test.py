"""The self-test: scale by scale, lamp by lamp, button by button, told in words to a person at a serial monitor."""

from .panel import ACTIONS, ALERT, BUTTONS, LIT, OFF, SIDES

LOOK_MS = 500  # how long a scale is read before somebody is to press on it
LAMP_MS = 700  # how long a lamp is lit
WAIT_MS = 8000  # how long to wait for a hand
MAX_MISSED = 3  # hands in a row: after that nobody is there, and the rest is skipped
DEBOUNCED = 3  # readings in a row with the same contacts


class SelfTest:
    """Call `step` with every reading while it is `running`; send what it returns, and show its `lamps`.

    With `sensors` scales it takes at most 9 seconds a scale, 1 a lamp and 9 a button.
    """

    def __init__(self, sensors: int) -> None:
        self.running = False
        self._sensors = sensors
        self._part = 0  # the scales, the lamps (with the rows' and the error light), the buttons
        self._since = 0  # of the part
        self._first = True  # the part has not begun
        self._good = self._missed = 0
        self._low: list[int | None] = []  # of each scale's readings at the beginning of the part
        self._high: list[int | None] = []
        self._contacts = self._same = 0

    def start(self) -> None:
        """Begin, or begin again."""
        self.running = self._first = True
        self._part = self._good = self._missed = 0

    def stop(self) -> list[str]:
        """End the test; return the last line."""
        self.running = False
        return ["all", "end", f"{self._good} of {self._sensors + BUTTONS} scales and buttons are good"]

    def lamps(self) -> bytes:
        """Return the state of each lamp, as `LightPanel.lamps` does."""
        states = [OFF] * (self._sensors + 3)
        lamps = self._sensors + 3
        if self._part < self._sensors:
            states[self._part] = LIT
        elif self._part < self._sensors + lamps:
            lamp = self._part - self._sensors
            states[lamp] = ALERT if lamp == lamps - 1 else LIT
        else:
            states[self._sensors + (self._part - self._sensors - lamps) // len(ACTIONS)] = LIT
        return bytes(states)

    def step(self, readings: list[int | None], units: list[int], contacts: int, now: int) -> list[list[str]]:
        """Process one reading per scale and the closed contacts; return lines as part, result and text.

        `units`: about what a seed adds to each reading.
        """
        lines = []
        began = self._first
        if began:
            self._since = now
            self._first = False
            self._low = list(readings)
            self._high = list(readings)
        self._same = self._same + 1 if contacts == self._contacts else 0
        self._contacts = contacts
        lamps = self._sensors + 3
        if self._part < self._sensors:
            result, text = self._scale(self._part, readings, units, now - self._since, began)
            name = f"scale {self._part}"
        elif self._part < self._sensors + lamps:
            result, text = self._lamp(self._part - self._sensors, now - self._since, began)
            name = f"lamp {self._part - self._sensors}"
        else:
            number = self._part - self._sensors - lamps
            result, text = self._button(number, now - self._since, began)
            name = "button " + _button_name(number)
        if text:
            lines.append([name, result, text])
        if result == "ok" or result == "failed":
            self._part += 1
            self._first = True
            self._good += result == "ok" and not name.startswith("lamp")
            if self._part == self._sensors or self._part == self._sensors + lamps:
                self._missed = 0
            if self._part == self._sensors + lamps + BUTTONS:
                lines.append(self.stop())
        return lines

    def _scale(self, scale: int, readings: list[int | None], units: list[int], ms: int, began: bool) -> tuple[str, str]:
        if ms < LOOK_MS:
            for index, raw in enumerate(readings):
                low, high = self._low[index], self._high[index]
                self._low[index] = raw if low is None else low if raw is None else min(raw, low)
                self._high[index] = raw if high is None else high if raw is None else max(raw, high)
            return (
                "wait",
                "press on its bowl and let go; its lamp is lit" if began and self._missed < MAX_MISSED else "",
            )
        low, high = self._low[scale], self._high[scale]
        if low is None or high is None or readings[scale] is None:
            return "failed", "no answer: check its data line and its supply and that RATE is at VCC"
        noise = (high - low) * 100 // units[scale]
        if noise > 100:
            return "failed", f"it moves by {noise} hundredths of a seed at rest: check the bowl and the cell's wires"
        moved = [index for index in range(self._sensors) if self._direction_of_change(index, readings, units) > 0]
        if scale in moved:
            self._missed = 0
            return "ok", f"it answers and is pressed; noise {noise} hundredths of a seed"
        if self._direction_of_change(scale, readings, units) < 0:
            return "failed", "the reading falls: swap the cell's A+ and A-"
        if moved:
            return "failed", f"scale {moved[0]} is pressed instead: exchange their data lines"
        return self._wait_for_hand(ms, "nobody pressed on it", f"it answers; noise {noise} hundredths of a seed")

    def _direction_of_change(self, index: int, readings: list[int | None], units: list[int]) -> int:
        """Return 1 if a scale reads more than a seed above what it read first, -1 if below, else 0."""
        raw, low, high = readings[index], self._low[index], self._high[index]
        if raw is None or low is None or high is None:
            return 0
        return 1 if raw > high + units[index] else -1 if raw < low - units[index] else 0

    def _lamp(self, lamp: int, ms: int, began: bool) -> tuple[str, str]:
        if began:
            names = ("South's row", "North's row", "the error light (red)")
            place = f"scale {lamp}" if lamp < self._sensors else names[lamp - self._sensors]
            return "wait", f"lit now: it belongs to {place}"
        return ("ok", "") if ms >= LAMP_MS else ("wait", "")

    def _button(self, number: int, ms: int, began: bool) -> tuple[str, str]:
        if began and self._missed < MAX_MISSED:
            return "wait", "press it"
        if self._contacts and self._same >= DEBOUNCED:
            if self._contacts == 1 << number:
                self._missed = 0
                return "ok", "pressed"
            if number == 0 or self._contacts != 1 << number - 1:  # the one before may still be held down
                held = [other for other in range(BUTTONS) if self._contacts >> other & 1 and other != number]
                return "failed", f"button {_button_name(held[0])} is closed instead: check the pins"
        return self._wait_for_hand(ms, "nobody pressed it", "")

    def _wait_for_hand(self, ms: int, missing: str, known: str) -> tuple[str, str]:
        if self._missed < MAX_MISSED and ms < WAIT_MS:
            return "wait", ""
        self._missed += 1
        missing = missing if self._missed <= MAX_MISSED else "skipped: nobody is there"
        return "failed", f"{missing}; {known}" if known else missing


def _button_name(number: int) -> str:
    return SIDES[number // len(ACTIONS)] + " " + ACTIONS[number % len(ACTIONS)]
