"""Attacks with connections: bodies that do not end, streams that come and go, clients that are slow."""

import asyncio
import contextlib
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.service.slow_clients import attack

from .target import API, Target, bearer, status_of

IMPORT = 1 << 24  # bytes, the most that an import may have
BODIES = 16
OTHERS = 80
SHORT = (1 << 14) + 1
PART = 1 << 16
STREAMS = 2000  # that one web process serves
OWN = 100  # streams that a client opens and closes again and again
SPARE = 60  # streams of the bystander, and some


def unread_bodies(target: Target) -> None:
    """Sixteen strangers announce 16 MiB and send all but the last byte; others do it with a little, again and again."""
    with ThreadPoolExecutor(BODIES) as senders, contextlib.ExitStack() as stack:
        sent = list(senders.map(lambda _: _send_most(target, IMPORT), range(BODIES)))
        for connection in sent:
            stack.enter_context(connection)
        target.until = time.monotonic() + target.seconds
        target.at_once(OTHERS, lambda _: _send_short(target))
        for connection in sent:
            connection.settimeout(0.1)
            target.count(f"a body of 16 MiB: {status_of(connection)}")


def _announced(target: Target, length: int) -> bytes:
    return target.head(
        "POST", f"{API}/games/import", Content_Type="text/plain", Content_Length=length, X_Forwarded_For="203.0.113.9"
    )


def _send_most(target: Target, length: int) -> socket.socket:
    """Send all of a body but its last byte, as far as the service takes it; return the open connection."""
    connection = target.open()
    connection.settimeout(5.0)
    with contextlib.suppress(OSError):
        connection.sendall(_announced(target, length))
        for left in range(length - 1, 0, -PART):
            connection.sendall(b" " * min(PART, left))
    return connection


def _send_short(target: Target) -> None:
    with _send_most(target, SHORT) as connection:
        connection.settimeout(max(0.1, target.until - time.monotonic()))
        target.count(f"a body of 16 KiB: {status_of(connection)}")
    time.sleep(0.02)


def streams_again(target: Target) -> None:
    """One client opens and closes 100 streams in a loop."""
    while not target.is_over:
        streams = [_stream(target) for _ in range(OWN)]
        for stream in streams:
            stream.close()
        target.count("rounds")


def streams_at_once(target: Target) -> None:
    """One client opens as many streams as there may be, and closes all of them at once."""
    while not target.is_over:
        streams = [_stream(target) for _ in range(STREAMS - SPARE)]
        time.sleep(0.2)  # so that most are served when they are closed
        for stream in streams:
            stream.close()
        target.count("rounds")


def _stream(target: Target, secret: str = "") -> socket.socket:
    connection = target.open()
    headers = bearer(secret) if secret else {}
    connection.sendall(target.head("GET", f"{API}/games/{target.game}/events", Accept="text/event-stream", **headers))
    return connection


def all_streams(target: Target) -> None:
    """One key takes all streams; another one asks for one, again and again."""
    taker, other = (target.new_token("read")["token"] for _ in range(2))
    with contextlib.ExitStack() as stack:
        taken = [stack.enter_context(_stream(target, taker)) for _ in range(STREAMS + 100)]
        target.count("streams asked for", len(taken))
        served = 0
        while True:
            with _stream(target, other) as connection:
                connection.settimeout(5.0)
                status = status_of(connection)
            target.count(f"the other key: {status}")
            served += status == "200"
            if target.is_over:
                break
            time.sleep(0.1)
    if not served:
        target.fault("a key that has no stream got none while another key had all")


def slow_clients(target: Target) -> None:
    """Half heads, and heads and bodies of which a byte comes each second."""
    _slowly(target, {"half": 400, "drip-head": 100, "drip-body": 100})


def unread_exports(target: Target) -> None:
    """Readers of an export that read nothing, or a byte each second."""
    body = "".join(f'[Game "oware"]\n[Round "{number}"]\n\n1. a *\n\n' for number in range(2000))
    answer = target.ask("POST", f"{API}/games/import", {**target.key, "Content-Type": "text/plain"}, content=body)
    target.expect("an import", answer, 200)
    _slowly(target, {"unread": 200, "drip-read": 50})


def _slowly(target: Target, counts: dict[str, int]) -> None:
    async def bounded() -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(1.0, target.until - time.monotonic())):
                await attack(target.port, target.token, target.game, counts)

    asyncio.run(bounded())
    target.count("connections kept", sum(counts.values()))
