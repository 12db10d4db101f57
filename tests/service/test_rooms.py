"""The service starts and answers without its optional rooms; rooms of other distributions that fail stop nothing."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import click
import pytest
from flask import Flask

from inkeek.service import create_app
from inkeek.service.cli import main
from inkeek.service.errors import SettingError
from inkeek.service.games.write import Write
from inkeek.service.http.context import services_of
from inkeek.service.reference import commands, filled
from inkeek.service.rooms import BUILT_IN
from tests.service.clients import with_token

SERVICE = Path(__file__).parents[2] / "service"
OPTIONAL = [room.name for room in BUILT_IN if room.optional]
CORE = ("test_manual.py", "test_search.py", "test_persons.py", "test_joining.py", "test_welcome.py", "test_evening.py")
ASK_FOR_A_ROOM = (
    "each_kind_is_found",
    "only_an_administrator_shows_initials",
)  # for the page of a position, for a card
BROKEN = {
    "raises": 'raise RuntimeError("no room today")',
    "exits": "raise SystemExit(3)",
    "no_room": "ROOM = 3",
    "other_name": 'from inkeek.service.room import Room\nROOM = Room("games", "x")',
    "no_module": 'from inkeek.service.room import Room\nROOM = Room("no_module", "x", pages=("nowhere:pages",))',
    "no_place": 'from inkeek.service.room import Room\nROOM = Room("no_place", "x", adds={"moon": "no_place:f"})',
    "no_scope": (
        "from inkeek.service.http.rooms import RoomPages\nfrom inkeek.service.room import Room\n"
        'pages = RoomPages()\n@pages.get("/x")\ndef x(): ...\nROOM = Room("no_scope", "x", pages=("no_scope:pages",))'
    ),
    "taken_path": (
        "from inkeek.service.http.access import needs\nfrom inkeek.service.http.rooms import RoomPages\n"
        "from inkeek.service.room import Room\npages = RoomPages()\n"
        '@pages.get("/x")\n@needs("read")\ndef games(): ...\n'
        'ROOM = Room("taken_path", "x", pages=("taken_path:pages",))'
    ),
    "taken_name": (
        "from inkeek.service.http.api.blueprint import ApiBlueprint\nfrom inkeek.service.room import Room\n"
        'api = ApiBlueprint("own", "x")\n@api.operation("GET", "/x", scope="read")\ndef list_games(): ...\n'
        'ROOM = Room("taken_name", "x", operations=("taken_name:api",))'
    ),
}


@contextlib.contextmanager
def started(folder: Path, without: str = "") -> Iterator[Flask]:
    app = create_app({"data": str(folder), "without_rooms": without})
    services_of(app).store.upgrade()
    try:
        yield app
    finally:
        services_of(app).close()


@pytest.mark.parametrize("without", [*OPTIONAL, ",".join(OPTIONAL)])
def test_the_service_answers_without_an_optional_room(tmp_path, without):
    with started(tmp_path, without) as app:
        client = with_token(app)
        game = services_of(app).games.create("oware", {}, {"Event": "Cup"}, Write("api")).id
        assert client.post(f"/api/v1/games/{game}/turns", json={"move": "c"}).status_code == 201
        claim = {"side": "North", "claim": "one too few"}
        dispute = client.post(f"/api/v1/games/{game}/disputes", json=claim).json["seq"]
        document = client.get("/api/v1/openapi.json").json
        names = {part["name"] for part in document["tags"]}
        used = {tag for path in document["paths"].values() for operation in path.values() for tag in operation["tags"]}
        assert used == names
        left_out = [room for room in BUILT_IN if room.name in without.split(",")]
        assert not names & {room.load(target).name for room in left_out for target in room.operations}
        for path in (
            "/",
            f"/games/{game}/review",
            f"/games/{game}/live",
            f"/games/{game}/disputes/{dispute}",
            f"/games/{game}/disputes/{dispute}/sheet",
            "/welcome",
            "/mine",
            "/events/Cup",
            "/games",
            "/search?q=analysis",
        ):
            assert client.get(path).status_code == 200, path
        shares = "sharing" not in without.split(",")
        for page in ("live", "review", f"disputes/{dispute}"):
            assert (f"/games/{game}/share" in client.get(f"/games/{game}/{page}").text) == shares
        for entry in (entry for room in left_out for entry in room.entries):
            assert entry.endpoint not in app.view_functions


def test_no_page_leads_to_one_of_an_optional_room(tmp_path):
    with started(tmp_path) as app:
        endpoints = app.view_functions.keys()
    with started(tmp_path, ",".join(OPTIONAL)) as app:
        gone = endpoints - app.view_functions.keys()
    assert {"web.analysis_board", "web.backup", "proofs.get_proof", "web.share"} <= gone
    optional = [room for room in BUILT_IN if room.optional]
    targets = [target.partition(":")[0] for room in optional for target in room.targets]
    own = {Path(file) for target in targets if (file := resolve_name(target).__file__) is not None}
    for room in optional:
        if room.package:
            own |= {*Path(str(resolve_name(room.package).__file__)).parent.rglob("*.*")}
    own = {file for file in own if file.suffix in (".py", ".html")}
    rendered = {name for file in own for name in re.findall(r'"([\w/]+\.html)"', file.read_text("utf-8"))}
    rendered |= {name.replace("/", "/templates/", 1) for name in rendered}  # of a room in one folder
    others = {path for path in SERVICE.rglob("*.*") if path.suffix in (".py", ".html")} - own
    others -= {SERVICE / "rooms.py", *SERVICE.glob("*/room.py")}
    wrong = [
        f"{path}: {endpoint}"
        for path in others
        for endpoint in gone
        if re.search(rf"\b{re.escape(endpoint)}\b", path.read_text("utf-8"))
        and not any(path.as_posix().endswith(f"/{name}") for name in rendered)
    ]
    assert wrong == []


def test_commands_of_a_room_that_is_left_out_are_none(monkeypatch):
    monkeypatch.setenv("INKEEK_WITHOUT_ROOMS", "demo, engines")
    names = {*main.list_commands(click.Context(main))}
    assert not names & {"demo", "engine"}
    assert {"serve", "verify"} <= names


def test_the_manual_names_commands_that_are_left_out(monkeypatch):
    monkeypatch.setenv("INKEEK_WITHOUT_ROOMS", ",".join(OPTIONAL))
    monkeypatch.setattr(commands, "all_commands", commands.all_commands.__wrapped__)
    left_out, there = (filled(f"<!-- built: command {name} -->") for name in ("engine", "serve"))
    assert ("without_rooms" in left_out, "without_rooms" in there) == (True, False)


def test_the_core_passes_its_tests_without_optional_rooms():
    """Some of them, whatever folder they stand in: those of pages that rooms add to."""
    found = [path for name in CORE for path in Path(__file__).parent.rglob(name)]
    environ = {**os.environ, "INKEEK_WITHOUT_ROOMS": ",".join(OPTIONAL)}
    wanted = " and ".join(f"not {name}" for name in (*ASK_FOR_A_ROOM, "postgresql"))
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-k", wanted, *found]
    done = subprocess.run(run, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.parametrize("setting", [("INKEEK_WITHOUT_ROOMS", "nothing"), ("INKEEK_PROT", "1")])
def test_help_needs_no_settings(runner, monkeypatch, setting):
    monkeypatch.setenv(*setting)
    assert "  verify " in runner.invoke(main, ["--help"]).output


@pytest.mark.parametrize("name", ["games", "nothing"])
def test_only_optional_rooms_can_be_left_out(tmp_path, name):
    with pytest.raises(SettingError, match=name):
        create_app({"data": str(tmp_path), "without_rooms": name})


def install(site: Path, rooms: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a distribution on the path whose rooms are these modules."""
    info = site / "other_rooms-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-rooms\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[inkeek.rooms]\n" + "".join(f"{name} = {name}:ROOM\n" for name in rooms))
    for name, text in rooms.items():
        (site / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(site)


def test_a_room_that_fails_is_named_and_left_out(tmp_path, monkeypatch, caplog):
    install(tmp_path / "site", BROKEN, monkeypatch)
    with started(tmp_path / "data") as app:
        assert [one for one in BROKEN if f"the room {one!r} is left out" not in caplog.text] == []
        assert with_token(app).get("/").status_code == 200
        assert "/x" not in {rule.rule for rule in app.url_map.iter_rules()}
        assert len(app.extensions["inkeek.rooms"]) == len(BUILT_IN)


def test_a_room_that_fails_on_a_page_of_others_is_named_and_the_page_is_there(tmp_path, monkeypatch, caplog):
    text = (
        "from inkeek.service.room import Room\n"
        'def fail(): raise RuntimeError("no chairs")\nROOM = Room("late", "x", adds={"home": "late:fail"})'
    )
    install(tmp_path / "site", {"late": text}, monkeypatch)
    with started(tmp_path / "data") as app:
        assert with_token(app).get("/").status_code == 200
    assert "'late'" in caplog.text
    assert "no chairs" in caplog.text


def test_commands_of_a_room_stand_behind_those_of_the_service(tmp_path, monkeypatch):
    command = 'RoomCommand("nowhere:nothing", "x")'
    text = (
        "from inkeek.service.room import Room, RoomCommand\n"
        f'ROOM = Room("two", "x", commands={{"demo": {command}, "serve": {command}}})'
    )
    install(tmp_path / "site", {"two": text}, monkeypatch)
    for name, module in (("demo", "demo.commands"), ("serve", "cli.serve")):
        assert main.get_command(click.Context(main), name).callback.__module__ == f"inkeek.service.{module}"
