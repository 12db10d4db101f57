"""Examples of request bodies and responses for the API's document.

A test sends each body. `responses.json` is written by ``python -m tests.service.http.api.example_responses``; a test
compares it with what the service responds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

AFTER = "0.0.0.6.5.4.5.4/0.0.4.4.4.4.4.4 0-0 n 1"
BODIES: dict[str, dict[str, Any]] = {  # by the name of the schema
    "NewGameSchema": {
        "game": "enkeshui",
        "options": {"pits": 8},
        "tags": {"Event": "Evening game", "South": "West bench", "North": "East bench"},
        "by": "Nasieku",
    },
    "TagsSchema": {"tags": {"Site": "Narok", "Round": None}, "by": "Nasieku"},
    "EndSchema": {"termination": "resignation", "winner": "South", "by": "Nasieku"},
    "EndCorrectionSchema": {
        "termination": "resignation",
        "winner": "North",
        "score": [20, 28],
        "reason": "South resigned",
        "by": "Judge",
    },
    "ReopeningSchema": {"reason": "North had not resigned", "by": "Judge"},
    "NewTurnSchema": {"move": "d", "ply": 1, "by": "Koinet", "comments": ["[%clk 0:05:10]"]},
    "NewIrregularTurnSchema": {"move": "~c", "position": AFTER, "ply": 1, "comments": ["nobody objected"]},
    "NewTrialSchema": {"move": "c", "ply": 1, "by": "Koinet"},
    "NewRetractionSchema": {"reason": "team", "side": "South", "note": "not what the team had said", "ply": 1},
    "NewPersonSchema": {"action": "join", "side": "North", "name": "Abdi", "by": "Nasieku"},
    "NewDisputeSchema": {"side": "North", "claim": "five seeds were lifted", "seen": AFTER, "ply": 1, "by": "Abdi"},
    "ChangedClaimSchema": {"claim": "six seeds were lifted, not five", "by": "Abdi"},
    "NewEvidenceSchema": {"witness": "Hawo", "text": "five seeds were in the hand", "by": "Abdi"},
    "NewReleaseSchema": {"by": "Judge"},
    "EventRulesSchema": {"ladder": ["warning", "seeds", "game"], "appeal_minutes": 30},
    "TermsSchema": {"outcome": "retracted", "note": "nobody saw it"},
    "NewProposalSchema": {"side": "North", "outcome": "stands", "note": "we saw it wrong", "by": "Abdi"},
    "NewResponseSchema": {"side": "South", "accepts": True, "by": "Nasieku"},
    "NewRulingSchema": {
        "outcome": "corrected",
        "move": "d",
        "note": "they meant d",
        "penalties": [{"side": "South", "kind": "warning"}],
        "clocks": [{"side": "North", "add": 60}],
        "by": "Judge",
    },
    "NewAppealSchema": {"reason": "the turn was legal", "side": "South", "by": "Nasieku"},
    "NewWithdrawalSchema": {"note": "it was about the other table", "by": "Nasieku"},
    "AnnotationChangesSchema": {"add": [{"ply": 0, "comment": "after the rain"}], "by": "Nasieku"},
    "NewMatchSchema": {"game": "enkeshui", "title": "surplus, at the well", "options": {"pits": 8}, "by": "Nasieku"},
    "NextGameSchema": {"by": "Nasieku"},
    "NewBoardSchema": {"port": "/dev/ttyACM0", "driver": "inkeek", "game": "k3f9wm2abc", "serial": "B-0007"},
    "BoardChangeSchema": {"serial": "B-0008"},
    "NewRequestSchema": {"kind": "seeds", "pit": 3, "seeds": 5},
    "AnswerSchema": {"question": "0a1b2c3d:98", "ply": 1, "move": "d", "by": "Judge"},
    "NewClaimSchema": {"spool": "5f0c1d6e2b7a4f3895ad0c41e7b26d90", "first": 3, "last": 4, "take_over": False},
    "NewDeliverySchema": {
        "claim": 1,
        "first": 3,
        "events": [{"event": "pit-changed", "boot": "0a1b2c3d", "seq": 97, "ms": 61250, "pit": 4, "seeds": 3.98}],
    },
    "NewFindingSchema": {
        "game": "oware",
        "board": "4.4.0.5.4.5/5.5.4.4.4.? 0-0",
        "claimed": "c",
        "seen": [{"kind": "lift", "pit": "c"}],
    },
    "NewAnalysisSchema": {"game": "oware", "position": "4.4.0.5.5.5/5.4.4.4.4.4 0-0 n 1", "lines": 2, "depth": 4},
    "AnalysisNotesSchema": {"by": "Nasieku"},
    "PositionLimitsSchema": {"nodes": 50000},
    "NewJobSchema": {"games": ["k3f9wm2abc"], "depth": 12},
    "NewTokenSchema": {
        "name": "score desk",
        "scopes": ["record"],
        "days": 30,
        "limit": {"kind": "event", "value": "Narok Open"},
    },
    "RotationSchema": {"grace": 3600},
}

RESPONSES_FILE = Path(__file__).with_name("responses.json")
RESPONSES: dict[str, Any] = json.loads(RESPONSES_FILE.read_text(encoding="utf-8"))  # by the name of the schema
