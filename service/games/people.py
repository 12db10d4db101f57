"""People who join and leave teams, and moves that are tried."""

from __future__ import annotations

from inkeek.records import Kind, Move, Teams
from inkeek.records.notation.tags import MAX_TEAM
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.storage import GameEvent

from .editor import GameEditor
from .event_data import (
    SIDES,
    JoinData,
    LeaveData,
    TrialData,
)
from .repository import Games
from .validation import check_name, check_side, check_write
from .write import Write


def join(games: Games, game_id: str, side: str, name: str, write: Write) -> tuple[GameEvent, Teams]:
    """Have a person join a team from the next turn on. Returns the event and the teams then.

    :raises Conflict: they are in a team, or the team has `MAX_TEAM` people. :raises Invalid: not a possible name.
    """
    name, write = check_name("name", name), check_write(write)
    with games.edit(game_id, write) as game:
        teams = _teams(game)
        there, team = teams.side_of(name), teams.of(SIDES[side])
        if there is not None:
            raise Conflict("%(name)s is in %(side)s's team", name=name, side=there, current=game.row)
        if len(team) >= MAX_TEAM:
            raise Conflict(
                "%(side)s's team is full: %(count)s people (%(names)s)",
                side=SIDES[side],
                count=len(team),
                names=", ".join(team),
                current=game.row,
            )
        event = game.append(JoinData(side, name))
    return event, teams.with_person(SIDES[side], name)


def leave(games: Games, game_id: str, side: str, name: str, write: Write) -> tuple[GameEvent, Teams]:
    """Have a person leave a team from the next turn on. Returns the event and the teams then.

    :raises Conflict: they are not in it. :raises Invalid: not a possible name.
    """
    name, write = check_name("name", name), check_write(write)
    with games.edit(game_id, write) as game:
        teams = _teams(game)
        if teams.side_of(name) is not SIDES[side]:
            team = ", ".join(teams.of(SIDES[side])) or ErrorText("nobody")
            raise Conflict(
                "%(name)s is not in %(side)s's team, which has %(team)s",
                name=name,
                side=SIDES[side],
                team=team,
                current=game.row,
            )
        event = game.append(LeaveData(side, name))
    return event, teams.without_person(name)


def try_move(games: Games, game_id: str, move: Move, write: Write) -> GameEvent:
    """Store that the side to move tried a move and took it back. The rules may forbid the move.

    :raises Invalid: it is not a sowing of the side to move. :raises Conflict: the next turn is not
        `write.expected_ply`. :raises GameEnded: there is no next turn.
    """
    write = check_write(write)
    if move.kind is not Kind.SOW:
        raise Invalid("move is '%(move)s': only a sowing can be tried", field="move", move=str(move))
    with games.edit(game_id, write) as game:
        game.check_goes_on(move)
        check_side(move, game.position)
        return game.append(TrialData(game.row.ply + 1, str(move), write.actor))


def _teams(game: GameEditor) -> Teams:
    return game.state().record.people().teams[-1]
