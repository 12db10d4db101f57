"""The wheel and the sdist: what they hold, and that an installation works without the source tree.

Two wheels are built: one from the checkout with a C compiler, one from the sdist without. Both are installed with the
service, one after the other, into an empty environment; the first one without the service into another one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

from tests.test_house import PACKAGES, ROOT, tracked

pytest.importorskip("Cython")
pytestmark = pytest.mark.timeout(1200)  # it compiles the kernel
COMPILERS = ("cc", "gcc", "clang")
INSTALL = ("install", "--quiet", "--disable-pip-version-check", "--constraint", ROOT / "constraints.txt")
COMMITTER = ("-c", "user.name=Nasieku", "-c", "user.email=nasieku@example.org")
PROGRAM = """
import sys

import inkeek.records
from inkeek.records import Game, Move, Turn, read_games, ruleset
from inkeek.records.kernel.loader import kernel_module, mode_of
from inkeek.records.language import load_language

rules = ruleset("enkeshui", pits=8, setup="fours-right")
turn: Turn = rules.play(rules.start(), Move.parse("c"))
with open(sys.argv[1]) as file:
    games: list[Game] = list(read_games(file))
assert len(games) == 1 and not games[0].errors
assert load_language("sw").text("refusals.game-over") != load_language("en").text("refusals.game-over")
version: str = inkeek.records.__version__
print(version, turn.move, mode_of(kernel_module()))
"""


def run(*arguments: object, cwd: Path, **environ: str) -> str:
    """Run a command; return its output, or fail with it."""
    # Neither the source tree nor this environment may be visible to an installation.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "INKEEK_", "VIRTUAL"))}
    done = subprocess.run(
        [str(argument) for argument in arguments],
        cwd=cwd,
        env={**clean, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(source: Path, target: Path, **environ: str) -> Path:
    """Build a wheel of a source tree or an sdist with the tools of this environment; return its path."""
    target.mkdir()
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", target]
    run(*pip, "--log", target / "log", source, cwd=target, **environ)
    assert ("apt install gcc python3-dev" in (target / "log").read_text()) == ("PATH" in environ)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files under version control, as a clone."""
    folder = tmp_path_factory.mktemp("source") / "checkout"
    for path in tracked():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / path)
    run("git", "init", "--quiet", cwd=folder)
    run("git", *COMMITTER, "commit", "--quiet", "--allow-empty", "--message", "A clone", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def compiled_wheel(checkout: Path) -> Path:
    if not any(map(shutil.which, COMPILERS)):
        pytest.skip("there is no C compiler")
    return build_wheel(checkout, checkout.parent / "compiled", CFLAGS="-O0")  # the checkout's own is built as for users


@pytest.fixture(scope="module")
def sdist(checkout: Path) -> Path:
    folder = checkout.parent / "sdist"
    folder.mkdir()
    build = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", build, folder, cwd=checkout)
    (archive,) = folder.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def interpreted_wheel(checkout: Path, sdist: Path) -> Path:
    (empty := checkout.parent / "no-programs").mkdir()
    return build_wheel(sdist, checkout.parent / "interpreted", PATH=str(empty), CC="cc")


def new_environment(folder: Path) -> Path:
    """Make an empty environment; return the folder of its programs. To install pip in it takes seconds."""
    venv.create(folder)
    return folder / "bin"


def pip(bin: Path, *arguments: object, cwd: Path) -> str:
    """Run the pip of this environment for the one with these programs."""
    return run(sys.executable, "-m", "pip", "--python", bin / "python", *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, compiled_wheel: Path) -> Path:
    """An environment with the wheel alone."""
    bin = new_environment(tmp_path_factory.mktemp("library"))
    pip(bin, *INSTALL, compiled_wheel, cwd=bin)
    return bin


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path / "program.py"


@pytest.fixture(params=["compiled_wheel", "interpreted_wheel"])
def installed_kernel(request: pytest.FixtureRequest, environment: Path, tmp_path: Path) -> str:
    """Installs one of the wheels; says how its kernel runs."""
    wheel = request.getfixturevalue(request.param)
    pip(environment, *INSTALL, f"{wheel}[service]", cwd=tmp_path)
    pip(environment, *INSTALL, "--no-deps", "--force-reinstall", wheel, cwd=tmp_path)
    return str(request.param).removesuffix("_wheel")


def test_a_wheel_holds_every_file_of_the_packages(interpreted_wheel: Path, sdist: Path) -> None:
    packages = {path.as_posix() for path in tracked(*PACKAGES)}
    catalogues = {path.with_suffix(".mo").as_posix() for path in tracked(*PACKAGES) if path.suffix == ".po"}
    docs = [path.relative_to("docs") for path in tracked("docs")]
    manual = {Path("service/manual", path).as_posix() for path in docs if path.match("img/*") or path.match("*.md")}
    manual = {name for name in manual if "/examples/" not in name}
    expected = {f"inkeek/{name}" for name in {"__init__.py", "py.typed"} | packages | catalogues | manual}
    with zipfile.ZipFile(interpreted_wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == expected
        (names,) = (name for name in archive.namelist() if name.endswith("/top_level.txt"))
        assert archive.read(names) == b"inkeek\n"
    with tarfile.open(sdist) as source:
        assert packages <= {name.partition("/")[2] for name in source.getnames()}


def test_the_library_needs_one_package_and_warns_of_nothing(library: Path, program: Path) -> None:
    installed = json.loads(pip(library, "list", "--format=json", cwd=program.parent))
    assert {package["name"] for package in installed} == {"inkeek", "msgspec"}
    printed = run(library / "python", "-W", "error", program, ROOT / "docs/examples/enkeshui.pmn", cwd=program.parent)
    assert printed.split()[1:] == ["cx16", "compiled"]
    assert {"name": "inkeek", "version": printed.split()[0]} in installed


def test_without_the_service_the_command_line_says_what_to_install(library: Path, tmp_path: Path) -> None:
    done = subprocess.run([library / "inkeek"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert 'pip install "inkeek[service]"' in done.stderr


def test_mypy_knows_the_types_of_the_library(library: Path, program: Path) -> None:
    mypy = (sys.executable, "-m", "mypy", "--strict", "--python-executable", library / "python")
    run(*mypy, program, cwd=program.parent)


def test_pyright_knows_the_types_of_the_library(library: Path, program: Path, node_programs: Path) -> None:
    run(node_programs / "pyright", "--pythonpath", library / "python", program, cwd=program.parent)


def test_an_installation_works_without_the_source_tree(
    installed_kernel: str, environment: Path, checkout: Path, tmp_path: Path
) -> None:
    inkeek = environment / "inkeek"
    (speed, *_) = map(json.loads, run(inkeek, "bench", "sow", "--seconds", "0.05", "--json", cwd=tmp_path).splitlines())
    commit = run("git", "rev-parse", "--short=8", "HEAD", cwd=checkout).strip()
    assert re.fullmatch(rf"inkeek, version \d[\d.]*(\.dev\d+)?\+g{commit}\n", run(inkeek, "--version", cwd=tmp_path))
    assert (speed["compiled"] is not None) == (installed_kernel == "compiled")
    assert run(inkeek, "validate", checkout / "docs/examples/enkeshui.pmn", cwd=tmp_path).split()[0] == "1"
    matched = run(
        inkeek, "engine", "match", "inkeek", "inkeek", "--game", "oware", "--games", "2", "--depth", "1", cwd=tmp_path
    )
    assert matched.startswith("2 games")
    played = run(inkeek, "demo", "--port", "0", cwd=tmp_path, DEMO_EXIT="1", DEMO_SPEED="max")
    assert "21" in played.splitlines()[-1]
    serve_and_look(inkeek, tmp_path)


def serve_and_look(inkeek: Path, folder: Path) -> None:
    """Serve with a new database, which needs the migrations, and get pages, a file of theirs and the API."""
    service = subprocess.Popen(
        [inkeek, "serve", "--port", "0", "--data", folder / "data"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def get(path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
            return str(answer.read().decode("utf-8"))

    try:
        assert service.stdout is not None
        port = re.findall(r"http://127\.0\.0\.1:(\d+)", service.stdout.readline())[0]
        assert get("/healthz")
        assert json.loads(get("/readyz"))["ok"]
        page = get("/")
        assert page.lower().startswith("<!doctype html>")
        style = next(part for part in page.split('"') if part.endswith(".css"))
        assert "{" in get(style)
        assert "<table " in get("/help/rules")
        assert '<h2 id="rulesets">' in get("/help/api-fields")  # made by the program that is installed
        assert "<code>--json</code>" in get("/help/cli")
        assert any(rules["id"] == "enkeshui" for rules in json.loads(get("/api/v1/rulesets"))["items"])
    finally:
        service.terminate()
        errors = service.communicate(timeout=30)[1]
    assert service.returncode == 0, errors
