"""How many connections an address may have, and who is told that a client hung up."""

from __future__ import annotations

from collections.abc import Callable

from service.processes.web.connection import FACTOR, Connections, WebClient

TOTAL = 100


def fill(connections: Connections, address: str) -> int:
    """Take all that an address may have; return how many these are."""
    count = 0
    while connections.take(address):
        count += 1
    return count


def test_an_address_has_a_share_of_the_connections_and_others_find_one() -> None:
    connections = Connections(TOTAL, by_address=True)
    most = fill(connections, "192.0.2.1")
    assert most == TOTAL * FACTOR // (FACTOR + 1)
    assert connections.take("192.0.2.2")
    connections.give_back("192.0.2.1")
    assert connections.take("192.0.2.3")


def test_all_addresses_of_a_network_are_one() -> None:
    connections = Connections(TOTAL, by_address=True)
    most = fill(connections, "2001:db8::1")
    assert not connections.take("2001:db8::2")
    connections.give_back("2001:db8::3")
    assert connections.take("2001:db8::4")
    assert most < TOTAL


def test_behind_a_proxy_there_are_no_shares() -> None:
    connections = Connections(TOTAL, by_address=False)
    assert fill(connections, "192.0.2.1") == TOTAL
    assert not connections.take("192.0.2.2")


def test_nothing_is_kept_of_addresses_without_connections() -> None:
    connections = Connections(TOTAL, by_address=True)
    for number in range(TOTAL):
        assert connections.take(f"192.0.2.{number}")
        connections.give_back(f"192.0.2.{number}")
    assert not connections._counts


class Hangs:
    """A connection whose client hangs up at some moment."""

    def __init__(self) -> None:
        self.is_gone = False
        self.hang_up_calls: list[Callable[[], None]] = []


def test_who_asks_after_the_client_hung_up_is_told_at_once() -> None:
    connection, calls = Hangs(), []
    client = WebClient(connection, None)
    client.on_hang_up(lambda: calls.append("early"))
    assert not calls
    connection.is_gone = True
    client.on_hang_up(lambda: calls.append("late"))
    assert calls == ["late"]
