"""Games as tables: what a file may say, and that three runners of the same table agree."""

from __future__ import annotations

import json
from random import Random

import pytest

from inkeek.records import OptionError, Position, ruleset, ruleset_ids
from inkeek.records.errors import ErrorText, message_of
from inkeek.records.rules.ruleset import (
    read_ruleset,
    read_ruleset_json,
    read_rulesets,
    rules_key,
    ruleset_of,
    write_ruleset_json,
)
from tests.records import positions
from tests.records.prove_tables import prove, prove_random

FILE = """
id = "my:ayoayo"
name = "Ayoayo"
sources = ["A test"]
pits = 6
each = 4

[start]
feed = "turn"

[sow]
origin = "skipped"

[[last]]
last = "2+"
then = "relay"

[[last]]
last = "theirs"

[[last]]
opposite = "1+"
take = ["opposite"]

[[last]]
"""


SEEDS = {"default": 2, "allowed": [2], "says": "seeds in a pit"}
SETUP = {"options": {"setup": {"default": "equal", "allowed": ["equal", "odd"], "says": "where the seeds are"}}}
ODD = {"pits": 3, "south": "6.0.0", "north": "2.2.2"}
NESTED: list = []
for _ in range(2000):
    NESTED = [NESTED]


def game(**changes):
    """Rules of a small game, with some parts of its file changed."""
    data = {"id": "my:tiny", "name": "Tiny", "sources": ["none"], "pits": 3, "each": 2, "last": [{"then": "stop"}]}
    return ruleset(ruleset_of({key: value for key, value in {**data, **changes}.items() if value is not None}))


@pytest.mark.parametrize("id", ruleset_ids())
def test_the_table_of_each_game_does_what_its_own_code_does(id):
    assert prove(id, 400, seed=1)["turns"] >= 400


@pytest.mark.parametrize("seed", range(40))
def test_random_tables_end_and_do_what_the_model_does(seed):
    assert prove_random(seed)["positions"]


# Hand-made tables


def test_a_whole_turn_must_feed_where_the_table_says_so():
    rules = ruleset(read_ruleset(FILE))
    # d reaches nobody in its first lap, but its second lap does; a and b never do.
    position = Position.parse("1.0.0.1.1.0/0.0.0.0.0.0 20-25 s 20")
    assert [str(move) for move in rules.legal_moves(position)] == ["d"]


def test_seeds_sown_into_the_store_in_any_lap_are_not_captured():
    store = {"last": "store", "then": "again"}
    rows = [store, {"last": "2+", "then": "relay"}, {"then": "stop"}]
    rules = game(sow={"store": "own"}, last=rows, pits=3, each=3)
    for position in positions.random_game(Random(3), rules):
        for turn in rules.turns(position):
            assert turn.captured == (0, 0)
            assert "x" not in str(turn.move)
            assert rules.trace(position, turn.move).turn == turn


def test_a_turn_that_brought_nothing_gives_no_other():
    rules = game(last=[{"then": "again"}])
    turn = rules.turns(rules.start())[0]
    assert turn.position.to_move != rules.start().to_move


def test_a_turn_that_captured_in_an_earlier_lap_gives_another():
    rows = [{"last": "2", "opposite": "1", "take": ["opposite"], "then": "relay"}, {"then": "again"}]
    # b makes two in c, captures A opposite, and goes on with the two of c, which end in B.
    position = Position.parse("0.1.1/1.0.0 4-5 s 9")
    assert str(game(last=rows).play(position, "b").position) == "0.0.0/1.1.0 5-5 s 10"


def test_an_end_says_no_more_than_is_true():
    rules = game(last=[{"last": "2+"}, {"last": "own", "take": ["opposite"]}, {"then": "stop"}], each=1)
    for board, turn, reason in (
        ("0.1.1/0.0.0 2-2 s 9", "b", "in-occupied"),
        ("0.1.0/1.0.0 2-2 s 9", "b", "captured"),
        ("0.1.0/0.0.0 3-2 s 9", "b", "empty-nothing"),
        ("0.0.1/0.0.0 3-2 s 9", "c", "empty-theirs"),
    ):
        assert rules.trace(Position.parse(board), turn).events[-1].reason == reason, board
    chain = {"way": "on", "pit": "0", "take": "opposite"}
    for more, reason in (({}, "took-beyond"), ({"chain": chain}, "captured")):  # B, and c, opposite the empty A
        rules = game(last=[{"next": "0", "take": ["beyond"], **more}, {"then": "stop"}])
        events = rules.trace(Position.parse("0.1.0/0.2.0 5-4 s 9"), "b").events
        assert events[-1].reason == reason, [event for event in events if event.kind == "take"]
    rules = game(last=[{"last": "store"}, {"take": ["next"], "then": "again"}], sow={"store": "own"})
    assert rules.explain(rules.start(), "b")[-1] == "South's turn ends: the last seed fell in the store."
    assert rules.explain(Position.parse("1.0.2/0.0.0 4-5 s 9"), "a")[-2:] == [
        "South's turn ends after the capture: the last seed fell in the empty pit b.",
        "South moves again.",
    ]


OWN = {"en": "Peek & <b>{pit}</b>!", "sw": "Chungulia!"}


def own_words():
    """A game whose rows have their own sentences, but for the last."""
    rows = [
        {"last": "store", "then": "again", "why": "Once more."},
        {"last": "2+", "then": "relay", "why": "On and on."},
        {"last": "own", "take": ["opposite"], "why": OWN},
        {},
    ]
    return game(last=rows, sow={"store": "own"})


def test_a_row_is_said_in_the_words_of_its_file():
    rules = own_words()
    lap = "4 seeds from c go to the store, A, B and C."
    for board, turn, says in (
        ("0.0.1/2.0.0 4-5 s 9", "c", ["Once more.", "South moves again."]),
        ("1.0.0/0.3.0 4-4 s 9", "a", ["South captures 3 seeds from B, opposite the empty pit b.", OWN["en"]]),
        ("2.0.3/0.0.1 3-3 s 9", "a", ["2 seeds from a go to b and c.", lap]),
    ):
        sentences = rules.explain(Position.parse(board), turn)
        assert [one for one in sentences if one in says] == says, sentences
    assert sentences[1] == sentences[3] == "On and on."
    position = Position.parse("1.0.0/0.3.0 4-4 s 9")
    assert rules.explain(position, "a", "sw")[-1] == OWN["sw"]
    again = ruleset(read_ruleset_json(write_ruleset_json(rules.info)))
    assert again.explain(position, "a") == rules.explain(position, "a")


def test_a_row_that_did_not_do_what_it_says_is_not_said_in_its_own_words():
    assert OWN["en"] not in own_words().explain(Position.parse("1.0.0/0.0.0 4-7 s 9"), "a")
    slam = game(last=[{"take": ["opposite"], "slam": "nothing", "why": "Mine."}])
    assert "Mine." not in slam.explain(Position.parse("1.0.0/0.3.0 4-4 s 9"), "a")


def test_a_key_of_rules_is_of_what_is_played():
    told = write_ruleset_json(own_words().info)
    data = json.loads(told)
    rows = [{**row, "why": "So."} for row in data["last"]]
    alike = [
        {**data, "name": "Other", "sources": ["another"], "last": rows},
        dict(reversed(data.items())),
        {key: value for key, value in data.items() if key != "options"} | {"pits": 3},
    ]
    assert {rules_key(json.dumps(one)) for one in alike} == {rules_key(told)}
    others = [{**data, "each": 1}, {**data, "last": rows[1:]}]
    assert len({rules_key(told), *(rules_key(json.dumps(one)) for one in others), rules_key("[]")}) == 4


def test_a_direction_chosen_at_the_start_is_written_behind_the_pit():
    rules = game(sow={"choices": "start"})
    assert [str(move) for move in rules.legal_moves(rules.start())] == ["a", "a<", "b", "b<", "c", "c<"]
    assert rules.play(rules.start(), "a<").position.pits == (0, 2, 2, 2, 3, 3)


def test_a_chosen_direction_is_said():
    rules = game(sow={"choices": "start"})
    assert "South sows clockwise from a." in rules.explain(rules.start(), "a<")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"last": [{"last": "2+", "then": "relay"}]}, "last[1]: expected no 'last' in the last row"),
        ({"last": [{"then": "stop"}, {"then": "stop"}]}, "last[1]: it fits always"),
        ({"last": [{"then": "rely"}]}, "last[1].then = 'rely': expected one of relay,"),
        ({"last": [{"takes": ["last"]}]}, "last[1]: unknown key 'takes': expected one of take,"),
        ({"last": [{"last": "two"}]}, "last[1].last = 'two': expected a test"),
        ({"last": [{"last": "99"}]}, "last[1].last = '99': expected a test"),
        ({"last": [{"take": ["opposit"]}]}, "take[1] = 'opposit': expected one of opposite, last,"),
        ({"last": [{"take": ["thers"]}]}, "last[1].take[1] = 'thers': expected a test"),
        ({"last": [{"last": "own theirs", "then": "relay"}, {"then": "stop"}]}, "a test that some place can pass"),
        ({"last": [{"opposite": "special 2", "then": "relay"}, {"then": "stop"}]}, "opposite: no pit becomes special"),
        ({"last": [{"why": ""}]}, "last[1].why = '': expected a text"),
        ({"last": [{"why": "\u200b "}]}, "last[1].why = '\\u200b ': expected a text"),
        ({"last": [{"why": 4}]}, "last[1].why = 4: expected a text"),
        ({"last": [{"why": "so\x1b[2J"}]}, "last[1].why = 'so\\x1b[2J': expected a text without U+001B"),
        ({"last": [{"why": {"en": "so\nand"}}]}, "last[1].why.en = 'so\\nand': expected a text without U+000A"),
        ({"last": [{"why": "x" * 201}]}, "expected at most 200 characters"),
        ({"last": [{"why": {"English": "so"}}]}, "last[1].why = 'English': expected the code of a language"),
        ({"last": [{"why": {}}]}, "last[1].why = {}: expected a text"),
        ({"last": [{"mark": ["last"], "then": "relay"}]}, "last[1].then = 'relay': expected stop with mark"),
        ({"last": [{"mark": ["last"]}]}, "terms: key 'special' is missing"),
        ({"last": [{"if": {"loud": True}}, {"then": "stop"}]}, "option = 'loud': expected one of"),
        ({"last": [{"slam": {"option": "pits", "3": "none"}}]}, "slam.3 = 'none': expected one of"),
        ({"last": [{"slam": {"option": "pits", "4": "takes"}}]}, "cases of option pits = ['4']: expected 3 too"),
        ({"last": {}}, "last = {}: expected a list"),
        ({"last": [{"then": "stop"}] * 30}, "expected a list of 1 to 24 values"),
        ({"sow": {"store": "own"}}, "sow.store = 'own': expected a row of last with last = 'store'"),
        ({"last": [{"last": "store"}, {"then": "stop"}]}, "sow.store = 'none': expected 'own'"),
        ({"last": [{"last": "2 3"}, {"then": "stop"}]}, "last[1].last = '2 3': expected a test that some place can"),
        ({"sow": {"direction": "left"}}, "sow.direction = 'left': expected one of"),
        ({"sow": {"direction": "split", "choices": "each-relay"}}, "sow.choices = 'each-relay': expected 'none'"),
        ({"start": {"least": 0}}, "start.least = 0: expected a whole number from 1 to"),
        ({"passing": {}}, "passing: key 'count' is missing"),
        ({"end": {"over": 1}}, "end.over = 1: expected one of"),
        ({"pits": None}, "key 'pits' is missing"),
        ({"pits": 2, "options": {"pits": {"default": 3, "allowed": [3], "says": "x"}}}, "pits = 2 beside options.pits"),
        ({"pits": 17}, "pits = 17: expected a whole number from 1 to 16"),
        ({"id": "oware"}, "expected a place and a name"),
        ({"family": "kalah"}, "unknown key 'family'"),
        ({"id": "../x"}, "expected a place and a name"),
        ({"extends": "owari"}, "extends = 'owari': expected one of oware,"),
        ({"extends": "my:other"}, "extends = 'my:other': expected one of "),
        ({"extends": "enkeshui-wikipedia"}, "extends = 'enkeshui-wikipedia': expected one that extends no other"),
        (
            {"options": {"loud": {"default": 1, "allowed": [1], "says": "x"}}},
            "options = 'loud': expected an option",
        ),
        ({"options": {"pits": {"default": 3, "alowed": [3], "says": "x"}}, "pits": None}, "expected one of allowed,"),
        ({"last": [{"mark": ["last"]}], "end": {"last_seeds": 4}}, "last_seeds with mark: expected 0"),
        ({"seeds": 12}, "expected either each, the seeds in every pit or those of a row"),
        ({"each": [4, "x", 0]}, "each = [4, 'x', 0]: expected whole numbers, one for each pit of a row"),
        ({"each": [4, 0]}, "setups.row: option pits=2 is not possible: expected 3"),
        ({"seeds": 12, "each": None}, "seeds = 12: expected each, the seeds in every pit, or setups"),
        ({"pits": 16, "each": 33}, "seeds in a pit = 33: expected at most 1024 seeds on a board of 16 pits a row"),
        ({"options": {"seeds": SEEDS | {"allowed": [2, "x"]}}}, "seeds.allowed = 'x': expected a whole number from 1"),
        ({"options": {"seeds": SEEDS | {"allowed": [2, True]}}}, "seeds.allowed = true: expected a whole number"),
        ({"options": {"big pits": SEEDS}}, "options = 'big pits': expected a name without blanks"),
        ({"options": {"seeds": SEEDS | {"default": "a b"}}}, "default = 'a b': expected a word without blanks"),
        ({"options": {"seeds": SEEDS | {"default": 3}}}, "options.seeds: option seeds=3 is not possible: expected 2"),
        (
            {"options": {"seeds": SEEDS | {"needs": {"pits": [5]}}}},
            "seeds.needs: option pits=5 is not possible",
        ),
        ({"options": {"seeds": SEEDS | {"needs": {"colour": [5]}}}}, "my:tiny has no option 'colour'"),
        ({"options": {"match": {"allowed": ["none", "games", "1", 1]}}}, "expected values that are not written alike"),
        ({"setups": {"odd": ODD}}, "setups need options.setup"),
        ({"setups": {"odd": ODD}, **SETUP, "pits": 4}, "setups.odd: option pits=3 is not possible: expected 4"),
        ({"setups": {"odd": {**ODD, "south": "1.1.1"}}, **SETUP}, "expected rows of 3 pits with 12 seeds in all"),
        ({"setups": {"odd": {**ODD, "south": "6.6"}}, **SETUP}, "setups.odd: the south row has 2 pits"),
        ({"setups": {"odd": {**ODD, "south": "6.0.x"}}, **SETUP}, "setups.odd = '6.0.x/2.2.2': expected numbers"),
        (SETUP, "options.setup.allowed = 'odd': expected one of equal"),
        ({"name": "a\nb"}, "name = 'a\\nb': expected a text without U+000A"),
        ({"sources": ["a\u202eb"]}, "sources[1] = 'a\\u202eb': expected a text without U+202E RIGHT-TO-LEFT OVERRIDE"),
        ({"pits": 1 << 63}, "pits: expected a number of at most 18 digits"),
        ({"last": NESTED}, "expected at most 12 tables and lists in each other"),
        ({"id": None}, "id = '': expected a place and a name of letters from a to z"),
        ({"clauses": [{"reading": "so", "mark": "attested"}]}, "mark = 'attested': expected silent"),
    ],
)
def test_tables_that_are_refused(changes, says):
    with pytest.raises(OptionError) as caught:
        game(**changes)
    assert says in str(caught.value)
    assert isinstance(message_of(caught.value), ErrorText)  # pages show it in their language


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pits = " + "9" * 5000, "a number has too many digits"),
        ("pits = 0x" + "f" * 5000, "pits: expected a number of at most 18 digits"),
        ("pits = nan", "pits = nan: expected a whole number from 1 to 16"),
        ("last = " + "[" * 5000, "too many lists in each other"),
        ("last." + ".".join(["a"] * 20_000) + " = 1", "dots in line 4 = 20000: expected at most 200"),
        ("pits = 2020-02-01", "pits = 2020-02-01: expected a whole number"),
        ("each = [07:32:00, true]", "each = [07:32:00, true]: expected whole numbers"),
        ("then = relay", "(at line 4, column 8): 'then = relay'"),
        ("\n".join(f"k{number} = 1" for number in range(3000)), "and 2990 more faults"),
        ("k" * 60_000 + " = 1", f"unknown key '{'k' * 59}…"),
    ],
)
def test_files_that_are_refused(text, says):
    with pytest.raises(OptionError) as caught:
        read_ruleset(f'id = "my:tiny"\nname = "Tiny"\nsources = ["none"]\n{text}')
    assert says in str(caught.value)
    assert len(str(caught.value)) < 3000
    assert isinstance(message_of(caught.value), ErrorText)


def test_a_byte_order_mark_is_no_part_of_a_file():
    assert read_ruleset("\ufeff" + FILE) == read_ruleset(FILE)


def test_a_game_begins_with_the_default_set_up():
    rules = game(setups={"odd": ODD}, **SETUP)
    assert str(rules.start()) == "2.2.2/2.2.2 0-0 s 0"
    assert str(ruleset(rules.info, setup="odd").start()) == "6.0.0/2.2.2 0-0 s 0"


def test_each_side_begins_with_the_row_that_is_given():
    rules = game(each=[4, 1, 0], pits=None)
    assert str(rules.start()) == "4.1.0/4.1.0 0-0 s 0"
    assert ruleset(read_ruleset_json(write_ruleset_json(rules.info))).start() == rules.start()


def test_a_bad_file_of_a_folder_hides_no_other(tmp_path):
    for name, text in {
        "a.toml": FILE,
        "b.toml": "id = ",
        "c.toml": "x = " + "[" * 5000,
        "d.toml": FILE.replace("relay", "rely"),
        "e.toml": FILE.replace("my:ayoayo", "my:twins"),
        "e2.toml": FILE.replace("my:ayoayo", "my:twins"),
        "g.toml": FILE.replace("each = 4", "each = 0x" + "f" * 5000),
        "h.toml": FILE.replace("each = 4", 'extends = "yoruba:ayo"'),
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "f.toml").write_bytes(b"\xff")
    (tmp_path / "i.toml").write_bytes(FILE.encode("utf-16"))
    files = {file.path.name: file for file in read_rulesets(tmp_path)}
    assert files["a.toml"].info.id == "my:ayoayo"
    assert all(files[name].info is None and files[name].error for name in files if name != "a.toml")
    assert "e2.toml has this id too" in files["e.toml"].error
    assert "e.toml has this id too" in files["e2.toml"].error
    assert "UTF-16" in files["i.toml"].error


def test_an_extension_inherits_nothing_that_contradicts_it():
    own = {"id": "my:tiny", "name": "Tiny", "sources": ["none"], "extends": "enkeshui"}
    info = ruleset_of({**own, "last": [{"then": "stop"}]})
    assert (info.family, info.clauses, info.rules) == ("", (), {})
    assert not {"capture_after_relay", "bulls_on_first_move"} & {option.name for option in info.options}
    other = ruleset_of({**own, "options": {"capture_after_relay": {"default": False, "decided": "to test with"}}})
    assert other.family == "enkeshui"
    assert ruleset(ruleset_of({**own, "extends": "kalah", "pits": 3, "each": 2})).start().pits == (2,) * 6
    assert not [clause for clause in other.clauses if "capture_after_relay" in clause.options]
