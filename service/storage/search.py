"""Looking for games: what is asked for, the columns it is looked up in, and the order that a page has.

A page is in one of three orders, each with an index of its own: the whole list has live games first, then newest first; a
list between dates has the latest date first; every other list is newest first. *Newest* is by the number that a game
got when it was stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from ..errors import Invalid

STATES = ("live", "ended")
NAMELESS = ("", "?")  # what stands in a tag whose value nobody knows
MAX_KEY = 200  # characters of a name that are compared
_DATE = re.compile(r"([0-9]{4})\.([0-9]{2}|\?\?)\.([0-9]{2}|\?\?)", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class GameFilter:
    """What games must be like; None stands for anything.

    `game`: a rule set's id. `player`: the South or North tag, `event`: the Event tag, both compared whole but without regard to
    case and runs of spaces. `since` and `until`: days (``2026-11-20``), both included, that the Date tag must lie between;
    a date whose day or month is not known counts as before the first of it. `result`: as in the Result tag. `state`: ``live``
    or ``ended``. `position`: the text of a position that came up in the game, whatever the stores and the ply; needs `game`.

    :raises Invalid: a day, a state that cannot be; a position without a game.
    """

    game: str | None = None
    player: str | None = None
    event: str | None = None
    since: str | None = None
    until: str | None = None
    result: str | None = None
    state: str | None = None
    position: str | None = None

    def __post_init__(self) -> None:
        for name in ("since", "until"):
            day = getattr(self, name)
            if day is not None and not _DAY.fullmatch(day):
                raise Invalid(f"{name} is {day[:80]!r}: expected a day, as 2026-11-20")
        if self.state is not None and self.state not in STATES:
            raise Invalid(f"state is {self.state[:80]!r}: expected {' or '.join(STATES)}")
        if self.position is not None and self.game is None:
            raise Invalid(f"position is {self.position[:80]!r}: it is looked up in the games of one rule set; name it in game")


EVERYTHING = GameFilter()


def name_key(name: str) -> str:
    """The form in which names of players and events are compared."""
    return " ".join(name.split()).casefold()[:MAX_KEY]


def players_of(tags: Mapping[str, str]) -> set[str]:
    """The keys of those who play, as far as they are named."""
    return {name_key(tags.get(side, "")) for side in ("South", "North")}.difference(NAMELESS)


def event_of(tags: Mapping[str, str]) -> str | None:
    """The key of the event, if it is named."""
    key = name_key(tags.get("Event", ""))
    return None if key in NAMELESS else key


def date_of(tags: Mapping[str, str]) -> str | None:
    """The Date tag as ``2026-11-20``, with ``00`` for what is not known; None when not even the year is."""
    match = _DATE.fullmatch(tags.get("Date", ""))
    return None if match is None else "-".join(match.groups()).replace("??", "00")


def position_key(game: str, position: str) -> int:
    """64 bits (signed) that stand for the rule set, the pits with their marks and the side to move of a position's text.

    Two different positions share a key with a chance of 2^-64: among 40 million stored ones the chance that any two do is
    1 in 20,000.
    """
    pits, _stores, side, _ply = position.split(" ")
    return int.from_bytes(blake2b(f"{game} {pits} {side}".encode(), digest_size=8).digest(), "big", signed=True)
