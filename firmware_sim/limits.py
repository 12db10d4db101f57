"""What a scenario's values may be, written beside the fields as `Annotated` types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The least and the greatest value of a number. A number without limits is a probability: 0 to 1."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Choices:
    """The values of a text, or of each text in a list."""

    values: tuple[str, ...]
