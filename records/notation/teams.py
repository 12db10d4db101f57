"""The tags `SouthTeam` and `NorthTeam`: who is in the teams before the first turn."""

from __future__ import annotations

from collections.abc import Mapping

from records.position import Side

from .tags import TagError

MAX_TEAM = 5  # people in a team at a time
TEAM_TAGS = ("SouthTeam", "NorthTeam")


def parse_team(tag: str, text: str) -> tuple[str, ...]:
    """The names in a team's tag, ``A; B; C``. An empty tag and ``?`` name nobody.

    :raises TagError: more than `MAX_TEAM` names, or one twice.
    """
    names = tuple(name for part in text.split(";") if (name := " ".join(part.split())) not in ("", "?"))
    if len(names) > MAX_TEAM:
        raise TagError(tag, f"{tag} names {len(names)} people: at most {MAX_TEAM} can be in a team at a time")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TagError(tag, f"{tag} names {twice!r} twice: remove one")
    return names


def starting_teams(tags: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The teams of (South, North) before the first turn.

    :raises TagError: a tag is wrong, or somebody is in both teams.
    """
    if TEAM_TAGS[0] not in tags and TEAM_TAGS[1] not in tags:
        return (), ()
    south, north = (parse_team(tag, tags.get(tag, "")) for tag in TEAM_TAGS)
    both = next((name for name in north if name in south), None)
    if both is not None:
        raise TagError(TEAM_TAGS[Side.NORTH], f"NorthTeam names {both!r}, who is in SouthTeam: remove one")
    return south, north
