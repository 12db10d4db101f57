"""What `inkeek serve` says about itself: where it is, how to sign in, and, by multicast DNS, the name by which phones
in the same network find it: NAME.local."""

from __future__ import annotations

import io
import logging
import os
import shlex
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import segno
import zeroconf

from inkeek.service.http.access.caller import LINK, SESSION, UNNAMED
from inkeek.service.http.access.keys import Keys, open_keys
from inkeek.service.http.addresses import ANY, NAME_FILE, address, network_addresses, public_address, sign_in_url
from inkeek.service.settings import DATABASE_FILE, WEB, Settings
from inkeek.service.storage.database.engine import shown_url

from . import system

OPEN_WITHIN = 10.0  # seconds that a browser waits for a web server that opens its own socket
LOOK_EVERY = 0.2  # seconds


def announce(settings: Settings, fd: int, *, browser: bool) -> tuple[str, str]:
    """Migrate the database, and print the address and how to sign in, if nobody has a key or a browser is opened that
    does. Return the address, and the link for this machine, empty without either; and without the web server.

    The link is printed on a terminal only, and not with JSON. It is a secret, and a log is kept for others to read.
    """
    place = f"The games are in {_place(settings)}"
    with open_keys(settings) as keys:
        nobody = not any(keys.is_good(key) for key in keys.list())
        shows = sys.stdout.isatty() and settings.log_format == "text"
        secret = first_link(keys, settings) if browser or (nobody and shows and WEB in settings.parts) else ""
    if WEB not in settings.parts:
        parts = ", ".join(sorted(settings.parts))
        _say(f"Inkeek runs {parts}. Press Ctrl-C to stop it.\n{place}")
        return "", ""
    host, port = _listening_at(settings, fd)
    url = address(settings, host, port)
    _say(f"Inkeek is at {url} Press Ctrl-C to stop it.\n{place}")
    if settings.host in ANY:
        _show_code(url)
    if secret and shows:
        _say(owners_link(settings, sign_in_url(public_address(settings, host, port), secret)))
    elif nobody:
        given = [f"--{name}={value}" for name in ("config", "data") if (value := getattr(settings, name))]
        command = shlex.join(["inkeek", "token", "link", *given])
        _say(f"Nobody has a key yet. To sign in, run as the user of the service, or as root: {command}")
    return url, sign_in_url(f"{urlsplit(url).scheme}://127.0.0.1:{port}", secret) if secret else ""


def _say(line: str) -> None:
    """Print a line. The service goes on where nobody reads it: the pipe or the terminal may be closed."""
    try:
        print(line, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python fails when it ends


def _place(settings: Settings) -> str:
    """Where the games are, for whoever might mean others."""
    if settings.database:
        return shown_url(settings.database)
    folder = settings.data_folder
    age = "used before" if (folder / DATABASE_FILE).exists() else "new"
    return f"the folder {folder.absolute()} ({age}). INKEEK_DATA=FOLDER chooses another one."


def _show_code(url: str) -> None:
    """On a terminal: the address as a code."""
    if sys.stdout.isatty():
        _say("Phones in the same network scan this:")
        code = io.StringIO()
        segno.make(url).terminal(code, compact=True)
        _say(code.getvalue())


def show_change(url: str, ip: str, name: str) -> None:
    """Say that the service at `url` has got another address, or is found by a name."""
    parts = urlsplit(url)
    if ip:
        url = parts._replace(netloc=f"{ip}:{parts.port}").geturl()
        _say(f"The network has changed. Inkeek is at {url} now.")
        _show_code(url)
    if name:
        _say(f"Most phones also find it as {parts._replace(netloc=f'{name}:{parts.port}').geturl()}")


def open_browser(fd: int, link: str) -> None:
    """Open the link that signs in whoever is at this machine."""
    deadline = time.monotonic() + OPEN_WITHIN
    while fd == system.NOT_INHERITED and not _is_open(urlsplit(link).port or 0) and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY)
    webbrowser.open(link)


def _listening_at(settings: Settings, fd: int) -> tuple[str, int]:
    """The host and the port of the listening socket."""
    if fd == system.NOT_INHERITED:
        return settings.host.strip("[]"), settings.port
    with socket.socket(fileno=os.dup(fd)) as listener:
        host, port = listener.getsockname()[:2]
        return host, port


def _is_open(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), LOOK_EVERY):
        return True
    return False


def first_link(keys: Keys, settings: Settings) -> str:
    """Make a link that signs the owner in, and return its secret. It has the name that the owner gave before, if only
    one person has signed in as such."""
    names = {key.name for key in keys.list() if key.kind == SESSION and "admin" in key.scopes} - {UNNAMED}
    name = names.pop() if len(names) == 1 else UNNAMED
    return keys.create(LINK, name, ("admin",), timedelta(seconds=settings.link_lifetime))[1]


def owners_link(settings: Settings, link: str) -> str:
    return f"The owner's link, good once and for {settings.link_lifetime / 60:g} minutes: {link}"


log = logging.getLogger(__name__)

NETWORK_EVERY = 5.0  # seconds between looks for another address
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
        wait, moved, host = NETWORK_EVERY, "", ""
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
