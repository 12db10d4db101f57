"""`inkeek board attach`: the desk of one board, over a copy of its game (`docs/far.md`)."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

from inkeek.drivers.base import Driver
from inkeek.drivers.errors import SpoolError
from inkeek.service.boards.bindings import Boards, LogData
from inkeek.service.boards.desk import Desk
from inkeek.service.boards.identity import PREFIX, clean_serial
from inkeek.service.boards.status import read_status
from inkeek.service.boards.turn_recording import recorded_touches, recording_span, touches_data
from inkeek.service.errors import ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.settings import Settings, is_loopback
from inkeek.service.storage import BoardRow, GameEvent
from inkeek.service.storage.rows import FAR
from inkeek.service.storage.text_json import load_texts

from .client import Client, Unreachable, reading
from .copy import CopyStore
from .delivery import Backoff, Delivery
from .spool import Known, Spool, read_events

if TYPE_CHECKING:
    from inkeek.service.storage.store import Store

LOOK_EVERY = 0.05  # seconds between two looks for what is new
FLUSH_WITHIN = 3.0  # seconds that the last reports may take when the process is stopped
MAX_PLIES = 100_000  # the service checks how many turns a game may have


@dataclass(frozen=True, slots=True)
class Plan:
    """What `inkeek board attach` is to do: play `game` of the service at `url` on the board at `port`.

    `name` is this machine's, as the service shows it. `spools` is the folder of spools and recordings. `serial`: the
    serial number of the board that plays, even if another one is bound.
    """

    port: str
    driver: Driver
    url: str
    game: str
    token: str
    ca: str | None
    name: str
    spools: Path
    serial: str | None = None

    @property
    def spool(self) -> Path:
        """The spool's file: one for each game, service and port."""
        key = hashlib.sha256(f"{self.url.rstrip('/')}\n{self.port}".encode()).hexdigest()[:8]
        game = "".join(letter if letter.isalnum() else "_" for letter in self.game[:64])
        return self.spools / f"{game}-{key}.spool"


def run(plan: Plan, notify: Callable[[str], None], stop: threading.Event, settings: Settings) -> None:
    """Play until `stop` is set. `notify` tells people what happens, a line each time.

    :raises ServiceError: the board cannot be attached, or not any longer; what is not delivered stays in the spool.
    """
    client = Client(plan.url, plan.token, plan.ca)
    if not client.encrypted and not is_loopback(client.host):
        notify("Without TLS others on the network can read the token and use it. Use an https address.")
    try:
        spool = Spool(plan.spool)
        try:
            _Attached(plan, client, spool, notify, stop).run(settings)
        finally:
            spool.close()
    except SpoolError as error:
        raise ServiceError(str(error)) from error
    finally:
        client.close()


class _Attached:
    def __init__(
        self, plan: Plan, client: Client, spool: Spool, notify: Callable[[str], None], stop: threading.Event
    ) -> None:
        self._plan = plan
        self._client = client
        self._spool = spool
        self._notify = notify
        self._stop = stop

    def run(self, settings: Settings) -> None:
        known, waiting = self._spool.load()
        known = self._begin(known, bool(waiting))
        if known is None:
            return
        delivery = Delivery(self._client, known.board.id, self._spool, waiting, self._notify)
        store = CopyStore(known, delivery, self._spool)
        games = Games(cast("Store", store), max_plies=MAX_PLIES)
        boards = Boards(cast("Store", store), max_boards=1)
        folder = settings.recordings or str(self._plan.spools / "recordings")
        settings = replace(settings, desk_poll=LOOK_EVERY, recordings=folder)
        desk = Desk(games, boards, settings, lambda _: self._plan.driver, kept=lambda: delivery.keeps)
        waits = f"; reports waiting from before: {self._spool.waiting}" if waiting else ""
        self._notify(
            f"Board {known.board.id} plays game {known.board.game} of {self._client.url}. "
            f"Spool {self._spool.path}{waits}."
        )
        ended = threading.Event()
        threads = [threading.Thread(target=one, daemon=True) for one in (delivery.run, delivery.follow)]
        tell = partial(self._tell_touches, store, games, boards, settings)
        watch = partial(self._watch, boards, known.board.id, delivery, ended, tell)
        threads += [threading.Thread(target=watch, daemon=True)]
        for thread in threads:
            thread.start()
        try:
            desk.run(self._stop)
        finally:
            ended.set()
            delivery.flush(FLUSH_WITHIN)
            delivery.end()
            for thread in threads:
                thread.join(FLUSH_WITHIN)
        rest = f"{self._spool.waiting} reports are not delivered and stay in {self._spool.path}"
        rest = rest if self._spool.waiting else "all is delivered"
        if delivery.ended is not None or boards.get(known.board.id).wanted == "closed":
            raise ServiceError(f"{delivery.ended or 'the board was released'}; {rest}.")
        self._notify(f"Stopped; {rest}.")

    def _watch(
        self,
        boards: Boards,
        board_id: str,
        delivery: Delivery,
        ended: threading.Event,
        tell_touches: Callable[[set[str] | None], set[str]],
    ) -> None:
        """Tell people what the board's page says, and the service what was noticed before a dispute; stop once nothing
        can be delivered any more."""
        said, disputes = "", tell_touches(None)
        while not ended.wait(LOOK_EVERY):
            board = boards.get(board_id)
            message = str(board.status.get("message", ""))
            if message != said and board.status.get("state") != "waiting":
                self._notify(message)
                said = message
            if delivery.ended is not None or board.wanted == "closed":
                self._stop.set()
                return
            try:
                disputes = tell_touches(disputes)
            except ServiceError as error:
                self._notify(f"What the board noticed before a dispute cannot be reported: {error}")

    def _tell_touches(
        self, store: CopyStore, games: Games, boards: Boards, settings: Settings, told: set[str] | None
    ) -> set[str]:
        """Report what the board noticed before each dispute that is not in `told`; None: all were told of. The
        recording stays here, but the sheet of the dispute shows this. Return the disputes."""
        board = store.known.board
        snapshot = games.load(board.game)
        new = [row for row in snapshot.state.disputes if told is not None and row.id not in told]
        for row in new:
            since, until = recording_span(snapshot.at(row.seq), row)
            turned = read_status(board.status).turned
            found = recorded_touches(settings, [(board.id, turned)], since - store.offset, until - store.offset)
            entry: LogData = ("touches", touches_data(found, row.id, store.offset))
            boards.update_status(board.id, read_status(boards.get(board.id).status), entry)
        return {row.id for row in snapshot.state.disputes}

    def _begin(self, known: Known | None, waits: bool) -> Known | None:
        """What is known of the board and its game: by the service, or, if it cannot be reached, by the spool. None: it
        was stopped before that."""
        backoff, said = Backoff(), ""
        while not self._stop.is_set():
            try:
                with reading(self._plan.url):
                    board = bind(self._client, self._plan)
                    if known is not None and waits and known.board.id == board:
                        return known
                    return read_known(self._client, self._plan, board)
            except Unreachable as error:
                if known is not None and known.events:
                    self._notify(f"{error.message}. The game goes on here without it.")
                    return known
                if error.message != said:
                    said = error.message
                    self._notify(f"{said}. Trying again; nothing is recorded until the service answers.")
                self._stop.wait(backoff.next(error.wait))
        return None


def bind(client: Client, plan: Plan) -> str:
    """The id of the board that plays the game; it is bound if there is none.

    :raises ServiceError: the service itself reads a board that plays it.
    """
    board = client.ask("GET", f"/games/{quote(plan.game, safe='')}")["board"]
    if board is None:
        body: dict[str, str | None] = {"port": f"{PREFIX}{plan.name}:{plan.port}", "driver": FAR}
        body |= {"game": plan.game, "serial": plan.serial}
        board = client.ask("POST", "/boards", body)
    if board["driver"] != FAR:
        raise ServiceError(
            "game %(game)s is played on board %(board)s at %(port)s, which the service reads itself: release that "
            "board first",
            game=plan.game,
            board=board["id"],
            port=board["port"],
        )
    if plan.serial is not None and board["serial"] != clean_serial(plan.serial):
        board = client.ask("PATCH", f"/boards/{board['id']}", {"serial": plan.serial})
    return str(board["id"])


def read_known(client: Client, plan: Plan, board_id: str) -> Known:
    """What the service says of the board and its game."""
    events: list[GameEvent] = []
    while True:
        last = events[-1].hash if events else ""
        path = f"/boards/{quote(board_id, safe='')}/news?after={len(events)}&hash={last}"
        news: dict[str, Any] = client.ask("GET", path)
        del events[news["after"] :]
        if events and not news["events"]:
            break
        events += read_events(plan.game, news)
    said = news["board"]
    row = BoardRow(
        id=board_id,
        driver=plan.driver.name,
        url=plan.port,
        game=plan.game,
        wanted=said["wanted"],
        serial=said["serial"],
        boot=said["boot"],
        seq=said["seq"],
        status=load_texts(json.dumps(said["status"]), "the status of the board"),
        version=0,
        created=news["time"],
        updated=news["time"],
        buttons=said["buttons"],
        adapter=said["adapter"],
    )
    return Known(row, tuple(events), len(events))
