"""What every write to a game needs besides what it writes."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.service.storage import Limit

_OF_KEYS = ("api", "page", "import")  # how sources begin that name a key


def key_of(source: str) -> str:
    """The id of the key with which an event came, by its source; empty if it came without one."""
    channel, _, rest = source.partition(":")
    return rest.rpartition(":")[2] if channel in _OF_KEYS else ""


def who(actor: str, source: str) -> str:
    """Who made a change: the name that was given, else that of the key."""
    return actor or source.partition(":")[2].removesuffix(f":{key_of(source)}")


@dataclass(frozen=True, slots=True)
class Write:
    """Who writes, from where, and which state of the game they know.

    `source` is that of the events (see `storage.GameEvent`). `actor` is the name of the person, empty if unknown.
    `expected_seq` is the number of the game's last event. `expected_ply` is the number of the turn that is played,
    tried, taken back or disputed. None means: not checked. With `ignores_annotations` events that only annotate may
    have followed `expected_seq`. `limit`: the game must be within it afterwards, and
    the key with it may not make it count elsewhere.
    """

    source: str
    actor: str = ""
    expected_seq: int | None = None
    expected_ply: int | None = None
    ignores_annotations: bool = False
    limit: Limit | None = None
