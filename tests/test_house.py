"""The layout: who imports whom, and what must not stand anywhere."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from inkeek.service.rooms import BUILT_IN

ROOT = Path(__file__).parents[1]
PACKAGES = ("records", "drivers", "firmware_sim", "service")

# What each package may import of the others.
MAY_IMPORT = {
    "records": set(),
    "drivers": {"records"},
    "firmware_sim": {"records"},
    "service": {"records", "drivers"},
}

# Folders of the rooms, in the order in which they may import each other: that of the API's document, but for the first.
CORE = ("games", "turns", "findings", "review", "live", "boards", "library")
ROOM_FOLDERS = tuple(dict.fromkeys((*CORE, *(room.package.split(".")[2] for room in BUILT_IN if room.package))))
# Rooms whose other modules know nothing of HTTP: those that do.
FACES = {
    "boards": "api|answers|pages|view_models|event_tables|remote/api",
    "live": "api",
    "games": "api|answers|rules_answers|schemas|pages|rules|table_view|view_models|move_list",
}
_IN_ROOMS = "|".join(f"service/{room}/({FACES.get(room, '.*')})" for room in ROOM_FOLDERS)

# What each part of the service may import of the other parts. `cli`, `app` and `reference` put everything together.
SERVICE_MAY_IMPORT = {
    "errors": set(),
    "files": set(),
    "terminal": set(),
    "settings": {"errors", "files"},
    "room": set(),
    "rooms": {"errors", "room", *ROOM_FOLDERS},
    "storage": {"errors", "room"},
    "games": {"errors", "room", "settings", "storage"},
    "games.http": {"errors", "storage", "games", "processes", "http"},
    "live": {"errors", "room", "storage"},
    "live.http": {"errors", "storage", "games", "live", "processes", "http"},
    "maintenance": {"errors", "files", "storage", "games"},
    "disputes": {"errors", "room", "storage", "games", "boards", "http", "turns", "findings", "library"},
    "boards.http": {"errors", "storage", "games", "boards", "live", "http", "turns"},
    "boards": {"errors", "room", "files", "settings", "storage", "games", "disputes", "live", "processes"},
    "jobs": {"errors", "settings", "storage", "games", "maintenance", "processes"},
    "http": {
        *("errors", "settings", "room", "rooms", "storage", "games", "live", "boards", "jobs"),
        *("maintenance", "processes"),
    },
    "processes": {"errors", "files", "settings", "storage", "games", "http", "app", "terminal"},
    "demo": {"errors", "room", "settings", "storage", "games", "http", "processes", "cli"},
    "engines": {"errors", "room", "terminal", "cli"},
    "backup": {"errors", "room", "storage", "processes", "http", "maintenance"},
    "matches": {"room", "storage", "games", "http"},
    "events": {"errors", "room", "storage", "games", "boards", "http", "library"},
    "booklet": {"errors", "room", "storage", "games", "jobs", "http", "events", "review"},
    "accounts": {"errors", "room", "settings", "storage", "games", "processes", "http", "disputes"},
    "paper": {"errors", "room", "games", "http", "findings"},
    "proofs": {"errors", "files", "room", "settings", "storage", "games", "maintenance", "http", "cli"},
    "findings": {"errors", "room", "games", "processes", "http"},
    "review": {"errors", "room", "storage", "games", "http", "turns", "findings"},
    "library": {"errors", "room", "storage", "games", "http"},
    "turns": {"errors", "room", "storage", "games", "http"},
    "study": {"errors", "room", "storage", "games", "live", "jobs", "processes", "http", "findings", "review"},
    "sharing": {"errors", "room", "storage", "games", "processes", "http", "disputes", "review"},
}
# Which files outside a room may import it: those that put the application together, rooms behind it, and few before it.
ROOMS = {
    "disputes": re.compile(
        # a game is what its events say, those of its disputes included
        r"service/games/(event_kinds|state|integrity|corrections|library/transfer)\.py"
        # what puts the application together
        r"|service/rooms\.py"
        # rooms that stand behind it, most of them still spread over layers
        r"|service/boards/(controller/dispute|disputed_turn|remote/reports)\.py"
        r"|service/games/pages\.py|service/(accounts/people|sharing/pages)\.py"
    )
}
# What imports a room behind its own.
UPWARD = {
    # a game's JSON, its page and its stream have the board that stands at it
    ("service/games/answers.py", "boards"),
    ("service/games/view_models.py", "boards"),
    ("service/live/api.py", "boards"),
}
EXCEPTIONS = {
    *((file, f"{room}.http") for file, room in UPWARD),
    ("service/http/sse.py", "boards.http"),
    *((f"service/http/{name}.py", "games.http") for name in ("api/openapi", "problems", "sse")),
    ("service/boards/desk_process.py", "http"),  # the desk's process builds its services as the web server does
}

# Modules that only some files may import, as regular expressions of their paths.
ONLY_IN = {
    "serial": r"drivers/ports/transport\.py",
    "sqlalchemy": r"service/storage/.*",
    "alembic": r"service/storage/.*",
    "flask": rf"service/app\.py|service/http/.*|({_IN_ROOMS})\.py|service/processes/(web_server|web/app)\.py",
    "apispec": r"service/http/api/.*",
    "marshmallow": r"service/http/api/.*|service/(\w+/)+(api|jobs|schemas)\.py",
    "uvicorn": r"service/processes/web_server\.py",
    "uvloop": r"service/processes/web_server\.py",
    "prometheus_client": r"service/processes/metrics\.py",
    "click": r"service/(cli/.*|\w+/commands\.py)|firmware_sim/(cli|flash|options)\.py",
    "babel": r"service/translations/.*|service/http/language\.py",
    "flask_babel": r"service/http/language\.py",
    "segno": r"service/http/web/.*|service/processes/announcement\.py|service/cli/tokens\.py",
    "resvg_py": r"service/sharing/painter\.py",
    "ifaddr": r"service/http/addresses\.py",
    "markdown_it": r"service/library/manual\.py",
    "rcssmin": r"service/http/web/minify\.py",
    "rjsmin": r"service/http/web/minify\.py",
    "py4swiss": r"service/games/events/pairing\.py",
    "cython": r"records/kernel/(sowing|slips|endgame|searcher|board)\.py",
}

IN_MICROPYTHON = {"hashlib.sha256"}  # what the firmware may import besides its own modules

# The simulated hands play records; the board itself does not know the rules.
PLAYS_RECORDS = r"firmware_sim/(hands/.*|scenarios\.py|cli\.py)"

# What the subfolders of these layers are named after. A subject with one module in a layer needs no folder there.
LAYERS = tuple(Path(path) for path in ("service/games", "service/http/api", "service/http/web"))
SUBJECTS = {
    "boards",
    "drawing",
    "events",
    "findings",
    "games",
    "library",
    "live",
    "matches",
    "people",
    "review",
    "turns",
}
MAX_SHARED_NAMES = 3  # classes that have the name of another one

MACHINE_PATHS = re.compile(r"/(?:work|root)/|/home/[a-z]|/Users/[A-Za-z]|[A-Z]:\\Users", re.ASCII)
REGISTRIES = re.compile(r"index[-_]url|pypi\.[a-z]+/|python[h]osted|registry\.npm|proxy\.golang", re.I)


def tracked(*under: str) -> list[Path]:
    """Return the files under version control, relative to the root."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    listed = subprocess.run(["git", "ls-files", "-z", *under], cwd=ROOT, capture_output=True, check=True).stdout
    return [path for name in listed.decode().split("\0") if name and (ROOT / (path := Path(name))).is_file()]


def sources() -> list[Path]:
    return [path for path in tracked(*PACKAGES) if path.suffix == ".py"]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text("utf-8"), str(path))


def called(call: ast.Call) -> str:
    """Return the name of what is called, without what it is an attribute of."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


@cache
def imports(path: Path) -> list[tuple[int, str]]:
    """Return line and full name, without ``inkeek.``, of all that a file imports: at its top, in functions, for types.

    ``from a.b import c`` gives ``a.b.c``, which is a module or a name in ``a.b``.
    """
    package, found = path.with_suffix("").parts[:-1], []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name.removeprefix("inkeek.")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = [*base, *([node.module.removeprefix("inkeek.")] if node.module else [])]
            found += [(node.lineno, ".".join([*module, alias.name])) for alias in node.names]
        elif isinstance(node, ast.Call) and called(node).endswith("import_module"):
            name = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
            base = package[: len(package) - len(name) + len(name.lstrip(".")) + 1] if name.startswith(".") else ()
            found.append((node.lineno, ".".join([*base, name.lstrip(".").removeprefix("inkeek.")])))
    return found


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def import_graph() -> dict[str, set[str]]:
    """Return the modules of the packages with the modules that each imports."""
    names = {module_name(path) for path in sources()}
    graph: dict[str, set[str]] = {}
    for path in sources():
        found = {name if name in names else name.rpartition(".")[0] for _, name in imports(path)}
        graph[module_name(path)] = (found & names) - {module_name(path)}
    return graph


def in_cycles(graph: dict[str, set[str]]) -> set[str]:
    """Return the nodes from which a path leads back to themselves, and those between them."""
    graph = dict(graph)
    while True:  # take away what imports nothing that is left, or what nothing that is left imports
        imported = set().union(*graph.values()) if graph else set()
        rest = {name for name, targets in graph.items() if targets & graph.keys() and name in imported}
        if len(rest) == len(graph):
            return rest
        graph = {name: graph[name] & rest for name in rest}


def test_packages_import_only_what_they_may() -> None:
    wrong = [
        f"{path}:{line}: {path.parts[0]} must not import {module}"
        for path in sources()
        for line, module in imports(path)
        if (other := module.split(".")[0]) in (*PACKAGES, "tests", "benchmarks")
        and other != path.parts[0]
        and other not in MAY_IMPORT[path.parts[0]]
    ]
    assert wrong == []


def part_of(names: Sequence[str]) -> str:
    """Return the part of the service in which a module is, by the names on the way to it: its room's face is one."""
    face = len(names) > 2 and re.match(rf"({FACES.get(names[1], ' ')})(/|$)", "/".join(names[2:]))
    return f"{names[1]}.http" if face else names[1]


def test_parts_of_the_service_import_only_what_they_may() -> None:
    wrong = []
    for path in tracked("service"):
        part = part_of(path.with_suffix("").parts)
        if path.suffix != ".py" or part not in SERVICE_MAY_IMPORT:
            continue
        may = {part, *SERVICE_MAY_IMPORT[part]}
        for line, module in imports(path):
            names = module.split(".")
            other = part_of(names) if names[0] == "service" and len(names) > 1 else part
            allowed = other in may or (path.as_posix(), other) in EXCEPTIONS
            if other.endswith(".http"):  # for whoever may import the room and the frame
                allowed |= part != "http" and {"http", other.removesuffix(".http")} <= may
            if other in ROOMS and other != part:
                allowed = ROOMS[other].fullmatch(path.as_posix()) is not None
            if not allowed:
                wrong.append(f"{path}:{line}: service.{part} must not import {module}")
    assert wrong == []


def test_rooms_import_only_rooms_before_them() -> None:
    later = {name: ROOM_FOLDERS[at + 1 :] for at, name in enumerate(ROOM_FOLDERS)}
    wrong = [
        f"{path}:{line}: the room {path.parts[1]} must not import {module}, of a later one"
        for path in sources()
        if path.parts[1] in later
        for line, module in imports(path)
        if module.split(".")[:1] == ["service"] and (other := module.split(".")[1]) in later[path.parts[1]]
        if (path.as_posix(), other) not in UPWARD and not (other in ROOMS and ROOMS[other].fullmatch(path.as_posix()))
    ]
    assert wrong == []


def test_nobody_imports_an_optional_room() -> None:
    """What it adds to another room's page it hands over in its `Room`, which the list of rooms imports."""
    wrong = []
    for room in BUILT_IN:
        own = {target.partition(":")[0].removeprefix("inkeek.") for target in room.targets}
        if room.optional:
            wrong += [
                f"{name} must not import {module}"
                for name, targets in import_graph().items()
                for module in targets
                if any(belongs(module, part) for part in own)
                and not any(belongs(name, part) for part in own)
                and (name, module.rpartition(".")[2]) != ("service.rooms", "room")
            ]
    assert wrong == []


def belongs(module: str, part: str) -> bool:
    """Return whether a module is the part, or in it."""
    return f"{module}.".startswith(f"{part}.")


def test_modules_do_not_import_each_other_in_cycles() -> None:
    assert in_cycles(import_graph()) == set()


def test_folders_of_a_layer_are_named_after_subjects() -> None:
    """What belongs to one subject is found under one name in every layer."""
    parents = [(layer, folder) for layer in LAYERS for path in tracked(str(layer)) for folder in path.parents]
    assert {folder.name for layer, folder in parents if layer in folder.parents} - {"static", "templates"} <= SUBJECTS


def test_the_board_does_not_know_the_rules() -> None:
    wrong = [
        f"{path}:{line}: imports {module}"
        for path in sources()
        for line, module in imports(path)
        if path.parts[0] == "firmware_sim"
        and module.split(".")[0] == "records"
        and not re.fullmatch(PLAYS_RECORDS, path.as_posix())
    ]
    assert wrong == []


def test_the_firmware_imports_only_itself() -> None:
    """MicroPython has little else."""
    wrong = [
        f"{path}:{line}: imports {module}"
        for path in sources()
        for line, module in imports(path)
        if path.parts[:2] == ("firmware_sim", "firmware")
        and not module.startswith("firmware_sim.firmware")
        and module not in IN_MICROPYTHON
    ]
    assert wrong == []


def test_the_foreign_board_shares_no_code_with_the_project() -> None:
    """It finds the mistakes that both codecs of the project could share."""
    wrong = [
        f"{path}:{line}: imports {module}"
        for path in tracked("tests/foreign_board")
        if path.suffix == ".py" and not path.name.startswith("test_")
        for line, module in imports(path)
        if module.split(".")[0] not in {"records", *sys.stdlib_module_names}
        and not module.startswith("tests.foreign_board")
    ]
    assert wrong == []


def test_libraries_are_imported_only_where_they_may() -> None:
    wrong = [
        f"{path}:{line}: {library} is for {ONLY_IN[library]}"
        for path in sources()
        for line, module in imports(path)
        if (library := module.split(".")[0]) in ONLY_IN and not re.fullmatch(ONLY_IN[library], path.as_posix())
    ]
    assert wrong == []


def test_no_file_has_the_marks_of_a_merge() -> None:
    marked = [path for path in tracked() if re.search(rb"^(<{7}|>{7}) ", (ROOT / path).read_bytes(), re.MULTILINE)]
    assert marked == []


def test_no_machine_and_no_package_index_is_named() -> None:
    wrong = [
        f"{path}:{number}: {line.strip()[:120]}"
        for path in tracked()
        for number, line in enumerate((ROOT / path).read_bytes().decode("utf-8", "replace").splitlines(), 1)
        if path.suffix != ".png" and (MACHINE_PATHS.search(line) or REGISTRIES.search(line))
    ]
    assert wrong == []


def test_scripts_and_entry_points_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    targets = [*project["scripts"].values(), *project["entry-points"]["inkeek.drivers"].values()]
    for target in targets:
        module, _, name = target.partition(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_packages_have_one_name() -> None:
    for module in ("records", "drivers.registry", "firmware_sim.cli", "service.cli"):
        importlib.import_module(f"inkeek.{module}")
    assert not {*PACKAGES} & sys.modules.keys()


def test_a_class_name_means_one_class() -> None:
    """Where a name is used twice, a reader must look where it came from."""
    names = Counter(node.name for path in sources() for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))
    assert len([name for name, count in names.items() if count > 1]) <= MAX_SHARED_NAMES


def test_browsers_wait_for_functions() -> None:
    """Their pages forbid `eval`: what is no function fails unless it is true at once."""
    found = [
        path
        for path in tracked("*.py")
        if re.search(r'wait_for_function\(\s*"(?!\(.*?\) =>|\w+ =>)', (ROOT / path).read_text())
    ]
    assert found == []


def test_one_module_reads_structs() -> None:
    """It has the lock that msgspec lacks."""
    pattern = re.compile(r"msgspec\.convert\(|msgspec\.\w+\.decode\(.*type=|msgspec.*Decoder\(")
    found = [path.as_posix() for path in sources() if pattern.search((ROOT / path).read_text("utf-8"))]
    assert found == ["records/structs.py"]
