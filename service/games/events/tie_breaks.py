"""What decides among players with equal points, by the FIDE Handbook C.07. Pure.

Of rounds that were not played (articles 16.3 and 16.4): for a player's own tie-break such a round counts as one against
an opponent with the player's own points. For the tie-breaks of opponents, rounds at the end that the player stayed away
from count half a point each, so that somebody's leaving does not harm those who met them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeVar

Points = tuple[float, float]


@dataclass(slots=True)
class Score:
    """How many were won, drawn and lost, and how many are not over."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    open: int = 0


@dataclass(slots=True)
class Standing:
    """A player in the standings. `tally` counts games, `matches` matches; a game without a match is a match of its
    own. `extra`: points of byes. `tie_breaks`: their values, in the order in which they decide. `boards`: of a team,
    the points of its players."""

    key: str
    name: str
    rank: int = 0
    matches: Score = field(default_factory=Score)
    tally: Score = field(default_factory=Score)
    extra: float = 0.0
    tie_breaks: tuple[float | None, ...] = ()
    team: str = ""
    boards: float = 0.0

    @property
    def points(self) -> float:
        """One for a match that was won, half for a draw, and those of byes."""
        return self.matches.won + self.matches.drawn / 2 + self.extra


Ranked = TypeVar("Ranked", bound=Standing)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match of a player, or a round without one: the key of the opponent and the points it brought. `played`: it was.
    `voluntary`: the player stayed away."""

    opponent: str | None
    points: float
    played: bool = True
    voluntary: bool = False


Meetings = Mapping[str, Sequence[Meeting]]


def rank(players: list[Ranked], order: Sequence[str], meetings: Meetings) -> list[Ranked]:
    """The players with their values and ranks, best first. Those whom nothing parts share a rank."""
    points = {one.key: one.points for one in players}
    adjusted = {key: value + _half_points_after_leaving(meetings.get(key, ())) for key, value in points.items()}
    groups = [sorted(players, key=lambda one: one.key)]
    groups = _split(groups, lambda group: {one.key: one.points for one in group})
    for name in order:
        groups = _split(groups, lambda group, name=name: _values(name, group, points, adjusted, meetings), keep=True)  # type: ignore[misc]
    place = 1
    for group in groups:
        for one in group:
            one.rank = place
        place += len(group)
    return [one for group in groups for one in group]


def _split(
    groups: list[list[Ranked]], values_of: Callable[[list[Ranked]], dict[str, float | None]], *, keep: bool = False
) -> list[list[Ranked]]:
    """The groups, each parted by a value, the highest first. `keep`: the value is kept with the player."""
    parted = []
    for group in groups:
        values = values_of(group)
        if keep:
            for one in group:
                one.tie_breaks = (*one.tie_breaks, values[one.key])
        sorting = sorted(group, key=lambda one: -(values[one.key] or 0))
        parted += [list(part) for _, part in groupby(sorting, key=lambda one: values[one.key] or 0)]
    return parted


def _values(
    name: str, group: Sequence[Standing], points: Mapping[str, float], adjusted: Mapping[str, float], meetings: Meetings
) -> dict[str, float | None]:
    """The value of a tie-break for each of these players, who are equal so far; None: it says nothing."""
    keys = {one.key for one in group}
    match name:
        case "direct":
            among = {key: [one for one in meetings.get(key, ()) if one.played and one.opponent in keys] for key in keys}
            if len(keys) < 2 or any({one.opponent for one in found} | {key} != keys for key, found in among.items()):
                return dict.fromkeys(keys)
            return {key: sum(one.points for one in found) for key, found in among.items()}
        case "buchholz":
            return {key: sum(_strength(one, key, points, adjusted) for one in meetings.get(key, ())) for key in keys}
        case "sonneborn-berger":
            return {
                key: sum(one.points * _strength(one, key, points, adjusted) for one in meetings.get(key, ()))
                for key in keys
            }
        case "boards":
            return {one.key: one.boards for one in group}
        case "sticks":
            return {one.key: one.tally.won - one.tally.lost for one in group}
        case _:
            return {one.key: one.tally.won for one in group}


def _strength(one: Meeting, key: str, points: Mapping[str, float], adjusted: Mapping[str, float]) -> float:
    """The points of the opponent, or the player's own where there was none."""
    return adjusted[one.opponent] if one.played and one.opponent is not None else points[key]


def _half_points_after_leaving(meetings: Sequence[Meeting]) -> float:
    """What an opponent's points gain: half a point for each of the last rounds from which the player stayed away."""
    gained = 0.0
    for one in reversed(meetings):
        if not one.voluntary:
            break
        gained += 0.5 - one.points
    return gained
