"""The buttons: from contacts that bounce to presses."""

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
