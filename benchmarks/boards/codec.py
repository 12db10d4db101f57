"""The board protocol's two codecs against the line: ``python -m benchmarks.boards.codec --turns 2000``.

Reading turns bytes into messages (on the board: into fields), in chunks of 4096 bytes; writing is the reverse. The
lines are those of a 2×8 board with stores and its host: lifted and settled pits, buttons with all counts,
acknowledgements, lights. Each codec is compared with a bare loop that splits at line ends, or joins fields, and
computes `binascii.crc_hqx` without any check. The board's codec runs under CPython here.
"""

from __future__ import annotations

import argparse
import binascii
from random import Random

from drivers.protocol.frames import Frame, FrameDecoder, write_line
from drivers.protocol.limits import MAX_READ
from drivers.protocol.messages import LIGHTS_OUT, ack, parse, pit_light, row_light
from firmware_sim.firmware import codec as board

from .. import corpus

LINE = 11520  # bytes a second that 115200 baud carry, ten bits each
BOOT = "0123abcd"
SENSORS = 18


def from_board(turns: int) -> list[list[str]]:
    """The fields of the lines of a board."""
    random = Random(1)
    lines: list[list[str]] = []
    for turn in range(turns):
        pits = [random.randrange(SENSORS) for _ in range(10)]
        events = [["LIFT", str(pits[0])]]
        events += [["PIT", str(pit), str(random.randrange(1200))] for pit in pits]
        counts = ".".join(str(random.randrange(1200)) for _ in range(SENSORS))
        events.append(["BTN", "sn"[turn % 2], "commit", counts])
        for event in events:
            lines.append(["EVT", BOOT, str(len(lines) + 1), str(1000 * turn + 300 * len(lines) % 9973), *event])
    return lines


def from_host(turns: int) -> list[Frame]:
    """The lines with which a host answers."""
    lines: list[Frame] = []
    for turn in range(turns):
        lines += (ack(BOOT, 12 * turn + number) for number in range(12))
        lines += [LIGHTS_OUT, row_light("ns"[turn % 2], "on"), pit_light(turn % 16, "on")]
    return lines


def pieces(data: bytes) -> list[bytes]:
    return [data[at : at + MAX_READ] for at in range(0, len(data), MAX_READ)]


def host_reads(chunks: list[bytes]) -> int:
    decoder = FrameDecoder()
    return sum(parse(frame) is not None for chunk in chunks for frame in decoder.feed(chunk))


def board_reads(chunks: list[bytes]) -> int:
    decoder = board.LineDecoder()
    return sum(len(decoder.feed(chunk)) for chunk in chunks)


def bare_reads(chunks: list[bytes]) -> int:
    rest, good = b"", 0
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\r\n")
        for line in lines:
            good += binascii.crc_hqx(line[1:-5], 0xFFFF) == int(line[-4:], 16)
    return good


def bare_writes(lines: list[list[str]]) -> int:
    size = 0
    for line in lines:
        body = ",".join(line).encode("ascii")
        size += len(b"$%s*%04X\r\n" % (body, binascii.crc_hqx(body, 0xFFFF)))
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description="The board protocol's codecs against the line.")
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    reports, answers = from_board(options.turns), from_host(options.turns)
    up = b"".join(map(board.encode, reports))
    answered = [write_line(answer) for answer in answers]
    down = b"".join(answered)
    fields = [answer[1:-7].decode().split(",") for answer in answered]
    ups, downs = pieces(up), pieces(down)
    assert host_reads(ups) == bare_reads(ups) == len(reports)
    assert board_reads(downs) == bare_reads(downs) == len(answers)
    seconds = corpus.in_turn(
        options.rounds,
        lambda: host_reads(ups),
        lambda: bare_reads(ups),
        lambda: [write_line(answer) for answer in from_host(options.turns)],
        lambda: bare_writes(fields),
        lambda: board_reads(downs),
        lambda: bare_reads(downs),
        lambda: [board.encode(line) for line in reports],
        lambda: bare_writes(reports),
    )
    print("| codec | lines/s | kB/s | bare loop, kB/s | ratio | full lines of 115,200 baud that a core serves |")
    print("|---|--:|--:|--:|--:|--:|")
    rows = [
        ("host reads", up, reports),
        ("host writes", down, answers),
        ("board reads, under CPython", down, answers),
        ("board writes, under CPython", up, reports),
    ]
    for number, (name, data, lines) in enumerate(rows):
        ours, bare = seconds[2 * number : 2 * number + 2]
        rate, bare_rate = len(data) / ours, len(data) / bare
        figures = f"{len(lines) / ours:,.0f} | {rate / 1000:,.0f} | {bare_rate / 1000:,.0f} | {bare / ours:.2f}"
        print(f"| {name} | {figures} | {rate / LINE:,.0f} |")


if __name__ == "__main__":
    main()
