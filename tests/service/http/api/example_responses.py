"""Write the example responses of the API's document: ``python -m tests.service.http.api.example_responses``."""

from __future__ import annotations

import json
import tempfile
from typing import Any

from flask.testing import FlaskClient

from service import create_app
from service.http.api.examples import BODIES, RESPONSES_FILE
from service.http.context import services_of
from tests.service.clients import with_token

API = "/api/v1"


def example_responses(client: FlaskClient) -> dict[str, Any]:
    """Responses of a service on an empty database, by the name of the schema."""
    responses: dict[str, Any] = {}

    def ask(name: str, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = client.open(API + path, method=method, json=body)
        assert answer.status_code in (200, 201, 202), answer.text
        responses[name] = answer.json
        return answer.json

    ask("FindingSchema", "POST", "/findings", BODIES["NewFindingSchema"])
    ask("AnalysisSchema", "POST", "/analysis", BODIES["NewAnalysisSchema"])
    start = {"game": "kalah", "tags": {"South": "Nasieku", "North": "Lemayian"}}
    game = "/games/" + ask("GameSchema", "POST", "/games", start)["id"]
    ask("TeamsSchema", "POST", f"{game}/people", {"action": "join", "side": "South", "name": "Koinet"})
    ask("TrialSchema", "POST", f"{game}/trials", {"move": "a", "by": "Koinet"})
    ask("StoredTurnSchema", "POST", f"{game}/turns", {"move": "d", "ply": 1, "by": "Koinet"})
    ask("TraceSchema", "GET", f"{game}/turns/1/trace")
    ask("TurnsSchema", "GET", f"{game}/turns")
    ask("JobSchema", "POST", f"{game}/analysis", {"nodes": 50000})
    ask("JobsSchema", "GET", "/jobs")
    ask("ExplorationSchema", "GET", "/explorer?game=kalah")
    ask("LegalTurnsSchema", "GET", "/positions/turns?game=bof")
    ask("PlacedSchema", "GET", f"{game}/positions/1")
    ask("PeopleSchema", "GET", f"{game}/people")
    ask("TrialsSchema", "GET", f"{game}/trials")
    variation = {"plies": [{"move": "c", "comments": ["five go as far as the store"]}]}
    remarks = [{"ply": 1, "nag": 1}, {"ply": 1, "comment": "[%value 2.5]"}, {"ply": 1, "variation": variation}]
    ask("AnnotationsSchema", "POST", f"{game}/annotations", {"add": remarks, "by": "Nasieku"})
    claim = {"side": "North", "claim": "they began in e", "by": "Lemayian"}
    dispute = ask("DisputeSchema", "POST", f"{game}/disputes", claim)["id"]
    ask("DisputesSchema", "GET", f"{game}/disputes")
    ask("DisputeFindingSchema", "GET", f"/disputes/{dispute}/finding")
    ask("EffectsSchema", "POST", f"/disputes/{dispute}/preview", {"outcome": "corrected", "move": "e"})
    witness = {"witness": "Hawo", "text": "five seeds were in the hand", "by": "Lemayian"}
    client.post(f"{API}/disputes/{dispute}/evidence", json=witness)
    proposal = {"side": "South", "outcome": "stands", "by": "Koinet"}
    ask("CourseSchema", "POST", f"/disputes/{dispute}/proposals", proposal)
    ask("DisputePageSchema", "GET", "/disputes")
    ask("PenaltiesSchema", "GET", f"/disputes/{dispute}/penalties")
    ask(
        "RuledSchema",
        "POST",
        f"/disputes/{dispute}/ruling",
        {"outcome": "stands", "note": "they began in d", "by": "Judge"},
    )
    ask("RetractionSchema", "POST", f"{game}/retractions", {"reason": "team", "note": "the team had said e"})
    ask("RetractionsSchema", "GET", f"{game}/retractions")
    ask("IntegritySchema", "GET", f"{game}/integrity")
    bound = {"port": "/dev/ttyACM0", "driver": "inkeek", "game": game.rpartition("/")[2]}
    board = "/boards/" + ask("BoardSchema", "POST", "/boards", bound)["id"]
    ask("BoardsSchema", "GET", "/boards")
    ask("RequestSchema", "POST", f"{board}/requests", {"kind": "seeds", "pit": 3, "seeds": 10})
    ask("MatchSchema", "POST", "/matches", {"game": "oware", "title": "games 2"})
    ask("MatchesSchema", "GET", "/matches")
    ask("GamesSchema", "GET", "/games?limit=1")
    cup = {"game": "bof", "tags": {"South": "Nasieku", "North": "Koinet", "Event": "Cup", "Date": "2026.11.20"}}
    held = client.post(f"{API}/games", json=cup).json["id"]
    client.post(f"{API}/games/{held}/end", json={"termination": "resignation", "winner": "South"})
    player = ask("NamesSchema", "GET", "/players?prefix=na")["items"][0]["id"]
    ask("PlayerSchema", "GET", f"/players/{player}")
    event = client.get(f"{API}/events?prefix=cup").json["items"][0]["id"]
    ask("HeldEventSchema", "GET", f"/events/{event}")
    ask("EventRulesSchema", "GET", f"/events/{event}/rules")
    ask("StandingsSchema", "GET", f"/events/{event}/standings")
    return responses


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"data": folder})
        services_of(app).store.upgrade()
        responses = example_responses(with_token(app))
    RESPONSES_FILE.write_text(json.dumps(responses, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
