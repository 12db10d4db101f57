"""What a form refuses: its page comes again with the reason, in its language, and what was typed; nothing is stored.

`tests/service/http/api/test_refused.py` has the cases of the operations; here stands what can be wrong in a text field,
and a mistake of each form that the operation behind it refuses.
"""

import re
from html import unescape

import pytest

from inkeek.records import Position
from inkeek.service.http.web.drawing import fields_of, place_names
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import forms_with
from tests.service.stored import stored_rows

from .test_languages import filled, stored as stored  # a fixture

REASON = re.compile(r'<p class="(?:warning|refusal)"[^>]*role="alert"[^>]*>(.*?)</p>', re.DOTALL)
RULING = {"outcome": "stands", "note": "both saw it", "by": "Koinet"}
RULINGS = [
    ({"outcome": "undone"}, 422, "undone"),
    ({"outcome": "retracted", "to": "4"}, 422, "4"),
    ({"outcome": "corrected", "move": "zz"}, 422, "zz"),
    ({"outcome": "corrected", "position": "4.4/4", "irregular": "yes"}, 422, "4.4/4"),
    ({"outcome": "ended"}, 422, "'ended'"),
    ({"clock_South": "soon"}, 422, "soon"),
    ({"penalty": "seeds", "penalty_side": "East", "penalty_seeds": "2"}, 422, "East"),
]
# By the address of a form: how it can be sent; what makes it wrong, the status, and what the reason quotes.
REFUSED = {
    "/games/new": (
        {"game": "enkeshui", "South": "Naisula"},
        [
            ({"option.pits": "9"}, 422, "pits=9"),
            ({"option.nothing": "1"}, 422, "nothing"),
            ({"option.setup": "fives"}, 422, "setup=fives"),
            ({"option.race_keeps_position": "false"}, 422, "race=none"),
            ({"position": "4.4/4"}, 422, "4.4/4"),
        ],
    ),
    "/matches/new": (
        {"game": "oware", "match_kind": "games", "match_games": "3", "South": "Ann"},
        [
            ({"match_kind": ""}, 422, "''"),
            ({"match_kind": "<b>"}, 422, "<b>"),
            ({"match_games": "0"}, 422, "1000"),
            ({"match_games": "1001"}, 422, "1001"),
            ({"match_games": "99999999999999"}, 422, "1000"),
            ({"match_games": "three"}, 422, "three"),
            ({"match_kind": "rounds"}, 422, "rounds"),
            ({"position": "nonsense"}, 422, "nonsense"),
        ],
    ),
    "/games/LIVE/live": (
        {"move": "b", "ply": "6"},
        [
            ({"move": "!"}, 422, "!"),
            ({"ply": "x"}, 422, "'x'"),
            ({"ply": None}, 422, "''"),
            ({"ply": "7"}, 409, "7"),
        ],
    ),
    "/games/LIVE/end": (
        {},
        [
            ({}, 422, "termination"),
            ({"termination": "resignation", "winner": ""}, 422, "resignation"),
            ({"termination": "abandoned", "winner": "South"}, 422, "abandoned"),
        ],
    ),
    "/games/RESIGNED/end/change": (
        {"reason": "<South> gave up", "termination": "resignation", "winner": "North", "seq": "SEQ_OF_END"},
        [
            ({"reason": ""}, 422, "reason"),
            ({"score_South": "9"}, 422, "score.1"),
            ({"termination": "boredom"}, 422, "boredom"),
            ({"seq": "1"}, 409, "Ann"),  # who won meanwhile
        ],
    ),
    "/games/LIVE/review": (
        {"ply": "1", "comment": "a long way"},
        [({"ply": "9"}, 422, "9"), ({"ply": "x"}, 422, "x"), ({"comment": " "}, 422, "comment")],
    ),
    "/games/LIVE/disputes": (
        {"side": "South", "claim": "a pit was skipped", "ply": "5"},
        [
            ({"side": "East"}, 422, "East"),
            ({"claim": ""}, 422, ""),
            ({"ply": "9"}, 422, "9"),
            ({"ply": "one"}, 422, "one"),
            ({"ply": ""}, 422, "''"),
            ({"ply": "end"}, 409, ""),
        ],
    ),
    "/games/DISPUTED/disputes/SEQ/board": (
        {"by": "Naisula"},
        [
            ({"laid.c": "many"}, 422, "many"),
            ({"laid.A": "999999"}, 422, "999999"),
            ({"laid.b": "x"}, 422, "b"),
            ({"laid.south": "47"}, 422, ""),  # more seeds than the game has
        ],
    ),
    "/games/DISPUTED/disputes/SEQ/ruling?rule": ({**RULING, "action": "rule"}, RULINGS),
    "/games/DISPUTED/disputes/SEQ/ruling?preview": ({**RULING, "action": "preview"}, RULINGS),
    "/boards": (
        {"port": "/dev/x", "driver": "inkeek", "game": "LIVE"},
        [({"port": "http://x"}, 422, "http://x"), ({"game": "BOUND"}, 409, "BOUND")],
    ),
    "/boards/BOARD": (
        {"action": "seeds", "pit": "3", "seeds": "3"},
        [({"pit": "x"}, 422, "x"), ({"seeds": "100"}, 422, "100"), ({"pit": "99"}, 422, "99")],
    ),
    "/tokens": (
        {"name": "desk", "scope": "read"},
        [
            ({"scope": None}, 422, ""),
            ({"days": "soon"}, 422, "soon"),
            ({"limit_kind": "game", "limit": "none"}, 422, "none"),
            ({"limit_kind": "", "limit": "Narok Open"}, 422, "Narok Open"),
            ({"kind": "link", "days": "3"}, 422, "3"),
        ],
    ),
}
TYPED = ("South", "match_games", "position", "move", "reason", "score_South", "comment", "claim", "by", "note")
TYPED += ("clock_South", "penalty_seeds", "port", "name", "days", "limit", "laid.c", "laid.A", "laid.b", "laid.south")


@pytest.mark.parametrize("language", ["en", "sw"])
@pytest.mark.parametrize("address", REFUSED)
def test_a_refused_form_says_why_keeps_what_was_typed_and_stores_nothing(app, services, stored, address, language):
    client, path = signed_in(app, "admin"), filled(address, stored)
    names = {**stored, "SEQ_OF_END": str(services.games.row(stored["RESIGNED"]).seq)}
    right, mistakes = REFUSED[address]
    if path.endswith("/board"):
        position = Position.parse(services.games.row(stored["DISPUTED"]).position)
        words = fields_of(position)
        right = right | {f"laid.{name}": words[place] for place, name in place_names(position.row)}
    before, wrong = stored_rows(services), []
    for changes, status, quoted in mistakes:
        form = {name: names.get(value, value) for name, value in (right | changes).items() if value is not None}
        answer = client.post(path, data=form, headers={"Accept-Language": language})
        reasons = REASON.findall(answer.text)
        told = unescape(re.sub("<[^>]*>", "", " ".join(reasons)))
        shown = forms_with(answer.text, path.partition("?")[0], form)[0]
        lost = {name: shown.get(name) for name, text in form.items() if name in TYPED and shown.get(name) != text}
        is_english = any('lang="en"' in reason for reason in reasons)
        if answer.status_code != status or not reasons or names.get(quoted, quoted) not in told or lost or is_english:
            wrong.append((changes, answer.status_code, told, lost))
    assert wrong == []
    assert stored_rows(services) == before
