"""The limits of the protocol (`docs/protocol.md`), and the host's timeouts."""

from __future__ import annotations

# The protocol's own.
PROTOCOL = (1, 1)  # the major and minor version of this host
MAX_LINE = 256  # bytes from `$` to LF
MAX_ROW = 16  # pits a row: a SNAP of 2*16+2 sensors still fits a line
MAX_SENSORS = 2 * MAX_ROW + 2  # pits and stores
MAX_COUNT = 9999  # hundredths of a seed
MAX_NUMBER = 2**32 - 1  # sequence numbers and milliseconds
PERIOD_MS = MAX_NUMBER + 1  # after which the board's clock begins at 0 again
MOVING = 7  # confidence of a sensor that moves, or while the supply is low: neither good nor bad
TRUSTED = 8  # confidence from which a sensor is evidence
MAX_SEEDS_LAID = 99  # seeds in a calibration step: what a count can hold

# When the host acts, in seconds.
HELLO_EVERY = 1.0
PING_AFTER = 2.0  # of silence
GONE_AFTER = 6.0  # of silence, the last four of which after a PING, while this host listened
ASK_EVERY = 0.5  # at most this often: REPLAY from one number, NAK, a repeated ACK
REOPEN_EVERY = 1.0  # between attempts to open a lost port
DOUBT_LASTS = 10.0  # until evidence of a restart that is not confirmed is dropped
COMPLAINTS_EVERY = 1.0  # at most this often an `ERR` line of the board is passed on

# Each loss of events is stored and shown to people: a board that loses events all the time is ignored for a while.
MAX_LOSSES = 5  # passed on within `LOSSES_WITHIN`
LOSSES_WITHIN = 60.0  # seconds

MAX_REFUSED = 5  # refused lines that are kept for people, while no board is used
MAX_READ = 4096  # bytes of one read: a third of a second at 115200 baud
