"""The buttons: contacts that bounce in, presses out."""

DEBOUNCE_MS = 30  # a contact that has not changed for so long has stopped bouncing
ACTIONS = ("commit", "undo", "dispute", "trial")
SIDES = ("s", "n")
BUTTONS = len(SIDES) * len(ACTIONS)


def contact(side: str, action: str) -> int:
    """The bit of a button in the mask of closed contacts."""
    return 1 << (SIDES.index(side) * len(ACTIONS) + ACTIONS.index(action))


class Buttons:
    """Turns masks of closed contacts (`contact`) into presses. Each contact bounces for itself: one that
    never comes to rest keeps no other from being heard."""

    def __init__(self) -> None:
        self._seen = 0  # the mask as it was last read
        self._since = [0] * BUTTONS  # when each contact last changed
        self._steady = 0  # each contact as it last stood still

    def read(self, mask: int, now: int) -> list[tuple[str, str]]:
        """(side, action) of each button whose press has just become certain."""
        changed = mask ^ self._seen
        self._seen = mask
        if changed:
            for number in range(BUTTONS):
                if changed >> number & 1:
                    self._since[number] = now
        moved = mask ^ self._steady
        if not moved:
            return []
        presses = []
        for number in range(BUTTONS):
            if moved >> number & 1 and now - self._since[number] >= DEBOUNCE_MS:
                self._steady ^= 1 << number
                if mask >> number & 1:
                    presses.append((SIDES[number // len(ACTIONS)], ACTIONS[number % len(ACTIONS)]))
        return presses
