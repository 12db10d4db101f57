"""The courier: takes events from the spool to the service, in order, until each is durable there."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from typing import Any

from drivers.errors import MessageError, SpoolError
from drivers.recording.json_form import read_guidance

from .client import Client, Refusal, Unreachable
from .lights import Lamps, Lights
from .spool import Spool

BATCH = 200  # events in a delivery
HEARD_EVERY = 5.0  # seconds between deliveries of nothing, by which the service hears that this desk is there
FIRST_AGAIN = 0.3  # seconds until the next try after the first failure
AGAIN_WITHIN = 10.0  # and after many of them
LIGHTS_WITHIN = 2.0  # the same when it is about the lights, which players wait for
REFUSED_AGAIN = 60.0  # seconds until it is asked again after a refusal that somebody has to mend
TELL_EVERY = 10.0  # seconds between reports of how much waits
LAMP_WAIT = 20.0  # seconds that the service may think about what the lights show
NOTHING_NEW = 0.1  # seconds until it is asked again when it had nothing to say, or the same
FINAL = ("board-closed", "inbox-taken", "not-found")  # refusals that no waiting mends


class Backoff:
    """How long to wait after each failure: twice as long each time, and by chance not all at once."""

    def __init__(self, most: float = AGAIN_WITHIN, chance: Callable[[float, float], float] = random.uniform) -> None:
        self._most = most
        self._chance = chance
        self._tries = 0

    def next(self, asked: float | None = None) -> float:
        """Seconds until the next try; at least `asked`, which the service wished for."""
        most = min(self._most, FIRST_AGAIN * 2 ** min(self._tries, 10))
        self._tries += 1
        return max(self._chance(most / 2, most), asked or 0.0)

    def reset(self) -> None:
        self._tries = 0


class Uploader:
    """Delivers what is in the spool, whose board it knows. One thread runs it; any may `wake` it.

    `claimed` is set when the inbox has been claimed; `ended` says why it gave up for good, None while it did not.
    `clock` is monotonic time, `say` tells people, `recovered` is called when it works again.
    """

    def __init__(
        self,
        spool: Spool,
        lamps: Lamps,
        client: Client,
        say: Callable[[str], None],
        clock: Callable[[], float],
        recovered: Callable[[], None],
        backoff: Backoff | None = None,
    ) -> None:
        self.claimed = threading.Event()
        self.ended: str | None = None
        self.delivered = 0
        self._spool = spool
        self._lamps = lamps
        self._client = client
        self._say = say
        self._clock = clock
        self._recovered = recovered
        self._backoff = backoff or Backoff()
        self._woken = threading.Event()
        self._claim: int | None = None
        self._batch = BATCH
        self._sent_at = -math.inf
        self._trouble: tuple[float, str] | None = None  # since when, and what it is
        self._tell_at = self._retry_at = 0.0

    def wake(self) -> None:
        """There is something to deliver, or to stop for."""
        self._woken.set()

    def claim(self, take_over: bool = False) -> None:
        """Claim the board's inbox for the spool; one that is new learns where it begins.

        :raises Unreachable, Refusal: see `Client.ask`. :raises SpoolError: it cannot be written.
        """
        held = {"first": self._spool.first, "last": self._spool.last} if self._spool.begun else {}
        asked = {"spool": self._spool.id, "take_over": take_over, **held}
        told = self._client.ask("POST", f"/boards/{self._spool.board}/claim", asked)
        if not self._spool.begun:
            resume = told["resume"]
            self._spool.begin(told["last"], resume and (resume["boot"], resume["seq"]))
        self._claim = told["claim"]
        self.claimed.set()

    def run(self, stop: threading.Event) -> None:
        """Deliver until `stop` is set, or nothing more can ever be delivered."""
        while not stop.is_set() and self.ended is None:
            self._woken.clear()
            wait = self.step()
            if wait > 0 and not stop.is_set():
                self._woken.wait(wait)

    def flush(self, seconds: float) -> None:
        """Deliver what is left, unless that takes longer or fails."""
        until = self._clock() + seconds
        while self._spool.waiting and self.ended is None and self._trouble is None and self._clock() < until:
            self.step()

    def step(self) -> float:
        """Deliver once; the answer is how many seconds may pass, unless it is woken, before the next time."""
        now = self._clock()
        if self._trouble is not None and now < self._retry_at:
            self._tell_waiting(now)
            return min(self._retry_at, self._tell_at) - now
        try:
            if self._claim is None:
                self.claim()
            elif self._spool.waiting or now - self._sent_at >= HEARD_EVERY:
                self._deliver()
        except Unreachable as error:
            return self._failed(error.message, self._backoff.next(error.wait))
        except Refusal as error:
            return self._refused(error)
        except SpoolError as error:
            return self._failed(str(error), self._backoff.next())
        except (KeyError, TypeError, MessageError) as error:
            said = f"{self._client.url} gives an answer that makes no sense: {type(error).__name__}: {error}"
            return self._failed(said, self._backoff.next())
        self._well()
        if self._spool.waiting:
            return 0.0
        return max(0.0, HEARD_EVERY - (self._clock() - self._sent_at))

    def _deliver(self) -> None:
        first, events = self._spool.batch(self._batch)
        self._sent_at = self._clock()
        asked = {"claim": self._claim, "first": first, "events": events}
        told = self._client.ask("POST", f"/boards/{self._spool.board}/inbox", asked)
        lights = read_lights(told)
        if events:
            upto = min(told["last"], first + len(events) - 1)
            self._spool.forget(upto)
            self.delivered += upto + 1 - first
        self._lamps.told(lights)

    def _refused(self, error: Refusal) -> float:
        if error.slug == "hole":  # the service goes on from an older copy of its database: another claim tells the gap
            self._claim = None
            return self._failed(error.message, self._backoff.next())
        if error.status == 413 and self._batch > 1:  # the service takes less at once than most
            self._batch //= 2
            return self._failed(error.message, 0.0)
        if error.slug in FINAL:
            self.ended = error.message
            return 0.0
        if error.slug == "conflict":  # somebody else wrote at the same time
            return self._failed(error.message, self._backoff.next())
        return self._failed(error.message, REFUSED_AGAIN)

    def _failed(self, message: str, wait: float) -> float:
        now = self._clock()
        self._retry_at = now + wait
        if self._trouble is None or self._trouble[1] != message:
            since = now if self._trouble is None else self._trouble[0]
            self._trouble = since, message
            self._tell_at = now + TELL_EVERY
            self._say(f"{message}. Recording on; {self._spool.waiting} events wait.")
        self._tell_waiting(now)
        return min(self._retry_at, self._tell_at) - now

    def _tell_waiting(self, now: float) -> None:
        if self._trouble is not None and now >= self._tell_at:
            self._tell_at = now + TELL_EVERY
            self._say(f"Not delivered for {now - self._trouble[0]:.0f} s; {self._spool.waiting} events wait.")

    def _well(self) -> None:
        self._backoff.reset()
        if self._trouble is not None:
            self._say(f"Delivered again, after {self._clock() - self._trouble[0]:.0f} s.")
            self._trouble = None
            self._recovered()


class LampWatch:
    """Asks what the lights should show, so that an answer to a button comes at once. One thread runs it.

    What goes wrong here is left to the courier to tell.
    """

    def __init__(self, spool: Spool, lamps: Lamps, client: Client, backoff: Backoff | None = None) -> None:
        self._spool = spool
        self._lamps = lamps
        self._client = client
        self._backoff = backoff or Backoff(LIGHTS_WITHIN)
        self._again = threading.Event()

    def recovered(self) -> None:
        """The service can be reached again: wait no longer."""
        self._again.set()

    def run(self, claimed: threading.Event, stop: threading.Event) -> None:
        """Ask from the moment the inbox is claimed until `stop` is set."""
        claimed.wait()
        while not stop.is_set():
            self._again.clear()
            self._again.wait(self.step())
        self._client.close()

    def step(self) -> float:
        """Ask once; the answer is how many seconds to wait before the next time."""
        awaited, heard = self._lamps.awaited, self._lamps.heard
        path = f"/boards/{self._spool.board}/lights?after={heard}&wait={LAMP_WAIT:g}"
        if awaited is not None:
            path += f"&dealt={awaited}"
        try:
            self._lamps.told(read_lights(self._client.ask("GET", path, timeout=LAMP_WAIT)))
        except Unreachable as error:
            return self._backoff.next(error.wait)
        except Refusal:
            return REFUSED_AGAIN
        except (KeyError, TypeError, MessageError):
            return self._backoff.next()
        self._backoff.reset()
        return 0.0 if self._lamps.heard != heard else NOTHING_NEW


def read_lights(told: dict[str, Any]) -> Lights:
    """:raises KeyError, TypeError, MessageError: it is no answer about the lights."""
    guidance = told["guidance"]
    return Lights(
        told["version"], told["answers"], told["dealt"], None if guidance is None else read_guidance(guidance)
    )
