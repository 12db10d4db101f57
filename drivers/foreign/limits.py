"""What a driver of another distribution may use. `docs/drivers.md` lists the same figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DriverLimits:
    """Times are in seconds, sizes in bytes.

    `load`: to start its process and import it. `open`: to open a port. `poll`: beyond the time that `poll` may wait.
    `call`: for every other call. `close`: to close a port. `memory`: address space of its process. `share`: of one
    processor, on average over `window`. `frame`: one answer. `events`: in one answer of `poll`. `rate`: events a
    second, after the first `burst`.
    """

    load: float = 10.0
    open: float = 20.0
    poll: float = 10.0
    call: float = 5.0
    close: float = 3.0
    memory: int = 512 << 20
    share: float = 0.5
    window: float = 10.0
    frame: int = 1 << 20
    events: int = 1000
    rate: float = 200.0
    burst: int = 5000
