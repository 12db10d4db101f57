"""SafeConnections to addresses that anybody may have named: never into private networks, and for a bounded time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpcore

TIMEOUT = 10.0  # seconds for a delivery, with its connection and its answer
MAX_ANSWER = 64 << 10  # bytes of an answer that are read
TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16"))  # hold IPv4 addresses, which may be private


class NotAllowed(OSError):
    """The name resolves to an address to which nothing is sent."""


def is_public(address: str) -> bool:
    """Whether an IP address is anybody's in the internet."""
    parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    translated = isinstance(parsed, IPv6Address) and any(parsed in network for network in TRANSLATED)
    return parsed.is_global and not parsed.is_multicast and not translated


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
        private = [address for address in addresses if not is_public(address)]
        if private:
            raise NotAllowed(f"{host} is {private[0]}, which is no address in the internet")
        return await super().connect_tcp(addresses[0], port, timeout, local_address, socket_options)


class SafeConnections:
    """Sends bodies. `anywhere`: also to private networks."""

    def __init__(self, *, anywhere: bool) -> None:
        backend = httpcore.AnyIOBackend() if anywhere else PublicBackend()
        self._pool = httpcore.AsyncConnectionPool(network_backend=backend, keepalive_expiry=30.0)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """Send a body. Returns the status of the answer. Follows no redirect.

        :raises OSError: no connection, not allowed, or too slow. :raises ValueError: the answer is not HTTP.
        """
        try:
            async with (
                asyncio.timeout(TIMEOUT),
                self._pool.stream("POST", url, headers=list(headers.items()), content=body) as answer,
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

    async def close(self) -> None:
        await self._pool.aclose()
