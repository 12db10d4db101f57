"""All checks of schemathesis against `inkeek serve`: ``python -m tests.schema --on sqlite --on postgresql``.

It reads the OpenAPI document, and sends requests that fit it, that break it in every single place, that are random, and
sequences of requests in which one uses what another has created. What does not go as the document says is a failure.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.engine import Status, events, from_schema
from schemathesis.generation.meta import TestPhase

from inkeek.service.http.names import name_id
from tests.databases import KINDS, running_postgresql, sqlite_database

DOCUMENT = "/api/v1/openapi.json"
REFUSED = ["400", "401", "403", "404", "405", "409", "412", "413", "414", "415", "422", "431"]
CONFIG: dict[str, Any] = {
    "continue-on-failure": True,
    "cache": {"enabled": False},
    "request-timeout": 60,
    "max-stream-events": 50,
    "checks": {
        # What fits the form may still be refused by the rules of a game, or for its state; see `FORM`.
        "positive_data_acceptance": {"expected-statuses": ["2xx", "304", *REFUSED]},
        # What is too long may be refused for that before it is looked at.
        "negative_data_rejection": {"expected-statuses": REFUSED},
        # Boards that were released, tokens that were revoked and jobs that were cancelled stay on the record.
        "use_after_free": {"enabled": False},
    },
}
# Types of problem with the form of a request: one that fits the document gets none of these. What the rules of a game,
# its state or several fields together forbid has other types.
FORM = ("bad-request", "fields", "move-syntax")
FRESH_AFTER = 10  # requests that share a game; by then they may have ended it


@dataclass
class Tally:
    """What was called and what failed, by operation and check."""

    calls: Counter[str] = field(default_factory=Counter)
    answers: Counter[int] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)
    operations: set[str] = field(default_factory=set)
    refused: Counter[str] = field(default_factory=Counter)  # requests that fit the document, by the type of problem


class Asker:
    """Asks a service over HTTP, with a token that is good for all."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._session = requests.Session()
        self.headers = {"Authorization": f"Bearer {token}"}

    def load(self, config: SchemathesisConfig) -> Any:
        """The document."""
        return schemathesis.openapi.from_url(self._url + DOCUMENT, config=config, headers=self.headers)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = self._session.request(method, self._url + path, json=body, headers=self.headers, timeout=60)
        assert answer.ok, answer.text
        return answer.json() if answer.content else None


@contextmanager
def service(kind: str) -> Iterator[Asker]:
    """`inkeek serve` on a port of its own and on a new database of this kind, whose streams end at once."""
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory())
        if kind == "sqlite":
            database = stack.enter_context(sqlite_database(Path(name), empty=False))
        else:
            server = stack.enter_context(running_postgresql(must=True))
            database = stack.enter_context(server.database(empty=False))
        given = {"data": name, "rate": "0", "stream_lifetime": "0.1", "database": database}
        given["max_jobs"] = "1000"  # a queue that is full refuses what is valid
        environ = {**os.environ, **{f"INKEEK_{setting.upper()}": value for setting, value in given.items()}}
        made = [sys.executable, "-m", "inkeek.service.cli", "token", "create", "tests", "--scope", "admin"]
        token = subprocess.run(made, check=True, capture_output=True, text=True, env=environ).stdout.strip()
        command = [sys.executable, "-m", "inkeek.service.cli", "serve", "--exit-with-parent", "--port", "0"]
        log = stack.enter_context(open(Path(name, "service.log"), "wb"))
        child = stack.enter_context(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environ)
        )
        assert child.stdin is not None
        assert child.stdout is not None
        stack.callback(child.stdin.close)
        message = child.stdout.readline().decode()
        yield Asker(next(word for word in message.split() if word.startswith("http://")).rstrip("/"), token)


def run(asker: Asker, examples: int, *, coverage: bool = True) -> Tally:
    """Send random requests, as many as `examples` to each operation, and as many sequences of requests; with `coverage`
    also what fits and what breaks the document in every single place."""
    config = {
        **CONFIG,
        "headers": asker.headers,
        "generation": {"max-examples": examples, "deterministic": True, "database": "none"},
        "phases": {"coverage": {"enabled": coverage}, "stateful": {"max-steps": 8}},
    }
    own = own_token(asker)
    tally, substitute = Tally(), Substitutes(asker, own)
    schemathesis.hook("before_call")(substitute)
    try:
        for event in from_schema(asker.load(SchemathesisConfig.from_dict(config))).execute():
            _count(event, tally)
    finally:
        schemathesis.hooks.unregister(substitute)
    assert own_token(asker) == own, "the run has lost its token"
    return tally


@schemathesis.serializer("application/x-mancala-pmn", "application/x-ndjson")
def _as_text(context: Any, value: Any) -> dict[str, bytes]:
    return {"data": value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")}


def own_token(asker: Asker) -> str:
    """The id of the token of the run."""
    return str(next(token["id"] for token in asker.ask("GET", "/api/v1/tokens")["items"] if token["name"] == "tests"))


class Substitutes:
    """Has every other request be about what is there, and none about the token of the run."""

    __name__ = "before_call"

    def __init__(self, asker: Asker, own: str) -> None:
        self._asker = asker
        self._own = own
        self._numbers = itertools.count()
        self._places: dict[str, str] = {}

    def __call__(self, context: Any, case: Any, kwargs: dict[str, Any]) -> None:
        given = case.path_parameters
        number = next(self._numbers)
        if given and case.meta is not None and number % 2 and case.meta.phase.name != TestPhase.STATEFUL:
            path = case.meta.components.get(ParameterLocation.PATH)
            if path is None or path.mode.is_positive:
                if number % FRESH_AFTER == 1:
                    if self._places:
                        self._asker.ask("DELETE", f"/api/v1/boards/{self._places['board_id']}")
                    self._places = places(lambda path, body: self._asker.ask("POST", path, body))
                given.update({name: place for name, place in self._places.items() if name in given})
        if given and given.get("token_id") == self._own:
            given["token_id"] = "nnnnnnnnnn"


def _count(event: Any, tally: Tally) -> None:
    if isinstance(event, events.NonFatalError | events.FatalError):
        tally.failures[f"{getattr(event, 'label', '')} (not sent)"] = str(
            getattr(event, "exception", None) or event.value
        )
    elif isinstance(event, events.ScenarioFinished):
        recorder = event.recorder
        tally.calls[event.phase.value] += len(recorder.interactions)
        tally.answers.update(one.response.status_code for one in recorder.interactions.values() if one.response)
        for case_id, node in recorder.cases.items():
            interaction = recorder.interactions.get(case_id)
            _count_refusal(node.value, interaction and interaction.response, tally)
        for case_id, checks in recorder.checks.items():
            operation = recorder.cases[case_id].value.operation.label
            for check in checks:
                if check.status == Status.FAILURE:
                    failure = check.failure_info
                    text = f"{failure.failure.title}\n{failure.failure.message[:1000]}\n{failure.code_sample[:1000]}"
                    tally.failures.setdefault(f"{operation}: {check.name}", text)


def _count_refusal(case: Any, response: Any, tally: Tally) -> None:
    """Count a request that fits the document and is refused as invalid. Its form may not be the reason."""
    if response is None or case.meta is None or not case.meta.generation.mode.is_positive:
        return
    tally.operations.add(case.operation.label)
    if response.status_code in (400, 422):
        problem = json.loads(response.content)
        slug = problem["type"].rpartition("/")[2]
        tally.refused[slug] += 1
        if slug in FORM:
            tally.failures.setdefault(f"{case.operation.label}: {slug}", problem["detail"])


def places(post: Callable[[str, dict[str, Any]], Any]) -> dict[str, str]:
    """What stands in paths and is there: a game with a turn, a dispute and a proposal, a match, a far board, a
    player with two names."""
    game = post("/api/v1/games", {"game": "enkeshui", "options": {"pits": 8}, "tags": {"South": "Nasieku"}})["id"]
    post(f"/api/v1/games/{game}/turns", {"move": "c"})
    dispute = post(f"/api/v1/games/{game}/disputes", {"side": "North", "claim": "no"})["id"]
    offer = post(f"/api/v1/disputes/{dispute}/proposals", {"side": "North", "outcome": "stands"})["proposals"][0]
    player = f"lemayan {game}"  # of these places alone: a person has 100 names at most
    tags = {"Event": "Cup", "South": player}
    match = post("/api/v1/matches", {"game": "oware", "title": "games 2", "tags": tags})["id"]
    far = post("/api/v1/boards", {"port": f"far:{match}", "driver": "far", "game": match})["id"]
    post(f"/api/v1/games/{match}/end", {"termination": "resignation", "winner": "South"})
    post("/api/v1/games", {"game": "bof", "tags": {"South": f"{player} jr"}})
    post(f"/api/v1/players/{name_id(f'{player} jr')}/join", {"into": name_id(player)})
    return {
        "board_id": far,
        "player_id": name_id(player),
        "number": "1",
        "game_id": game,
        "dispute_id": dispute,
        "proposal": str(offer["seq"]),
        "match_id": match,
        "event_id": name_id("cup"),
        "ruleset_id": "oware",
        "ply": "1",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=20, help="random requests to each operation")
    parser.add_argument(
        "--on", choices=KINDS, action="append", default=[], help="with such a database; by default sqlite"
    )
    options = parser.parse_args()
    failed = calls = 0
    for kind in options.on or ["sqlite"]:
        started = time.monotonic()
        with service(kind) as asker:
            tally = run(asker, options.examples)
        for name, message in tally.failures.items():
            print(f"{name}\n{message}\n")
        print(f"{kind}: {tally.calls.total()} requests {dict(tally.calls)}")
        refused = dict(sorted(tally.refused.items()))
        print(f"{len(tally.operations)} operations; requests that fit the document, refused by type: {refused}")
        print(f"answers {dict(sorted(tally.answers.items()))}")
        print(f"{len(tally.failures)} failures, {time.monotonic() - started:.0f} s", flush=True)
        failed, calls = failed + len(tally.failures), calls + tally.calls.total()
    print(f"{calls} requests, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
