"""The listening socket: a new one, or the one that systemd passes; and what systemd hears of the service."""

from __future__ import annotations

import contextlib
import os
import socket
import time

from inkeek.service.errors import ServiceError, SettingError

BIND_WITHIN = 5.0  # seconds to wait for a port that a service that just died may still hold
AGAIN_AFTER = 0.2  # seconds
PASSED = 3  # the number of the first file that systemd passes


class PortTaken(ServiceError):
    """The address cannot be served on."""

    slug = "port-taken"
    title = "The port is taken"


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    :raises PortTaken: another program keeps the port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + BIND_WITHIN
    while True:
        try:
            return socket.create_server((host.strip("[]"), port), family=family, backlog=128)
        except OSError as error:
            if time.monotonic() >= deadline:
                message = f"cannot serve on {host} port {port}: {error.strerror}; choose another with --port"
                raise PortTaken(message) from error
            time.sleep(AGAIN_AFTER)


def free_or_any(port: int) -> int:
    """Return `port` if it is free, else 0, which means any."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return 0
    return port


def passed_listener() -> socket.socket | None:
    """The listening socket that systemd has passed to this process (sd_listen_fds(3)).

    :raises SettingError: there are several, or one that is not of TCP.
    """
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    listener = socket.socket(fileno=PASSED)
    if os.environ.get("LISTEN_FDS") != "1" or listener.family not in (socket.AF_INET, socket.AF_INET6):
        listener.close()
        raise SettingError("the service takes one socket of TCP: name one ListenStream=ADDRESS:PORT in its socket unit")
    return listener


def notify(state: str) -> None:
    """Tell systemd how the service is (sd_notify(3)), if that has started it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(state.encode(), f"\0{address[1:]}" if address.startswith("@") else address)
