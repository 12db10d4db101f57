"""What `inkeek serve` says about itself: where it is, and how to sign in."""

from __future__ import annotations

import io
import os
import shlex
import socket
import sys
import threading
import time
import webbrowser
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit

import segno

from inkeek.service.http.access.caller import LINK, SESSION, UNNAMED
from inkeek.service.http.access.keys import Keys, open_keys
from inkeek.service.http.addresses import ANY, address, network_addresses, public_address, sign_in_url
from inkeek.service.settings import DATABASE_FILE, WEB, Settings
from inkeek.service.storage.database.engine import shown_url

from . import system

OPEN_WITHIN = 10.0  # seconds that a browser waits for a web server that opens its own socket
LOOK_EVERY = 0.2  # seconds
NETWORK_EVERY = 5.0  # seconds between looks for another address


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
    if sys.stdout.isatty():
        _say("Phones in the same network scan this:")
        code = io.StringIO()
        segno.make(url).terminal(code, compact=True)
        _say(code.getvalue())


def show_changes(url: str, stop: threading.Event) -> None:
    """Say until `stop` whenever the machine of the service at `url` has got another address in its network."""
    parts = urlsplit(url)
    known = next(iter(network_addresses()), "")
    while not stop.wait(NETWORK_EVERY):
        ip = next(iter(network_addresses()), "")
        if ip not in ("", known):
            known = ip
            url = parts._replace(netloc=f"{ip}:{parts.port}").geturl()
            _say(f"The network has changed. Inkeek is at {url} now.")
            _show_code(url)


def open_browser(fd: int, link: str) -> None:
    """Open the link that signs in whoever is at this machine."""
    deadline = time.monotonic() + OPEN_WITHIN
    while fd == system.NOT_INHERITED and not _is_open(urlsplit(link).port or 0) and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY)
    webbrowser.open(link)


def _listening_at(settings: Settings, fd: int) -> tuple[str, int]:
    if fd == system.NOT_INHERITED:
        return settings.host.strip("[]"), settings.port
    with socket.socket(fileno=os.dup(fd)) as listener:
        host, port = listener.getsockname()[:2]
        return host, port


def _is_open(port: int) -> bool:
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
