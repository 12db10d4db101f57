"""Every error of the packages survives what processes and programs do with errors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from importlib import import_module
from multiprocessing import get_context
from pkgutil import walk_packages
from typing import Any

import pytest

from inkeek.drivers.conformance.board_check import StepFailed
from inkeek.drivers.errors import DriverError
from inkeek.records import Game, IllegalMove, Move, Rules, ruleset
from inkeek.records.errors import BudgetSpent, ErrorText, EvidenceError, OptionError, PositionError
from inkeek.records.json_codec import JsonError
from inkeek.records.notation.tags import TagError
from inkeek.records.record import BadRecord
from inkeek.records.replay import EndError
from inkeek.service.boards.board_process import TooMuch
from inkeek.service.boards.remote.client import RequestRefused, Unreachable
from inkeek.service.boards.searches import NoSearch
from inkeek.service.errors import Illegal, Invalid, InvalidFields, ServiceError, TooManyRequests, Unauthorized

PACKAGES = ("inkeek.records", "inkeek.drivers", "inkeek.service", "inkeek.firmware_sim")
NOT_HERE = ("firmware_sim.pico", "__main__", "migrations.env")  # for MicroPython; what runs when it is imported
TEXT = ErrorText("pit %(pit)s", pit=3)
BOF = ruleset("bof")


def illegal() -> IllegalMove:
    with pytest.raises(IllegalMove) as caught:
        BOF.play(BOF.start(), Move.parse("A"))
    return caught.value


def bad_record() -> BadRecord:
    return BadRecord(Game.from_json({"tags": {"Game": "bof"}, "plies": [{"move": "A"}]}).errors)


# One of each class whose `__init__` takes other arguments than its base class.
EXAMPLES: dict[type[BaseException], Any] = {
    PositionError: lambda: PositionError("1", ["too short", TEXT]),
    EvidenceError: lambda: EvidenceError([("before", "no position"), ("after", TEXT)]),
    IllegalMove: illegal,
    BadRecord: bad_record,
    BudgetSpent: BudgetSpent,
    EndError: lambda: EndError(3, TEXT),
    TagError: lambda: TagError("Event", TEXT),
    JsonError: lambda: JsonError("plies[0].nags[0]", "Expected `int` <= 255"),
    DriverError: lambda: DriverError("pit %(pit)s", pit=3),
    StepFailed: lambda: StepFailed("PONG", "PING"),
    ServiceError: lambda: ServiceError("pit %(pit)s", pit=3, more=[1]),
    OptionError: lambda: OptionError("no option 'pit'", "options.pit"),
    Invalid: lambda: Invalid("pit %(pit)s", pit=3, more=[1], field="pit"),
    InvalidFields: lambda: InvalidFields(TEXT, [("/pit", TEXT)], errors=[]),
    Illegal: lambda: Illegal(illegal(), BOF, "moves[1]"),
    Unauthorized: lambda: Unauthorized("pit %(pit)s", is_refused=True, pit=3, more=[1]),
    TooManyRequests: lambda: TooManyRequests(TEXT, 7),
    Unreachable: lambda: Unreachable("no answer", 2.5),
    RequestRefused: lambda: RequestRefused(409, "hole", "refused", {"expected": 7}),
    NoSearch: lambda: NoSearch(TEXT),
    TooMuch: lambda: TooMuch(TEXT),
}


def error_classes() -> Iterator[type[BaseException]]:
    """The errors of all modules, also those that are made in a function or a class."""
    for package in map(import_module, PACKAGES):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not any(part in module.name for part in NOT_HERE):
                import_module(module.name)
    waiting: list[type[BaseException]] = [BaseException]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith(PACKAGES):
            yield kind


CLASSES = sorted(set(error_classes()), key=lambda kind: (kind.__module__, kind.__qualname__))


def example(kind: type[BaseException]) -> BaseException:
    if kind in EXAMPLES:
        return EXAMPLES[kind]()
    assert "__init__" not in vars(kind), f"give {kind.__qualname__} an example: it has its own __init__"
    return kind(TEXT)


def content(value: Any) -> Any:
    """What two errors are compared by; errors and rules have no `==`."""
    if isinstance(value, BaseException):
        return type(value), content(value.args), content(vars(value)), str(value)
    if isinstance(value, ErrorText):
        return type(value), str(value), value.template, content(value.values)
    if isinstance(value, dict):
        return {key: content(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return type(value), *map(content, value)
    return (value.id, value.options) if isinstance(value, Rules) else value


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__qualname__)
def test_an_error_is_the_same_after_it_was_pickled_or_copied(kind):
    error = example(kind)
    assert type(error) is kind
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert content(again) == content(error)


def test_an_error_in_a_process_pool_reaches_the_caller():
    record = {"tags": {"Game": "bof"}, "plies": [{"move": "a", "nags": [256]}]}
    with get_context("spawn").Pool(1) as pool, pytest.raises(JsonError, match=r"plies\[0\]\.nags"):
        pool.map_async(Game.from_json, [record]).get(60)
