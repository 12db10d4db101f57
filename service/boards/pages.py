"""The pages of boards: which boards there are, what they report, and forms to bind, calibrate and release them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.drivers.protocol.limits import MAX_ROW, MAX_SEEDS_LAID
from inkeek.drivers.registry import InstalledDriver
from inkeek.records import Move, Position
from inkeek.service.errors import Forbidden, Invalid
from inkeek.service.games.corrections import take_back
from inkeek.service.games.people import try_move
from inkeek.service.games.view_models import SetUp, set_ups
from inkeek.service.games.write import Write
from inkeek.service.http.access import allows, needs
from inkeek.service.http.api.bodies import read_form
from inkeek.service.http.context import all_rulesets, current_caller, current_limit, current_services, current_write
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, feed_address, feed_end, render_page, see_other
from inkeek.service.http.web.forms import Commands, read_number, shows_refusals, today
from inkeek.service.http.web.labels import player_names
from inkeek.service.storage import BoardRow, GameFilter, GameRow, PluggedRow
from inkeek.service.storage.rows import FAR
from inkeek.service.turns.pages import live_page

from . import api
from .ports import known_drivers, known_ports
from .status import Question, read_status
from .view_models import LOG_SHOWN, BoardCard, board_name, calibration_view, log_lines

OFFERED = 5  # games that go on, for each board


@dataclass(frozen=True, slots=True)
class FreeBoard:
    """A board that is plugged in, or whose game is over. `id`: of the binding to that game."""

    url: str
    driver: str
    serial: str | None
    row: int
    stores: bool
    id: str | None = None

    @classmethod
    def of_port(cls, port: PluggedRow) -> FreeBoard:
        return cls(port.url, "inkeek", port.serial, port.row or 0, bool(port.stores))

    @classmethod
    def of_card(cls, card: BoardCard) -> FreeBoard | None:
        """The board of a card; None if it plays, is not connected, or hangs on another machine."""
        device = card.status.device
        if card.game.state != "ended" or not card.view.connected or device is None or card.row.driver == FAR:
            return None
        return cls(card.row.url, card.row.driver, card.row.serial, device.row, device.stores, card.id)

    @property
    def name(self) -> str:
        return board_name(self.serial, self.url)

    @property
    def size(self) -> str:
        stores = gettext("stores weighed") if self.stores else gettext("stores not weighed")
        return f"2×{self.row}, {stores}"

    @property
    def rules(self) -> list[tuple[str, str]]:
        """Id and name of the rules that fit it."""
        return [(info.id, info.name) for info in all_rulesets() if info.id in fitting_set_ups(self.row)]

    def games_that_fit(self, games: Iterable[GameRow]) -> list[tuple[str, str]]:
        """Id and players of those of the games that it can go on with."""
        fitting = [row for row in games if Position.parse(row.position).row == self.row][:OFFERED]
        return [(row.id, " – ".join(labels.player_names(row.tags))) for row in fitting]


def fitting_set_ups(row: int) -> dict[str, SetUp]:
    """The set-up of each rule set on a board of so many pits a row, by its id."""
    fitting = (
        (info.id, next((one for one in set_ups(info) if one.position.row == row), None)) for info in all_rulesets()
    )
    return {id: set_up for id, set_up in fitting if set_up is not None}


def free_ports(ports: Iterable[PluggedRow], boards: Iterable[BoardRow]) -> list[PluggedRow]:
    """The ports at which none of the open boards is: the desk may not have looked since one was bound."""
    used = {name for board in boards for name in (board.url, read_status(board.status).port, board.serial) if name}
    return [port for port in ports if port.url not in used and port.serial not in used]


GAMES_OFFERED = 100  # to bind a board to; the API takes any game
DRAWN = 24  # boards of the list; those with a refused turn always
FOLLOWED = 3  # boards with a stream each: a browser opens six connections to a host
LOG_READ = 400  # entries: more than the calibration of the longest board has


def _boards(refusal: str | None = None) -> Response:
    services, limit = current_services(), current_limit()
    feed = feed_address(feed_end())
    open_, closed = services.boards.open(limit), services.boards.closed(limit)
    follow = "/api/v1/boards/all/events"
    if limit is not None:  # that stream is of more than they may see
        follow = " ".join([feed, *(url_for("boards.follow_board", board_id=board.id) for board in open_[:FOLLOWED])])
    bound = {board.game for board in open_}
    live, _ = services.games.page(GAMES_OFFERED, None, GameFilter(state="live", within=limit))
    waiting = [row for row in live if row.id not in bound]
    cards = [BoardCard(row, services.games.row(row.game)) for row in open_]
    has_desk = services.boards.desk() is not None
    plugged = free_ports(services.boards.plugged(), open_) if has_desk and limit is None else []
    free = [*filter(None, map(FreeBoard.of_card, cards)), *(FreeBoard.of_port(port) for port in plugged if port.row)]
    shown = [card for card in cards if FreeBoard.of_card(card) is None]
    return render_page(
        "boards/boards.html",
        follow=follow,
        has_desk=has_desk,
        free=[(board, board.games_that_fit(waiting)) for board in free],
        others=[port for port in plugged if not port.row],
        open=shown,
        drawn=DRAWN,
        rows={board.drawn.row for board in shown},
        closed=[BoardCard(row, services.games.row(row.game)) for row in closed],
        games=[(row.id, f"{' – '.join(player_names(row.tags))} ({row.game}, {row.id})") for row in waiting],
        ports=known_ports() if limit is None else [],
        drivers=known_drivers(),
        kinds=[(driver.name, _driver_title(driver)) for driver in known_drivers() if not driver.error],
        may_bind=_may_bind(),
        refusal=refusal,
    )


def _board(board_id: str, refusal: str | None = None) -> Response:
    services = current_services()
    row = services.boards.get(board_id)
    game = services.games.row(row.game)
    entries = services.boards.log(board_id, last=LOG_READ)
    board, may_bind = BoardCard(row, game), _may_bind()
    return render_page(
        "boards/board.html",
        board=board,
        has_desk=services.boards.desk() is not None,
        calibration=calibration_view(entries, board.sensors) if may_bind and board.can_calibrate else None,
        log=list(log_lines(entries[-LOG_SHOWN:], game)),
        last=entries[-1].number if entries else 0,
        most=MAX_SEEDS_LAID,
        may_bind=may_bind,
        refusal=refusal,
    )


@blueprint.get("/boards")
@needs("read", limited=True)
def boards() -> ResponseReturnValue:
    """The boards at the desk, ports and drivers."""
    return _boards()


@blueprint.post("/boards")
@needs("board", limited=True)
@shows_refusals(_boards)
def bind() -> ResponseReturnValue:
    """Bind a board to a game, with `rules` to a new one. One tap at a board that is plugged in leads to the game."""
    form = request.form
    with current_services().boards.transaction():
        game = _begin_game() if "rules" in form else form.get("game", "")
        body = read_form(api.NewBoardSchema, {**form, "game": game, "buttons": "still" not in form})
        board = api.bind_board(body)
    if "row" in form:
        names = "new" if "rules" in form else None
        return see_other("web.live", game_id=board.game, names=names)
    return see_other("web.board", board_id=board.id)


def _begin_game() -> str:
    if not allows(current_caller().scopes, "record"):
        raise Forbidden("To begin a game you need the scope 'record'.")
    rules, row = request.form["rules"], read_number(request.form, "row", MAX_ROW)
    set_up = fitting_set_ups(row).get(rules)
    if set_up is None:
        raise Invalid("rules is %(rules)r: no rules of that name fit a board of 2×%(row)s.", rules=rules[:80], row=row)
    options = {set_up.field: int(set_up.value) if set_up.field == "pits" else set_up.value}
    tags = {"Date": today()}
    return current_services().games.create(rules, options, tags, current_write()).id


@blueprint.get("/boards/<board_id>")
@needs("read")
def board(board_id: str) -> ResponseReturnValue:
    """A board: what it reports, its log, its calibration."""
    return _board(board_id)


commands = Commands()


@blueprint.post("/boards/<board_id>")
@needs("board")
@shows_refusals(_board)
def request_action(board_id: str) -> ResponseReturnValue:
    """Release the board, confirm another one, or request a calibration step: one of `commands`."""
    commands.run(board_id)
    released = request.form["action"] == "release"
    return see_other("web.boards") if released else see_other("web.board", board_id=board_id)


@commands("release")
def _release(board_id: str) -> None:
    api.release_board(board_id)


@commands("rebind")
def _rebind(board_id: str) -> None:
    api.rebind_board(read_form(api.BoardChangeSchema, request.form), board_id)


@commands("tare", "retry", "upright", "seeds")
def _request(board_id: str) -> None:
    api.ask_board(read_form(api.NewRequestSchema, {**request.form, "kind": request.form["action"]}), board_id)


@blueprint.post("/boards/<board_id>/answer")
@needs("record")
@shows_refusals(lambda board_id, refusal: live_page(current_services().boards.get(board_id).game, refusal))
def answer(board_id: str) -> ResponseReturnValue:
    """Answer the board's question: which turn was played, was one taken back, which move was tried, does it lie the
    wrong way round?"""
    board, form = current_services().boards.get(board_id), request.form
    if form.get("kind") == "turn":
        api.answer_board(read_form(api.AnswerSchema, form), board_id)
    else:
        status = read_status(board.status)
        if status.ask is not None and status.ask.name == form.get("question"):  # else the page shows what is open now
            (_ANSWERS[status.ask.kind] if form.get("answer") == "yes" else _dismiss)(board, status.ask)
    return see_other("web.live", game_id=board.game)


def _dismiss(board: BoardRow, question: Question) -> None:
    current_services().boards.add_request(board.id, "dismiss", {"question": question.name})


def _turn_round(board: BoardRow, question: Question) -> None:
    kind = "upright" if read_status(board.status).turned else "turned"  # it was turned since
    asked = {"by": current_caller().person, "question": question.name}
    current_services().boards.add_request(board.id, kind, asked)


def _take_back(board: BoardRow, question: Question) -> None:
    take_back(current_services().games, board.game, "agreement", _write(question), count=question.plies or 1)


def _try_move(board: BoardRow, question: Question) -> None:
    move = Move.parse(request.form.get("move", "").strip())
    try_move(current_services().games, board.game, move, _write(question))


def _write(question: Question) -> Write:
    write = current_write(expected_ply=question.ply, expected_seq=question.at)
    return replace(write, ignores_annotations=True)


_ANSWERS = {"turned": _turn_round, "taken-back": _take_back, "trial": _try_move}  # to a question, by its kind: yes


def _driver_title(driver: InstalledDriver) -> str:
    """What a driver calls itself: in the language of the page only if it is one of this project."""
    return gettext(driver.title) if driver.is_own else driver.title


def _may_bind() -> bool:
    return allows(current_caller().scopes, "board")
