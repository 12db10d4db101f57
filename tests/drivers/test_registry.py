from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import UnknownDriverError
from inkeek.drivers.registry import GROUP, driver, drivers, is_own


class Nameless:
    title = "x"

    def open(self, url: str) -> None: ...


class Misnamed(Nameless):
    name = "other"


class Closed:
    name = "closed"
    title = "x"


class Clay(Nameless):
    name = "clay"
    title = "Clay board"


def point(name: str, target: str, distribution: str = "clay-boards") -> EntryPoint:
    made = EntryPoint(name, target, GROUP)
    vars(made)["dist"] = SimpleNamespace(name=distribution, version="1.2")
    return made


def own(kind: type, name: str) -> EntryPoint:
    return point(name, f"{kind.__module__}:{kind.__name__}")


OWN = point("inkeek", "inkeek.drivers.boards.standard:StandardBoard", "inkeek")
MISSING = point("gone", "no_such_module:Clay")
CLAY = own(Clay, "clay")


def test_the_projects_own_driver_is_found() -> None:
    (installed,) = drivers([OWN])
    assert (installed.name, installed.distribution, installed.error) == ("inkeek", "inkeek", None)
    assert isinstance(driver("inkeek", [OWN]), StandardBoard)


def test_a_driver_of_another_distribution_is_listed_and_not_imported() -> None:
    script = point("clay", "antigravity:Clay")  # nobody imports this by accident
    (listed,) = drivers([script])
    assert (listed.name, listed.title, listed.error, listed.is_own) == ("clay", "clay", None, False)
    assert not is_own("clay", [script])
    assert "antigravity" not in sys.modules
    with pytest.raises(UnknownDriverError, match="antigravity"):
        driver("clay", [script])
    (loaded,) = drivers([CLAY], loads=True)
    assert loaded.title == "Clay board"


def test_a_broken_plugin_does_not_hide_others() -> None:
    listed = drivers([MISSING, CLAY, OWN], loads=True)
    assert [(one.name, one.distribution, one.error is None) for one in listed] == [
        ("inkeek", "inkeek", True),
        ("clay", "clay-boards", True),
        ("gone", "clay-boards", False),
    ]
    assert "no_such_module" in (listed[2].error or "")


@pytest.mark.parametrize(
    ("name", "kind", "quoted"),
    [("nameless", Nameless, "'name'"), ("wrong", Misnamed, "'other'"), ("closed", Closed, "'open'")],
)
def test_plugins_that_are_not_drivers_are_broken(name: str, kind: type, quoted: str) -> None:
    (broken,) = drivers([own(kind, name)], loads=True)
    assert broken.error is not None
    assert quoted in broken.error


def test_a_name_can_be_used_once_and_the_projects_own_names_by_nobody_else() -> None:
    first = point("inkeek", "aaa:Board", "aaa")
    listed = drivers([first, OWN])
    assert [(one.distribution, one.error is None) for one in listed] == [("inkeek", True), ("aaa", False)]
    assert isinstance(driver("inkeek", [first, OWN]), StandardBoard)


def test_without_any_driver_the_error_says_how_to_install_them() -> None:
    with pytest.raises(UnknownDriverError, match=r"pip install -e \."):
        driver("inkeek", [])


def test_an_unknown_driver_lists_those_that_are_installed() -> None:
    with pytest.raises(UnknownDriverError, match=r"'wood' .*: gone, inkeek"):
        driver("wood", [OWN, MISSING])


def test_damaged_metadata_of_one_distribution_is_logged_and_hides_no_other(tmp_path, monkeypatch, caplog) -> None:
    before = [one.name for one in drivers()]
    for name in ("damaged", "x"):  # one of them says who it is
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_bytes(b"[inkeek.drivers]\n\xff = x:y\n")
    (tmp_path / "damaged-1.dist-info" / "METADATA").write_bytes(b"\xff\xfe")
    monkeypatch.syspath_prepend(tmp_path)
    assert [one.name for one in drivers()] == before
    assert str(tmp_path) in caplog.text


@pytest.mark.parametrize("metadata", ["Metadata-Version: 2.1\n", ""])
def test_a_driver_of_a_distribution_without_a_name_is_listed(tmp_path, monkeypatch, metadata: str) -> None:
    info = tmp_path / "x-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata)
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nclay = no_such_module:Clay\n")
    monkeypatch.syspath_prepend(tmp_path)
    (found,) = [one for one in drivers(loads=True) if one.name == "clay"]
    assert (found.distribution, found.version) == ("?", "")
    assert "no_such_module" in (found.error or "")
