from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.base import Guidance
from drivers.events import PitChanged
from drivers.recording.json_form import guidance_json
from records import NORTH
from service.boards.remote.client import Refusal, Unreachable
from service.boards.remote.lights import Lamps
from service.boards.remote.spool import Spool
from service.boards.remote.uploader import (
    AGAIN_WITHIN,
    BATCH,
    HEARD_EVERY,
    NOTHING_NEW,
    REFUSED_AGAIN,
    TELL_EVERY,
    Backoff,
    LampWatch,
    Uploader,
)

BOOT = "0000000a"


class Service:
    """A service in place of a client: it answers with what the test put into `answers`, else as an inbox does."""

    url = "https://far.example"

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.answers: list[Any] = []
        self.last = 0
        self.resume: dict[str, Any] | None = None
        self.lights = {"version": 1, "answers": 0, "dealt": 0, "guidance": guidance_json(Guidance(NORTH))}
        self.took: list[int] = []

    def ask(self, method: str, path: str, body: Any = None, timeout: float = 0.0) -> Any:
        self.asked.append((f"{method} {path}", body))
        told = self.answers.pop(0) if self.answers else None
        if isinstance(told, Exception):
            raise told
        if told is not None:
            return told
        if path.endswith("/claim"):
            return {"claim": 7, "last": self.last, "resume": self.resume}
        if path.endswith("/inbox"):
            assert body["first"] <= self.last + 1
            self.took += [event["seq"] for event in body["events"][self.last + 1 - body["first"] :]]
            self.last = max(self.last, body["first"] + len(body["events"]) - 1)
        return {"last": self.last, **self.lights}

    def close(self) -> None:
        pass


class Desk:
    """A courier that the test moves step by step."""

    def __init__(self, path: Path) -> None:
        self.now = 1000.0
        self.spool = Spool(path)
        self.spool.bind("b1")
        self.service = Service()
        self.lamps = Lamps(0, lambda: self.now)
        self.said: list[str] = []
        self.recovered = 0
        self.courier = Uploader(
            self.spool,
            self.lamps,
            self.service,  # type: ignore[arg-type]
            self.said.append,
            lambda: self.now,
            self._recovered,
            Backoff(chance=lambda low, high: high),
        )

    def _recovered(self) -> None:
        self.recovered += 1

    def append(self, *seqs: int) -> None:
        self.spool.append([PitChanged(BOOT, seq, 0, 3, 4.0) for seq in seqs])

    @property
    def asked(self) -> list[str]:
        return [what for what, _ in self.service.asked]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "x.spool")
    yield desk
    desk.spool.close()


def test_a_new_spool_begins_where_the_service_says(desk: Desk) -> None:
    desk.service.last, desk.service.resume = 40, {"boot": BOOT, "seq": 12}
    assert not desk.courier.claimed.is_set()
    desk.courier.step()
    assert desk.courier.claimed.is_set()
    assert desk.service.asked[0] == ("POST /boards/b1/claim", {"spool": desk.spool.id, "take_over": False})
    assert (desk.spool.last, desk.spool.resume) == (40, (BOOT, 12))


def test_events_go_in_batches_and_are_forgotten_when_they_are_safe(desk: Desk) -> None:
    desk.courier.claim()
    desk.append(*range(1, BATCH + 4))
    assert desk.courier.step() == 0.0
    assert desk.spool.waiting == 3
    assert desk.courier.step() == HEARD_EVERY
    assert (desk.spool.waiting, desk.courier.delivered) == (0, BATCH + 3)
    assert desk.service.took == list(range(1, BATCH + 4))
    assert desk.service.asked[1][1]["claim"] == 7
    assert desk.lamps.due() == Guidance(NORTH)


def test_a_desk_that_has_nothing_to_say_is_heard_all_the_same(desk: Desk) -> None:
    desk.courier.claim()
    assert desk.courier.step() == HEARD_EVERY
    desk.now += 2
    assert desk.courier.step() == HEARD_EVERY - 2
    assert len(desk.asked) == 2
    desk.now += HEARD_EVERY - 2
    desk.courier.step()
    assert desk.service.asked[2] == ("POST /boards/b1/inbox", {"claim": 7, "first": 1, "events": []})


def test_an_answer_that_is_lost_has_it_sent_again_and_stored_once(desk: Desk) -> None:
    desk.courier.claim()
    desk.append(1, 2)
    ask = desk.service.ask

    def lose(*asked: Any, **more: Any) -> Any:
        ask(*asked, **more)
        raise Unreachable("no answer in time")

    desk.service.ask = lose  # type: ignore[method-assign]
    desk.courier.step()
    assert desk.spool.waiting == 2
    desk.service.ask = ask  # type: ignore[method-assign]
    desk.append(3)
    desk.now += 60
    desk.courier.step()
    assert desk.service.took == [1, 2, 3]
    assert desk.spool.waiting == 0


def test_a_service_that_is_away_is_tried_again_ever_more_rarely_and_people_are_told(desk: Desk) -> None:
    desk.courier.claim()
    desk.append(1, 2)
    desk.service.answers = [Unreachable("no way there")] * 8
    waits = []
    while desk.service.answers:
        before = len(desk.asked)
        wait = desk.courier.step()
        if len(desk.asked) > before:
            waits.append(desk.courier._retry_at - desk.now)
        desk.now += wait
    assert waits == pytest.approx([0.3, 0.6, 1.2, 2.4, 4.8, 9.6, AGAIN_WITHIN, AGAIN_WITHIN])
    assert desk.said[0] == "no way there. Recording on; 2 events wait."
    assert desk.said[1].startswith("Not delivered for 1")
    assert len(desk.said) <= 2 + sum(waits) / TELL_EVERY
    desk.now += AGAIN_WITHIN
    desk.courier.step()
    assert desk.said[-1].startswith("Delivered again, after ")
    assert (desk.spool.waiting, desk.recovered) == (0, 1)


def test_a_service_that_asks_for_time_gets_it(desk: Desk) -> None:
    desk.courier.claim()
    desk.service.answers = [Unreachable("answers 429: too fast", wait=17)]
    assert desk.courier.step() == TELL_EVERY
    assert desk.courier._retry_at == desk.now + 17
    asked = len(desk.asked)
    desk.now += 16.9
    desk.courier.step()
    assert len(desk.asked) == asked


@pytest.mark.parametrize(("status", "slug"), [(401, "unauthorized"), (403, "forbidden"), (422, "invalid")])
def test_what_somebody_must_mend_is_told_and_not_hammered(desk: Desk, status: int, slug: str) -> None:
    desk.courier.claim()
    desk.append(1)
    desk.service.answers = [Refusal(status, slug, "the token was revoked", {})]
    desk.courier.step()
    assert desk.courier._retry_at == desk.now + REFUSED_AGAIN
    assert desk.said == ["the token was revoked. Recording on; 1 events wait."]
    assert desk.courier.ended is None
    desk.now += REFUSED_AGAIN
    desk.courier.step()
    assert desk.service.took == [1]


@pytest.mark.parametrize(("status", "slug"), [(404, "not-found"), (409, "board-closed"), (409, "inbox-taken")])
def test_what_nothing_mends_ends_it(desk: Desk, status: int, slug: str) -> None:
    desk.courier.claim()
    desk.append(1)
    desk.service.answers = [Refusal(status, slug, "the board was released", {})]
    stop = threading.Event()
    desk.courier.run(stop)
    assert desk.courier.ended == "the board was released"
    assert desk.spool.waiting == 1
    desk.courier.flush(10)
    assert len(desk.asked) == 2


def test_a_service_that_takes_less_at_once_gets_less(desk: Desk) -> None:
    desk.courier.claim()
    desk.append(*range(1, 9))
    ask = desk.service.ask

    def take_three(method: str, path: str, body: Any = None, timeout: float = 0.0) -> Any:
        if len(body.get("events", [])) > 3:
            raise Refusal(413, "too-large", "the body is larger than it may be", {})
        return ask(method, path, body, timeout)

    desk.service.ask = take_three  # type: ignore[method-assign]
    for _ in range(20):
        desk.courier.step()
    assert desk.service.took == list(range(1, 9))


def test_a_service_that_lacks_what_was_delivered_is_claimed_anew(desk: Desk) -> None:
    desk.courier.claim()
    desk.append(1, 2)
    desk.service.answers = [Refusal(409, "hole", "expected 1", {"expected": 1})]
    desk.courier.step()
    desk.now += 60
    desk.courier.step()
    assert desk.service.asked[-1][1] == {"spool": desk.spool.id, "take_over": False, "first": 1, "last": 2}
    desk.courier.step()
    assert desk.service.took == [1, 2]


@pytest.mark.parametrize("answer", [{"claim": 1}, {"last": "x", "version": 0}, [], {"guidance": {"to_move": "West"}}])
def test_an_answer_that_makes_no_sense_is_a_failure_like_others(desk: Desk, answer: Any) -> None:
    desk.courier.claim()
    desk.append(1)
    desk.service.answers = [answer]
    desk.courier.step()
    assert "gives an answer that makes no sense" in desk.said[0]
    assert desk.spool.waiting == 1


def test_waits_differ_by_chance_between_half_and_whole() -> None:
    backoff = Backoff(chance=random.Random(1).uniform)
    waits = [backoff.next() for _ in range(200)][10:]
    assert AGAIN_WITHIN / 2 <= min(waits) < max(waits) <= AGAIN_WITHIN
    assert len(set(waits)) > 100
    backoff.reset()
    assert backoff.next() <= 0.3


def test_what_is_left_is_delivered_when_it_is_told_to_stop(desk: Desk) -> None:
    desk.courier.claim()
    desk.append(*range(1, 2 * BATCH))
    desk.courier.flush(5)
    assert desk.spool.waiting == 0
    desk.append(2 * BATCH)
    desk.service.answers = [Unreachable("away")] * 3
    desk.courier.flush(5)
    assert desk.spool.waiting == 1
    assert len(desk.service.answers) == 2


class TestLampWatch:
    def watch(self, desk: Desk) -> LampWatch:
        return LampWatch(desk.spool, desk.lamps, desk.service, Backoff(chance=lambda low, high: high))  # type: ignore[arg-type]

    def test_it_asks_for_what_is_newer_than_what_it_has(self, desk: Desk) -> None:
        watch = self.watch(desk)
        assert watch.step() == 0.0
        assert watch.step() == NOTHING_NEW
        assert desk.asked == ["GET /boards/b1/lights?after=-1&wait=20", "GET /boards/b1/lights?after=1&wait=20"]
        assert desk.lamps.due() == Guidance(NORTH)

    def test_it_asks_after_a_button_that_waits(self, desk: Desk) -> None:
        desk.lamps.pressed(12, NORTH)
        self.watch(desk).step()
        assert desk.asked == ["GET /boards/b1/lights?after=-1&wait=20&dealt=12"]

    @pytest.mark.parametrize(
        ("trouble", "wait"),
        [
            (Unreachable("away"), 0.3),
            (Unreachable("later", wait=9), 9),
            (Refusal(401, "unauthorized", "no", {}), REFUSED_AGAIN),
            ({"version": 1}, 0.3),
        ],
    )
    def test_it_waits_after_trouble(self, desk: Desk, trouble: Any, wait: float) -> None:
        desk.service.answers = [trouble]
        assert self.watch(desk).step() == wait
        assert desk.said == []
