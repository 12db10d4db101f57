"""``inkeek finding``: what it prints, for people and as JSON, and its exit status."""

import json

import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.service.cli import main
from inkeek.service.translations import translated

BOARD = "4.4.0.5.4.5/5.5.4.4.4.4 0-0"  # c, with e skipped


@pytest.fixture
def run(runner):
    def run(*arguments, status=0):
        done = runner.invoke(main, ["finding", "--game", "oware", *arguments])
        assert done.exit_code == status, done.output
        return done

    return run


def test_accounts_come_as_json(run):
    found = json.loads(run("--board", BOARD, "--json").stdout)
    first = found["accounts"][0]
    assert found["legal"] is False
    assert (first["kind"], first["legal"], first["move"], first["first_wrong_step"]) == ("skipped", False, "c", 2)
    assert first["mend"] == {"e": 1, "B": -1}
    assert first["steps"][0]["letter"] == "c"
    assert first["rule"]["id"] == "sowing"
    assert {"probability", "sentence"} <= set(first)
    assert found["accounts"][-1]["kind"] == "unknown"


def test_a_claim_of_special_pits_that_were_not_made_is_told(run):
    rules = ruleset("enkeshui")
    turn = rules.turns(rules.start())[0]
    after = str(turn.position).rsplit(" ", 2)[0]
    board = ["--game", "enkeshui", "--board", after, "--claimed"]
    said = {claim: run(*board, claim).output.splitlines()[0] for claim in (turn.move.pit, f"{turn.move.pit}=b")}
    assert len(set(said.values())) == 2


def test_pits_may_be_unknown_and_lifts_known(run):
    found = json.loads(run("--board", "4.4.0.?.?.5/5.5.?.4.4.4 ?-?", "--lifted", "c", "--all-lifted", "--json").stdout)
    assert found["accounts"][0]["move"] == "c"
    assert all(account["move"] in ("c", None) for account in found["accounts"] if account["probability"] > 0.01)


@pytest.mark.parametrize(("language", "label"), [("en", "The rule: "), ("sw", "Sheria: ")])
def test_the_text_names_pits_and_the_rule_in_the_language(run, language, label):
    text = run("--board", BOARD, "--language", language).output
    says = ruleset("oware").info.rules["sowing"].says
    assert "skipped" in text
    assert label + translated(says, language) in text
    assert (says in text) is (language == "en")


def test_marks_are_read(run, runner):
    before = "0.0.2.4.0.0.0.3/1.4.4.4.4.4.4.4 5-5 s 4"
    rules = ruleset("enkeshui", pits=8)
    after = rules.play(Position.parse(before), Move.parse("d")).position
    text = str(after).rsplit(" ", 2)[0]
    words = ["finding", "--game", "enkeshui", "-o", "pits=8", "--position", before, "--json", "--board"]
    found = json.loads(runner.invoke(main, [*words, text]).stdout)
    assert (found["accounts"][0]["kind"], found["legal"]) == ("legal", True)
    moved = text.replace("4s", "4").replace("4.4.4", "4s.4.4", 1)
    found = json.loads(runner.invoke(main, [*words, moved]).stdout)
    assert found["accounts"][0]["kind"] != "legal"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--board", "4.4"), 1),
        (("--board", BOARD, "--lifted", "c,Z"), 2),
        (("--board", BOARD, "--claimed", "!"), 1),
        (("--board", BOARD, "--position", "4.4/4.4 0-0 s 0"), 1),
        (("--board", BOARD, "--slips", "3"), 2),
        (("--board", BOARD, "--hand", "49"), 1),
        (("--board", BOARD, "--lifted", ","), 2),
        (("--board", BOARD, "--moves", "c D", "--claimed", "c"), 2),
        (("--board", BOARD, "--moves", "c D", "--slips", "1"), 2),
        ((), 2),
    ],
)
def test_bad_input_is_refused(run, arguments, status):
    done = run(*arguments, status=status)
    assert "Error" in done.output
    assert not done.stdout


def test_of_several_turns_the_wrong_one_is_named(run):
    rules = ruleset("oware")
    position = rules.play(rules.start(), Move.parse("c")).position
    after = rules.play(position, Move.parse("D")).position
    pits = [*after.pits]
    pits[0], pits[1] = pits[0] - 1, pits[1] + 1
    board = f"{'.'.join(map(str, pits[:6]))}/{'.'.join(map(str, pits[6:]))} 0-0"
    found = json.loads(run("--moves", "c D", "--board", board, "--json").stdout)
    assert (found["agreed"] < 2, found["played"]) == (True, 2)
    assert {one["ply"] for one in found["accounts"]} <= {1, 2, None}
    assert run("--moves", "c D", "--board", board).output
    run("--moves", "", "--board", board, status=2)
