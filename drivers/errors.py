"""The errors of this package."""

from __future__ import annotations

from inkeek.records.errors import CopyableError, ErrorText


class DriverError(CopyableError):
    """The base class of all errors of `drivers`. A driver raises nothing else.

    `values` fill the template, as in an `ErrorText`; a template without values stands for itself.
    """

    def __init__(self, template: str = "", /, **values: object) -> None:
        super().__init__(ErrorText(template, **values) if values else template)


class UrlError(DriverError):
    """A text that is not the URL of a port; the message says what is expected."""


class TransportError(DriverError):
    """A port cannot be opened, read or written, or has gone away."""


class MessageError(DriverError):
    """A message that the protocol cannot express, or whose fields do not fit its type."""


class UnknownDriverError(DriverError):
    """No driver has that name, or its plugin failed to load; the message lists the drivers that work."""


class ReadingError(DriverError):
    """Readings that cannot come from a board of this size."""


class RecordingError(DriverError):
    """A file that is not a recording of a board session, or that this version cannot read."""


class SpoolError(DriverError):
    """A spool cannot be opened, read or written. No partial write."""


class SpoolFull(SpoolError):
    """The spool's limit is reached, or the disk is full."""
