from __future__ import annotations

import re
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


def test_the_projects_own_driver_is_found() -> None:
    installed = drivers([OWN])
    assert isinstance(installed.drivers["inkeek"], StandardBoard)
    assert installed.broken == ()
    assert isinstance(driver("inkeek", [OWN]), StandardBoard)


def test_a_broken_plugin_does_not_hide_others() -> None:
    installed = drivers([MISSING, OWN])
    assert list(installed.drivers) == ["inkeek"]
    assert installed.broken == (
        BrokenDriver("clay", "no_such_module:Clay", "ModuleNotFoundError: No module named 'no_such_module'"),
    )


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("nameless", Nameless, "TypeError: .*'name'"),
        ("wrong", Misnamed, "ValueError: .*'other'.*'wrong'"),
        ("closed", Closed, "TypeError: .*'open'"),
        ("explosive", Explosive, "RuntimeError: bang"),
    ],
)
def test_plugins_that_are_not_drivers_are_broken(name: str, kind: type, reason: str) -> None:
    (broken,) = drivers([point(name, kind)]).broken
    assert broken.name == name
    assert re.match(reason, broken.reason)


def test_a_name_can_be_used_once() -> None:
    twin = EntryPoint("inkeek", "drivers.boards.standard:StandardBoard", GROUP)
    installed = drivers([OWN, twin])
    assert list(installed.drivers) == ["inkeek"]
    assert re.match("ValueError: .*'inkeek'", installed.broken[0].reason)


def test_without_any_driver_the_error_says_how_to_install_them() -> None:
    with pytest.raises(UnknownDriverError, match=r"pip install -e \."):
        driver("inkeek", [])
    with pytest.raises(UnknownDriverError, match=r"'inkeek' .*: none"):
        driver("inkeek", [MISSING])


def test_an_unknown_driver_lists_those_that_work() -> None:
    with pytest.raises(UnknownDriverError, match=r"'wood' .*: inkeek"):
        driver("wood", [OWN, MISSING])
    with pytest.raises(UnknownDriverError, match=r"'clay' \(no_such_module:Clay\).*: inkeek"):
        driver("clay", [OWN, MISSING])
