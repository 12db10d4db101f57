"""The channel between a driver's process and ours: JSON after its length, and the answers as typed values.

Whoever reads sets the bound. Whatever does not fit the types is refused.
"""

from __future__ import annotations

import struct
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Short = Annotated[str, Meta(max_length=1000)]
Name = Annotated[str, Meta(max_length=100)]
Count = Annotated[int, Meta(ge=0, lt=1 << 53)]
HEAD = struct.Struct("!I")


def frame(data: bytes) -> bytes:
    """The bytes of a frame."""
    return HEAD.pack(len(data)) + data


class Failure(Struct, forbid_unknown_fields=True):
    """A call that failed: the driver may (``driver``, ``url``, ``recording``), or what it did instead."""

    kind: Literal["driver", "url", "recording", "raised", "nonsense", "grew"]
    text: Annotated[str, Meta(max_length=4000)]


class HostAnswer(Struct, forbid_unknown_fields=True):
    """The answer to call number `id`."""

    id: int
    value: Any = None
    failure: Failure | None = None


class Description(Struct, forbid_unknown_fields=True, frozen=True):
    """What a driver says of itself. `checks_urls`: it has its own `check_url`. `records`: `SupportsRecording`."""

    title: Annotated[str, Meta(min_length=1, max_length=200)]
    checks_urls: bool
    records: bool


class HeardText(Struct, forbid_unknown_fields=True):
    """A `RefusedLine`."""

    text: Short
    reason: Short


class Report(Struct, forbid_unknown_fields=True):
    """A `PortReport`."""

    state: Literal["closed", "silent", "unreadable", "connected"]
    port: tuple[Short, Name | None] | None
    reason: Short
    lines: Annotated[list[HeardText], Meta(max_length=20)]


class Opened(Struct, forbid_unknown_fields=True):
    """A port is open. `noise` is a `NoiseModel` as JSON, if the connection declares one."""

    noise: dict[Name, float] | None


class Polled(Struct, forbid_unknown_fields=True):
    """What a poll returned, and what can be asked of the connection at any time. `stopped`: why nothing is recorded
    any more."""

    events: list[dict[str, Any]]
    report: Report | None
    counters: Annotated[dict[Name, Count], Meta(max_length=20)]
    stopped: Short | None


class PlaybackPart(Struct, forbid_unknown_fields=True):
    """A part of a playback: times and events, and at the end all differences, and where the recording is cut."""

    events: list[tuple[float, dict[str, Any]]]
    over: bool
    cut: Short | None
    count: Count
    differences: Annotated[list[Short], Meta(max_length=1000)]
