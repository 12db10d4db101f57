"""Connections to addresses that anybody may have named: never into private networks, and for a bounded time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpcore

TIMEOUT = 10.0  # seconds for a delivery, with its connection and its answer
MAX_ANSWER = 64 << 10  # bytes of an answer that are read
UNICAST = IPv6Network("2000::/3")  # all that is assigned in the internet: other forms may lead to IPv4 addresses
TRANSLATED = IPv6Network("2002::/16")  # holds IPv4 addresses, which may be private


class NotAllowed(OSError):
    """The name resolves to an address to which nothing is sent."""


def is_public(address: str) -> bool:
    """Whether an IP address is anybody's in the internet."""
    parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if isinstance(parsed, IPv6Address) and (parsed not in UNICAST or parsed in TRANSLATED):
        return False
    return parsed.is_global and not parsed.is_multicast


class PublicBackend(httpcore.AnyIOBackend):
    """Connects to the addresses that it has checked, so that the name cannot resolve to others meanwhile."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(one[4][0]) for one in found]
        if not all(map(is_public, addresses)):
            raise NotAllowed(f"{host} is not in the internet")  # where it is, is nobody's business
        return await super().connect_tcp(addresses[0], port, timeout, local_address, socket_options)


class SafeConnections:
    """Sends bodies. `anywhere`: also to private networks."""

    def __init__(self, *, anywhere: bool) -> None:
        self._backend = httpcore.AnyIOBackend() if anywhere else PublicBackend()

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """Send a body, by a connection of its own: in a pool a slow receiver would take the place of another. Returns
        the status of the answer. Follows no redirect.

        :raises OSError: no connection, not allowed, or too slow. :raises ValueError: the answer is not HTTP.
        """
        try:
            async with (
                asyncio.timeout(TIMEOUT),
                httpcore.AsyncConnectionPool(network_backend=self._backend) as connections,
                connections.stream("POST", url, headers=list(headers.items()), content=body) as answer,
            ):
                read = 0
                async for chunk in answer.aiter_stream():
                    read += len(chunk)
                    if read > MAX_ANSWER:
                        break
                return int(answer.status)
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            raise OSError(str(error) or type(error).__name__) from error
        except TimeoutError as error:
            raise OSError(f"no answer within {TIMEOUT:g} s") from error
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise ValueError(str(error)) from error
