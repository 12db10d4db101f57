from typing import Any

import pytest

from inkeek.records import ruleset
from inkeek.records.language import language_ids
from inkeek.service.errors import TooBusy
from inkeek.service.findings.request import MAX_EARLIER

SKIPPED = "4.4.0.5.4.5/5.5.4.4.4.4 0-0"
COUNTS = [4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0]


def ask(client: Any, **sent: Any) -> Any:
    return client.post("/api/v1/findings", json={"game": "oware", **sent})


def kinds(answer: Any) -> list[list[str]]:
    assert answer.status_code == 200, answer.text
    return [account["kinds"] for account in answer.json["accounts"]]


def test_a_skipped_pit_is_found(client):
    answer = ask(client, board=SKIPPED)
    assert answer.json["legal"] is False
    assert kinds(answer)[0] == ["skipped"]
    account = answer.json["accounts"][0]
    assert (account["move"], account["mend"]) == ("c", {"e": 1, "B": -1})
    assert account["steps"][account["first_wrong_step"]]["letter"] == "f"
    assert {step["lap"] for step in account["steps"]} == {1}
    assert account["start"] == [*[4] * 12, 0, 0]
    assert account["board"] == COUNTS
    assert account["rule"]["id"] == "sowing"


def test_counts_can_be_noisy_and_missing(client):
    spreads = [0.3, *[None] * 13]
    answer = ask(client, counts=[4.2, None, *COUNTS[2:]], spreads=spreads)
    assert kinds(answer)[0] == ["skipped"]


def test_the_order_of_lifts_decides(client):
    board = "4.4.0.5.5.5/5.4.4.4.4.4 0-0"
    assert ask(client, board=board, seen=[{"kind": "lift", "pit": "c"}]).json["legal"] is True
    answer = ask(client, board=board, seen=[{"kind": "lift", "pit": "D"}] * 3, seen_all=True)
    assert answer.json["accounts"][0]["probability"] < 1


def test_a_claim_moves_the_weights(client):
    board = "?.?.?.?.?.?/5.4.4.4.4.4 0-0"
    shares = {}
    for claimed in ("c", "d"):
        accounts = ask(client, board=board, claimed=claimed).json["accounts"]
        shares[claimed] = next(account["probability"] for account in accounts if account["move"] == "c")
    assert shares["c"] > shares["d"]


def test_the_turn_before_may_be_unfinished(client):
    rules = ruleset("oware")
    turn = rules.turns(rules.start())[2]
    previous = {"position": str(rules.start()), "move": "c"}
    answer = ask(
        client, position=str(turn.position), previous=previous, earlier=[str(rules.start())], counts=[*[4] * 12, 0, 0]
    )
    assert ["taken-back"] in kinds(answer)
    wrong = ask(client, position=str(turn.position), previous={**previous, "move": "d"}, board=SKIPPED)
    assert wrong.status_code == 422
    assert "'d'" in wrong.json["detail"]


def test_several_turns(client):
    answer = ask(client, moves=["c", "D", "a"], board="0.6.2.6.6.6/5.4.4.0.5.4 0-0")
    assert answer.status_code == 200
    assert answer.json["legal"] is None
    assert answer.json["played"] == 3
    assert answer.json["agreed"] == 1
    assert (answer.json["accounts"][0]["ply"], kinds(answer)[0]) == (2, ["skipped"])


def test_another_number_of_seeds_must_be_meant(client):
    position = "4.4.4.4.4.3/4.4.4.4.4.4 0-0 s 0"
    sent = {"position": position, "board": "4.4.0.5.5.4/5.4.4.4.4.4 0-0"}
    refused = ask(client, **sent)
    assert refused.status_code == 422
    assert refused.json["detail"].startswith("position")
    assert ask(client, **sent, seeds=47).json["legal"] is True


@pytest.mark.parametrize("language", language_ids())
def test_the_sentences_are_in_the_language(client, language):
    sentence = ask(client, board=SKIPPED, language=language).json["accounts"][0]["sentence"]
    english = ask(client, board=SKIPPED).json["accounts"][0]["sentence"]
    assert (sentence == english) is (language == "en")


@pytest.mark.parametrize(
    ("sent", "place", "quoted"),
    [
        ({"board": "zz"}, "board", "'zz'"),
        ({"board": SKIPPED, "seen": [{"kind": "lift", "pit": "c"}, {"kind": "lift", "pit": "z"}]}, "seen.1.pit", "'z'"),
        ({"board": SKIPPED, "moves": ["c", "!"]}, "moves.1", "'!'"),
        ({"board": SKIPPED, "earlier": ["zz"]}, "earlier.0", "'zz'"),
        ({"board": SKIPPED, "previous": {"position": "zz", "move": "c"}}, "previous.position", "'zz'"),
        ({"counts": [4, 4]}, "counts", "2 counts"),
        ({"counts": [4.5, *COUNTS[1:]]}, "counts.0", "4.5"),
        ({"counts": COUNTS, "spreads": [1.0]}, "spreads", "14"),
        ({"board": SKIPPED, "marks": ["s"]}, "marks", SKIPPED),
        ({"board": SKIPPED, "moves": ["c"], "claimed": "c"}, "claimed", "1"),
        ({"board": SKIPPED, "counts": COUNTS}, "Expected", "counts"),
        ({}, "Expected", "board"),
        ({"board": SKIPPED, "slips": 3}, "slips", "3"),
        ({"counts": ["4"]}, "counts", '"4"'),
        ({"board": SKIPPED, "earlier": ["x"] * (MAX_EARLIER + 1)}, "earlier", str(MAX_EARLIER)),
        ({"board": "4.4.x.5.4.5/5.5.4.4.4.4 0-0"}, "board", "4.4.x"),
        ({"counts": COUNTS, "marks": ["x", *[""] * 11]}, "marks", ""),
        ({"counts": [400, *COUNTS[1:]], "spreads": [0.3, *[None] * 13]}, "counts.0", "400"),
        ({"board": SKIPPED, "hand": 49}, "hand", "49"),
        ({"board": SKIPPED, "captured": [30, 30]}, "captured", ""),
        ({"board": SKIPPED, "seeds": 47}, "seeds", "47"),
        ({"board": SKIPPED, "seeds": 47, "position": str(ruleset("oware").start())}, "seeds", "47"),
        ({"board": SKIPPED, "moves": ["c", "z"]}, "moves", "z"),
    ],
)  # fmt: skip
def test_an_error_names_the_field_and_quotes_it(client, sent, place, quoted):
    answer = ask(client, **sent)
    assert answer.status_code == 422, answer.text
    assert answer.json["detail"].startswith(place)
    assert quoted in answer.json["detail"]


def test_too_many_at_once_are_told_to_wait(client, services, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise TooBusy("Too many.")

    monkeypatch.setattr(services.findings, "call", full)
    answer = ask(client, board=SKIPPED)
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/too-busy")
    assert int(answer.headers["Retry-After"]) > 0
