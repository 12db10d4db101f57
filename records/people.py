"""People at the board: who was in which team when, who made the moves, and what was tried, retracted and disputed.

What is told in comments (`docs/notation.md`), in the order it is told. A record that leaves something out, or does not
fit together, is no worse a record of the game: it gets `Fault`s, which are no errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .game import Game
from .notation.commands import By, Dispute, Join, Leave, Retraction, Ruling, Trial
from .notation.teams import MAX_TEAM, starting_teams
from .position import NORTH, SOUTH, Side
from .remarks import Remark, remarks


@dataclass(frozen=True, slots=True)
class Teams:
    """Who is in the teams at one time, in the order they came."""

    south: tuple[str, ...] = ()
    north: tuple[str, ...] = ()

    def of(self, side: Side) -> tuple[str, ...]:
        """The people of a side."""
        return self.south if side is SOUTH else self.north

    def side_of(self, name: str) -> Side | None:
        """Whose team somebody is in, None if in neither."""
        return SOUTH if name in self.south else NORTH if name in self.north else None

    def joined(self, side: Side, name: str) -> Teams:
        """With somebody more in a side's team."""
        return Teams((*self.south, name), self.north) if side is SOUTH else Teams(self.south, (*self.north, name))

    def left(self, name: str) -> Teams:
        """Without somebody."""
        return Teams(*(tuple(n for n in team if n != name) for team in (self.south, self.north)))


@dataclass(frozen=True, slots=True)
class Fault:
    """Something told of people that does not fit with what was told before: a stable `reason`, the ply, who, which
    side it was told of, and a sentence.

    Reasons: ``team-full`` (a sixth, who is not taken in), ``joined-twice``, ``joined-both`` (without leaving the other
    team, which is taken as left), ``not-in-team`` (left without having joined), ``other-team`` (made or tried a move of
    the opponents), ``two-makers`` (of one move: the first is kept), ``no-move`` (made before the first), ``no-dispute``
    (that a ruling could be on).
    """

    reason: str
    ply: int
    name: str
    side: Side | None
    message: str

    def __str__(self) -> str:
        return f"ply {self.ply}: {self.message}" if self.ply else self.message


@dataclass(frozen=True, slots=True)
class Case:
    """A dispute and the ruling on it: one of the two is None where it is not told."""

    dispute: Remark[Dispute] | None
    ruling: Remark[Ruling] | None = None


@dataclass(frozen=True, slots=True)
class People:
    """Everything a record tells of the people at the board.

    `teams` are those before each ply and, last, after the last ply; `makers` who made each ply, None where it is not
    told. All else is in the order it was told.
    """

    teams: tuple[Teams, ...]
    makers: tuple[str | None, ...]
    trials: tuple[Remark[Trial], ...]
    retractions: tuple[Remark[Retraction], ...]
    cases: tuple[Case, ...]
    faults: tuple[Fault, ...]


def people(game: Game) -> People:
    """The people of a record.

    :raises RecordsError: the teams that its tags tell cannot be.
    """
    told = _Told(game)
    for noted in remarks(game, By, Join, Leave, Trial, Retraction, Dispute, Ruling):
        told.hear(noted)
    return told.people()


class _Told:
    """What has been told so far, ply by ply."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._teams: list[Teams] = []  # before each ply come to so far
        self._now = Teams(*starting_teams(game.tags))
        self._makers: list[str | None] = [None] * len(game.plies)
        self._trials: list[Remark[Trial]] = []
        self._retractions: list[Remark[Retraction]] = []
        self._cases: list[Case] = []
        self._settled = 0  # cases at the beginning that are
        self._faults: list[Fault] = []

    def people(self) -> People:
        self._reach(len(self._game.plies) + 1)
        return People(
            tuple(self._teams),
            tuple(self._makers),
            tuple(self._trials),
            tuple(self._retractions),
            tuple(self._cases),
            tuple(self._faults),
        )

    def hear(self, noted: Remark[Any]) -> None:
        """Take the next command."""
        self._reach(noted.ply)
        said = noted.command
        if isinstance(said, Join):
            self._join(noted.ply, said)
        elif isinstance(said, Leave):
            self._leave(noted.ply, said)
        elif isinstance(said, By):
            self._made(noted.ply, said.name)
        elif isinstance(said, Trial):
            self._trials.append(noted)
            self._stands(noted.ply, said.by, said.move.side, self._now, "tried a move of")
        elif isinstance(said, Retraction):
            self._retractions.append(noted)
        elif isinstance(said, Dispute):
            self._cases.append(Case(noted))
        else:
            self._rule(noted)

    def _reach(self, ply: int) -> None:
        """The comments of this ply come now: the teams before it are those that were told of until here."""
        self._teams.extend([self._now] * (ply - len(self._teams)))

    def _before(self, ply: int) -> Teams:
        return self._teams[ply - 1]

    def _fault(self, reason: str, ply: int, name: str, side: Side | None, message: str) -> None:
        self._faults.append(Fault(reason, ply, name, side, message))

    def _join(self, ply: int, said: Join) -> None:
        name, side = said.name, said.side
        there = self._now.side_of(name)
        if there is side:
            self._fault("joined-twice", ply, name, side, f"{name} joins {side}'s team, but is in it already")
            return
        if there is not None:
            self._fault("joined-both", ply, name, side, f"{name} joins {side}'s team, but has not left {there}'s")
            self._now = self._now.left(name)
        if len(self._now.of(side)) == MAX_TEAM:
            message = f"{name} joins {side}'s team, but {MAX_TEAM} are in it: {', '.join(self._now.of(side))}"
            self._fault("team-full", ply, name, side, message)
            return
        self._now = self._now.joined(side, name)

    def _leave(self, ply: int, said: Leave) -> None:
        if self._now.side_of(said.name) is said.side:
            self._now = self._now.left(said.name)
        else:
            message = f"{said.name} leaves {said.side}'s team, but had not joined it"
            self._fault("not-in-team", ply, said.name, said.side, message)

    def _made(self, ply: int, name: str) -> None:
        if ply == 0:
            self._fault("no-move", ply, name, None, f"{name} is told to have made a move, before the first")
            return
        maker = self._makers[ply - 1]
        if maker not in (None, name):
            self._fault("two-makers", ply, name, self._mover(ply), f"{name} made the move, but {maker} did too")
            return
        self._makers[ply - 1] = name
        self._stands(ply, name, self._mover(ply), self._before(ply), "made the move of")

    def _stands(self, ply: int, name: str, side: Side | None, teams: Teams, did: str) -> None:
        """Check that somebody who moved for a side is not on the other."""
        if side is not None and teams.side_of(name) is side.other:
            self._fault("other-team", ply, name, side, f"{name} {did} {side}, but is in {side.other}'s team")

    def _mover(self, ply: int) -> Side | None:
        """Whose ply it was; None where neither its letters nor the replay tell."""
        side = self._game.plies[ply - 1].move.side
        if side is not None:
            return side
        turns = self._game.replay().turns
        return turns[ply - 1].before.to_move if ply <= len(turns) else None

    def _rule(self, noted: Remark[Ruling]) -> None:
        """The ruling is on the dispute that has waited longest."""
        while self._settled < len(self._cases) and self._cases[self._settled].ruling is not None:
            self._settled += 1
        if self._settled < len(self._cases):
            self._cases[self._settled] = replace(self._cases[self._settled], ruling=noted)
        else:
            self._cases.append(Case(None, noted))
            self._fault("no-dispute", noted.ply, noted.command.by, None, "a ruling, but no dispute is open")
