"""How many connections an address may have, and who is told that a client hung up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState

from service.processes.web.connection import FACTOR, Connections, WebClient, WebConnection
from tests.service.waiting import run_coroutine

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


def test_a_request_that_is_on_its_way_when_the_process_stops_is_answered_as_the_last_one() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def two_answers() -> tuple[bytes, bytes]:
        stopping, state, config = threading.Event(), ServerState(), Config(app, log_config=None)
        config.load()
        options = {"config": config, "server_state": state, "app_state": {}}

        def connection() -> WebConnection:
            return WebConnection(Connections(TOTAL, by_address=False), 60.0, stopping, **options)

        async with await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            first = await reader.readuntil(b"\r\n\r\n")
            stopping.set()
            for one in list(state.connections):
                one.shutdown()
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            last = await reader.read()
            writer.close()
            await writer.wait_closed()
            return first, last

    first, last = run_coroutine(two_answers())
    assert b"connection: close" not in first
    assert last.startswith(b"HTTP/1.1 204")
    assert b"connection: close" in last


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
