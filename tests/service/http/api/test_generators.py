"""The document as others read it: two generators of TypeScript, two of Python, and two linters, all without options.

Generators run as docs/api.md says. `.ci/generators` installs them into `build/`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate.api import document
from inkeek.service.http.rooms import load_rooms
from inkeek.service.http.routes import operations_of
from inkeek.service.rooms import BUILT_IN
from tests.conftest import GENERATORS
from tests.docs.pages import client_command

ADDRESS = "https://games.inkeek.club"  # a linter wants no `localhost`
TSC = ("--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler")
TURN = """import type {{ {name} }} from "./client";
export const turn: {turn} = {{ move: "c" }};
"""
QUIET = {"NO_COLOR": "1", "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def run(folder: Path, *command: str | Path) -> str:
    """What a program prints, which must succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **QUIET, "PYTHONPATH": str(GENERATORS / "python")},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    """A folder with the document."""
    (tmp_path / "openapi.json").write_text(json.dumps({**document(), "servers": [{"url": ADDRESS}]}))
    return tmp_path


def test_types_of_openapi_typescript_ask_for_no_field_that_has_a_default(node_programs, folder):
    run(folder, node_programs / "openapi-typescript", *client_command("openapi-typescript"))
    (folder / "turn.ts").write_text(TURN.format(name="components", turn='components["schemas"]["NewTurn"]'))
    run(folder, node_programs / "tsc", *TSC, "turn.ts", "client.d.ts")


def test_a_client_of_openapi_ts_asks_for_no_field_that_has_a_default_and_knows_the_address(node_programs, folder):
    run(folder, node_programs / "openapi-ts", *client_command("openapi-ts"))
    (folder / "turn.ts").write_text(TURN.format(name="NewTurn", turn="NewTurn"))
    run(folder, node_programs / "tsc", *TSC, "turn.ts", "client/sdk.gen.ts", "client/client.gen.ts")
    assert ADDRESS in (folder / "client/client.gen.ts").read_text("utf-8")


def test_models_of_datamodel_code_generator_can_be_imported(node_programs, folder):
    run(folder, sys.executable, "-m", "datamodel_code_generator", *client_command("datamodel-codegen"))
    run(folder, sys.executable, "-c", "from models import NewTurn; NewTurn(move='c')")


def test_a_client_of_openapi_python_client_can_be_imported(folder):
    options = ("--path", "openapi.json", "--meta", "none", "--output-path", "client")
    run(folder, sys.executable, "-m", "openapi_python_client", "generate", *options)
    modules = ", ".join(f"client.api.{part.name}" for part in operations_of(load_rooms(BUILT_IN)))
    run(folder, sys.executable, "-c", f"import {modules}; from client.models import NewTurn; NewTurn(move='c')")


def test_redocly_has_no_warning(node_programs, folder):
    found = json.loads(run(folder, node_programs / "redocly", "lint", "openapi.json", "--format", "json"))
    assert found["problems"] == []


def test_spectral_has_no_hint(node_programs, folder):
    (folder / ".spectral.json").write_text(json.dumps({"extends": ["spectral:oas"]}))
    run(folder, node_programs / "spectral", "lint", "openapi.json", "--fail-severity", "hint")
