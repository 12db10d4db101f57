"""The house rules: who may import whom, how long a file may be, and what the repository and its wheel hold."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("records", "drivers", "firmware_sim", "service")

# What each package may import of the others.
MAY_IMPORT = {
    "records": set(),
    "drivers": {"records"},
    "firmware_sim": {"records"},
    "service": {"records", "drivers"},
}

# Libraries that only some files may know, as regular expressions of their paths.
ONLY_IN = {
    "serial": r"drivers/transport\.py",
    "sqlalchemy": r"service/storage/.*",
    "alembic": r"service/storage/.*",
    "flask": r"service/(app|problems|current|observe|webserver|access/guard)\.py|service/(api|web)/.*",
    "flask_smorest": r"service/api/.*|service/problems\.py",
    "gunicorn": r"service/webserver\.py",
    "waitress": r"service/webserver\.py",
    "prometheus_client": r"service/metrics\.py",
    "click": r"service/cli/.*|firmware_sim/(cli|options)\.py",
    "cython": r"records/kernel\.py",
}

# The device knows records only where hands play one.
PLAYS_RECORDS = r"firmware_sim/(hands|scenarios)/.*|firmware_sim/cli\.py"

MAX_LINES = 450
LONGER = {
    "records/kernel/sowing.py": "all games' sowing in one compiled unit: no calls between modules inside the loop",
    "tests/drivers/protocol/test_session.py": "one state machine, and what it says in every conversation",
}

MACHINE_PATHS = re.compile(r"/(?:work|root)/|/home/[a-z]|/Users/[A-Za-z]|[A-Z]:\\Users", re.ASCII)
REGISTRIES = re.compile(r"index[-_]url|pypi\.[a-z]+/|python[h]osted|registry\.npm|proxy\.golang", re.I)


def tracked(*under: str) -> list[Path]:
    """The files of the repository, relative to its root."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    told = subprocess.run(["git", "ls-files", "-z", *under], cwd=ROOT, capture_output=True, check=True).stdout
    return [path for name in told.decode().split("\0") if name and (ROOT / (path := Path(name))).is_file()]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that a file imports, wherever in the file."""
    package = path.with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield node.lineno, module
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names if not node.module)


def sources() -> list[Path]:
    return [path for path in tracked(*PACKAGES) if path.suffix == ".py"]


def test_who_imports_whom() -> None:
    wrong = [
        f"{path}:{line}: {path.parts[0]} may not import {module}"
        for path in sources()
        for line, module in imports(path)
        if (other := module.split(".")[0]) in (*PACKAGES, "tests", "benchmarks")
        and other != path.parts[0]
        and other not in MAY_IMPORT[path.parts[0]]
    ]
    assert wrong == []


def test_the_device_knows_records_only_where_hands_play_one() -> None:
    wrong = [
        f"{path}:{line}: imports {module}"
        for path in sources()
        for line, module in imports(path)
        if path.parts[0] == "firmware_sim"
        and module.split(".")[0] == "records"
        and not re.fullmatch(PLAYS_RECORDS, path.as_posix())
    ]
    assert wrong == []


def test_the_firmware_imports_nothing_but_itself() -> None:
    """MicroPython has little else."""
    wrong = [
        f"{path}:{line}: imports {module}"
        for path in sources()
        for line, module in imports(path)
        if path.parts[:2] == ("firmware_sim", "firmware") and not module.startswith("firmware_sim.firmware")
    ]
    assert wrong == []


def test_libraries_stay_in_their_rooms() -> None:
    wrong = [
        f"{path}:{line}: {library} is for {ONLY_IN[library]}"
        for path in sources()
        for line, module in imports(path)
        if (library := module.split(".")[0]) in ONLY_IN and not re.fullmatch(ONLY_IN[library], path.as_posix())
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("drivers/x.py", "def f():\n    import service.app\n", [(2, "service.app")]),
        ("service/api/x.py", "from ..games import Games\n", [(1, "service.games.repository")]),
        ("service/api/x.py", "from .. import games\n", [(1, "service"), (1, "service.games.repository")]),
        ("firmware_sim/firmware/x.py", "from .codec import encode\n", [(1, "firmware_sim.firmware.codec")]),
    ],
)
def test_imports_are_found(
    path: str, text: str, found: list[tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.test_house.ROOT", tmp_path)
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text)
    assert list(imports(Path(path))) == found


def test_no_file_is_too_long() -> None:
    lengths = {path.as_posix(): (ROOT / path).read_bytes().count(b"\n") for path in tracked("*.py", "*.js", "*.css")}
    too_long = {path for path, lines in lengths.items() if lines > MAX_LINES}
    assert too_long == LONGER.keys(), "split it by idea, or say in LONGER why not (and take out what has shrunk)"


def test_no_machines_and_no_package_indexes_are_named() -> None:
    wrong = [
        f"{path}:{number}: {line.strip()[:120]}"
        for path in tracked()
        for number, line in enumerate((ROOT / path).read_bytes().decode("utf-8", "replace").splitlines(), 1)
        if path.suffix != ".png" and (MACHINE_PATHS.search(line) or REGISTRIES.search(line))
    ]
    assert wrong == []


def test_scripts_and_entry_points_lead_somewhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    targets = [*project["scripts"].values(), *project["entry-points"]["inkeek.drivers"].values()]
    for target in targets:
        module, _, name = target.partition(":")
        assert callable(getattr(importlib.import_module(module), name))
