"""The boards desk: which boards there are, what they say, and what is body of them."""

from __future__ import annotations

import re

from flask import Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from drivers.protocol.limits import MAX_ROW, MAX_SEEDS_LAID
from records import Move, RecordsError
from service.boards.bindings import known_drivers, known_ports
from service.errors import Conflict, Invalid
from service.games.disputes import take_back
from service.games.people import try_move
from service.games.write import Write
from service.http.access import allows, needs
from service.http.context import current_caller, current_services, event_source
from service.storage import BoardRow, GameFilter

from .board_view_models import LOG_SHOWN, board_line, log_lines, sensors
from .labels import player_names
from .pages import blueprint

GAMES_OFFERED = 100  # to be played on a board; any other can be bound over the API
MOST_SENSORS = 2 * MAX_ROW + 2
_NUMBER = re.compile("[0-9]{1,4}")


@blueprint.get("/boards")
@needs("read")
def boards() -> ResponseReturnValue:
    """The boards at the desk, ports and drivers."""
    return _boards()


@blueprint.post("/boards")
@needs("board")
def bind() -> ResponseReturnValue:
    """Have a board play a game, as the form says."""
    form = request.form
    try:
        board = current_services().boards.bind(
            form.get("port", "").strip(),
            form.get("driver", ""),
            form.get("game", ""),
            buttons=form.get("still") is None,
        )
    except Invalid as error:
        return _boards(str(error)), 422
    except Conflict as error:
        return _boards(str(error)), 409
    return redirect(url_for("web.board", board_id=board.id), 303)


@blueprint.get("/boards/<board_id>")
@needs("read")
def board(board_id: str) -> ResponseReturnValue:
    """A board: what it says, its log, its calibration."""
    return _board(board_id)


@blueprint.post("/boards/<board_id>")
@needs("board")
def ask(board_id: str) -> ResponseReturnValue:
    """Release the board, or ask something of it."""
    wish, boards = request.form.get("wish", ""), current_services().boards
    try:
        if wish == "release":
            boards.release(board_id)
            return redirect(url_for("web.boards"), 303)
        if wish == "tare":
            boards.add_request(board_id, "tare", {})
        elif wish == "seeds":
            boards.add_request(
                board_id, "seeds", {"pit": _number("pit", MOST_SENSORS - 1), "seeds": _number("seeds", MAX_SEEDS_LAID)}
            )
        else:
            raise BadRequest(f"wish is {wish[:40]!r}: expected release, tare or seeds")
    except Invalid as error:
        return _board(board_id, str(error)), 422
    except Conflict as error:
        return _board(board_id, str(error)), 409
    return redirect(url_for("web.board", board_id=board_id), 303)


@blueprint.post("/boards/<board_id>/answer")
@needs("record")
def answer(board_id: str) -> ResponseReturnValue:
    """Answer what the board asks: whether a turn is taken back, which move was tried."""
    board = current_services().boards.get(board_id)
    question = board.status.get("ask") or {}
    if request.form.get("answer") == "yes" and question.get("kind") == request.form.get("kind"):
        games, source = current_services().games, event_source()
        try:
            if question["kind"] == "taken-back":
                write = Write(source, expected_ply=question["ply"])
                take_back(games, board.game, "agreement", write, count=question["plies"])
            else:
                move = Move.parse(request.form.get("move", "").strip())
                try_move(games, board.game, move, Write(source, expected_ply=question["ply"]))
        except RecordsError as error:
            raise Invalid(f"move: {error}") from error
    else:
        current_services().boards.add_request(board_id, "dismiss", {})
    return redirect(url_for("web.live", game_id=board.game), 303)


def _number(name: str, most: int) -> int:
    """A number of the form, from 1 (a pit from 0) to `most`."""
    text, least = request.form.get(name, ""), 0 if name == "pit" else 1
    if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise Invalid(f"{name} is {text[:40]!r}: expected a whole number from {least} to {most}")
    return int(text)


def _boards(refusal: str | None = None) -> Response:
    open_, closed = current_services().boards.open(), current_services().boards.closed()
    taken = {board.game for board in open_}
    live, _ = current_services().games.page(GAMES_OFFERED, None, GameFilter(state="live"))
    page = make_response(
        render_template(
            "boards.html",
            open=[board_line(row, current_services().games.row(row.game)) for row in open_],
            closed=[board_line(row, current_services().games.row(row.game)) for row in closed],
            games=[(row.id, " – ".join(player_names(row.tags)), row.game) for row in live if row.id not in taken],
            ports=known_ports(),
            drivers=known_drivers(),
            may_bind=_may_bind(),
            refusal=refusal,
            given=request.form,
        )
    )
    page.headers["Cache-Control"] = "no-store"
    return page


def _board(board_id: str, refusal: str | None = None) -> Response:
    row: BoardRow = current_services().boards.get(board_id)
    game = current_services().games.row(row.game)
    entries = current_services().boards.log(board_id, last=LOG_SHOWN)
    page = make_response(
        render_template(
            "board.html",
            board=board_line(row, game),
            log=log_lines(entries, game),
            last=entries[-1].number if entries else 0,
            sensors=sensors(row, game),
            most=MAX_SEEDS_LAID,
            may_bind=_may_bind(),
            refusal=refusal,
        )
    )
    page.headers["Cache-Control"] = "no-store"
    return page


def _may_bind() -> bool:
    return allows(current_caller().scopes, "board")
