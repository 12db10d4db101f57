"""A far board's desk put together: bound to its game, its inbox claimed, then at work until it is told to stop."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from drivers.base import Driver
from drivers.errors import SpoolError
from service.errors import ServiceError
from service.settings import is_loopback

from .client import Client, Refusal, Unreachable
from .inbox import FAR, PREFIX
from .lights import Lamps
from .recorder import Recorder
from .spool import Spool
from .uploader import Backoff, LampWatch, Uploader

LEAVE_WITHIN = 3.0  # seconds that the last events may take when it is told to stop
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Plan:
    """The board on `port`, read with `driver`, is to play `game` of the service at `url`. `name`: of this desk, as the
    service shows it; `spools`: the folder of spools; `take_over`: even if it is attached from elsewhere."""

    port: str
    driver: Driver
    url: str
    game: str
    token: str
    ca: str | None
    name: str
    spools: Path
    take_over: bool

    @property
    def spool(self) -> Path:
        """One for each game, service and port."""
        what = hashlib.sha256(f"{self.url.rstrip('/')}\n{self.port}".encode()).hexdigest()[:8]
        game = "".join(letter if letter.isalnum() else "_" for letter in self.game[:64])
        return self.spools / f"{game}-{what}.spool"


class RemoteAgent:
    """One far board. `say` tells people what happens, a line each time."""

    def __init__(self, plan: Plan, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._plan = plan
        self._say = say
        self._clock = clock

    def run(self, stop: threading.Event) -> None:
        """Record and deliver until `stop` is set.

        :raises ServiceError: the board cannot be attached, or is no longer; what was not delivered stays in the spool.
        """
        plan = self._plan
        client = Client(plan.url, plan.token, plan.ca)
        if not client.encrypted and not is_loopback(client.host):
            self._say("Without TLS whoever is on the way can read the token and use it: https is better.")
        self._open_spool()
        try:
            if self._attach(client, stop):
                self._work(client, stop)
        except SpoolError as error:
            raise ServiceError(str(error)) from error
        finally:
            client.close()
            self._spool.close()

    def _open_spool(self) -> None:
        try:
            self._spool = Spool(self._plan.spool)
        except SpoolError as error:
            raise ServiceError(str(error)) from error

    def _attach(self, client: Client, stop: threading.Event) -> bool:
        """Bind the board to the game, and claim its inbox, unless the service cannot be reached and the spool knows
        enough to record; False when that was stopped before it was done."""
        board = self._reach(lambda: self._bound(client), stop)
        if board is not None and board != self._spool.board:
            self._spool.bind(board)
        if stop.is_set():
            return False
        self._couple(client)
        if board is not None:
            self._reach(lambda: self._claim(client), stop)
        return not stop.is_set()

    def _reach(self, ask: Callable[[], Answer], stop: threading.Event) -> Answer | None:
        """What the service answers, however long that takes; None when it is stopped, or when that can wait."""
        backoff = Backoff()
        said = ""
        while not stop.is_set():
            wait = None
            try:
                return ask()
            except Unreachable as error:
                message, wait = error.message, error.wait
            except (KeyError, TypeError) as error:
                message = f"{self._plan.url} gives an answer that makes no sense: {type(error).__name__}: {error}"
            if self._spool.begun:
                self._say(f"{message}. Recording for board {self._spool.board} all the same.")
                return None
            if message != said:
                said = message
                self._say(f"{said}. It is asked again until it answers; nothing is recorded yet.")
            stop.wait(backoff.next(wait))
        return None

    def _bound(self, client: Client) -> str:
        """The id of the board that plays the game, which is bound if there is none.

        :raises ServiceError: another board plays it.
        """
        plan = self._plan
        board = client.ask("GET", f"/games/{plan.game}")["board"]
        if board is None:
            asked = {"port": f"{PREFIX}{plan.name}:{plan.port}", "driver": FAR, "game": plan.game}
            board = client.ask("POST", "/boards", asked)
        if board["driver"] != FAR:
            raise ServiceError(
                f"game {plan.game} is played on board {board['id']} at {board['port']}, which the service reads "
                "itself: release that first"
            )
        return str(board["id"])

    def _claim(self, client: Client) -> None:
        try:
            self._courier.claim()
        except Refusal as error:
            if error.slug != "inbox-taken" or not self._plan.take_over:
                raise
            self._begin_anew(client)
            self._courier.claim(take_over=True)

    def _begin_anew(self, client: Client) -> None:
        """Put the spool away: what is in it belongs to a time before another desk had the board."""
        board, waiting = self._spool.board, self._spool.waiting
        self._spool.close()
        if self._spool.begun:
            kept = self._plan.spool.with_suffix(f".{self._spool.id[:8]}.old")
            self._plan.spool.rename(kept)
            self._say(f"Taken over. The spool from before is kept as {kept}; {waiting} events in it are not delivered.")
            self._open_spool()
        else:
            self._open_spool()
        assert board is not None
        self._spool.bind(board)
        self._couple(client)

    def _couple(self, client: Client) -> None:
        """Put together what works on the spool."""
        lamps = Lamps(self._spool.button, self._clock)
        again = Client(self._plan.url, self._plan.token, self._plan.ca)
        self._lamp_watch = LampWatch(self._spool, lamps, again)
        self._courier = Uploader(self._spool, lamps, client, self._say, self._clock, self._lamp_watch.recovered)
        plan = self._plan
        self._recorder = Recorder(
            self._spool,
            lamps,
            lambda resume: plan.driver.open(plan.port, resume),
            self._courier.wake,
            self._say,
            self._clock,
        )

    def _work(self, client: Client, stop: threading.Event) -> None:
        plan, spool, courier = self._plan, self._spool, self._courier
        waiting = f"; {spool.waiting} events wait from before" if spool.waiting else ""
        self._say(f"Board {spool.board} plays game {plan.game} of {client.url}. Spool {spool.path}{waiting}.")
        ended = threading.Event()

        def deliver() -> None:
            courier.run(ended)
            if courier.ended is not None:
                stop.set()

        delivery = threading.Thread(target=deliver, name="courier", daemon=True)
        lights = threading.Thread(target=self._lamp_watch.run, args=(courier.claimed, ended), name="lamps", daemon=True)
        delivery.start()
        lights.start()
        try:
            self._recorder.run(stop)
        finally:
            ended.set()
            courier.wake()
            delivery.join()
            courier.flush(LEAVE_WITHIN)
        left = f"{spool.waiting} events are not delivered and stay in {spool.path}"
        if courier.ended is not None:
            raise ServiceError(f"{courier.ended}. {left if spool.waiting else 'All events are delivered'}.")
        self._say(f"Stopped; {left if spool.waiting else 'all is delivered'}.")
