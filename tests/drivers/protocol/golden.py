"""The golden frames of the protocol: `tests/data/protocol/frames.json`."""

from __future__ import annotations

import json
from pathlib import Path

from inkeek.drivers.protocol.frames import Frame

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "data" / "protocol" / "frames.json").read_text("ascii"),
)
GOOD = [frame for frame in GOLDEN if not frame.get("damaged")]
DAMAGED = [frame for frame in GOLDEN if frame.get("damaged")]
BY_NAME = {frame["name"]: frame for frame in GOLDEN}
BOOT = "1a2b3c4d"


def named(frame: dict[str, object]) -> str:
    return str(frame["name"])


def raw(frame: dict[str, object]) -> bytes:
    return str(frame["line"]).encode("latin-1")


def as_frame(golden: dict[str, object]) -> Frame:
    fields = golden["fields"]
    assert isinstance(fields, list)
    return Frame(str(golden["type"]), tuple(fields))
