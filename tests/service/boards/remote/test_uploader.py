import random
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.events import PitChanged
from inkeek.drivers.recording.json_form import guidance_json
from inkeek.records import NORTH
from inkeek.service.boards.identity import FAR_VERSION
from inkeek.service.boards.remote.client import Refusal, Unreachable
from inkeek.service.boards.remote.lights import BoardLights
from inkeek.service.boards.remote.spool import Spool
from inkeek.service.boards.remote.uploader import (
    BATCH,
    HEARTBEAT_EVERY,
    MAX_RETRY,
    REPORT_EVERY,
    RETRY_REFUSED,
    UNCHANGED_PAUSE,
    Backoff,
    LightsPoller,
    Uploader,
)

BOOT = "0000000a"


class Service:
    """A service in place of a client: it answers with what the test put into `answers`, else as an inbox does."""

    url = "https://far.example"

    def __init__(self) -> None:
        self.requests: list[tuple[str, Any]] = []
        self.answers: list[Any] = []
        self.last = 0
        self.resume: dict[str, Any] | None = None
        self.lights = {"version": 1, "answers": 0, "dealt": 0, "guidance": guidance_json(Guidance(NORTH))}
        self.took: list[int] = []

    def ask(self, method: str, path: str, body: Any = None, timeout: float = 0.0) -> Any:
        self.requests.append((f"{method} {path}", body))
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            return answer
        if path.endswith("/claim"):
            return {"claim": 7, "last": self.last, "resume": self.resume, "far_version": FAR_VERSION}
        if path.endswith("/inbox"):
            assert body["first"] <= self.last + 1
            self.took += [event["seq"] for event in body["events"][self.last + 1 - body["first"] :]]
            self.last = max(self.last, body["first"] + len(body["events"]) - 1)
        return {"last": self.last, **self.lights}

    def close(self) -> None:
        pass


class Bench:
    """An uploader that the test moves step by step."""

    def __init__(self, path: Path) -> None:
        self.now = 1000.0
        self.spool = Spool(path)
        self.spool.bind("b1")
        self.service = Service()
        self.lights = BoardLights(0, lambda: self.now)
        self.messages: list[str] = []
        self.recovered = 0
        self.uploader = Uploader(
            self.spool,
            self.lights,
            self.service,  # type: ignore[arg-type]
            self.messages.append,
            lambda: self.now,
            self._recovered,
            Backoff(chance=lambda low, high: high),
        )

    def _recovered(self) -> None:
        self.recovered += 1

    def append(self, *seqs: int) -> None:
        self.spool.append([PitChanged(BOOT, seq, 0, 3, 4.0) for seq in seqs])

    @property
    def requests(self) -> list[str]:
        return [request for request, _ in self.service.requests]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "x.spool")
    yield bench
    bench.spool.close()


def test_a_new_spool_begins_where_the_service_says(bench: Bench) -> None:
    bench.service.last, bench.service.resume = 40, {"boot": BOOT, "seq": 12}
    assert not bench.uploader.claimed.is_set()
    bench.uploader.step()
    assert bench.uploader.claimed.is_set()
    assert bench.service.requests[0] == ("POST /boards/b1/claim", {"spool": bench.spool.id, "take_over": False})
    assert (bench.spool.last, bench.spool.resume) == (40, (BOOT, 12))


def test_events_go_in_batches_and_are_forgotten_when_they_are_safe(bench: Bench) -> None:
    bench.uploader.claim()
    bench.append(*range(1, BATCH + 4))
    assert bench.uploader.step() == 0.0
    assert bench.spool.waiting == 3
    assert bench.uploader.step() == HEARTBEAT_EVERY
    assert (bench.spool.waiting, bench.uploader.delivered) == (0, BATCH + 3)
    assert bench.service.took == list(range(1, BATCH + 4))
    assert bench.service.requests[1][1]["claim"] == 7
    assert bench.lights.take_next() == Guidance(NORTH)


def test_a_desk_that_has_nothing_to_say_is_heard_all_the_same(bench: Bench) -> None:
    bench.uploader.claim()
    assert bench.uploader.step() == HEARTBEAT_EVERY
    bench.now += 2
    assert bench.uploader.step() == HEARTBEAT_EVERY - 2
    assert len(bench.requests) == 2
    bench.now += HEARTBEAT_EVERY - 2
    bench.uploader.step()
    assert bench.service.requests[2] == ("POST /boards/b1/inbox", {"claim": 7, "first": 1, "events": []})


def test_an_answer_that_is_lost_has_it_sent_again_and_stored_once(bench: Bench) -> None:
    bench.uploader.claim()
    bench.append(1, 2)
    ask = bench.service.ask

    def lose(*asked: Any, **more: Any) -> Any:
        ask(*asked, **more)
        raise Unreachable("no answer in time")

    bench.service.ask = lose  # type: ignore[method-assign]
    bench.uploader.step()
    assert bench.spool.waiting == 2
    bench.service.ask = ask  # type: ignore[method-assign]
    bench.append(3)
    bench.now += 60
    bench.uploader.step()
    assert bench.service.took == [1, 2, 3]
    assert bench.spool.waiting == 0


def test_a_service_that_is_away_is_tried_again_ever_more_rarely_and_people_are_notified(bench: Bench) -> None:
    bench.uploader.claim()
    bench.append(1, 2)
    bench.service.answers = [Unreachable("no way there")] * 8
    waits, began = [], bench.now
    while bench.service.answers:
        before = len(bench.requests)
        wait = bench.uploader.step()
        if len(bench.requests) > before:
            waits.append(bench.uploader._retry_at - bench.now)
        bench.now += wait
    assert waits == pytest.approx([0.3, 0.6, 1.2, 2.4, 4.8, 9.6, MAX_RETRY, MAX_RETRY])
    assert bench.messages[0].startswith("no way there. ")
    assert "2" in bench.messages[0].split()
    assert any(re.fullmatch("1[0-9]", word) for word in bench.messages[1].split())
    assert len(bench.messages) <= 2 + sum(waits) / REPORT_EVERY
    bench.now += MAX_RETRY
    bench.uploader.step()
    assert f"{bench.now - began:.0f}" in bench.messages[-1].split()
    assert (bench.spool.waiting, bench.recovered) == (0, 1)


def test_a_service_that_asks_for_time_gets_it(bench: Bench) -> None:
    bench.uploader.claim()
    bench.service.answers = [Unreachable("answers 429: too fast", wait=17)]
    assert bench.uploader.step() == REPORT_EVERY
    assert bench.uploader._retry_at == bench.now + 17
    asked = len(bench.requests)
    bench.now += 16.9
    bench.uploader.step()
    assert len(bench.requests) == asked


@pytest.mark.parametrize(("status", "slug"), [(401, "unauthorized"), (403, "forbidden"), (422, "invalid")])
def test_what_somebody_must_mend_is_reported_and_not_hammered(bench: Bench, status: int, slug: str) -> None:
    bench.uploader.claim()
    bench.append(1)
    bench.service.answers = [Refusal(status, slug, "the token was revoked", {})]
    bench.uploader.step()
    assert bench.uploader._retry_at == bench.now + RETRY_REFUSED
    assert len(bench.messages) == 1
    assert bench.messages[0].startswith("the token was revoked. ")
    assert bench.uploader.ended is None
    bench.now += RETRY_REFUSED
    bench.uploader.step()
    assert bench.service.took == [1]


@pytest.mark.parametrize(("status", "slug"), [(404, "not-found"), (409, "board-closed"), (409, "inbox-taken")])
def test_what_nothing_mends_ends_it(bench: Bench, status: int, slug: str) -> None:
    bench.uploader.claim()
    bench.append(1)
    bench.service.answers = [Refusal(status, slug, "the board was released", {})]
    stop = threading.Event()
    bench.uploader.run(stop)
    assert bench.uploader.ended == "the board was released"
    assert bench.spool.waiting == 1
    bench.uploader.flush(10)
    assert len(bench.requests) == 2


def test_a_service_that_takes_less_at_once_gets_less(bench: Bench) -> None:
    bench.uploader.claim()
    bench.append(*range(1, 9))
    ask = bench.service.ask

    def take_three(method: str, path: str, body: Any = None, timeout: float = 0.0) -> Any:
        if len(body.get("events", [])) > 3:
            raise Refusal(413, "too-large", "the body is larger than it may be", {})
        return ask(method, path, body, timeout)

    bench.service.ask = take_three  # type: ignore[method-assign]
    for _ in range(20):
        bench.uploader.step()
    assert bench.service.took == list(range(1, 9))


def test_a_service_that_lacks_what_was_delivered_is_claimed_again(bench: Bench) -> None:
    bench.uploader.claim()
    bench.append(1, 2)
    bench.service.answers = [Refusal(409, "hole", "expected 1", {"expected": 1})]
    bench.uploader.step()
    bench.now += 60
    bench.uploader.step()
    assert bench.service.requests[-1][1] == {"spool": bench.spool.id, "take_over": False, "first": 1, "last": 2}
    bench.uploader.step()
    assert bench.service.took == [1, 2]


@pytest.mark.parametrize("answer", [{"claim": 1}, {"last": "x", "version": 0}, [], {"guidance": {"to_move": "West"}}])
def test_an_answer_that_makes_no_sense_is_a_failure_like_others(bench: Bench, answer: Any) -> None:
    bench.uploader.claim()
    bench.append(1)
    bench.service.answers = [answer]
    bench.uploader.step()
    assert bench.service.url in bench.messages[0]
    assert bench.spool.waiting == 1


def test_waits_differ_by_chance_between_half_and_whole() -> None:
    backoff = Backoff(chance=random.Random(1).uniform)
    waits = [backoff.next() for _ in range(200)][10:]
    assert MAX_RETRY / 2 <= min(waits) < max(waits) <= MAX_RETRY
    assert len(set(waits)) > 100
    backoff.reset()
    assert backoff.next() <= 0.3


def test_what_is_left_is_delivered_when_it_is_stopped(bench: Bench) -> None:
    bench.uploader.claim()
    bench.append(*range(1, 2 * BATCH))
    bench.uploader.flush(5)
    assert bench.spool.waiting == 0
    bench.append(2 * BATCH)
    bench.service.answers = [Unreachable("away")] * 3
    bench.uploader.flush(5)
    assert bench.spool.waiting == 1
    assert len(bench.service.answers) == 2


class TestLightsPoller:
    def watch(self, bench: Bench) -> LightsPoller:
        return LightsPoller(bench.spool, bench.lights, bench.service, Backoff(chance=lambda low, high: high))  # type: ignore[arg-type]

    def test_it_asks_for_what_is_newer_than_what_it_has(self, bench: Bench) -> None:
        watch = self.watch(bench)
        assert watch.step() == 0.0
        assert watch.step() == UNCHANGED_PAUSE
        assert bench.requests == ["GET /boards/b1/lights?after=-1&wait=20", "GET /boards/b1/lights?after=1&wait=20"]
        assert bench.lights.take_next() == Guidance(NORTH)

    def test_it_asks_after_a_button_that_waits(self, bench: Bench) -> None:
        bench.lights.button_pressed(12, NORTH)
        self.watch(bench).step()
        assert bench.requests == ["GET /boards/b1/lights?after=-1&wait=20&dealt=12"]

    @pytest.mark.parametrize(
        ("trouble", "wait"),
        [
            (Unreachable("away"), 0.3),
            (Unreachable("later", wait=9), 9),
            (Refusal(401, "unauthorized", "no", {}), RETRY_REFUSED),
            ({"version": 1}, 0.3),
        ],
    )
    def test_it_waits_after_trouble(self, bench: Bench, trouble: Any, wait: float) -> None:
        bench.service.answers = [trouble]
        assert self.watch(bench).step() == wait
        assert bench.messages == []
