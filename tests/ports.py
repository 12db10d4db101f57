"""Ports for programs that cannot choose one themselves."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

# Below the ports that systems give to whoever asks for any: so nobody gets one meanwhile. Processes of tests that run
# side by side have ports of their own.
_first = 20_000 + os.getpid() * 100 % 10_000
_own = iter(range(_first, _first + 100))


def free_port() -> int:
    """A port of 127.0.0.1 that is free, and stays so until a program is started that listens there."""
    for port in _own:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no port is free")
