"""``/boards``, ``/ports``, ``/drivers``: boards and their games, logs and requests; ports and drivers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from inkeek.drivers.protocol.limits import MAX_ROW, MAX_SEEDS_LAID
from inkeek.service.errors import Forbidden
from inkeek.service.games.schemas import AfterSchema, StreamSchema
from inkeek.service.http import sse
from inkeek.service.http.access import allows
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    ALL,
    JsonBoolean,
    JsonInteger,
    by_field,
    course_field,
    describe,
    given_with,
    id_field,
    optional_integer,
    optional_text,
)
from inkeek.service.http.api.responses import location, respond
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.live.api import resume_after, stream_response
from inkeek.service.live.topics import ALL_BOARDS, BATCH, Update, board_topic
from inkeek.service.storage import BoardRow, RequestRow
from inkeek.service.storage.rows import FAR

from .answers import (
    AnsweredJson,
    BoardJson,
    BoardsJson,
    DriversJson,
    FreePortsJson,
    LogEntryJson,
    LogJson,
    PortsJson,
    RequestJson,
)
from .bindings import REQUESTS
from .choices import answer_question
from .event_tables import keep_at_table
from .identity import MAX_SERIAL
from .ports import known_drivers, known_ports

blueprint = ApiBlueprint("boards", "Boards, ports and drivers.")


class NewBoardSchema(Schema):
    port = fields.String(
        required=True,
        validate=validate.Length(1, 300),
        metadata=describe("a port of the service's machine, in the form of the driver, or `far:` and a name"),
    )
    driver = fields.String(load_default="inkeek", validate=validate.Length(1, 64), metadata={"x-drivers": True})
    game = id_field("id", required=True)
    buttons = JsonBoolean(
        load_default=True, metadata=describe("false: a turn ends when the board has been still for a while")
    )
    serial = optional_text(MAX_SERIAL, "the board's serial number; null: that of the first board that plays")


class BoardChangeSchema(Schema):
    serial = fields.String(
        required=True,
        validate=validate.Length(1, MAX_SERIAL),
        metadata=describe("serial number of the board that plays from now on"),
    )


REQUEST_FIELDS = ("pit", "seeds", "question", "at")


class NewRequestSchema(Schema):
    FORM = given_with("kind", REQUESTS, REQUEST_FIELDS)
    kind = fields.String(
        required=True,
        validate=validate.OneOf(sorted(REQUESTS)),
        metadata=describe(
            "tare: all is empty; seeds: the pit holds so many; dismiss: no answer needed; "
            "turned: the board lies the wrong way round; upright: it does not; "
            "retry: try the driver again that was stopped"
        ),
    )
    pit = optional_integer(
        0, 2 * MAX_ROW + 1, "index of the pit; stores follow the pits; with the kind seeds, and only there"
    )
    seeds = optional_integer(0, MAX_SEEDS_LAID, "with the kind seeds, and only there")
    question = optional_text(
        64, "`name` of the question (`status.ask`) that dismiss, turned or upright answers: another may be open by now"
    )
    at = optional_integer(
        1, 10**9, "with turned and upright, where the board has not asked: `seq` of the game when that was seen"
    )


class AnswerSchema(Schema):
    question = fields.String(
        required=True, validate=validate.Length(1, 64), metadata=describe("`question` of the board's `refusal`")
    )
    ply = JsonInteger(required=True, validate=validate.Range(1, 10**9), metadata=describe("`ply` of the `refusal`"))
    move = course_field("`move`, or `course`, of one of its `candidates`", required=True)
    by = by_field("who says so")


@blueprint.operation("GET", "/boards", scope="read", limited=True)
def list_boards() -> BoardsJson:
    """List the open boards."""
    boards = current_services().boards
    return BoardsJson.of(items=boards.open(current_limit()), desk=boards.desk())


@blueprint.operation(
    "POST",
    "/boards",
    scope="attach",
    limited=True,
    body=NewBoardSchema,
    example={"port": "/dev/ttyACM0", "driver": "inkeek", "game": "k3f9wm2abc", "serial": "B-0007"},
    returns=BoardJson,
    answer=lambda board: respond(BoardJson.of(board), 201, Location=location("boards", board.id)),
    headers=("Location",),
    problems=(404, 409),
    creates={"board_id": "id", "game_id": "game"},
)
def bind_board(body: dict[str, Any]) -> BoardRow:
    """Bind a board to a game. The desk opens the port as soon as it can. The scope `attach` binds remote boards
    only. At a table of an event's last round the board joins the event's plan, if the caller may change that."""
    _check_driver(body["driver"])
    board = current_services().boards.bind(
        body["port"],
        body["driver"],
        body["game"],
        buttons=body["buttons"],
        serial=body["serial"],
        limit=current_limit(),
    )
    keep_at_table(board)
    return board


@blueprint.operation("GET", "/boards/<board_id>", scope="read")
def get_board(board_id: str) -> BoardJson:
    """Get a board and its status."""
    return BoardJson.of(current_services().boards.get(board_id))


@blueprint.operation(
    "PATCH",
    "/boards/<board_id>",
    scope="attach",
    body=BoardChangeSchema,
    example={"serial": "B-0008"},
    problems=(409,),
)
def rebind_board(body: dict[str, Any], board_id: str) -> BoardJson:
    """Bind another board, such as the one that is refused (`status.found`): it plays from now on. The scope
    `attach` binds remote boards only."""
    _check_driver(current_services().boards.get(board_id).driver)
    return BoardJson.of(current_services().boards.rebind(board_id, body["serial"], current_limit()))


def _check_driver(driver: str) -> None:
    """:raises Forbidden: the caller may only bind remote boards."""
    caller = current_caller()
    if driver != FAR and not allows(caller.scopes, "board"):
        raise Forbidden(
            f"driver is {driver[:80]!r}. {caller.name!r} has not the scope 'board', which opens ports of the service's "
            f"machine. The scope 'attach' allows the driver {FAR!r}."
        )


@blueprint.operation("DELETE", "/boards/<board_id>", scope="board", status=204)
def release_board(board_id: str) -> None:
    """Release the board: the desk closes the port. The game stays."""
    current_services().boards.release(board_id)


@blueprint.operation("GET", "/boards/<board_id>/log", scope="read", query=AfterSchema)
def get_log(query: dict[str, Any], board_id: str) -> LogJson:
    """Get the board's log: refused turns, missing events, buttons and so on."""
    return LogJson.of(items=current_services().boards.log(board_id, query["after"]))


def _respond_asked(request: RequestRow) -> ResponseReturnValue:
    shown = {name: value for name, value in request.data.items() if name != "by"}
    desk = current_services().boards.desk()
    return respond(RequestJson(number=request.number, kind=request.kind, desk=desk, **shown), 202)


@blueprint.operation(
    "POST",
    "/boards/<board_id>/requests",
    scope="board",
    body=NewRequestSchema,
    example={"kind": "seeds", "pit": 3, "seeds": 5},
    returns=RequestJson,
    answer=_respond_asked,
    status=202,
    problems=(409,),
)
def ask_board(body: dict[str, Any], board_id: str) -> RequestRow:
    """Request a calibration step, withdraw the board's question, or say which way round it lies. The desk carries it
    out; the log has the result."""
    kind, data = body["kind"], {name: body[name] for name in REQUEST_FIELDS if body[name] is not None}
    if kind in ("turned", "upright"):
        data["by"] = current_caller().person
    return current_services().boards.add_request(board_id, kind, data)


@blueprint.operation(
    "POST",
    "/boards/<board_id>/answer",
    scope="record",
    body=AnswerSchema,
    example={"question": "0a1b2c3d:98", "ply": 1, "move": "d", "by": "Judge"},
    status=200,
    problems=(409,),
)
def answer_board(body: dict[str, Any], board_id: str) -> AnsweredJson:
    """Say which turn, or which turns, were played, when the board asks: one of the `candidates` of its `refusal`. The
    same answer again records nothing."""
    services = current_services()
    board = services.boards.get(board_id)
    write = current_write(body["by"])
    question, ply, move = body["question"], body["ply"], body["move"]
    turns = answer_question(services.boards, services.games, board_id, question, ply, move, write)
    last = turns[-1] if turns else services.games.load(board.game).turn(ply + len(move.split()) - 1)
    return AnsweredJson.of(last, ply=ply, move=move, recorded=bool(turns))


@blueprint.operation(
    "GET",
    "/boards/<board_id>/events",
    scope="read",
    query=StreamSchema,
    sends={sse.MEDIA_TYPE: (LogEntryJson, BoardJson, FreePortsJson)},
    resumes=True,
)
def follow_board(query: dict[str, Any], board_id: str) -> ResponseReturnValue:
    """Follow a board: log entries as ``log``, its status as ``board``. Resumes after ``Last-Event-ID`` (or `after`).
    The id `all` follows all boards: ``board`` for each open one, then for each change; and as ``ports`` the serial
    ports without a board at a game, and who is there."""
    boards = current_services().boards
    if board_id == ALL:
        return stream_response(ALL_BOARDS, 0, lambda after: ((), [*boards.open(), tuple(boards.plugged())]), 0)
    after = resume_after(query["after"], boards.last_entry(board_id))

    def read(after: int) -> tuple[Iterable[Update], Iterable[Update]]:
        board, entries = boards.updates(board_id, after, BATCH)
        return entries, [board]

    return stream_response(board_topic(board_id), after, read, after)


@blueprint.operation("GET", "/ports", scope="read")
def list_ports() -> PortsJson:
    """List the serial ports of this machine."""
    return PortsJson.of(items=known_ports())


@blueprint.operation("GET", "/drivers", scope="read", limited=True)
def list_drivers() -> DriversJson:
    """List the installed drivers, with the errors of those that cannot be loaded."""
    return DriversJson.of(items=known_drivers())
