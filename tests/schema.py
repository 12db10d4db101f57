"""All checks of schemathesis against the application: ``python -m tests.schema --examples 100``.

Each operation of the OpenAPI document is called with requests made from it, fitting and not, with a token that is good
for all, over a game, a dispute and a match that are there. What is not as the document says is a failure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig

from service import create_app
from service.api.examples import BODIES
from service.current import EXTENSION
from tests.service.asking import with_token

DOCUMENT = "/api/v1/openapi.json"
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


@contextmanager
def application() -> Iterator[Flask]:
    """An application over a new database, whose streams end at once."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"data": folder, "rate": 0, "stream_lifetime": 0.1, "stream_poll": 0.01})
        store = app.extensions[EXTENSION].store
        store.upgrade()
        try:
            yield app
        finally:
            store.close()


def run(app: Flask, examples: int) -> Tally:
    """Call every operation with so many requests of each kind."""
    tally = Tally()
    client = with_token(app)
    headers = {"Authorization": client.environ_base["HTTP_AUTHORIZATION"]}
    schema = schemathesis.openapi.from_wsgi(DOCUMENT, app, config=SchemathesisConfig.from_dict(CONFIG), headers=headers)
    for result in schema.get_all_operations():
        operation = result.ok()
        for mode in schemathesis.GenerationMode:
            _call(client, operation, mode, headers, examples, tally)
    return tally


def _call(client: Any, operation: Any, mode: Any, headers: dict[str, str], examples: int, tally: Tally) -> None:
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
            for name, place in places(client).items():
                if name in case.path_parameters and (name != "ply" or mode is schemathesis.GenerationMode.POSITIVE):
                    case.path_parameters[name] = place
        tally.calls += 1
        case.call_and_validate(headers=headers)

    try:
        call()
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 all that goes wrong is to be told, and the rest still called
        if type(error).__name__ not in ("Unsatisfiable", "SkipTest"):
            tally.failures[f"{operation.label} ({mode.name.lower()})"] = _told(error)


def _told(error: BaseException) -> str:
    """What schemathesis found, without its tracebacks."""
    found = error.exceptions if isinstance(error, BaseExceptionGroup) else [error]
    return "\n".join(f"{type(one).__name__}: {one}" for one in found)


def places(client: Any) -> dict[str, str]:
    """What stands in paths and is there: a game with a turn and an open dispute, a match, and a far board."""
    game = client.post("/api/v1/games", json={"game": "enkeshui", "options": {"pits": 8}}).json["id"]
    client.post(f"/api/v1/games/{game}/turns", json={"move": "c"})
    dispute = client.post(f"/api/v1/games/{game}/disputes", json={"side": "North", "claim": "no"}).json["id"]
    match = client.post("/api/v1/matches", json={"game": "oware", "title": "games 2"}).json["id"]
    far = client.post("/api/v1/boards", json={"port": "far:bench", "driver": "far", "game": match}).json["id"]
    client.post(f"/api/v1/boards/{far}/claim", json={**BODIES["NewClaimSchema"], "last": 2})
    client.post(f"/api/v1/games/{match}/end", json={"termination": "resignation", "winner": "South"})
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
    asked = parser.parse_args()
    with application() as app:
        tally = run(app, asked.examples)
    for name, told in tally.failures.items():
        print(f"{name}\n{told}\n")
    print(f"{tally.calls} calls, {len(tally.failures)} failures")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
