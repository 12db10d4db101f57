"""Which physical board plays: known by its serial number, and by that of its USB adapter, never by its port."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inkeek.service.storage.rows import FAR

PREFIX = f"{FAR}:"  # of a remote board's port, which tells it from ports of this machine
FAR_VERSION = 3  # of what the process of a far board and the service say to each other
MAX_SERIAL = 100  # characters of a board's serial number that are kept
NAMELESS = ("", "?", "counts", "typed")  # what boards without a serial number report: their driver's name
_UNWRITABLE = re.compile('["}]')  # would end the quotes or the comment that a serial number is written in


def clean_serial(text: str) -> str:
    """A board's serial number as it may stand in a record."""
    return " ".join(_UNWRITABLE.sub("_", text)[:MAX_SERIAL].split()) or "?"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a board is known by: its serial number and that of its USB adapter, None if it has none or it is unknown."""

    serial: str
    adapter: str | None = None

    def has_name(self, driver: str) -> bool:
        """Whether the serial number tells this board from others of its kind. `driver`: the name of its driver."""
        return self.serial not in NAMELESS and self.serial != driver

    def is_other(self, bound: Identity, driver: str) -> bool:
        """Whether this is certainly another board than the `bound` one, or one that cannot be told from another."""
        if self.adapter is not None and bound.adapter is not None and self.adapter != bound.adapter:
            return True
        return self.serial != bound.serial and bound.has_name(driver)

    def __str__(self) -> str:
        return self.serial if self.adapter in (None, self.serial) else f"{self.serial} (USB adapter {self.adapter})"
