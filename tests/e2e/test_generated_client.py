"""A Python client that openapi-python-client generates as docs/api.md says, against the real service."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import client_command, client_config
from tests.e2e.processes import Service


class GeneratedClient:
    """The generated package, with a client that shows a token and fails at statuses that are not documented."""

    def __init__(self, package: str, service: Service) -> None:
        self._package = package
        self.client = self.module("client").AuthenticatedClient(
            f"http://127.0.0.1:{service.port}", service.token, raise_on_unexpected_status=True
        )

    def module(self, name: str) -> Any:
        return import_module(f"{self._package}.{name}")

    def model(self, name: str, **values: Any) -> Any:
        return getattr(self.module("models"), name).from_dict(values)

    def call(self, operation: str, *path: Any, **arguments: Any) -> Any:
        """The response of an operation, such as ``turns.play_turn``, with its parsed body."""
        return self.module(f"api.{operation}").sync_detailed(*path, client=self.client, **arguments)

    def follow(self, game: str, count: int, **arguments: Any) -> list[tuple[str, Any]]:
        """The kinds and the data of the first `count` events of a game."""
        kwargs = self.module("api.events.get_events")._get_kwargs(game, **arguments)
        found: list[tuple[str, Any]] = []
        kind = ""
        with self.client.get_httpx_client().stream(**kwargs) as response:
            assert response.status_code == 200, response.read()
            for line in response.iter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: ") and kind != "board":
                    found.append((kind, self.model("Event", **json.loads(line.removeprefix("data: ")))))
                    if len(found) == count:
                        break
        return found


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GeneratedClient]:
    folder = tmp_path / "service"
    folder.mkdir()
    service = Service(folder)
    service.start()
    try:
        (tmp_path / "openapi.json").write_text(json.dumps(service.client.get("/api/v1/openapi.json")))
        (tmp_path / "config.yml").write_text(client_config() + "post_hooks: []\n")
        made = subprocess.run(
            [sys.executable, "-m", "openapi_python_client", *client_command("openapi-python-client")],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert (made.returncode, made.stdout.strip(), made.stderr) == (
            0,
            "Generating inkeek_client",
            "",
        )  # and no warnings
        monkeypatch.syspath_prepend(tmp_path)
        client = GeneratedClient("inkeek_client", service)
        with client.client:
            yield client
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "inkeek_client"]:
            monkeypatch.delitem(sys.modules, name)
        service.stop()
        assert "Traceback" not in service.errors()


def test_a_generated_client_plays_corrects_annotates_imports_and_follows_a_game(generated: GeneratedClient) -> None:
    call, model = generated.call, generated.model
    tags = {"South": "Nasieku", "North": "Lemayian"}
    created = call("games.create_game", body=model("NewGame", game="kalah", tags=tags))
    game = created.parsed.id
    assert created.headers["Location"].endswith(game)

    # Play: conditional, repeated with a key, stale, illegal.
    body = model("NewTurn", move=created.parsed.legal[0])
    arguments = {"body": body, "if_match": created.headers["ETag"], "idempotency_key": "one"}
    played = call("turns.play_turn", game, **arguments)
    again = call("turns.play_turn", game, **arguments)
    assert (played.status_code, played.parsed.ply) == (201, 1)
    assert (again.parsed, again.headers["Idempotency-Replayed"]) == (played.parsed, "true")
    stale = call("turns.play_turn", game, body=body, if_match=created.headers["ETag"])
    assert (stale.parsed.status, stale.parsed.type_) == (412, "/problems/stale")
    illegal = call("turns.play_turn", game, body=model("NewTurn", move="z"))
    assert (illegal.parsed.status, illegal.status_code) == (422, 422)
    current = call("games.get_game", game)
    assert current.parsed.ply == 1
    assert call("games.get_game", game, if_none_match=current.headers["ETag"]).status_code == 304

    # Follow, and resume.
    assert [kind for kind, _ in generated.follow(game, 2)] == ["created", "turn"]
    call("turns.play_turn", game, body=model("NewTurn", move=current.parsed.legal[0]))
    [(kind, event)] = generated.follow(game, 1, last_event_id="2")
    assert (kind, event.seq, event.kind) == ("turn", 3, "turn")
    ahead = call("events.get_events", game, last_event_id="99")
    assert (ahead.parsed.type_, ahead.parsed.last) == ("/problems/ahead", 3)

    # Correct the end.
    call("games.end_game", game, body=model("End", termination="resignation", winner="South"))
    correction = model("EndCorrection", termination="resignation", winner="North", reason="the wrong box was ticked")
    corrected = call("games.correct_end", game, body=correction)
    assert (corrected.parsed.winner, corrected.parsed.result) == ("North", "0-1")

    # Annotate: a comment is added, changed and taken away, each time only if the game is as it was.
    added = model("AnnotationChanges", add=[{"ply": 1, "comment": "too hasty"}])
    noted = call("annotations.change_annotations", game, body=added)
    [note] = noted.parsed.items
    assert (note.ply, note.comment, note.variation) == (1, "too hasty", None)
    changed = model("AnnotationChanges", change=[{"id": note.id, "comment": "hasty"}])
    statuses = [
        call("annotations.change_annotations", game, body=changed, if_match=noted.headers["ETag"]).status_code
        for _ in range(2)
    ]
    assert statuses == [200, 412]
    assert b"{hasty}" in call("games.get_record", game).content

    # Export, and import.
    exported = call("export.export_lines", state=["ended"])
    lines = exported.content
    assert model("Exported", **json.loads(lines)).id == game
    imported = call("games.import_records", body=generated.module("types").File(io.BytesIO(lines * 2)))
    results = [model("Imported", **json.loads(line)) for line in imported.content.splitlines()]
    assert [(result.index, result.ok) for result in results] == [(1, True), (2, True)]
    assert b'[Result "0-1"]' in call("games.get_record", results[0].id).content
