"""What a driver of another distribution did that no driver may do, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inkeek.drivers.errors import DriverError
from inkeek.records.errors import ErrorText

Kind = Literal["ended", "blocked", "spun", "grew", "flooded", "nonsense", "raised"]
MAX_TEXT = 500  # characters of what a driver says that are kept


@dataclass(frozen=True, slots=True)
class Plugin:
    """A driver as its distribution declares it: its `name`, and its class as ``module:attribute``."""

    name: str
    target: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.name!r} of {self.distribution} {self.version}".rstrip()


class DriverFault(DriverError):
    """A driver did what no driver may do, and its process was ended.

    `kind`: what it did. `place`: the call in which it did so, such as ``import``, ``open`` or ``poll``. `what` says it
    in a sentence. `output`: the last that its process wrote to standard output and standard error.
    """

    def __init__(self, plugin: Plugin, kind: Kind, place: str, what: str, output: str = "") -> None:
        self.plugin = plugin
        self.kind = kind
        self.place = place
        self.what = what
        self.output = output
        super().__init__(
            ErrorText(
                "driver %(driver)r (%(distribution)s %(version)s) was stopped in %(place)s: %(reason)s",
                driver=plugin.name,
                distribution=plugin.distribution,
                version=plugin.version,
                place=place,
                reason=what,
            )
        )

    def renewed(self) -> DriverFault:
        """The same without the traceback of the first time it was raised."""
        return DriverFault(self.plugin, self.kind, self.place, self.what, self.output)


def clipped(text: object) -> str:
    """What foreign code says, as one short printable text."""
    try:
        said = str(text)[: 2 * MAX_TEXT]
    except BaseException:  # noqa: BLE001 - foreign code may raise anything, also in __str__
        said = "?"
    shown = said.encode("unicode_escape").decode("ascii") if not said.isprintable() else said
    return shown if len(shown) <= MAX_TEXT else shown[: MAX_TEXT - 1] + "…"
