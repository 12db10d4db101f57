"""Where nothing is sent, and answers that take too long, are too long, or lead elsewhere."""

import asyncio
import socket
from contextlib import asynccontextmanager, suppress

import pytest

from service.jobs.webhooks import connection
from service.jobs.webhooks.connection import SafeConnections, is_public
from tests.service.waiting import run_coroutine


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::", "ff02::1", "fec0::1", "64:ff9b:1::7f00:1", "::10.0.0.9", "::ffff:0:10.0.0.9", "2001::1",
    ],
)  # fmt: skip
def test_addresses_of_private_networks_are_told(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_addresses_of_the_internet_are_told(address):
    assert is_public(address)


@asynccontextmanager
async def serving(answer):
    """A server on this machine; `answer` writes to who connects. Counts connections."""
    tasks = []

    async def handle(reader, writer):
        tasks.append(asyncio.current_task())
        with suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            await answer(writer)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook", tasks
        await asyncio.gather(*tasks)


def post(answer, *, anywhere=True, host=None):
    """The status that a delivery gets, and how often the server was reached."""

    async def run():
        async with serving(answer) as (url, tasks):
            url = url.replace("127.0.0.1", host or "127.0.0.1")
            try:
                return await SafeConnections(anywhere=anywhere).post(url, {}, b"{}"), len(tasks)
            except (OSError, ValueError) as error:
                return str(error), len(tasks)

    return run_coroutine(run())


async def ok(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    await writer.drain()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_reached_only_where_a_setting_allows_it(host):
    error, reached = post(ok, anywhere=False, host=host)
    assert error == f"{host} is not in the internet"
    assert reached == 0
    assert post(ok, anywhere=True) == (200, 1)


def test_one_private_address_among_others_is_enough_to_refuse_a_name(monkeypatch):
    async def lookup(self, host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", lookup)
    assert post(ok, anywhere=False, host="tally.example") == ("tally.example is not in the internet", 0)


def test_no_redirect_is_followed():
    async def lead_elsewhere(writer):
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    assert post(lead_elsewhere) == (302, 1)


def test_an_answer_that_comes_byte_by_byte_is_given_up(monkeypatch):
    monkeypatch.setattr(connection, "TIMEOUT", 0.3)

    async def drip(writer):
        for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1000:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)

    assert post(drip) == ("no answer within 0.3 s", 1)


def test_receivers_that_do_not_answer_keep_no_other_waiting():
    async def run():
        go_on = asyncio.Event()

        async def wait(writer):
            await go_on.wait()
            await ok(writer)

        async with serving(wait) as (slow, reached), serving(ok) as (good, _):
            connections = SafeConnections(anywhere=True)
            waiting = [asyncio.create_task(connections.post(slow, {}, b"{}")) for _ in range(50)]
            while len(reached) < len(waiting):
                await asyncio.sleep(0.01)
            status = await connections.post(good, {}, b"{}")
            go_on.set()
            return [status, *await asyncio.gather(*waiting)]

    assert run_coroutine(run()) == [200] * 51


def test_of_an_endless_answer_only_the_beginning_is_read():
    async def flood(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    assert post(flood) == (200, 1)


def test_what_is_not_http_is_an_error():
    async def nonsense(writer):
        writer.write(b"go away\r\n\r\n")
        await writer.drain()

    assert isinstance(post(nonsense)[0], str)
