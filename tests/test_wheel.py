"""The wheel and the sdist: what they hold, and that an installation works without the source tree.

Two wheels are built: one from the checkout with a C compiler, one from the sdist without. Both are installed, one after
the other, into an empty environment.
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
    run(*pip, source, cwd=target, **environ)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files under version control."""
    folder = tmp_path_factory.mktemp("source") / "checkout"
    for path in tracked():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / path)
    return folder


@pytest.fixture(scope="module")
def compiled_wheel(checkout: Path) -> Path:
    if not any(map(shutil.which, COMPILERS)):
        pytest.skip("there is no C compiler")
    return build_wheel(checkout, checkout.parent / "compiled")


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
    return build_wheel(sdist, checkout.parent / "interpreted", CC="false")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment; the folder of its programs."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    return folder / "bin"


@pytest.fixture(params=["compiled_wheel", "interpreted_wheel"])
def installed_kernel(request: pytest.FixtureRequest, environment: Path, tmp_path: Path) -> str:
    """Installs one of the wheels; says how its kernel runs."""
    wheel = request.getfixturevalue(request.param)
    pip = [environment / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "--constraint", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    run(*pip, "--no-deps", "--force-reinstall", wheel, cwd=tmp_path)
    return str(request.param).removesuffix("_wheel")


def test_a_wheel_holds_every_file_of_the_packages(interpreted_wheel: Path, sdist: Path) -> None:
    expected = {path.as_posix() for path in tracked(*PACKAGES)}
    docs = [path.relative_to("docs") for path in tracked("docs")]
    manual = {Path("service/manual", path).as_posix() for path in docs if path.match("img/*") or path.match("*.md")}
    manual = {name for name in manual if "/examples/" not in name}
    with zipfile.ZipFile(interpreted_wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == expected | manual
    with tarfile.open(sdist) as source:
        assert expected <= {name.partition("/")[2] for name in source.getnames()}


def test_an_installation_works_without_the_source_tree(
    installed_kernel: str, environment: Path, checkout: Path, tmp_path: Path
) -> None:
    inkeek = environment / "inkeek"
    (speed, *_) = map(json.loads, run(inkeek, "bench", "sow", "--seconds", "0.05", "--json", cwd=tmp_path).splitlines())
    assert (speed["compiled"] is not None) == (installed_kernel == "compiled")
    assert run(inkeek, "validate", checkout / "docs/examples/enkeshui.pmn", cwd=tmp_path).split()[0] == "1"
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
        assert json.loads(get("/readyz"))["ok"]
        page = get("/")
        assert page.lower().startswith("<!doctype html>")
        style = next(part for part in page.split('"') if part.endswith(".css"))
        assert "{" in get(style)
        assert "<table " in get("/help/rules")
        assert any(rules["id"] == "enkeshui" for rules in json.loads(get("/api/v1/rulesets"))["items"])
    finally:
        service.terminate()
        errors = service.communicate(timeout=30)[1]
    assert service.returncode == 0, errors
