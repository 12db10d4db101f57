"""What a board may do otherwise than `docs/protocol.md` says. Each field is one mistake that a maker could make."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Deviations:
    """No deviation by default. Tests may change the fields at any time."""

    crc_start: int = 0xFFFF
    crc_lower: bool = False  # check digits in lower case
    line_end: bytes = b"\r\n"
    debug_text: bytes = b""  # sent before each line
    counts_missing: int = 0  # counts left out at the end
    counts_rounded: bool = False  # whole seeds in place of hundredths: `4` for four seeds
    boot_upper: bool = False  # the boot id in upper case
    without_commas: bool = False  # `;` in place of `,`

    numbers_stuck: bool = False  # every event has the number 1
    never_replays: bool = False  # ignores REPLAY and NAK
    forgets_unacknowledged: bool = False  # keeps nothing in its ring: sends each event once
    never_forgets: bool = False  # ignores ACK
    silent_overflow: bool = False  # answers REPLAY without `ERR,overflow`
    boot_kept: bool = False  # the same boot id after a restart, with numbers from 1 again
    numbers_kept: bool = False  # the numbers go on after a restart

    never_greets: bool = False
    never_snaps: bool = False
    ignores_lights: bool = False
    never_confirms_lights: bool = False  # version 1.1: no `LIT`
    accepts_damaged: bool = False  # reads the host's lines without checking the CRC
    stops_on_unknown: bool = False  # says nothing any more after a type that it does not know
    ms_not_wrapping: bool = False  # milliseconds beyond 2^32-1
