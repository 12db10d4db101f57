"""``/boards``, ``/ports``, ``/drivers``: which board plays which game, and what could be opened."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Response, make_response, url_for
from flask.typing import ResponseReturnValue
from marshmallow import RAISE

from .. import current
from ..boards import known_drivers, known_ports
from ..views import board_json
from .schemas import (
    AfterSchema,
    BoardSchema,
    BoardsSchema,
    DriversSchema,
    LogSchema,
    NewBoardSchema,
    PortsSchema,
)
from .smorest import blueprint as make_blueprint

blueprint = make_blueprint("boards", "Boards, ports and drivers.")


@blueprint.route("/boards")
@blueprint.needs("read")
@blueprint.response(200, BoardsSchema)
@blueprint.problems(304)
def list_boards() -> dict[str, Any]:
    """The boards that are open or to be opened."""
    return {"items": [board_json(board) for board in current.boards().open()]}


@blueprint.route("/boards", methods=["POST"])
@blueprint.creates
@blueprint.needs("board")
@blueprint.arguments(NewBoardSchema)
@blueprint.response(201, BoardSchema)
@blueprint.problems(404, 409)
def bind_board(asked: dict[str, Any]) -> ResponseReturnValue:
    """Have a board play a game: the desk opens the port as soon as it can."""
    board = current.boards().bind(asked["port"], asked["driver"], asked["game"])
    response = make_response(board_json(board), 201)
    response.headers["Location"] = url_for("boards.get_board", board_id=board.id)
    return response


@blueprint.route("/boards/<board_id>")
@blueprint.needs("read")
@blueprint.response(200, BoardSchema)
@blueprint.problems(304, 404)
def get_board(board_id: str) -> dict[str, Any]:
    """A board and what it last said."""
    return board_json(current.boards().get(board_id))


@blueprint.route("/boards/<board_id>", methods=["DELETE"])
@blueprint.needs("board")
@blueprint.response(204)
@blueprint.problems(404)
def release_board(board_id: str) -> ResponseReturnValue:
    """Release the board: the desk closes the port. The game stays."""
    current.boards().release(board_id)
    return Response(status=204)


@blueprint.route("/boards/<board_id>/log")
@blueprint.needs("read")
@blueprint.arguments(AfterSchema, location="query", unknown=RAISE)
@blueprint.response(200, LogSchema)
@blueprint.problems(304, 404)
def get_log(asked: dict[str, Any], board_id: str) -> dict[str, Any]:
    """What happened at the board that is no event of a game: refused turns, gaps, buttons."""
    entries = current.boards().log(board_id, asked["after"])
    return {"items": [{"number": e.number, "time": e.time, "kind": e.kind, "data": e.data} for e in entries]}


@blueprint.route("/ports")
@blueprint.needs("read")
@blueprint.response(200, PortsSchema)
@blueprint.problems(304)
def list_ports() -> dict[str, Any]:
    """The serial ports of this machine."""
    return {"items": [asdict(port) for port in known_ports()]}


@blueprint.route("/drivers")
@blueprint.needs("read")
@blueprint.response(200, DriversSchema)
@blueprint.problems(304)
def list_drivers() -> dict[str, Any]:
    """The installed drivers; one that cannot be loaded says why."""
    return {"items": [asdict(driver) for driver in known_drivers()]}
