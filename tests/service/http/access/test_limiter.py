from inkeek.service.http.access import limiter as module
from inkeek.service.http.access.limiter import Limiter


class Time:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_burst_passes_then_as_many_as_the_rate_says():
    time = Time()
    limiter = Limiter(2.0, 3, time)
    assert [limiter.take("a") for _ in range(4)] == [0, 0, 0, 1]
    time.now += 0.5
    assert [limiter.take("a") for _ in range(2)] == [0, 1]
    time.now += 100
    assert [limiter.take("a") for _ in range(4)] == [0, 0, 0, 1]


def test_who_waits_as_long_as_he_is_told_passes():
    time = Time()
    limiter = Limiter(0.1, 1, time)
    assert limiter.take("a") == 0
    time.now += 3
    wait = limiter.take("a")
    assert wait == 7
    time.now += wait
    assert limiter.take("a") == 0


def test_clients_do_not_wait_for_each_other():
    limiter = Limiter(1.0, 1, Time())
    assert [limiter.take("a"), limiter.take("b"), limiter.take("a")] == [0, 0, 1]


def test_without_a_rate_all_pass():
    limiter = Limiter(0.0, 1, Time())
    assert [limiter.take("a") for _ in range(100)] == [0] * 100


def test_no_more_clients_are_remembered_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(module, "MAX_CLIENTS", 2)
    limiter = Limiter(1.0, 1, Time())
    assert [limiter.take(client) for client in "abcab"] == [0, 0, 0, 0, 0]
    assert limiter.take("b") == 1
