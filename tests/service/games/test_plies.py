from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings

from inkeek.records import Ply, Variation, write_game
from inkeek.records.notation.commands import REASONS
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.disputes.rulings import rule
from inkeek.service.disputes.terms import Terms
from inkeek.service.errors import NotFound
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.corrections import take_back
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive
from inkeek.service.storage.store import Store
from tests.records.notation.records_made import games as records
from tests.service.games.annotating import DESK, LINE, add, change, game_with_turns, imported, remove, said


@pytest.fixture
def games(services):
    return services.games


@pytest.fixture
def game_id(games):
    return game_with_turns(games)


def test_annotations_go_with_a_turn_that_is_taken_back(games, game_id):
    kept = add(games, game_id, 1, "comment", "kept")
    gone = add(games, game_id, 2, "comment", "about the second turn")
    add(games, game_id, 2, "nag", 4)
    take_back(games, game_id, REASONS[0], DESK)
    games.play(game_id, games.load(game_id).legal(2)[1], DESK)
    assert said(games, game_id) == [(1, "comment", "kept")]
    assert games.load(game_id).record.plies[1].nags == ()
    with pytest.raises(NotFound):
        change(games, game_id, gone.id, "comment", "about another turn")
    change(games, game_id, kept.id, "comment", "still here")
    assert games.integrity(game_id) == []


def test_annotations_go_with_a_turn_that_an_arbiter_corrects(games, game_id):
    add(games, game_id, 2, "comment", "about the second turn")
    dispute = open_dispute(games, game_id, "South", "no", DESK)
    played = games.load(game_id).record.plies[1].move
    before = games.load(game_id).position_at(1)
    other = next(move for move in games.load(game_id).rules.legal_moves(before) if move.choice != played.choice)
    add(games, game_id, 2, "comment", "during the dispute")
    rule(games, dispute.id, Terms("corrected", move=str(other)), Write("api:judge:k3", "Judge"))
    assert said(games, game_id) == []
    assert "[%ruling outcome=corrected" in games.load(game_id).pmn().replace("\n", " ")
    assert games.integrity(game_id) == []


def test_commands_of_other_events_are_no_annotations_and_keep_their_place(games, game_id):
    add(games, game_id, 2, "comment", "one")
    dispute = open_dispute(games, game_id, "South", "no", DESK)
    add(games, game_id, 2, "comment", "two")
    comments = games.load(game_id).record.plies[1].comments
    assert [text.split()[0] for text in comments] == ["[%by", "one", "[%dispute", "two"]
    assert said(games, game_id) == [(2, "comment", "one"), (2, "comment", "two")]
    with pytest.raises(NotFound):
        remove(games, game_id, f"{dispute.seq}-1", is_arbiter=True)


@pytest.mark.parametrize("way", ["notation", "archive"])
def test_an_game_with_turns_is_the_same_elsewhere(games, game_id, services, tmp_path, way):
    add(games, game_id, 0, "comment", "before")
    one = add(games, game_id, 1, "variation", LINE)
    add(games, game_id, 2, "nag", 4)
    change(games, game_id, one.id, "variation", {"plies": [{"move": "e", "comments": ["no"]}]})
    snapshot = games.load(game_id)
    elsewhere = Store(f"sqlite:///{tmp_path / 'elsewhere.sqlite3'}", 5.0)
    try:
        elsewhere.upgrade()
        there, copy = Games(elsewhere, max_plies=100), game_id
        if way == "notation":
            copy = imported(there, snapshot.pmn())
        else:
            archive.load(elsewhere, list(archive.export(services.store)))
            assert there.load(copy).state.annotations == snapshot.state.annotations
        assert there.load(copy).pmn() == snapshot.pmn()
        assert said(there, copy) == said(games, game_id)
        assert there.integrity(copy) == []
    finally:
        elsewhere.close()


def printable(comments):
    """What a client may write of comments that a file may hold."""
    texts = ("".join(filter(str.isprintable, text)).replace("[%", "") for text in comments)
    return tuple(text for text in (" ".join(text.split()) for text in texts) if text)


def clean(plies):
    return tuple(
        Ply(
            ply.move,
            ply.nags,
            printable(ply.comments),
            tuple(Variation(clean(line.plies), printable(line.comments)) for line in ply.variations),
        )
        for ply in plies
    )


def moves(text):
    """What follows the tags."""
    return text.partition("\n\n")[2]


@pytest.mark.parametrize("database_kind", ["sqlite"])
@given(record=records())
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_any_record_without_remarks_becomes_itself_by_annotations(games, record):
    assume(record.plies)  # a game that is over before it begins is no game
    tags = {name: value for name, value in record.tags.items() if name in ("Game", "Options", "Setup", "Result")}
    whole = replace(record, tags=tags, plies=clean(record.plies), comments=printable(record.comments))
    bare = replace(whole, comments=(), plies=tuple(Ply(ply.move) for ply in whole.plies))
    game_id = imported(games, write_game(bare))
    edits = [Edit("", "comment", text, 0) for text in whole.comments]
    for number, ply in enumerate(whole.to_json()["plies"], 1):
        edits += [Edit("", "nag", nag, number) for nag in ply["nags"]]
        edits += [Edit("", "comment", text, number) for text in ply["comments"]]
        edits += [Edit("", "variation", line, number) for line in ply["variations"]]
    if edits:
        annotate(games, game_id, edits, DESK, is_arbiter=False)
    assert moves(games.load(game_id).pmn()) == moves(write_game(whole))
    assert games.integrity(game_id) == []
    removals = [Edit("", id=one.id) for one in games.load(game_id).state.annotations]
    if removals:
        annotate(games, game_id, removals, DESK, is_arbiter=True)
    assert moves(games.load(game_id).pmn()) == moves(write_game(bare))


def test_an_archive_that_changes_what_is_not_there_is_refused(games, game_id, services):
    add(games, game_id, 1, "comment", "one")
    events = games.load(game_id).events
    wrong = events[-1]._replace(data={"changes": [{"remove": "77-1", "ply": 1}]})
    with pytest.raises(Exception, match="77-1"):
        archive.game_state([*events[:-1], wrong]).record  # noqa: B018
