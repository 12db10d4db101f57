import pytest

from inkeek.service.errors import TooManyRequests
from inkeek.service.http.access import limiter as module
from inkeek.service.http.access.invitations import MAX_OPEN
from inkeek.service.http.access.limiter import (
    ALPHABET,
    BURST,
    BURST_OF_ALL,
    LENGTH,
    RATE,
    RATE_OF_ALL,
    Guesses,
    Limiter,
    random_code,
    read_code,
    shown_code,
)

HOUR, DAY = 3600, 86400


class Time:
    now = 0.0

    def __call__(self):
        return self.now


def passes(guesses, network):
    try:
        guesses.begin(network)
    except TooManyRequests:
        return 0
    return 1


@pytest.mark.parametrize(("networks", "rate", "burst"), [(1, RATE, BURST), (5000, RATE_OF_ALL, BURST_OF_ALL)])
def test_at_the_highest_rate_that_is_let_through_nobody_guesses_a_code(networks, rate, burst):
    """Guesses as fast as can be, from one network and from thousands; docs/security.md has the calculation."""
    time = Time()
    guesses, looked_at, network = Guesses(1, time), 0, 0
    for second in range(HOUR):
        time.now = float(second)
        for _ in range(10):
            network = (network + 1) % networks
            looked_at += passes(guesses, f"n{network}")
    assert burst <= looked_at <= burst + rate * HOUR + 1
    of_a_day = burst + rate * DAY
    assert of_a_day * MAX_OPEN / len(ALPHABET) ** LENGTH < 1e-3


def test_right_codes_count_for_nothing_and_web_processes_share_what_passes():
    guesses = Guesses(1, Time())
    for _ in range(10 * BURST):
        guesses.begin("a")
        guesses.was_right("a")
    assert sum(passes(guesses, "a") for _ in range(10 * BURST)) == BURST
    of_four = Guesses(4, Time())
    assert sum(passes(of_four, f"n{number}") for number in range(BURST_OF_ALL)) == BURST_OF_ALL // 4


def test_a_code_is_read_however_it_is_typed():
    code = random_code()
    assert len(code) == LENGTH
    assert read_code(f" {shown_code(code).lower()} ") == code
    assert [read_code(text) for text in ("", code[1:], code + "2", "O" + code[1:])] == [""] * 4


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
