"""The uploader: delivers events from the spool to the service, in order, until each is durable there."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from typing import Any

from inkeek.drivers.errors import SpoolError
from inkeek.drivers.recording.json_form import read_guidance
from inkeek.service.boards.identity import FAR_VERSION

from .client import Client, Refusal, Unreachable, reading
from .lights import BoardLights, ServiceLights
from .spool import Spool

BATCH = 200  # events in a delivery
HEARTBEAT_EVERY = 5.0  # seconds between empty deliveries, which tell the service that the agent runs
FIRST_RETRY = 0.3  # seconds until the next try after the first failure
MAX_RETRY = 10.0  # the same after many failures
MAX_LIGHTS_RETRY = 2.0  # the same for the lights: players wait for them
RETRY_REFUSED = 60.0  # seconds until the next try after a refusal that somebody must fix
REPORT_EVERY = 10.0  # seconds between reports of how many events wait
LIGHTS_WAIT = 20.0  # seconds that the service waits for new lights before it answers
UNCHANGED_PAUSE = 0.1  # seconds until the next request for the lights after an answer with nothing new
FINAL = ("board-closed", "inbox-taken", "not-found")  # refusals that no waiting can fix


class Backoff:
    """How long to wait after each failure: twice as long each time, with jitter."""

    def __init__(self, most: float = MAX_RETRY, chance: Callable[[float, float], float] = random.uniform) -> None:
        self._most = most
        self._chance = chance
        self._tries = 0

    def next(self, least: float | None = None) -> float:
        """Seconds until the next try, at least `least`, which the service asked for."""
        most = min(self._most, FIRST_RETRY * 2 ** min(self._tries, 10))
        self._tries += 1
        return max(self._chance(most / 2, most), least or 0.0)

    def reset(self) -> None:
        self._tries = 0


class Uploader:
    """Delivers the events of a spool that is bound to a board. One thread runs it; any may `wake` it.

    `claimed` is set once the inbox is claimed. `ended` says why it gave up for good. `clock` is monotonic time,
    `notify` tells people, `recovered` is called when the service can be reached again.
    """

    def __init__(
        self,
        spool: Spool,
        lights: BoardLights,
        client: Client,
        notify: Callable[[str], None],
        clock: Callable[[], float],
        recovered: Callable[[], None],
        backoff: Backoff | None = None,
    ) -> None:
        self.claimed = threading.Event()
        self.ended: str | None = None
        self.delivered = 0
        self._spool = spool
        self._lights = lights
        self._client = client
        self._notify = notify
        self._clock = clock
        self._recovered = recovered
        self._backoff = backoff or Backoff()
        self._woken = threading.Event()
        self._claim: int | None = None
        self._batch = BATCH
        self._sent_at = -math.inf
        self._failure: tuple[float, str] | None = None  # since when it fails, and how
        self._report_at = self._retry_at = 0.0

    def wake(self) -> None:
        """Say that there is something to deliver, or that it must stop."""
        self._woken.set()

    def claim(self, take_over: bool = False) -> None:
        """Claim the board's inbox for the spool; a new spool learns where it begins.

        :raises Unreachable, Refusal: see `Client.ask`. :raises SpoolError: the spool cannot be written.
        """
        spool = self._spool
        held = {"first": spool.first, "last": spool.last} if spool.begun else {}
        body = {"spool": spool.id, "take_over": take_over, **held}
        answer = self._client.ask("POST", f"/boards/{spool.board}/claim", body)
        if not spool.begun:
            resume = answer["resume"]
            spool.begin(answer["last"], resume and (resume["boot"], resume["seq"]))
        self._claim = answer["claim"]
        if (version := answer.get("far_version", 1)) != FAR_VERSION:
            self._notify(
                f"The service speaks version {version!r:.20} of the protocol of remote boards, this program version "
                f"{FAR_VERSION}: each passes over what it does not know."
            )
        self.claimed.set()

    def run(self, stop: threading.Event) -> None:
        """Deliver until `stop` is set, or nothing can ever be delivered again."""
        while not stop.is_set() and self.ended is None:
            self._woken.clear()
            wait = self.step()
            if wait > 0 and not stop.is_set():
                self._woken.wait(wait)

    def flush(self, seconds: float) -> None:
        """Deliver the rest, unless that fails or takes longer."""
        until = self._clock() + seconds
        while self._spool.waiting and self.ended is None and self._failure is None and self._clock() < until:
            self.step()

    def step(self) -> float:
        """Deliver once. Return after how many seconds to call this again, unless it is woken earlier."""
        now = self._clock()
        if self._failure is not None and now < self._retry_at:
            self._report_waiting(now)
            return min(self._retry_at, self._report_at) - now
        try:
            with reading(self._client.url):
                if self._claim is None:
                    self.claim()
                elif self._spool.waiting or now - self._sent_at >= HEARTBEAT_EVERY:
                    self._deliver()
        except Unreachable as error:
            return self._fail(error.message, self._backoff.next(error.wait))
        except Refusal as error:
            return self._handle_refusal(error)
        except SpoolError as error:
            return self._fail(str(error), self._backoff.next())
        self._recover()
        return 0.0 if self._spool.waiting else max(0.0, HEARTBEAT_EVERY - (self._clock() - self._sent_at))

    def _deliver(self) -> None:
        first, events = self._spool.batch(self._batch)
        self._sent_at = self._clock()
        body = {"claim": self._claim, "first": first, "events": events}
        answer = self._client.ask("POST", f"/boards/{self._spool.board}/inbox", body)
        lights = read_lights(answer)
        _note_serial(self._spool, answer)
        if events:
            last = min(answer["last"], first + len(events) - 1)
            self._spool.forget(last)
            self.delivered += last + 1 - first
        self._lights.update(lights)

    def _handle_refusal(self, error: Refusal) -> float:
        if error.slug in FINAL:
            self.ended = error.message
            return 0.0
        if error.status == 413 and self._batch > 1:  # the service takes fewer events at once
            self._batch //= 2
            return self._fail(error.message, 0.0)
        if error.slug == "hole":  # the service runs on an older copy of its database; a new claim reports the gap
            self._claim = None
        elif error.slug != "conflict":  # another writer was faster
            return self._fail(error.message, RETRY_REFUSED)
        return self._fail(error.message, self._backoff.next())

    def _fail(self, message: str, wait: float) -> float:
        now = self._clock()
        self._retry_at = now + wait
        if self._failure is None or self._failure[1] != message:
            since = now if self._failure is None else self._failure[0]
            self._failure = since, message
            self._report_at = now + REPORT_EVERY
            self._notify(f"{message}. Recording continues; {self._spool.waiting} events wait.")
        self._report_waiting(now)
        return min(self._retry_at, self._report_at) - now

    def _report_waiting(self, now: float) -> None:
        if self._failure is not None and now >= self._report_at:
            self._report_at = now + REPORT_EVERY
            self._notify(
                f"Nothing was delivered for {now - self._failure[0]:.0f} s; {self._spool.waiting} events wait."
            )

    def _recover(self) -> None:
        self._backoff.reset()
        if self._failure is not None:
            self._notify(f"Delivery works again, after {self._clock() - self._failure[0]:.0f} s.")
            self._failure = None
            self._recovered()


class LightsPoller:
    """Asks what the lights should show, so that the answer to a button comes at once. One thread runs it.

    It reports no failures: the uploader does.
    """

    def __init__(self, spool: Spool, lights: BoardLights, client: Client, backoff: Backoff | None = None) -> None:
        self._spool = spool
        self._lights = lights
        self._client = client
        self._backoff = backoff or Backoff(MAX_LIGHTS_RETRY)
        self._retry_now = threading.Event()

    def recovered(self) -> None:
        """Stop waiting: the service can be reached again."""
        self._retry_now.set()

    def run(self, claimed: threading.Event, stop: threading.Event) -> None:
        """Ask from the moment the inbox is claimed until `stop` is set."""
        claimed.wait()
        while not stop.is_set():
            self._retry_now.clear()
            self._retry_now.wait(self.step())

    def step(self) -> float:
        """Ask once. Return how many seconds to wait before the next time."""
        awaited, version = self._lights.awaited, self._lights.version
        path = f"/boards/{self._spool.board}/lights?after={version}&wait={LIGHTS_WAIT:g}"
        if awaited is not None:
            path += f"&dealt={awaited}"
        try:
            with reading(self._client.url):
                answer = self._client.ask("GET", path, timeout=LIGHTS_WAIT)
                self._lights.update(read_lights(answer))
                _note_serial(self._spool, answer)
        except Unreachable as error:
            return self._backoff.next(error.wait)
        except Refusal:
            return RETRY_REFUSED
        except SpoolError:
            return self._backoff.next()
        self._backoff.reset()
        return 0.0 if self._lights.version != version else UNCHANGED_PAUSE


def _note_serial(spool: Spool, answer: dict[str, Any]) -> None:
    """Keep the serial number of the board that the service has bound, if it has one."""
    serial = answer.get("serial")
    if isinstance(serial, str):
        spool.bind_serial(serial)


def read_lights(answer: dict[str, Any]) -> ServiceLights:
    """:raises KeyError, TypeError, MessageError: the answer is not about the lights."""
    guidance = answer["guidance"]
    return ServiceLights(
        answer["version"], answer["answers"], answer["dealt"], None if guidance is None else read_guidance(guidance)
    )
