"""Ports for programs that cannot choose one themselves."""

from __future__ import annotations

import random
import socket
from contextlib import suppress

# Below the ports that systems give to whoever asks for any: so nobody gets one meanwhile. Each is tried once.
_seldom = iter(random.sample(range(20_000, 30_000), 10_000))


def free_port() -> int:
    """A port of 127.0.0.1 that is free, and stays so until a program is started that listens there."""
    for port in _seldom:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no port is free")
