"""The tags `SouthTeam` and `NorthTeam`: who is in the teams before the first turn."""

from __future__ import annotations

from collections.abc import Mapping

from inkeek.records.errors import ErrorText
from inkeek.records.position import Side

from .tags import TagError

MAX_TEAM = 5  # people in a team
TEAM_TAGS = ("SouthTeam", "NorthTeam")


def parse_team(tag: str, text: str) -> tuple[str, ...]:
    """The names in a team's tag, ``A; B; C``. An empty tag and ``?`` name nobody.

    :raises TagError: more than `MAX_TEAM` names, or one twice.
    """
    names = tuple(name for part in text.split(";") if (name := " ".join(part.split())) not in ("", "?"))
    if len(names) > MAX_TEAM:
        text = ErrorText(
            "%(tag)s names %(count)s people: at most %(most)s can be in a team at a time",
            tag=tag,
            count=len(names),
            most=MAX_TEAM,
        )
        raise TagError(tag, text)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TagError(tag, ErrorText("%(tag)s names %(name)r twice: remove one", tag=tag, name=twice))
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
        text = ErrorText("NorthTeam names %(name)r, who is in SouthTeam: remove one", name=both)
        raise TagError(TEAM_TAGS[Side.NORTH], text)
    return south, north
