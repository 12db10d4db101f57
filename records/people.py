"""People at the board: who was in which team when, who made the moves, and what was tried, retracted and disputed.

All of it is written in comments (`docs/notation.md`), in the order in which it happened. If something is missing or
contradicts what came before, the record of the game is still right: that gives a `PeopleFault`, not an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .moves import Turn
from .notation.commands import (
    Appeal,
    By,
    ChangedClaim,
    ClockChange,
    Dispute,
    Join,
    Leave,
    Penalty,
    Proposal,
    Remark,
    Response,
    Retraction,
    Ruling,
    Trial,
    remarks,
)
from .notation.tags import MAX_TEAM, starting_teams
from .position import NORTH, SOUTH, Side
from .record import Record


@dataclass(frozen=True, slots=True)
class Teams:
    """Who is in the teams at one time, in the order they joined."""

    south: tuple[str, ...] = ()
    north: tuple[str, ...] = ()

    def of(self, side: Side) -> tuple[str, ...]:
        """The people of a side."""
        return self.south if side is SOUTH else self.north

    def side_of(self, name: str) -> Side | None:
        """The side whose team somebody is in, if any."""
        return SOUTH if name in self.south else NORTH if name in self.north else None

    def with_person(self, side: Side, name: str) -> Teams:
        """With somebody added to a side's team."""
        return Teams((*self.south, name), self.north) if side is SOUTH else Teams(self.south, (*self.north, name))

    def without_person(self, name: str) -> Teams:
        """Without somebody."""
        return Teams(*(tuple(n for n in team if n != name) for team in (self.south, self.north)))


@dataclass(frozen=True, slots=True)
class PeopleFault:
    """Something a record says about people that contradicts what came before: a stable `reason`, the ply, who, and the
    side it was said of.

    Reasons: ``team-full`` (a sixth person, who is not counted), ``joined-twice``, ``joined-both`` (without leaving the
    other team, which counts as left), ``not-in-team`` (left without having joined), ``other-team`` (made or tried a
    move of the opponents), ``two-makers`` (of one move: the first counts), ``no-move`` (made before the first),
    ``no-dispute`` (a ruling, or what belongs to a dispute, without one), ``no-proposal`` (an answer, but no open
    proposal of the other side), ``no-ruling`` (an appeal, but no ruling).
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
    """A dispute and the last ruling on it. One of the two is None if the record has only the other.

    `course`: all that followed the dispute, in order: claims, proposals and their answers, rulings with their penalties
    and clocks, appeals. After an appeal the case is open again, and `ruling` is None until the next one.
    """

    dispute: Remark[Dispute] | None
    ruling: Remark[Ruling] | None = None
    course: tuple[Remark[Any], ...] = ()


_COURSE = (ChangedClaim, Proposal, Response, Ruling, Penalty, ClockChange, Appeal)  # what follows a dispute


@dataclass(frozen=True, slots=True)
class People:
    """Everything a record says about the people at the board.

    `teams` are those before each ply and, last, after the last ply. `makers` are who made each ply, None if unknown.
    """

    teams: tuple[Teams, ...]
    makers: tuple[str | None, ...]
    trials: tuple[Remark[Trial], ...]
    retractions: tuple[Remark[Retraction], ...]
    cases: tuple[Case, ...]
    faults: tuple[PeopleFault, ...]


def people(record: Record, turns: Callable[[], Sequence[Turn]]) -> People:
    """The people of a record. `turns` gives its turns; it is called if a move does not show whose it is.

    :raises RecordsError: the tags name impossible teams.
    """
    builder = _PeopleBuilder(record, turns)
    for remark in remarks(record, By, Join, Leave, Trial, Retraction, Dispute, *_COURSE):
        builder.apply(remark)
    return builder.people()


class _PeopleBuilder:
    def __init__(self, record: Record, turns: Callable[[], Sequence[Turn]]) -> None:
        self._record = record
        self._turns = turns
        self._teams: list[Teams] = []  # before each ply so far
        self._current = Teams(*starting_teams(record.tags))
        self._makers: list[str | None] = [None] * len(record.plies)
        self._trials: list[Remark[Trial]] = []
        self._retractions: list[Remark[Retraction]] = []
        self._cases: list[Case] = []
        self._first_open = 0  # the cases before this one have a ruling
        self._last_ruled: int | None = None  # the case that penalties, clocks and appeals belong to
        self._faults: list[PeopleFault] = []

    def people(self) -> People:
        self._advance(len(self._record.plies) + 1)
        return People(
            tuple(self._teams),
            tuple(self._makers),
            tuple(self._trials),
            tuple(self._retractions),
            tuple(self._cases),
            tuple(self._faults),
        )

    def apply(self, remark: Remark[Any]) -> None:
        """Apply the next command."""
        self._advance(remark.ply)
        command = remark.command
        if isinstance(command, Join):
            self._join(remark.ply, command)
        elif isinstance(command, Leave):
            self._leave(remark.ply, command)
        elif isinstance(command, By):
            self._note_maker(remark.ply, command.name)
        elif isinstance(command, Trial):
            self._trials.append(remark)
            self._check_team(remark.ply, command.by, command.move.side, self._current, "tried a move of")
        elif isinstance(command, Retraction):
            self._retractions.append(remark)
        elif isinstance(command, Dispute):
            self._cases.append(Case(remark))
        else:
            self._follow(remark)

    def _advance(self, ply: int) -> None:
        """Go on to the comments of a ply: the teams before it are those so far."""
        self._teams.extend([self._current] * (ply - len(self._teams)))

    def _fault(self, reason: str, ply: int, name: str, side: Side | None, message: str) -> None:
        self._faults.append(PeopleFault(reason, ply, name, side, message))

    def _join(self, ply: int, join: Join) -> None:
        name, side = join.name, join.side
        present = self._current.side_of(name)
        if present is side:
            self._fault("joined-twice", ply, name, side, f"{name} joins {side}'s team, but is already in it")
            return
        if present is not None:
            self._fault("joined-both", ply, name, side, f"{name} joins {side}'s team, but has not left {present}'s")
            self._current = self._current.without_person(name)
        team = self._current.of(side)
        if len(team) == MAX_TEAM:
            message = f"{name} joins {side}'s team, but {MAX_TEAM} are in it: {', '.join(team)}"
            self._fault("team-full", ply, name, side, message)
            return
        self._current = self._current.with_person(side, name)

    def _leave(self, ply: int, leave: Leave) -> None:
        if self._current.side_of(leave.name) is leave.side:
            self._current = self._current.without_person(leave.name)
        else:
            message = f"{leave.name} leaves {leave.side}'s team, but had not joined it"
            self._fault("not-in-team", ply, leave.name, leave.side, message)

    def _note_maker(self, ply: int, name: str) -> None:
        if ply == 0:
            self._fault("no-move", ply, name, None, f"{name} is named as the maker of a move before the first move")
            return
        maker = self._makers[ply - 1]
        if maker not in (None, name):
            message = f"{name} is named as the maker of the move, but {maker} is too"
            self._fault("two-makers", ply, name, self._mover(ply), message)
            return
        self._makers[ply - 1] = name
        self._check_team(ply, name, self._mover(ply), self._teams[ply - 1], "made the move of")

    def _check_team(self, ply: int, name: str, side: Side | None, teams: Teams, did: str) -> None:
        if side is not None and teams.side_of(name) is side.other:
            self._fault("other-team", ply, name, side, f"{name} {did} {side}, but is in {side.other}'s team")

    def _mover(self, ply: int) -> Side | None:
        """The side whose ply it was; None if neither its letters nor the replay show it."""
        side = self._record.plies[ply - 1].move.side
        if side is not None:
            return side
        turns = self._turns()
        return turns[ply - 1].before.to_move if ply <= len(turns) else None

    def _follow(self, remark: Remark[Any]) -> None:
        """Add what follows a dispute. The oldest open one is meant; by an appeal, and by what goes with a ruling, the
        one that was ruled on last."""
        command = remark.command
        while self._first_open < len(self._cases) and self._cases[self._first_open].ruling is not None:
            self._first_open += 1
        is_open = self._first_open < len(self._cases)
        at = self._first_open if is_open else len(self._cases) - 1
        if isinstance(command, Penalty | ClockChange) and self._last_ruled is not None:
            at = self._last_ruled
        elif isinstance(command, Appeal):
            at = -1 if self._last_ruled is None else self._last_ruled
        if isinstance(command, Ruling):
            self._rule(remark, at if is_open else None)
        elif at < 0 or not (is_open or isinstance(command, Appeal | Penalty | ClockChange)):
            message = f"{command}: there is nothing that it belongs to"
            by, side = getattr(command, "by", ""), getattr(command, "side", None)
            if isinstance(command, Appeal):
                self._fault("no-ruling", remark.ply, by, side, message)
            else:
                self._fault("no-dispute", remark.ply, by, side, message)
        else:
            self._add_to(at, remark)

    def _add_to(self, at: int, remark: Remark[Any]) -> None:
        case, command = self._cases[at], remark.command
        if isinstance(command, Response) and not _is_asked(case, command):
            message = f"{command}: there is no open proposal of the other side"
            self._fault("no-proposal", remark.ply, command.by, command.side, message)
        if isinstance(command, Appeal):
            case = replace(case, ruling=None)
            self._first_open, self._last_ruled = min(self._first_open, at), None
        elif isinstance(command, Proposal):
            self._last_ruled = None  # penalties and clocks that follow go with the proposal
        self._cases[at] = replace(case, course=(*case.course, remark))

    def _rule(self, remark: Remark[Ruling], at: int | None) -> None:
        """The ruling decides the case number `at`; None: no dispute is open."""
        if at is None:
            self._cases.append(Case(None, remark, (remark,)))
            self._fault("no-dispute", remark.ply, remark.command.by, None, "a ruling, but no dispute is open")
            at = len(self._cases) - 1
        else:
            case = self._cases[at]
            self._cases[at] = replace(case, ruling=remark, course=(*case.course, remark))
        self._last_ruled = at


def _is_asked(case: Case, response: Response) -> bool:
    last = next((one.command for one in reversed(case.course) if isinstance(one.command, Proposal | Response)), None)
    return isinstance(last, Proposal) and last.side is not response.side
