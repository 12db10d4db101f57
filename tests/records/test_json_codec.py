from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest
from msgspec import Meta

from inkeek.records import NORTH, Move, Position, Side, ruleset
from inkeek.records.json_codec import JsonError, decode, encode, field_names, from_json, json_fields, to_json
from tests.test_house import ROOT

START = ruleset("kalah").start()


class Point(NamedTuple):
    pit: int
    weight: float = 0.0


@dataclass(frozen=True)
class Report:
    side: Side
    move: Move
    position: Position
    number: Annotated[int, Meta(ge=0, le=99)] = 0
    points: tuple[Point, ...] = ()
    pair: tuple[int, str] | None = None
    names: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)
    moves: Mapping[str, Move] = field(default_factory=dict)
    after: Report | None = None
    more: dict[str, Any] = field(default_factory=dict)


@json_fields("name", "move")
@dataclass
class Short:
    move: Move
    hidden: int = 1
    name: str = ""


FULL = Report(
    NORTH,
    Move.parse("D<x7"),
    START,
    9,
    (Point(1, 0.5), Point(2)),
    (3, "c"),
    frozenset("ba"),
    ["x"],
    {"first": Move.parse("a")},
    Report(NORTH, Move.parse("--"), START),
    {"a": [1, {"b": None}]},
)


@pytest.mark.parametrize("report", [FULL, Report(NORTH, Move.parse("a"), START)])
def test_json_keeps_everything(report):
    data = to_json(report)
    assert json.loads(json.dumps(data)) == data
    assert from_json(data, Report) == report
    assert decode(encode(report), Report) == report
    assert decode(encode(report).decode(), Report) == report


def test_json_of_texts_sets_and_objects():
    data = to_json(FULL)
    assert (data["side"], data["move"], data["position"]) == ("North", "D<x7", str(START))
    assert data["points"] == [{"pit": 1, "weight": 0.5}, {"pit": 2, "weight": 0.0}]
    assert data["names"] == ["a", "b"]
    assert data["moves"] == {"first": "a"}


def test_only_the_named_fields_are_written_and_read():
    assert field_names(Short) == ("name", "move")
    assert list(to_json(Short(Move.parse("a"), hidden=2))) == ["name", "move"]
    assert from_json({"move": "a"}, Short) == Short(Move.parse("a"))
    with pytest.raises(JsonError) as caught:
        from_json({"move": "a", "hidden": 2}, Short)
    assert caught.value.path == "hidden"


@pytest.mark.parametrize(
    ("changes", "path", "quoted"),
    [
        ({"side": "West"}, "side", "'West'"),
        ({"side": 1}, "side", "1"),
        ({"move": "9"}, "move", "'9'"),
        ({"position": "x"}, "position", "'x'"),
        ({"number": 100}, "number", "99"),
        ({"number": True}, "number", "True"),
        ({"points": [{"pit": 1}, {"pit": "1"}]}, "points[1].pit", "'1'"),
        ({"points": [{"pit": 1}, {}]}, "points[1].pit", "pit, weight"),
        ({"pair": [1]}, "pair", "[1]"),
        ({"names": "ab"}, "names", "'ab'"),
        ({"moves": {"first": "9"}}, "moves[...]", "'9'"),
        ({"after": {**to_json(FULL), "points": [{"pit": 1, "x": 1}]}}, "after.points[0].x", "pit, weight"),
    ],
)
def test_another_shape_is_refused_with_its_path(changes, path, quoted):
    data = {**to_json(FULL), **changes}
    for read in (lambda: from_json(data, Report), lambda: decode(json.dumps(data), Report)):
        with pytest.raises(JsonError) as caught:
            read()
        assert caught.value.path == path
        assert quoted in caught.value.reason


@pytest.mark.parametrize("text", ["", "{", "[NaN]", '{"a": 1} x', b"\xff", "[" * 100_000])
def test_text_that_is_not_json_is_refused(text):
    with pytest.raises(JsonError) as caught:
        decode(text, Short)
    assert caught.value.path == ""


# Without the lock, one of the first kinds of the 200 ends the process with SIGSEGV.
READ_BY_FOUR_THREADS = """
import sys
from threading import Barrier, Thread

import msgspec

from inkeek.records.structs import convert, decode_json


def read(value, kind, barrier):
    barrier.wait()
    assert convert(value, kind).last == 1
    assert decode_json(msgspec.json.encode(value), kind).last == 1


sys.setswitchinterval(1e-6)
for number in range(200):
    inner = msgspec.defstruct(f"Inner{number}", [("number", int)])
    kind = msgspec.defstruct(f"Outer{number}", [("inner", inner | None), ("last", int | None)])
    barrier = Barrier(4)
    threads = [Thread(target=read, args=({"inner": {"number": 1}, "last": 1}, kind, barrier)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_read_the_same_new_struct_at_once() -> None:
    assert subprocess.run([sys.executable, "-c", READ_BY_FOUR_THREADS], cwd=ROOT, check=False).returncode == 0
