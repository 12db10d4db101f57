from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from drivers.boards.standard import StandardBoard
from drivers.errors import UnknownDriverError
from drivers.registry import GROUP, BrokenDriver, driver, drivers

OWN = EntryPoint("inkeek", "drivers.boards.standard:StandardBoard", GROUP)
MISSING = EntryPoint("clay", "no_such_module:Clay", GROUP)


class Nameless:
    title = "x"

    def open(self, url: str) -> None: ...


class Misnamed(Nameless):
    name = "other"


class Closed:
    name = "closed"
    title = "x"


class Explosive:
    def __init__(self) -> None:
        raise RuntimeError("bang")


def point(name: str, kind: type) -> EntryPoint:
    return EntryPoint(name, f"{kind.__module__}:{kind.__name__}", GROUP)


def test_the_projects_own_driver() -> None:
    listing = drivers([OWN])
    assert isinstance(listing.drivers["inkeek"], StandardBoard)
    assert listing.broken == ()
    assert isinstance(driver("inkeek", [OWN]), StandardBoard)


def test_a_broken_plugin_is_told_and_hides_nobody() -> None:
    listing = drivers([MISSING, OWN])
    assert list(listing.drivers) == ["inkeek"]
    assert listing.broken == (
        BrokenDriver("clay", "no_such_module:Clay", "ModuleNotFoundError: No module named 'no_such_module'"),
    )


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("nameless", Nameless, "TypeError: it has no text 'name'"),
        ("wrong", Misnamed, "ValueError: it calls itself 'other', and its entry point 'wrong'"),
        ("closed", Closed, "TypeError: it has no method 'open'"),
        ("explosive", Explosive, "RuntimeError: bang"),
    ],
)
def test_what_is_no_driver(name: str, kind: type, reason: str) -> None:
    (broken,) = drivers([point(name, kind)]).broken
    assert (broken.name, broken.reason) == (name, reason)


def test_a_name_is_taken_once() -> None:
    twin = EntryPoint("inkeek", "drivers.boards.standard:StandardBoard", GROUP)
    listing = drivers([OWN, twin])
    assert list(listing.drivers) == ["inkeek"]
    assert listing.broken[0].reason == "ValueError: another driver is called 'inkeek' already"


def test_where_nothing_is_installed_it_is_told_how_to() -> None:
    with pytest.raises(UnknownDriverError, match=r"none is installed at all: .*: pip install -e \."):
        driver("inkeek", [])
    with pytest.raises(UnknownDriverError, match="'inkeek': known are none"):
        driver("inkeek", [MISSING])


def test_an_unknown_driver_names_those_that_work() -> None:
    with pytest.raises(UnknownDriverError, match="no driver is called 'wood': known are inkeek"):
        driver("wood", [OWN, MISSING])
    with pytest.raises(UnknownDriverError, match=r"'clay' \(no_such_module:Clay\) failed to load: .*; working: inkeek"):
        driver("clay", [OWN, MISSING])
