"""All checks of schemathesis against the application: ``python -m tests.schema --examples 100``; with ``--serve``
against `inkeek serve` over HTTP, on an SQLite file or on the ``--database`` of that URL.

Each operation of the OpenAPI document is called with requests made from it, fitting and not, with a token that is good
for all, over a game, a dispute and a match that are there. What is not as the document says is a failure.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

import requests
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig

from service import create_app
from service.http.api.examples import BODIES
from service.http.context import services_of
from tests.service.clients import with_token

DOCUMENT = "/api/v1/openapi.json"
MAX_QUERY = 3000  # characters; a request line of 4094 is refused by the web server, before it asks the application
CONFIG: dict[str, Any] = {
    "checks": {
        # Moves, positions, options and filters are texts that the rules judge: what fits the form may still be refused.
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "304", "401", "403", "404", "409", "412", "415", "422"]
        },
    }
}


@dataclass
class Tally:
    """What was called and what failed."""

    calls: int = 0
    failures: dict[str, str] = field(default_factory=dict)


class Asker(Protocol):
    """What calls the application with a token that is good for all: `schema` is its document, `headers` show the token,
    `post` sends JSON to a path and answers what came back."""

    schema: Any
    headers: dict[str, str]

    def post(self, path: str, body: dict[str, Any]) -> Any: ...


class Within:
    """Asks an application in this process."""

    def __init__(self, app: Flask) -> None:
        self._client = with_token(app)
        self.headers = {"Authorization": self._client.environ_base["HTTP_AUTHORIZATION"]}
        self.schema = schemathesis.openapi.from_wsgi(DOCUMENT, app, config=_config(), headers=self.headers)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._client.post(path, json=body).json


class Over:
    """Asks a service over HTTP."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._session = requests.Session()
        self.headers = {"Authorization": f"Bearer {token}"}
        self.schema = schemathesis.openapi.from_url(url + DOCUMENT, config=_config(), headers=self.headers)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._session.post(self._url + path, json=body, headers=self.headers, timeout=60).json()


def _config() -> SchemathesisConfig:
    return SchemathesisConfig.from_dict(CONFIG)


@contextmanager
def application() -> Iterator[Within]:
    """An application over a new database, whose streams end at once."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"data": folder, "rate": 0, "stream_lifetime": 0.1})
        services = services_of(app)
        services.store.upgrade()
        try:
            yield Within(app)
        finally:
            services.close()


@contextmanager
def service(database: str) -> Iterator[Over]:
    """`inkeek serve` on a port of its own, on a new database or the one with this URL, whose streams end at once."""
    with tempfile.TemporaryDirectory() as name:
        given = {"data": name, "rate": "0", "stream_lifetime": "0.1", **({"database": database} if database else {})}
        environ = {**os.environ, **{f"INKEEK_{setting.upper()}": value for setting, value in given.items()}}
        made = [sys.executable, "-m", "service.cli", "token", "create", "tests", "--scope", "admin"]
        token = subprocess.run(made, check=True, capture_output=True, text=True, env=environ).stdout.strip()
        command = [sys.executable, "-m", "service.cli", "serve", "--exit-with-parent", "--port", "0"]
        with (
            open(Path(name, "service.log"), "wb") as log,
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environ) as child,
        ):
            assert child.stdin is not None
            assert child.stdout is not None
            message = child.stdout.readline().decode()
            try:
                yield Over(next(word for word in message.split() if word.startswith("http://")).rstrip("/"), token)
            finally:
                child.stdin.close()


def run(asker: Asker, examples: int) -> Tally:
    """Call every operation with so many requests of each kind."""
    tally = Tally()
    for result in asker.schema.get_all_operations():
        operation = result.ok()
        for mode in schemathesis.GenerationMode:
            _call(asker, operation, mode, examples, tally)
    return tally


def _call(asker: Asker, operation: Any, mode: Any, examples: int, tally: Tally) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
    def call(case: Any, real: bool) -> None:
        if real and case.path_parameters:
            for name, place in places(asker.post).items():
                if name in case.path_parameters and (name != "ply" or mode is schemathesis.GenerationMode.POSITIVE):
                    case.path_parameters[name] = place
        assume(len(urlencode(case.query or {}, doseq=True)) < MAX_QUERY)
        tally.calls += 1
        case.call_and_validate(headers=asker.headers)

    try:
        call()
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 all that goes wrong is reported, and the rest still called
        if type(error).__name__ not in ("Unsatisfiable", "SkipTest"):
            tally.failures[f"{operation.label} ({mode.name.lower()})"] = _told(error)


def _told(error: BaseException) -> str:
    """What schemathesis found, without its tracebacks."""
    found = error.exceptions if isinstance(error, BaseExceptionGroup) else [error]
    return "\n".join(f"{type(one).__name__}: {one}" for one in found)


def places(post: Callable[[str, dict[str, Any]], Any]) -> dict[str, str]:
    """What stands in paths and is there: a game with a turn and an open dispute, a match, and a far board."""
    game = post("/api/v1/games", {"game": "enkeshui", "options": {"pits": 8}})["id"]
    post(f"/api/v1/games/{game}/turns", {"move": "c"})
    dispute = post(f"/api/v1/games/{game}/disputes", {"side": "North", "claim": "no"})["id"]
    match = post("/api/v1/matches", {"game": "oware", "title": "games 2"})["id"]
    far = post("/api/v1/boards", {"port": "far:bench", "driver": "far", "game": match})["id"]
    post(f"/api/v1/boards/{far}/claim", {**BODIES["NewClaimSchema"], "last": 2})
    post(f"/api/v1/games/{match}/end", {"termination": "resignation", "winner": "South"})
    return {
        "board_id": far,
        "game_id": game,
        "dispute_id": dispute,
        "match_id": match,
        "ruleset_id": "oware",
        "ply": "1",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=100, help="requests of each kind for each operation")
    parser.add_argument("--serve", action="store_true", help="over HTTP, against inkeek serve")
    parser.add_argument("--database", default="", help="with --serve: URL of a database made for this")
    options = parser.parse_args()
    if options.database and not options.serve:
        parser.error("--database goes with --serve")
    with service(options.database) if options.serve else application() as asker:
        tally = run(asker, options.examples)
    for name, message in tally.failures.items():
        print(f"{name}\n{message}\n")
    print(f"{tally.calls} calls, {len(tally.failures)} failures")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
