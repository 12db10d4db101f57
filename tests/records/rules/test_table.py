"""Games as tables: what a file may say, and that three runners of the same table agree."""

from __future__ import annotations

from random import Random

import pytest

from inkeek.records import OptionError, Position, ruleset, ruleset_ids
from inkeek.records.kernel.codes import REASONS
from inkeek.records.rules.ruleset import load_ruleset, read_ruleset, read_rulesets, ruleset_of
from inkeek.records.rules.table import CHOICES, PLACES, THEN
from tests.records import positions
from tests.records.prove_tables import compare, prove
from tests.records.table_model import TableModel

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
why = "empty-theirs"

[[last]]
opposite = "1+"
take = ["opposite"]
why = "captured"

[[last]]
why = "empty-nothing"
"""


def game(**changes):
    """Rules of a small game, with some parts of its file changed."""
    data = {"id": "my:tiny", "name": "Tiny", "sources": ["none"], "pits": 3, "each": 2, "last": [{"why": "empty"}]}
    return ruleset(ruleset_of({key: value for key, value in {**data, **changes}.items() if value is not None}))


@pytest.mark.parametrize("id", ruleset_ids())
def test_the_table_of_each_game_does_what_its_own_code_does(id):
    assert prove(id, 400, seed=1)["turns"] >= 400


def test_what_is_true_of_a_family_follows_from_the_table():
    for id in ruleset_ids():
        info = load_ruleset(id)
        rules = ruleset(id)
        own, other = rules.family, info.family_under(rules.options, by_table=True)
        for fact in ("captures", "takes_last", "goes_on", "banks", "specials", "feeds", "ends_with_row"):
            if (id, fact) != ("bof", "takes_last"):
                assert getattr(own, fact) == getattr(other, fact), f"{id}: {fact}"


# Random tables, many of them senseless


def random_test(rng):
    words = [
        "own",
        "theirs",
        "ordinary",
        "special",
        "mine",
        "foes",
        "even",
        "odd",
        "0",
        "1",
        "2",
        "3",
        "2+",
        "1+",
        "4+",
    ]
    return ",".join(" ".join(rng.sample(words, rng.choice((1, 1, 2)))) for _ in range(rng.choice((1, 1, 2))))


def random_row(rng, catch_all, choosing):
    then = rng.choice(THEN)
    row = {"then": then, "why": rng.choice(REASONS[1:])}
    if not catch_all:
        row |= {place: random_test(rng) for place in rng.sample(PLACES, rng.choice((1, 1, 2)))}
        row["lap"] = rng.choice(("any", "any", "first", "later"))
        row["turn"] = rng.choice(("any", "any", "later"))
    if rng.random() < 0.5:
        row["take"] = [rng.choice((*PLACES, random_test(rng))) for _ in range(rng.choice((1, 2)))]
        if rng.random() < 0.5:
            row["chain"] = {"way": rng.choice(("on", "back", "pairs")), "pit": random_test(rng)}
            row["chain"]["take"] = rng.choice(("pit", "opposite"))
            if rng.random() < 0.5:
                row["chain"]["opposite"] = random_test(rng)
        row["slam"] = rng.choice(("takes", "nothing"))
    row["shift"] = rng.random() < 0.1
    if then in ("stop", "again") and rng.random() < 0.3:
        row["mark"] = rng.sample(("last", "opposite", "before"), rng.choice((1, 2)))
        if not catch_all:
            row |= {"max": rng.choice((1, 2)), "not_pit": rng.choice((1, 3)), "not_mirror": rng.random() < 0.5}
    return row


def random_file(rng):
    choices = rng.choice((*("none",) * 4, *CHOICES))
    store = rng.choice(("none", "own"))
    rows = [random_row(rng, catch_all=False, choosing=choices != "none") for _ in range(rng.randint(0, 6))]
    if store == "own":
        rows.insert(0, {"last": "store", "then": rng.choice(THEN), "why": "in-store"})
    rows.append(random_row(rng, catch_all=True, choosing=choices != "none"))
    data = {
        "id": "my:tiny",
        "name": "Tiny",
        "sources": ["none"],
        "pits": rng.choice((1, 2, 3, 6, 12)),
        "each": rng.choice((1, 2, 4)),
        "terms": {"special": "house"},
        "start": {
            "least": rng.choice((1, 1, 2)),
            "first": rng.choice(("any", "right-end")),
            "feed": rng.choice(("no", "first-lap") if choices != "none" else ("no", "first-lap", "turn")),
        },
        "sow": {
            "direction": rng.choice(("ccw", "cw") if choices not in ("none", "start") else ("ccw", "cw", "split")),
            "store": store,
            "origin": rng.choice(("sown", "skipped", "first-stays")),
            "choices": choices,
            "skip_from": rng.choice(("first", "later", "second-turn")),
            "special": rng.choice(("stays", "store")),
        },
        "last": rows,
        "end": {
            "over": rng.choice(("mover", "both", "row")),
            "majority": rng.random() < 0.3,
            "last_seeds": 0 if any("mark" in row for row in rows) else rng.choice((0, 0, 2, 4)),
            "rest": rng.choice(("row-owner", "nobody", "opponent")),
        },
    }
    if rng.random() < 0.4:
        data["sow"]["skip"] = random_test(rng)
    if rng.random() < 0.4:
        data["passing"] = {"count": random_test(rng), "to": rng.choice(("owner", "mover"))}
    return data


@pytest.mark.parametrize("seed", range(20))
def test_random_tables_end_and_do_what_the_model_does(seed):
    rng = Random(seed)
    for _ in range(2):
        data = random_file(rng)
        info = ruleset_of(data)
        rules = ruleset(info)
        model = TableModel(info.data, rules.options)
        position = rules.start()
        for _ in range(6):
            compare([rules], model, position)
            compare([rules], model, positions.constructed(rng, rules))
            turns = rules.turns(position, 20)
            if not turns:
                break
            position = rng.choice(turns).position


# Hand-made tables


def test_a_whole_turn_must_feed_where_the_table_says_so():
    rules = ruleset(read_ruleset(FILE))
    # d reaches nobody in its first lap, but its second lap does; a and b never do.
    position = Position.parse("1.0.0.1.1.0/0.0.0.0.0.0 20-25 s 20")
    assert [str(move) for move in rules.legal_moves(position)] == ["d"]


def test_seeds_sown_into_the_store_in_any_lap_are_not_captured():
    store = {"last": "store", "then": "again", "why": "in-store"}
    rows = [store, {"last": "2+", "then": "relay"}, {"why": "empty"}]
    rules = game(sow={"store": "own"}, last=rows, pits=3, each=3)
    for position in positions.random_game(Random(3), rules):
        for turn in rules.turns(position):
            assert turn.captured == (0, 0)
            assert "x" not in str(turn.move)
            assert rules.trace(position, turn.move).turn == turn


def test_a_turn_that_brought_nothing_gives_no_other():
    rules = game(last=[{"then": "again", "why": "empty"}])
    turn = rules.turns(rules.start())[0]
    assert turn.position.to_move != rules.start().to_move


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
        ({"last": [{"why": "empty"}, {"why": "four"}]}, "last[1]: it fits always"),
        ({"last": [{}]}, "last[1]: key 'why' is missing"),
        ({"last": [{"then": "rely"}]}, "last[1].then = 'rely': expected one of relay,"),
        ({"last": [{"takes": ["last"], "why": "four"}]}, "last[1]: unknown key 'takes': expected one of take,"),
        ({"last": [{"last": "two", "why": "four"}]}, "last[1].last = 'two': expected a test"),
        ({"last": [{"last": "99", "why": "four"}]}, "last[1].last = '99': expected a test"),
        ({"last": [{"take": ["opposit"], "why": "four"}]}, "last[1].take[1] = 'opposit': expected a test"),
        ({"last": [{"mark": ["last"], "then": "relay"}]}, "mark with then = 'relay': expected stop"),
        ({"last": [{"mark": ["last"], "why": "four"}]}, "terms: key 'special' is missing"),
        ({"last": [{"if": {"loud": True}, "why": "four"}, {"why": "four"}]}, "names the option 'loud'"),
        ({"last": [{"slam": {"option": "pits", "3": "none"}, "why": "four"}]}, "slam.3 = 'none': expected one of"),
        ({"last": [{"slam": {"option": "pits", "4": "takes"}, "why": "four"}]}, "nothing is said for pits=3"),
        ({"last": {}}, "last = {}: expected a list"),
        ({"last": [{"why": "four"}] * 30}, "expected a list of 1 to 24 values"),
        ({"sow": {"store": "own"}}, "expected a row of last with last = 'store'"),
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
    ],
)
def test_tables_that_are_refused(changes, says):
    with pytest.raises(OptionError) as caught:
        game(**changes)
    assert says in str(caught.value)


def test_a_bad_file_of_a_folder_hides_no_other(tmp_path):
    for name, text in {
        "a.toml": FILE,
        "b.toml": "id = ",
        "c.toml": "x = " + "[" * 5000,
        "d.toml": FILE.replace("relay", "rely"),
        "e.toml": FILE,
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "f.toml").write_bytes(b"\xff")
    files = {file.path.name: file for file in read_rulesets(tmp_path)}
    assert files["a.toml"].info.id == "my:ayoayo"
    assert all(files[name].info is None and files[name].error for name in files if name != "a.toml")
    assert "a.toml has this id already" in files["e.toml"].error


def test_an_extension_inherits_nothing_that_contradicts_it():
    own = {"id": "my:tiny", "name": "Tiny", "sources": ["none"], "extends": "enkeshui"}
    info = ruleset_of({**own, "last": [{"why": "empty"}]})
    assert (info.family, info.clauses, info.rules) == ("", (), {})
    assert not {"capture_after_relay", "bulls_on_first_move"} & {option.name for option in info.options}
    other = ruleset_of({**own, "options": {"capture_after_relay": {"default": False, "decided": "to test with"}}})
    assert other.family == "enkeshui"
    assert ruleset(ruleset_of({**own, "extends": "kalah", "pits": 3, "each": 2})).start().pits == (2,) * 6
    assert not [clause for clause in other.clauses if "capture_after_relay" in clause.options]
