"""The name under which phones in the same network find the service: NAME.local, by multicast DNS."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import zeroconf

from inkeek.service.http.addresses import NAME_FILE, network_addresses

log = logging.getLogger(__name__)

LOOK_EVERY = 5.0  # seconds between looks for another address
RETRY_AFTER = 60.0  # seconds after the name could not be announced
TRIED = 9  # names: NAME, NAME-2 …
# Milliseconds to wait for another machine with that name. Where several programs share the port, each answer to one
# asker reaches any of them: only the second question, 800 milliseconds after the first, is answered to all.
ASK_FOR = 1500
SERVICE = "_http._tcp.local."


class LocalName:
    """Announces a name for what this machine serves on a port, and keeps in `folder` which one, for the pages."""

    def __init__(self, name: str, port: int, folder: Path) -> None:
        self._name = name
        self._port = port
        self._file = folder / NAME_FILE
        self._network: zeroconf.Zeroconf | None = None

    def announce(self, addresses: Sequence[str]) -> str:
        """Announce the name for these addresses instead of those before. Return it, or another one if it is taken.

        :raises OSError: it cannot be announced.
        """
        self.withdraw()
        if not addresses:
            return ""
        network = self._network = zeroconf.Zeroconf(interfaces=list(addresses))
        packed = [socket.inet_aton(address) for address in addresses]
        for number in range(1, TRIED + 1):
            host = (self._name if number == 1 else f"{self._name}-{number}") + ".local"
            others = zeroconf.AddressResolverIPv4(f"{host}.")  # type: ignore[attr-defined]
            is_known = others.request(network, ASK_FOR)
            if is_known and not set(others.parsed_addresses()) <= set(addresses):
                continue
            instance = f"{host.removesuffix('.local')}.{SERVICE}"
            # Another service on this machine: what `register_service` asks may reach no answer either.
            if is_known and zeroconf.ServiceInfo(SERVICE, instance).request(network, ASK_FOR):
                continue
            with suppress(zeroconf.NonUniqueNameException):
                network.register_service(
                    zeroconf.ServiceInfo(SERVICE, instance, self._port, 0, 0, b"", f"{host}.", addresses=packed)
                )
                self._file.write_text(host)
                return host
        raise OSError(f"others in the network have the names {self._name}.local to {self._name}-{TRIED}.local")

    def withdraw(self) -> None:
        """Take the name back."""
        self._file.unlink(missing_ok=True)
        network, self._network = self._network, None
        if network is not None:
            network.close()


def keep_announced(name: LocalName | None, stop: threading.Event, changed: Callable[[str, str], None]) -> None:
    """Announce the name until `stop`, anew whenever the machine gets other addresses. `changed` gets the address if it
    is another one than before, and the name under which the service is announced. A failure is logged: the service
    does without.
    """
    known: list[str] | None = None
    address, wait = next(iter(network_addresses()), ""), 0.0
    while not stop.wait(wait):
        wait, moved, host = LOOK_EVERY, "", ""
        try:
            addresses = network_addresses()
            if addresses == known:
                continue
            moved = next((first for first in addresses[:1] if first != address), "")
            address = moved or address
            host = "" if name is None else name.announce(addresses)
            known = addresses
        except Exception as error:  # noqa: BLE001 - of the network, or of a library: nothing depends on it
            log.warning("phones find the service by its address only: %s", error)
            wait = RETRY_AFTER
        if moved or host:
            changed(moved, host)
    if name is not None:
        with suppress(Exception):
            name.withdraw()
