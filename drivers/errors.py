"""The errors of this package, under one root."""

from __future__ import annotations


class DriverError(Exception):
    """The root of what `drivers` raises."""


class UrlError(DriverError):
    """The text names no port that a board could be on; says what would."""


class TransportError(DriverError):
    """A port cannot be opened, read or written, or has gone away."""


class MessageError(DriverError):
    """A message that the protocol cannot say, or a well-formed line whose fields do not fit."""


class UnknownDriverError(DriverError):
    """No driver has that name, or its plugin failed to load; names those that work."""


class ReadingError(DriverError):
    """Readings that cannot come from a board of this size."""


class RecordingError(DriverError):
    """A file is no recording of a session with a board, or one that this version cannot read."""
