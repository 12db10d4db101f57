"""``/boards``, ``/ports``, ``/drivers``: boards and their games, logs and requests; ports and drivers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from flask import Response
from flask.typing import ResponseReturnValue

from service.boards.choices import answer_question
from service.boards.identity import FAR
from service.boards.ports import known_drivers, known_ports
from service.errors import Forbidden, Invalid
from service.http import sse
from service.http.access import allows
from service.http.context import current_caller, current_limit, current_services, current_write
from service.http.serializers import board_json, log_json
from service.live.topics import ALL_BOARDS, BATCH, Update, board_topic

from .blueprint import ApiBlueprint
from .board_schemas import (
    AnsweredSchema,
    AnswerSchema,
    BoardChangeSchema,
    BoardSchema,
    BoardsSchema,
    DriversSchema,
    LogEntrySchema,
    LogSchema,
    NewBoardSchema,
    NewRequestSchema,
    PortsSchema,
    RequestSchema,
)
from .events import resume_after, stream_response
from .responses import location, respond
from .schemas import AfterSchema

ALL = "all"  # instead of a board's id

blueprint = ApiBlueprint("boards", "Boards, ports and drivers.")


@blueprint.operation("GET", "/boards", scope="read", limited=True, returns=BoardsSchema)
def list_boards() -> dict[str, Any]:
    """List the open boards."""
    return {"items": [board_json(board) for board in current_services().boards.open(current_limit())]}


@blueprint.operation(
    "POST",
    "/boards",
    scope="attach",
    limited=True,
    body=NewBoardSchema,
    returns=BoardSchema,
    headers=("Location",),
    problems=(404, 409),
    creates={"board_id": "id", "game_id": "game"},
)
def bind_board(body: dict[str, Any]) -> ResponseReturnValue:
    """Bind a board to a game. The desk opens the port as soon as it can. The scope `attach` binds remote boards
    only."""
    _check_driver(body["driver"])
    board = current_services().boards.bind(
        body["port"],
        body["driver"],
        body["game"],
        buttons=body["buttons"],
        serial=body["serial"],
        limit=current_limit(),
    )
    return respond(board_json(board), 201, Location=location("boards", board.id))


@blueprint.operation("GET", "/boards/<board_id>", scope="read", returns=BoardSchema)
def get_board(board_id: str) -> dict[str, Any]:
    """Get a board and its status."""
    return board_json(current_services().boards.get(board_id))


@blueprint.operation(
    "PATCH", "/boards/<board_id>", scope="attach", body=BoardChangeSchema, returns=BoardSchema, problems=(409,)
)
def rebind_board(body: dict[str, Any], board_id: str) -> dict[str, Any]:
    """Bind another board, such as the one that is refused (`status.found`): it plays from now on. The scope
    `attach` binds remote boards only."""
    _check_driver(current_services().boards.get(board_id).driver)
    return board_json(current_services().boards.rebind(board_id, body["serial"], current_limit()))


def _check_driver(driver: str) -> None:
    """:raises Forbidden: the caller may only bind remote boards."""
    caller = current_caller()
    if driver != FAR and not allows(caller.scopes, "board"):
        raise Forbidden(
            f"driver is {driver[:80]!r}. {caller.name!r} has not the scope 'board', which opens ports of the service's "
            f"machine. The scope 'attach' allows the driver {FAR!r}."
        )


@blueprint.operation("DELETE", "/boards/<board_id>", scope="board", status=204)
def release_board(board_id: str) -> ResponseReturnValue:
    """Release the board: the desk closes the port. The game stays."""
    current_services().boards.release(board_id)
    return Response(status=204)


@blueprint.operation("GET", "/boards/<board_id>/log", scope="read", query=AfterSchema, returns=LogSchema)
def get_log(query: dict[str, Any], board_id: str) -> dict[str, Any]:
    """Get the board's log: refused turns, missing events, buttons and so on."""
    entries = current_services().boards.log(board_id, query["after"])
    return {"items": [log_json(entry) for entry in entries]}


@blueprint.operation(
    "POST",
    "/boards/<board_id>/requests",
    scope="board",
    body=NewRequestSchema,
    returns=RequestSchema,
    status=202,
    problems=(409,),
)
def ask_board(body: dict[str, Any], board_id: str) -> ResponseReturnValue:
    """Request a calibration step, withdraw the board's question, or say which way round it lies. The desk carries it
    out; the log has the result."""
    for name in ("pit", "seeds"):
        if (body["kind"] == "seeds") is (body[name] is None):
            raise Invalid(f"`{name}` is {body[name]!r} with the kind {body['kind']!r}. It belongs to the kind 'seeds'.")
    data = {name: body[name] for name in ("pit", "seeds") if body[name] is not None}
    if body["kind"] in ("turned", "upright"):
        data["by"] = current_caller().name
    request = current_services().boards.add_request(board_id, body["kind"], data)
    shown = {name: value for name, value in request.data.items() if name != "by"}
    return respond({"number": request.number, "kind": request.kind, **shown}, 202)


@blueprint.operation(
    "POST",
    "/boards/<board_id>/answer",
    scope="record",
    body=AnswerSchema,
    returns=AnsweredSchema,
    status=200,
    problems=(409,),
)
def answer_board(body: dict[str, Any], board_id: str) -> dict[str, Any]:
    """Say which turn was played, when the board asks: one of the `candidates` of its `refusal`. The same answer again
    records nothing."""
    services = current_services()
    board = services.boards.get(board_id)
    write = current_write(body["by"])
    question, ply, move = body["question"], body["ply"], body["move"]
    turn = answer_question(services.boards, services.games, board_id, question, ply, move, write)
    played = turn or services.games.load(board.game).turn(ply)
    return {"ply": ply, "move": str(played.move), "position": str(played.position), "recorded": turn is not None}


@blueprint.operation(
    "GET",
    "/boards/<board_id>/events",
    scope="read",
    query=AfterSchema,
    sends={sse.MEDIA_TYPE: (LogEntrySchema, BoardSchema)},
    resumes=True,
)
def follow_board(query: dict[str, Any], board_id: str) -> ResponseReturnValue:
    """Follow a board: log entries as ``log``, its status as ``board``. Resumes after ``Last-Event-ID`` (or `after`).
    The id `all` follows all boards: ``board`` for each open one, then for each change."""
    boards = current_services().boards
    if board_id == ALL:
        return stream_response(ALL_BOARDS, 0, lambda after: ((), boards.open()), 0)
    after = resume_after(query["after"], boards.last_entry(board_id))

    def read(after: int) -> tuple[Iterable[Update], Iterable[Update]]:
        board, entries = boards.updates(board_id, after, BATCH)
        return entries, [board]

    return stream_response(board_topic(board_id), after, read, after)


@blueprint.operation("GET", "/ports", scope="read", returns=PortsSchema)
def list_ports() -> dict[str, Any]:
    """List the serial ports of this machine."""
    return {"items": [asdict(port) for port in known_ports()]}


@blueprint.operation("GET", "/drivers", scope="read", limited=True, returns=DriversSchema)
def list_drivers() -> dict[str, Any]:
    """List the installed drivers, with the errors of those that cannot be loaded."""
    return {"items": [asdict(driver) for driver in known_drivers()]}
