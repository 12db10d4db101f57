"""Ten million chunks of damaged lines through both codecs:

    python -m tests.drivers.protocol.fuzz_frames --chunks 10000000 --seed 1

For chunks of any size: nothing raises; every undamaged line is read, in order; whatever else is read has a valid CRC; a
third reader, which sees the whole stream at once, finds the same lines and counts the same damage; no decoder buffers
more than a line. Every line that is read is parsed, and some streams go to a board.
"""

from __future__ import annotations

import argparse
import binascii
import re
import string
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from inkeek.drivers.errors import MessageError
from inkeek.drivers.protocol import frames as host
from inkeek.drivers.protocol.messages import parse
from inkeek.firmware_sim.firmware import codec as board
from inkeek.firmware_sim.firmware.board import BoardFirmware

MAX_LINE = 256
LINES = 40  # in one stream
POOL = 400  # different lines to take them from
SIZES = (1, 1, 2, 3, 5, 8, 13, 21, 40, 70)  # of pieces
TO_A_BOARD = 20  # one stream of so many
BOOT = "0123abcd"

Fields = tuple[str, ...]
_GOOD = re.compile(rb"([\x20-\x23\x25-\x29\x2b-\x7e]*)\*([0-9A-Fa-f]{4})\r\n")
_TEXT = "".join(set(string.printable[:95]) - set("$*,"))


@dataclass(slots=True)
class Totals:
    """Counts. `spared`: damage that did not change the line (a byte before the `$`, lower case in the CRC). `chance`:
    lines that were changed and have a valid CRC by chance."""

    chunks: int = 0
    size: int = 0
    whole: int = 0
    damaged: int = 0
    spared: int = 0
    chance: int = 0
    misfits: int = 0


def fuzz(chunks: int, seed: int) -> Totals:
    """Run at least this many chunks.

    :raises AssertionError: a property fails; names the stream.
    """
    random = Random(seed)
    pool = [(line, _fields(line)) for line in (_line(random) for _ in range(POOL))]
    known = {("",), *(fields for _, fields in pool)}  # an empty line can have a valid CRC, too
    totals = Totals()
    while totals.chunks < chunks:
        try:
            _stream(random, pool, known, totals)
        except Exception as error:
            raise AssertionError(f"seed {seed}, after {totals.chunks} pieces: {error!r}") from error
    return totals


def _stream(random: Random, pool: list[tuple[bytes, Fields]], known: set[Fields], totals: Totals) -> None:
    parts: list[bytes] = []
    sent: list[Fields] = []
    for line, fields in random.choices(pool, k=LINES):
        if random.random() < 0.6:
            parts.append(line)
            sent.append(fields)
        else:
            parts.append(random.choice(DAMAGES)(line, random))
    data = b"".join(parts)
    # Otherwise an incomplete last line would wait for its end.
    data += b"$\r\n"
    pieces = _cut(data, random)
    one, other = host.FrameDecoder(), board.LineDecoder()
    read: list[Fields] = []
    read_there: list[Fields] = []
    for piece in pieces:
        read += ((frame.type, *frame.fields) for frame in one.feed(piece))
        read_there += map(tuple, other.feed(piece))
        assert len(one._line) < MAX_LINE > len(other._line), "a decoder buffers more than a line"
    found, damaged, ignored = whole_stream(data)
    assert read == found, "the host's codec reads different lines"
    assert read_there == found, "the board's codec reads different lines"
    assert (one.damaged, one.ignored) == (other.damaged, other.ignored) == (damaged, ignored)
    rest = iter(read)
    assert all(fields in rest for fields in sent), "an undamaged line was not read"
    for fields in read:
        try:
            parse(host.Frame(fields[0], fields[1:]))
        except MessageError:
            totals.misfits += 1
    if random.randrange(TO_A_BOARD) == 0:
        _to_a_board(pieces)
    totals.chunks += len(pieces)
    totals.size += len(data)
    totals.whole += len(sent)
    totals.damaged += damaged
    chance = sum(fields not in known for fields in read)
    totals.chance += chance
    totals.spared += len(read) - len(sent) - chance


def whole_stream(data: bytes) -> tuple[list[Fields], int, int]:
    """The lines, damaged lines and bytes outside lines of a stream that ends with a line end."""
    outside, *starts = data.split(b"$")
    lines, damaged, ignored = [], 0, len(outside)
    for number, start in enumerate(starts, 1):
        end = start.find(b"\n", 0, MAX_LINE - 1) + 1
        match = _GOOD.fullmatch(start, 0, end)
        if match and binascii.crc_hqx(match[1], 0xFFFF) == int(match[2], 16):
            lines.append(tuple(match[1].decode().split(",")))
        else:
            damaged += 1
        if end or len(start) >= MAX_LINE - 1:
            ignored += len(start) - (end or MAX_LINE - 1)
        else:
            assert number < len(starts)  # cut off by the next line
    return lines, damaged, ignored


def _to_a_board(pieces: list[bytes]) -> None:
    subject = BoardFirmware(3, True, "IK-9", BOOT)
    for number, piece in enumerate(pieces):
        subject.receive(piece)
        subject.sense([400] * 8, 0, 10 * number)
        subject.mark_sent(len(subject.output(10 * number)) // 2)


def _line(random: Random) -> bytes:
    """A valid line, a nearly valid one, or nonsense."""
    number, pit = str(random.randrange(3000)), str(random.randrange(40))
    counts = ".".join(str(random.randrange(1500)) for _ in range(random.randint(1, 34)))
    text = "".join(random.choices(_TEXT, k=random.randrange(12)))
    fields = random.choice(
        (
            ["EVT", BOOT, number, "17", "PIT", pit, str(random.randrange(10999))],
            ["EVT", BOOT, number, "17", "LIFT", pit],
            ["EVT", BOOT, number, "17", "BTN", random.choice("snx"), "commit", counts],
            ["EVT", BOOT, number, "17", text, text],
            ["SNAP", BOOT, number, "17", counts, "f" * (counts.count(".") + 1)],
            ["STAT", BOOT, "17", "4900", "-52", "-", "0", "0"],
            ["HELLO", "1.0", text, "B", BOOT, "8", "1", "cal", number],
            ["ERR", random.choice(("overflow", "range", text)), number],
            ["ACK", BOOT, number],
            ["REPLAY", BOOT, number],
            ["LED", "pit", pit, random.choice(("on", "error", text))],
            ["CAL", "seeds", pit, number],
            ["SNAP?"],
            ["PING"],
            [text] * random.randint(1, 5),
        )
    )
    return board.encode(fields)


def _fields(line: bytes) -> Fields:
    return tuple(line[1:-7].decode().split(","))


def _cut(data: bytes, random: Random) -> list[bytes]:
    pieces, at = [], 0
    most = random.choice(SIZES)
    for size in random.choices(SIZES, k=len(data)):
        if at >= len(data):
            break
        pieces.append(data[at : at + min(size, most) if most > 1 else at + size])
        at += len(pieces[-1])
    return pieces


# --- damage -------------------------------------------------------------------------------------------------


def _flip(line: bytes, random: Random) -> bytes:
    at = random.randrange(len(line))
    return b"%s%c%s" % (line[:at], line[at] ^ 1 << random.randrange(8), line[at + 1 :])


def _replace(line: bytes, random: Random) -> bytes:
    at, size = random.randrange(len(line)), random.randint(1, 4)
    return line[:at] + random.randbytes(size) + line[at + size :]


def _drop(line: bytes, random: Random) -> bytes:
    at = random.randrange(len(line))
    return line[:at] + line[at + random.randint(1, 6) :]


def _insert(line: bytes, random: Random) -> bytes:
    at = random.randrange(len(line))
    return line[:at] + random.randbytes(random.randint(1, 6)) + line[at:]


def _repeat(line: bytes, random: Random) -> bytes:
    at = random.randrange(len(line))
    return line[: at + random.randint(1, 9)] + line[at:]


def _swap(line: bytes, random: Random) -> bytes:
    one, two, three = sorted(random.randrange(len(line) + 1) for _ in range(3))
    return line[:one] + line[two:three] + line[one:two] + line[three:]


def _cut_off(line: bytes, random: Random) -> bytes:
    return line[: random.randrange(len(line))]


def _noise(line: bytes, random: Random) -> bytes:
    return random.randbytes(random.randrange(60))


def _endless(line: bytes, random: Random) -> bytes:
    return b"$" + bytes(random.choices(b"abc*\r ,0", k=random.randint(230, 600)))


def _ends(line: bytes, random: Random) -> bytes:
    return random.choice((b"\r\n", b"\n", b"$", b"$$\n", b"*", b"$*\r\n", b"$*FFFF\r\n", b"", line[:-2] + b"\n"))


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flip, _replace, _drop, _insert, _repeat, _swap, _cut_off, _noise, _endless, _ends,
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.perf_counter()
    totals = fuzz(options.chunks, options.seed)
    print(f"{totals.chunks:,} pieces, {totals.size:,} bytes in {time.perf_counter() - began:,.0f} s")
    print(f"{totals.whole:,} whole lines, all read; {totals.damaged:,} damaged ones dropped")
    print(f"{totals.spared:,} more read that came to no harm")
    print(f"{totals.chance:,} read that were changed and have a CRC that fits")
    print(f"{totals.misfits:,} lines whose fields did not fit their type")


if __name__ == "__main__":
    main()
