"""Deadlines of connections, and who is told that a client hung up."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from inkeek.service.processes.web.connection import BUFFER, CONNECTION, ConnectionLimits, WebConnection
from tests.service.waiting import run_coroutine

SOON = 0.02  # seconds


class Protocol(asyncio.Protocol):
    """Begins to answer as soon as anything has arrived, and answers with `size` bytes."""

    size = 1

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        with CONNECTION.get().answering():
            self.transport.write(b"x" * self.size)


def with_connection(limits: ConnectionLimits, client: Callable[[asyncio.StreamReader, Any], Awaitable[bytes]]) -> bytes:
    """What a client of `Protocol` says that it got."""

    async def run() -> bytes:
        loop = asyncio.get_running_loop()
        async with await loop.create_server(lambda: WebConnection(limits, Protocol()), "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            try:
                return await client(reader, writer)
            except ConnectionResetError:
                return b""
            finally:
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()

    return run_coroutine(run())


async def read_all(reader: asyncio.StreamReader, writer: Any) -> bytes:
    return await reader.read()


async def ask(reader: asyncio.StreamReader, writer: Any) -> bytes:
    writer.write(b"?")
    return await reader.read()


@pytest.mark.parametrize(("client", "got"), [(read_all, b""), (ask, b"x")])
def test_a_connection_without_a_request_is_closed_after_a_time(client: Any, got: bytes) -> None:
    assert with_connection(ConnectionLimits(1, SOON), client) == got


def test_of_too_many_connections_the_last_one_is_closed() -> None:
    limits = ConnectionLimits(0, 60.0)
    assert with_connection(limits, read_all) == b""


def test_a_client_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Protocol, "size", 256 * BUFFER)
    monkeypatch.setattr("inkeek.service.processes.web.connection.SLOWEST", 1 << 40)
    limits = ConnectionLimits(1, SOON)

    async def client(reader: asyncio.StreamReader, writer: Any) -> bytes:
        writer.write(b"?")
        while not limits.open:
            await asyncio.sleep(0)
        while limits.open:
            await asyncio.sleep(0.001)
        return b"cut off"

    assert with_connection(limits, client) == b"cut off"


def test_who_asks_after_the_client_hung_up_is_told_at_once() -> None:
    calls: list[str] = []

    async def hang_up() -> None:
        connection = WebConnection(ConnectionLimits(1, 60.0), asyncio.Protocol())
        connection.on_hang_up(lambda: calls.append("early"))
        assert not calls
        connection.connection_lost(None)
        connection.on_hang_up(lambda: calls.append("late"))

    run_coroutine(hang_up())
    assert calls == ["early", "late"]
