"""The remote agent, `inkeek board attach`: binds a board to its game, claims its inbox, records and delivers."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from inkeek.drivers.base import Connection, Driver, Resume
from inkeek.drivers.errors import SpoolError
from inkeek.service.boards.identity import FAR, PREFIX, Identity, clean_serial
from inkeek.service.boards.opener import Opener
from inkeek.service.errors import ServiceError
from inkeek.service.settings import is_loopback

from .client import Client, Refusal, Unreachable, reading
from .lights import BoardLights
from .recorder import Recorder
from .spool import Spool
from .uploader import Backoff, LightsPoller, Uploader

FLUSH_WITHIN = 3.0  # seconds that the last events may take when the agent is stopped
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Plan:
    """What `inkeek board attach` is to do: play `game` of the service at `url` on the board at `port`.

    `name` is this machine's, as the service shows it. `spools` is the folder of spools. `take_over`: even if the board
    is attached from elsewhere. `serial`: the serial number of the board that plays, even if another one is bound.
    """

    port: str
    driver: Driver
    url: str
    game: str
    token: str
    ca: str | None
    name: str
    spools: Path
    take_over: bool
    serial: str | None = None

    @property
    def spool(self) -> Path:
        """The spool's file: one for each game, service and port."""
        key = hashlib.sha256(f"{self.url.rstrip('/')}\n{self.port}".encode()).hexdigest()[:8]
        game = "".join(letter if letter.isalnum() else "_" for letter in self.game[:64])
        return self.spools / f"{game}-{key}.spool"


class RemoteAgent:
    """Attaches one board. `notify` tells people what happens, a line each time."""

    def __init__(self, plan: Plan, notify: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._plan = plan
        self._notify = notify
        self._clock = clock

    def run(self, stop: threading.Event) -> None:
        """Record and deliver until `stop` is set.

        :raises ServiceError: the board cannot be attached, or not any longer; undelivered events stay in the spool.
        """
        plan = self._plan
        self._client = Client(plan.url, plan.token, plan.ca)
        if not self._client.encrypted and not is_loopback(self._client.host):
            self._notify("Without TLS others on the network can read the token and use it. Use an https address.")
        try:
            self._spool = Spool(plan.spool)
            try:
                if self._attach(stop):
                    self._work(stop)
            finally:
                self._spool.close()
        except (SpoolError, OSError) as error:
            raise ServiceError(str(error)) from error
        finally:
            self._client.close()

    def _attach(self, stop: threading.Event) -> bool:
        """Bind the board and claim its inbox, or, if the service cannot be reached, go on with a spool that has begun.

        Return False if it was stopped before that.
        """
        board = self._retry(self._bind, stop)
        if board is not None and board != self._spool.board:
            self._spool.bind(board)
        if stop.is_set():
            return False
        self._connect_parts()
        if board is not None:
            self._retry(self._claim, stop)
        return not stop.is_set()

    def _retry(self, request: Callable[[], Answer], stop: threading.Event) -> Answer | None:
        """The answer of the service, however long it takes; None if stopped, or if the spool can go on without it."""
        backoff = Backoff()
        reported = ""
        while not stop.is_set():
            wait = None
            try:
                with reading(self._plan.url):
                    return request()
            except Unreachable as error:
                message, wait = error.message, error.wait
            if self._spool.begun:
                self._notify(f"{message}. Recording for board {self._spool.board} goes on without it.")
                return None
            if message != reported:
                reported = message
                self._notify(f"{message}. Trying again; nothing is recorded until the service answers.")
            stop.wait(backoff.next(wait))
        return None

    def _bind(self) -> str:
        """The id of the board that plays the game; it is bound if there is none.

        :raises ServiceError: the service itself reads a board that plays it.
        """
        plan = self._plan
        board = self._client.ask("GET", f"/games/{quote(plan.game, safe='')}")["board"]
        if board is None:
            body: dict[str, str | None] = {"port": f"{PREFIX}{plan.name}:{plan.port}", "driver": FAR}
            body |= {"game": plan.game, "serial": plan.serial}
            board = self._client.ask("POST", "/boards", body)
        if board["driver"] != FAR:
            raise ServiceError(
                "game %(game)s is played on board %(board)s at %(port)s, which the service reads itself: release that "
                "board first",
                game=plan.game,
                board=board["id"],
                port=board["port"],
            )
        if plan.serial is not None and board["serial"] != clean_serial(plan.serial):
            board = self._client.ask("PATCH", f"/boards/{board['id']}", {"serial": plan.serial})
        if isinstance(board.get("serial"), str):
            self._spool.bind_serial(board["serial"])
        return str(board["id"])

    def _claim(self) -> None:
        try:
            self._uploader.claim()
        except Refusal as error:
            if error.slug != "inbox-taken" or not self._plan.take_over:
                raise
            self._replace_spool()
            self._uploader.claim(take_over=True)

    def _replace_spool(self) -> None:
        """Begin a new spool: the events in this one are from before another agent had the board."""
        board, waiting = self._spool.board, self._spool.waiting
        self._spool.close()
        if self._spool.begun:
            kept = self._plan.spool.with_suffix(f".{self._spool.id[:8]}.old")
            for end in ("", "-wal"):  # what SQLite could not copy into the file, such as on a full disk
                with suppress(FileNotFoundError):
                    Path(f"{self._plan.spool}{end}").rename(f"{kept}{end}")
            self._notify(f"Taken over. The old spool is kept as {kept}; {waiting} events in it are not delivered.")
        self._spool = Spool(self._plan.spool)
        assert board is not None
        self._spool.bind(board)
        self._connect_parts()

    def _connect_parts(self) -> None:
        """Create the parts that work on the spool."""
        spool, plan = self._spool, self._plan
        lights = BoardLights(spool.button, self._clock)
        opener = self._opener = Opener(
            plan.driver, plan.port, lambda driver, url, resume: driver.open(url, resume), clock=self._clock
        )

        def open_board(resume: Resume | None) -> Connection:
            return opener.open(None if spool.bound is None else Identity(spool.bound), resume)

        self._poller = LightsPoller(spool, lights, self._client)
        self._uploader = Uploader(spool, lights, self._client, self._notify, self._clock, self._poller.recovered)
        self._recorder = Recorder(
            spool,
            lights,
            open_board,
            self._uploader.wake,
            self._notify,
            self._clock,
            plan.driver.name,
            lambda: opener.avoid(plan.port, is_another=True),
        )

    def _work(self, stop: threading.Event) -> None:
        plan, spool, uploader = self._plan, self._spool, self._uploader
        waiting = f"; {spool.waiting} events wait from before" if spool.waiting else ""
        self._notify(f"Board {spool.board} plays game {plan.game} of {self._client.url}. Spool {spool.path}{waiting}.")
        ended = threading.Event()

        def deliver() -> None:
            uploader.run(ended)
            if uploader.ended is not None:
                stop.set()

        delivery = threading.Thread(target=deliver, name="uploader", daemon=True)
        poller = threading.Thread(target=self._poller.run, args=(uploader.claimed, ended), name="lights", daemon=True)
        delivery.start()
        poller.start()
        try:
            self._recorder.run(stop)
        finally:
            self._opener.close()
            ended.set()
            uploader.wake()
            delivery.join()
            uploader.flush(FLUSH_WITHIN)
        rest = f"{spool.waiting} events are not delivered and stay in {spool.path}"
        if uploader.ended is not None:
            raise ServiceError(f"{uploader.ended}. {rest if spool.waiting else 'All events are delivered'}.")
        self._notify(f"Stopped; {rest if spool.waiting else 'all events are delivered'}.")
