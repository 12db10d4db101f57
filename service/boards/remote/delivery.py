"""Delivers the reports of a far board's process to the service, in order, each until it is taken or refused."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from inkeek.drivers.errors import SpoolError

from .client import Client, RequestRefused, Unreachable, reading
from .spool import Known, Spool

QUICK = 0.035  # seconds that a press waits for the service before the spool keeps it
HEARTBEAT_EVERY = 5.0  # seconds between reports of which the service hears that the process runs
NEWS_WAIT = 20.0  # seconds that the service waits for news before it answers
FIRST_RETRY = 0.3  # seconds until the next try after the first failure
MAX_RETRY = 5.0  # the same after many failures
RETRY_REFUSED = 60.0  # seconds until the next try after a refusal that somebody must fix
FINAL = ("board-closed", "not-found")  # refusals that no waiting can fix
MAX_EVIDENCE = 300  # entries of the log that a report may have
PATIENT = (401, 403, 413)  # statuses of refusals that are not about what is reported


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


@dataclass(eq=False)
class _Waiting:
    """A report that waits. `number`: in the spool; None: the controller waits for the answer. `is_counts`: it says
    nothing but counts, so a later one stands for it."""

    body: dict[str, Any]
    number: int | None = None
    is_counts: bool = False
    is_done: bool = False
    answered: threading.Event = field(default_factory=threading.Event)  # or it is known that there is no answer
    refusal: RequestRefused | None = None


class Delivery:
    """The reports of the board `board_id` that wait. One thread calls `send`; `run` and `follow` have threads of their
    own. `notify` tells people; `clock` is monotonic time. `ended` says why it gave up for good.
    """

    def __init__(
        self,
        client: Client,
        board_id: str,
        spool: Spool,
        waiting: list[tuple[int, dict[str, Any]]],
        notify: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ended: str | None = None
        self.stop = threading.Event()
        self._client = client
        self._path = f"/boards/{quote(board_id, safe='')}"
        self._spool = spool
        self.notify = notify
        self._clock = clock
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._waiting = deque(_Waiting(body, number) for number, body in waiting)
        self._sending: _Waiting | None = None
        self._news: dict[str, Any] | None = None  # what the service said last, not taken yet
        self._answers = 0
        self._known: tuple[int, str, int] = (0, "", 0)  # the last event and its hash, the last request
        self._failure: tuple[float, str] | None = None  # since when it fails, and how

    @property
    def keeps(self) -> bool:
        """Whether a press waits in the spool."""
        with self._lock:
            return any(one.number is not None and not one.is_counts for one in self._waiting)

    def know(self, known: Known) -> None:
        """Say what the process knows, so that news are what follows it."""
        last = known.events[known.confirmed - 1].hash if known.confirmed else ""
        request = max((one.number for one in known.requests), default=0)
        with self._lock:
            self._known = (known.confirmed, last, request)

    def take_news(self) -> dict[str, Any] | None:
        """What the service said last, once nothing waits; None: nothing new."""
        with self._lock:
            if self._waiting:
                return None
            news, self._news = self._news, None
            return news

    def send(self, body: dict[str, Any], known: Known, *, is_counts: bool) -> None:
        """Have the service do what a report says, or, if it does not answer at once, keep it in the spool, with what is
        known after it.

        :raises RequestRefused: the service refuses. :raises SpoolError: it cannot be kept, and may not be done.
        """
        after, last, _ = self._known
        report = _Waiting({**body, "id": secrets.token_hex(16), "after": after, "hash": last}, is_counts=is_counts)
        if not is_counts and self._failure is None:
            with self._lock:
                self._waiting.append(report)
            self._woken.set()
            report.answered.wait(QUICK)
        self._keep_unless_done(report, known)
        self._woken.set()
        if report.refusal is not None:
            raise report.refusal

    def _keep_unless_done(self, report: _Waiting, known: Known) -> None:
        with self._lock:
            if report.is_done:
                return
            if report not in self._waiting:
                self._waiting.append(report)
            before = self._waiting[-2] if len(self._waiting) > 1 else None
            replaces = before is not None and before.is_counts and before is not self._sending
            instead_of = [] if not replaces or before is None or before.number is None else [before.number]
            try:
                report.number = self._spool.keep(report.body, known, instead_of)
            except SpoolError:
                self._waiting.remove(report)  # the board keeps its event, and sends it again
                raise
            if replaces and before is not None:
                self._waiting.remove(before)

    # The threads

    def run(self) -> None:
        """Deliver until `stop` is set, or nothing can ever be delivered again."""
        backoff, due = Backoff(), 0.0
        while not self.stop.is_set() and self.ended is None:
            left = due - self._clock()
            if left > 0 and (self._failure is not None or not self._waiting):
                self._woken.wait(left)
                self._woken.clear()
                continue
            wait = self._step(backoff)
            due = self._clock() + wait

    def end(self) -> None:
        """Have the threads end."""
        self.stop.set()
        self._woken.set()

    def flush(self, seconds: float) -> None:
        """Wait until the rest is delivered, at most so long, unless that fails."""
        until = self._clock() + seconds
        while self._waiting and self._failure is None and self.ended is None and self._clock() < until:
            threading.Event().wait(0.01)

    def _step(self, backoff: Backoff) -> float:
        """Deliver one report, or say that the process runs. Return how many seconds to wait before the next."""
        with self._lock:
            report = self._sending = self._waiting[0] if self._waiting else None
            after, last, _ = self._known
        body = {"id": secrets.token_hex(16), "after": after, "hash": last} if report is None else report.body
        try:
            with reading(self._client.url):
                try:
                    answer = self._client.ask("POST", f"{self._path}/report", body)
                    self._finish(report, answer)
                except RequestRefused as error:
                    if error.slug in FINAL or error.status in PATIENT or report is None:
                        raise
                    self._refuse(report, error, self._ask_news())
        except Unreachable as error:
            return self._fail(error.message, backoff.next(error.wait))
        except RequestRefused as error:
            if error.slug in FINAL:
                self.ended = error.message
                return 0.0
            return self._fail(error.message, RETRY_REFUSED)
        except SpoolError as error:
            return self._fail(str(error), backoff.next())
        finally:
            with self._lock:
                self._sending = None
        backoff.reset()
        self._recover()
        return HEARTBEAT_EVERY

    def follow(self) -> None:
        """Ask for news until `stop` is set."""
        backoff = Backoff(2.0)
        while not self.stop.is_set() and self.ended is None:
            with self._lock:
                answers = self._answers
            try:
                with reading(self._client.url):
                    after, _, request = self._known
                    news = self._ask_news(NEWS_WAIT)
                    is_new = news["after"] != after or news["events"]
                    is_new = is_new or any(one["number"] > request for one in news["requests"])
            except Unreachable as error:
                self.stop.wait(backoff.next(error.wait))
                continue
            except RequestRefused:  # the delivery says it
                self.stop.wait(1.0)
                continue
            backoff.reset()
            with self._lock:
                is_latest = answers == self._answers and not self._waiting
                if is_latest:
                    self._news = news
            until = self._clock() + 1.0
            while is_new and self._news is news and self._clock() < until and not self.stop.wait(0.01):
                pass  # until it is taken
            if is_new and not is_latest:
                self.stop.wait(0.05)

    def _ask_news(self, wait: float = 0.0) -> dict[str, Any]:
        after, last, request = self._known
        path = f"{self._path}/news?after={after}&hash={last}&request={request}&wait={wait:g}"
        return self._client.ask("GET", path, timeout=wait)

    def _finish(self, report: _Waiting | None, answer: dict[str, Any]) -> None:
        """Take an answer to a report that was taken."""
        _ = answer["board"]["wanted"], answer["after"], answer["events"], answer["requests"]
        with self._lock:
            self._answers += 1
            self._news = answer
            if report is not None:
                self._drop(report)

    def _refuse(self, report: _Waiting, error: RequestRefused, news: dict[str, Any]) -> None:
        """What was refused is for who waits for it. If nobody does, it is evidence, as is all that was judged after it:
        the board's log says so."""
        with self._lock:
            self._answers += 1
            self._news = news
            if report.number is None:
                self._drop(report)
                report.refusal = error
                return
            lost = list(self._waiting)
            changes = [one for entry in lost for one in entry.body.get("changes", ())]
            log = [entry for one in lost for entry in one.body.get("log", ())]
            log = [*log, *(_evidence(change, error.message) for change in changes)][-MAX_EVIDENCE:]
            numbers = [one.number for one in lost if one.number is not None]
            left = deque[_Waiting]()
            if log and report.body.get("status") is not None:  # else this is the evidence, and is refused too
                after, last, _ = self._known
                body = {"id": secrets.token_hex(16), "after": after, "hash": last, "log": log}
                body["done"] = [number for one in lost for number in one.body.get("done", ())]
                left.append(_Waiting(body, self._spool.keep(body, None, numbers)))
            else:
                self._spool.forget(numbers)
            self._waiting = left
        self.notify(
            f"{error.message}. {len(changes)} changes of the game that were judged here do not fit any more: nothing "
            "of them is recorded. The board's log in the service has them."
        )

    def _drop(self, report: _Waiting) -> None:
        if report in self._waiting:  # else the spool had no room for it
            self._waiting.remove(report)
        report.is_done = True
        report.answered.set()
        if report.number is not None:
            self._spool.forget([report.number])

    def _fail(self, message: str, wait: float) -> float:
        now = self._clock()
        if self._failure is None or self._failure[1] != message:
            self._failure = (now if self._failure is None else self._failure[0]), message
            self.notify(f"{message}. The game goes on here; reports waiting: {self._spool.waiting}.")
        with self._lock:
            for report in self._waiting:
                report.answered.set()
        return wait

    def _recover(self) -> None:
        if self._failure is not None:
            self.notify(f"Delivery works again, after {self._clock() - self._failure[0]:.0f} s.")
            self._failure = None


def _evidence(change: dict[str, Any], reason: str) -> dict[str, Any]:
    data = {name: change[name] for name in ("kind", "source", "data")}
    return {"kind": "not-recorded", "data": {**data, "reason": reason[:500]}}
