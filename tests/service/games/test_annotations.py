import pytest

from inkeek.records import Game, Move, read_games
from inkeek.records.json_codec import JsonError
from inkeek.service.errors import Conflict, Forbidden, Illegal, Invalid, NotFound, Stale
from inkeek.service.games import annotations as annotations_module
from inkeek.service.games.annotations import Edit, annotate, holder_of
from inkeek.service.games.record_check import MAX_COMMENT
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage.integrity.chain import canonical_json
from tests.service.games.annotating import (
    DESK,
    LINE,
    OTHER,
    RECORD,
    SMALL,
    add,
    change,
    game_with_turns,
    imported,
    remove,
    said,
)


@pytest.fixture
def games(services):
    return services.games


@pytest.fixture
def game_id(games):
    return game_with_turns(games)


def test_annotations_stand_in_the_record_before_the_first_turn_at_a_turn_and_after_the_end(games, game_id):
    games.end(game_id, "resignation", "South", DESK)
    for ply, kind, value in (
        (0, "comment", "before"),
        (1, "nag", 1),
        (1, "comment", " a  b "),
        (2, "comment", "after"),
    ):
        add(games, game_id, ply, kind, value)
    add(games, game_id, 2, "variation", {"plies": [{"move": "C"}, {"move": "d"}]})
    snapshot = games.load(game_id)
    record = snapshot.record
    assert record.comments == ("before",)
    assert record.plies[0].nags == (1,)
    assert record.plies[0].comments[-1] == "a b"
    assert record.plies[1].comments[-1] == "after"
    assert [str(ply.move.pit) for ply in record.plies[1].variations[0].plies] == ["C", "d"]
    (read,) = read_games(snapshot.pmn().splitlines(keepends=True))
    assert read.errors == ()
    assert games.integrity(game_id) == []


def test_an_annotation_says_who_wrote_it_and_when_and_which_event_changed_it(games, game_id):
    first = add(games, game_id, 1, "comment", "one")
    row = games.row(game_id)
    assert (first.by, first.source, first.seq) == ("Nasieku", "api:desk:k1", row.seq)
    assert first.id == f"{row.seq}-1"
    (second,) = change(games, game_id, first.id, "comment", "two", Write("api:desk:k1", "Abdi"))
    assert (second.id, second.value, second.by, second.created) == (first.id, "two", "Nasieku", first.created)
    assert (second.seq, second.updated) == (row.seq + 1, games.row(game_id).updated)
    assert games.load(game_id).events[-1].actor == "Abdi"


def test_a_changed_annotation_keeps_its_place(games, game_id):
    one, _ = (add(games, game_id, 1, "comment", text) for text in ("one", "two"))
    change(games, game_id, one.id, "comment", "first")
    assert said(games, game_id) == [(1, "comment", "first"), (1, "comment", "two")]


def test_a_removed_annotation_stays_in_the_events(games, game_id):
    one = add(games, game_id, 1, "comment", "never mind")
    before = games.load(game_id).events
    remove(games, game_id, one.id)
    after = games.load(game_id)
    assert said(games, game_id) == []
    assert "never mind" not in after.pmn()
    assert after.events[: len(before)] == before
    with pytest.raises(NotFound):
        remove(games, game_id, one.id)


def test_position_result_and_turns_stay_as_they_are(games, game_id):
    before = games.row(game_id)
    add(games, game_id, 2, "variation", {"plies": [{"move": "C"}]})
    after = games.row(game_id)
    assert after == before._replace(seq=before.seq + 1, hash=after.hash, updated=after.updated)


def test_a_turn_with_the_expected_ply_is_played_though_the_game_was_annotated(games, game_id):
    seq = games.row(game_id).seq
    move = games.load(game_id).legal(1)[0]
    add(games, game_id, 2, "comment", "meanwhile")
    with pytest.raises(Stale):
        games.play(game_id, move, Write("api", expected_seq=seq))
    assert games.play(game_id, move, Write("api", expected_ply=3)).row.ply == 3


def test_a_board_may_pass_over_annotations_and_nothing_else(games, game_id):
    seq = games.row(game_id).seq
    add(games, game_id, 2, "comment", "meanwhile")
    board = Write("board:S:b:1", expected_seq=seq, ignores_annotations=True)
    games.retag(game_id, {"Round": "1"}, DESK)
    move = games.load(game_id).legal(1)[0]
    with pytest.raises(Stale):
        games.play(game_id, move, board)
    seq = games.row(game_id).seq
    add(games, game_id, 2, "comment", "again")
    assert games.play(game_id, move, Write("board:S:b:1", expected_seq=seq, ignores_annotations=True)).row.ply == 3


@pytest.mark.parametrize("of_imported", [False, True])
def test_only_the_author_or_an_arbiter_changes_an_annotation(games, game_id, of_imported):
    if of_imported:
        game_id = imported(games, RECORD)
        annotation = games.load(game_id).state.annotations[0]
    else:
        annotation = add(games, game_id, 1, "comment", "mine")
    for source in (OTHER.source, "import", "board:S:b:1", "page:Desk:k1"):
        with pytest.raises(Forbidden, match=":desk:k1"):
            change(games, game_id, annotation.id, "comment", "theirs", Write(source))
        with pytest.raises(Forbidden):
            remove(games, game_id, annotation.id, Write(source))
    change(games, game_id, annotation.id, "comment", "the arbiter's", OTHER, is_arbiter=True)
    change(games, game_id, annotation.id, "comment", "from another key", Write("page:desk:k9"))
    remove(games, game_id, annotation.id, OTHER, is_arbiter=True)


@pytest.mark.parametrize(
    ("source", "holder"),
    [("api:desk:k1", "desk"), ("page:desk:k2", "desk"), ("api", None), ("rules", None), ("board:desk:1f:3", None)],
)
def test_the_holder_of_a_source_is_that_of_its_key(source, holder):
    assert holder_of(source) == holder


def test_everything_in_one_request_is_one_event_or_none(games, game_id):
    one, two = (add(games, game_id, 1, "comment", text) for text in ("one", "two"))
    seq = games.row(game_id).seq
    edits = [
        Edit("add[0]", "nag", 1, 1),
        Edit("add[1]", "variation", LINE, 1),
        Edit("change[0]", "comment", "first", id=one.id),
        Edit("remove[0]", id=two.id),
    ]
    bad = Edit("add[2]", "nag", 256, 1)
    with pytest.raises(Invalid, match=r"add\[2\].nag is 256"):
        annotate(games, game_id, [*edits, bad], DESK, is_arbiter=False)
    with pytest.raises(NotFound, match=r"remove\[1\]"):
        annotate(games, game_id, [*edits, Edit("remove[1]", id="99-1")], DESK, is_arbiter=False)
    assert games.row(game_id).seq == seq
    row, annotations = annotate(games, game_id, edits, DESK, is_arbiter=False)
    assert row.seq == seq + 1
    assert [one.id for one in annotations] == [f"{row.seq}-1", f"{row.seq}-2", one.id]
    assert [kind for _, kind, _ in said(games, game_id)] == ["comment", "nag", "variation"]


def test_a_change_to_what_is_there_already_stores_nothing(games, game_id):
    one = add(games, game_id, 1, "comment", "one")
    seq = games.row(game_id).seq
    assert change(games, game_id, one.id, "comment", " one ") == [one]
    assert games.row(game_id).seq == seq


def test_a_change_of_an_annotation_that_another_writer_changed_is_refused(games, game_id):
    one = add(games, game_id, 1, "comment", "one")
    change(games, game_id, one.id, "comment", "two", seq=one.seq)
    with pytest.raises(Conflict, match=r"change\[0\].seq is"):
        change(games, game_id, one.id, "comment", "three", seq=one.seq)
    with pytest.raises(Stale):
        change(games, game_id, one.id, "comment", "three", Write(DESK.source, expected_seq=one.seq))


@pytest.mark.parametrize(
    ("edits", "error", "says"),
    [
        ([], Invalid, "expected 1 to"),
        ([Edit("add[0]", "comment", "x", 3)], Invalid, r"add\[0\].ply is 3"),
        ([Edit("add[0]", "comment", "x", -1)], Invalid, r"add\[0\].ply is -1"),
        ([Edit("add[0]", "nag", 1, 0)], Invalid, r"add\[0\].ply is 0"),
        ([Edit("add[0]", "variation", LINE, 0)], Invalid, r"add\[0\].ply is 0"),
        ([Edit("add[0]", "nag", 256, 1)], Invalid, "nag is 256"),
        ([Edit("add[0]", "nag", True, 1)], Invalid, "nag is True"),
        ([Edit("add[0]", "comment", " ", 1)], Invalid, "comment is empty"),
        ([Edit("add[0]", "comment", "x" * (MAX_COMMENT + 1), 1)], Invalid, "characters"),
        ([Edit("add[0]", "comment", "a\0b", 1)], Invalid, "character"),
        ([Edit("add[0]", "comment", "[%clk soon]", 1)], Invalid, "soon"),
        ([Edit("add[0]", "comment", '[%join south "Abdi"]', 1)], Invalid, "join"),
        ([Edit("add[0]", "comment", '[%by "Abdi"]', 1)], Invalid, "by"),
        ([Edit("add[0]", None, None, 1)], Invalid, r"add\[0\]"),
        ([Edit("add[0]", "variation", {}, 1)], JsonError, r"add\[0\].variation.plies"),
        ([Edit("add[0]", "variation", [], 1)], JsonError, r"add\[0\].variation"),
        ([Edit("add[0]", "variation", {"plies": []}, 1)], JsonError, r"add\[0\].variation.plies"),
        ([Edit("add[0]", "variation", {"plies": [{"move": "?"}]}, 1)], JsonError, r"variation.plies\[0\].move"),
        ([Edit("add[0]", "variation", {"plies": [{"move": "d", "nags": [256]}]}, 1)], JsonError, r"nags\[0\]"),
        (
            [Edit("add[0]", "variation", {"plies": [{"move": "d", "comments": ["[%clk soon]"]}]}, 1)],
            Invalid,
            r"plies\[0\].comments\[0\]",
        ),
        ([Edit("change[0]", "comment", "x", id="1-1")], NotFound, "1-1"),
        ([Edit("change[0]", "comment", "x", id="x")], NotFound, "x"),
    ],
)
def test_what_cannot_stand_is_refused_with_its_place(games, game_id, edits, error, says):
    before = games.row(game_id)
    with pytest.raises(error, match=says):
        annotate(games, game_id, edits, DESK, is_arbiter=False)
    assert games.row(game_id) == before


def test_an_illegal_move_in_a_variation_is_named_with_its_place_and_the_legal_moves(games, game_id):
    line = {"plies": [{"move": "d"}, {"move": "C", "variations": [{"plies": [{"move": "c"}]}]}]}
    edits = [Edit("add[0]", "variation", LINE, 1), Edit("add[1]", "variation", line, 1)]
    with pytest.raises(Illegal) as caught:
        annotate(games, game_id, edits, DESK, is_arbiter=False)
    assert caught.value.more["where"] == "add[1].variation.plies[1].variations[0].plies[0].move"
    assert caught.value.error.reason == "not-your-pit"
    assert "C" in [move.pit for move in caught.value.error.legal]
    assert str(caught.value.error.position).endswith("n 1")


def test_moves_of_a_variation_are_stored_with_all_that_they_do(games, game_id):
    one = add(games, game_id, 1, "variation", LINE)
    assert one.value["plies"][0]["move"] == "dx6"
    (other,) = change(games, game_id, one.id, "variation", {"plies": [{"move": "c"}]})
    assert other.value["plies"][0]["move"] == "cx16"
    assert other in games.load(game_id).state.annotations


def test_a_changed_variation_is_checked_too(games, game_id):
    one = add(games, game_id, 1, "variation", LINE)
    with pytest.raises(Illegal) as caught:
        change(games, game_id, one.id, "variation", {"plies": [{"move": "D"}]})
    assert caught.value.more["where"] == "change[0].variation.plies[0].move"


def test_variations_cost_no_more_than_a_reader_allows(games, game_id, monkeypatch):
    monkeypatch.setattr("inkeek.records.errors.LAPS_A_RECORD", 3)
    monkeypatch.setattr("inkeek.records.errors.LAPS_A_PLY", 1)
    line = {"plies": [{"move": "d"}, {"move": "C"}, {"move": "e"}]}
    with pytest.raises(Invalid, match=r"add\[0\].variation.*laps of sowing"):
        add(games, game_id, 1, "variation", line)
    record = games.load(game_id).record.to_json()
    record["plies"][0]["variations"] = [line]
    assert Game.from_json(record).errors  # an import is refused in the same way


def test_limits_hold(games, game_id, monkeypatch):
    monkeypatch.setattr("inkeek.service.games.record_check.MAX_COMMENTS", 2)
    for number in range(2):
        add(games, game_id, 0, "comment", str(number))
    with pytest.raises(Invalid, match="comments: 3"):
        add(games, game_id, 0, "comment", "one more")
    monkeypatch.setattr(annotations_module, "MAX_VARIATION_PLIES", 1)
    add(games, game_id, 1, "variation", {"plies": [{"move": "d"}]})
    with pytest.raises(Invalid, match="2 turns"):
        add(games, game_id, 1, "variation", {"plies": [{"move": "d"}]})
    monkeypatch.setattr(annotations_module, "MAX_SIZE", len(canonical_json(games.load(game_id).state.record_json)))
    with pytest.raises(Invalid, match="bytes"):
        add(games, game_id, 1, "comment", "four")
    nested = {"plies": [{"move": "d"}]}
    for _ in range(70):
        nested = {"plies": [{"move": "d", "variations": [nested]}]}
    with pytest.raises(Invalid, match="nested"):
        add(games, game_id, 1, "variation", nested)
    remove(games, game_id, games.load(game_id).state.annotations[0].id)


def test_annotations_leave_room_for_turns(services):
    games = Games(services.store, max_plies=2)
    row = games.create("enkeshui", SMALL, {}, DESK)
    while games.row(row.id).seq < 8:
        add(games, row.id, 0, "comment", "more")
    with pytest.raises(Invalid, match="8 events"):
        add(games, row.id, 0, "comment", "more")
    games.play(row.id, Move.parse("c"), DESK)


def test_what_was_imported_is_changed_and_removed_the_same_way(games):
    game_id = imported(games, RECORD)
    found = {(one.ply, one.kind): one for one in games.load(game_id).state.annotations}
    assert [one.ply for one in games.load(game_id).state.annotations] == [0, 1, 1, 1, 1, 2]
    change(games, game_id, found[0, "comment"].id, "comment", "after")
    change(games, game_id, found[1, "nag"].id, "nag", 2)
    change(games, game_id, found[1, "comment"].id, "comment", "second [%clk 0:04:00]")
    change(games, game_id, found[1, "variation"].id, "variation", LINE)
    remove(games, game_id, found[2, "comment"].id)
    record = games.load(game_id).record
    assert record.comments == ("after",)
    assert (record.plies[0].nags, record.plies[0].comments) == ((2,), ("one", "second [%clk 0:04:00]"))
    assert record.plies[0].variations[0].plies[0].comments == ("instead",)
    assert record.plies[1].comments == ()
    assert games.integrity(game_id) == []


def test_what_says_how_the_game_was_played_stays(games, game_id):
    board = Write("board:S:b:1", expected_ply=3)
    position = str(games.load(game_id).position).replace(" s 2", " n 3")
    games.play_irregular(game_id, Move.parse("~?"), position, board, ["nobody objected"])
    after = next(one for one in games.load(game_id).state.annotations if "[%after" in str(one.value))
    for text in ("gone", after.value.replace("n 3", "s 3"), f'{after.value} [%by "Abdi"]'):
        with pytest.raises(Invalid, match="how the game was played"):
            change(games, game_id, after.id, "comment", text, is_arbiter=True)
    with pytest.raises(Invalid):
        remove(games, game_id, after.id, is_arbiter=True)
    change(games, game_id, after.id, "comment", f"really {after.value}", is_arbiter=True)
    assert games.load(game_id).record.errors == ()


@pytest.mark.parametrize("turns", [0, 1, annotations_module.ATTEMPTS])
def test_a_game_can_be_played_while_changes_are_checked_and_they_are_checked_again_then(
    games, game_id, monkeypatch, turns
):
    before, checks, check = games.row(game_id).ply, [], annotations_module._check_record

    def play_and_check(*arguments, **more):
        if len(checks) < turns:
            games.play(game_id, games.load(game_id).legal(1)[0], DESK)
        checks.append(arguments)
        check(*arguments, **more)

    monkeypatch.setattr(annotations_module, "_check_record", play_and_check)
    made = add(games, game_id, 1, "comment", "one")
    assert len(checks) == turns + 1
    assert games.row(game_id).ply == before + turns
    assert said(games, game_id) == [(1, "comment", "one")]
    assert made.seq == games.row(game_id).seq
    assert games.integrity(game_id) == []
