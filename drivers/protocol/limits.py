"""The limits of the protocol (`docs/protocol.md`) and of this side's patience."""

from __future__ import annotations

# The protocol's own.
PROTOCOL = (1, 0)  # major, minor spoken here
MAX_LINE = 256  # bytes from `$` to LF
MAX_ROW = 16  # pits a row: a SNAP of 2*16+2 sensors still fits a line
MAX_COUNT = 9999  # hundredths of a seed
MAX_NUMBER = 2**32 - 1  # sequence numbers and milliseconds
MAX_SEEDS_LAID = 99  # seeds in a calibration step: what a count can hold

# When the host acts, in seconds.
HELLO_EVERY = 1.0
PING_AFTER = 2.0  # of silence
GONE_AFTER = 6.0  # of silence
ASK_EVERY = 0.5  # at most this often: REPLAY of one number, NAK, a repeated ACK
REOPEN_EVERY = 1.0  # a port that has vanished is tried this often
COMPLAINTS_EVERY = 1.0  # at most one of the board's `ERR` lines is passed on so often

# A board that loses events again and again is not listened to: each loss is told to people and stored.
MAX_LOSSES = 5  # believed within `LOSSES_WITHIN`
LOSSES_WITHIN = 60.0  # seconds

# What is taken from the line at once.
MAX_READ = 4096  # bytes: a third of a second at 115200 baud
