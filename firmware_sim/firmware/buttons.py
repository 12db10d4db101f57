"""The buttons: contacts that bounce in, presses out."""

DEBOUNCE_MS = 30  # a contact that has not changed for so long has stopped bouncing
ACTIONS = ("commit", "undo", "dispute", "trial")
SIDES = ("s", "n")


def contact(side: str, action: str) -> int:
    """The bit of a button in the mask of closed contacts."""
    return 1 << (SIDES.index(side) * len(ACTIONS) + ACTIONS.index(action))


class Buttons:
    """Turns masks of closed contacts (`contact`) into presses."""

    def __init__(self) -> None:
        self._seen = 0  # the mask as it was last read
        self._since = 0  # when it last changed
        self._steady = 0  # the mask when it last stood still

    def read(self, mask: int, now: int) -> list[tuple[str, str]]:
        """(side, action) of each button whose press has just become certain."""
        if mask != self._seen:
            self._seen = mask
            self._since = now
            return []
        if mask == self._steady or now - self._since < DEBOUNCE_MS:
            return []
        pressed = mask & ~self._steady
        self._steady = mask
        return [(side, action) for side in SIDES for action in ACTIONS if pressed & contact(side, action)]
