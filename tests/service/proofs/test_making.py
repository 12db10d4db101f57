import json

import pytest

from inkeek.service.disputes.disputes import add_claim, open_dispute
from inkeek.service.disputes.event_data import SensorsData
from inkeek.service.disputes.rulings import appeal, propose, respond, rule
from inkeek.service.disputes.terms import Terms
from inkeek.service.errors import Damaged, NotFound
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance.checkpoint import read_document, take
from inkeek.service.proofs import making
from inkeek.service.proofs.check import check_proof
from inkeek.service.storage.store import Store

from .falsified import GAME, KEY, NOW, OTHER_GAME, PUBLIC, Draft, fill

API = Write("api")


@pytest.fixture
def store(database):
    store = Store(database)
    store.dispute = fill(store)
    store.update_ledger()
    yield store
    store.close()


def made(store, game=GAME, dispute=None):
    return making.make_proof(store, game, KEY, NOW, dispute)


def positions(data):
    """The positions of the two checkpoints and of the entries between."""
    draft = Draft(data)
    start, end = (draft.lines[at]["checkpoint"]["position"] for at in draft.places("checkpoint"))
    return start, [draft.lines[at]["entry"][0] for at in draft.places("entry")], end


def test_the_proof_of_a_game_has_everything_about_it(store):
    data = made(store)
    assert check_proof(data, [PUBLIC]).ok
    with store.reading() as transaction:
        events = transaction.games.events(GAME)
        head = transaction.ledger.head()
    draft = Draft(data)
    assert draft.events == [json.loads(json.dumps(event[:-1])) for event in events]
    start, entries, end = positions(data)
    assert (start, entries, end) == (2, list(range(3, head.position + 1)), head.position)
    assert "[Result " in draft.lines[draft.places("record")[0]]["record"]


def test_the_proof_of_a_dispute_names_it(store):
    report = check_proof(made(store, dispute=store.dispute), [PUBLIC])
    assert (report.ok, report.game, report.dispute) == (True, GAME, store.dispute)
    for seq in (1, 999):
        with pytest.raises(NotFound):
            made(store, dispute=seq)


def test_the_proof_of_a_dispute_has_its_whole_course(database):
    """With what a board measured, a finding with fractions, and a second ruling after an appeal."""
    store = Store(database)
    games = Games(store, max_plies=5000, new_id=lambda: GAME)
    games.create("bof", {}, {}, API)
    for number in (0, 1, 0, 0, 1):
        games.play(GAME, games.load(GAME).legal(9)[number], API)
    sensors = SensorsData((3.98, 4.0, None, 0.00001), (1, 2))
    dispute = open_dispute(games, GAME, "North", "wrong", API, ply=3, sensors=sensors)
    add_claim(games, dispute.id, "one too few", API)
    propose(games, dispute.id, "South", Terms("stands"), API)
    respond(games, dispute.id, games.load(GAME).seq, "North", Write("api", "Koinet"), accepts=False)
    corrected = Terms("corrected", "as we saw", "b", keeps=True)
    rule(games, dispute.id, corrected, Write("api", "Sein"), finding={"probability": 0.973, "rest": 1e-7})
    appeal(games, dispute.id, "not so", API, is_arbiter=True)
    rule(games, dispute.id, Terms("stands", "it was right"), Write("api", "Naisula"))
    data = made(store, dispute=dispute.seq)
    store.close()
    report = check_proof(data, [PUBLIC])
    assert (report.ok, report.dispute) == (True, dispute.seq)
    assert "Naisula" in report.checked["rulings"]
    at = next(event[1] for event in Draft(data).events if event[5] == "retraction")
    draft = Draft(data)
    del draft.lines[draft.places("event")[at - 1]]
    assert not check_proof(draft.rehash().rewrite_ledger(KEY).signed(), [PUBLIC]).ok


def test_a_game_that_does_not_exist_has_no_proof(store):
    with pytest.raises(NotFound):
        made(store, "2222222222")


def test_the_proof_goes_through_checkpoints_that_were_taken_before(store):
    kept = take(store, NOW)
    games = Games(store, max_plies=5000)
    games.play(OTHER_GAME, games.load(OTHER_GAME).legal(1)[0], API)
    data = made(store)
    assert check_proof(data, [PUBLIC], {"monday": kept}).ok
    document = Draft(data).lines[Draft(data).places("checkpoint")[1]]["checkpoint"]
    end, key = read_document(document)
    assert (end.position, key) == (kept.position + 1, PUBLIC)
    assert take(store, NOW).hash == end.hash


def test_a_long_ledger_is_shown_around_the_end_of_the_game(store, monkeypatch):
    games = Games(store, max_plies=5000)
    with store.reading() as transaction:
        last = transaction.ledger.of_game(GAME)[0][-1].position
    monkeypatch.setattr(making, "MAX_ENTRIES", 5)
    start, entries, end = positions(made(store))
    assert (start, len(entries), end) == (end - 5, 5, last + 1)
    for _ in range(9):
        games.create("bof", {}, {}, API)
    data = made(store)
    start, entries, end = positions(data)
    assert (start, entries[0], end) == (last - 1, last, last + 4)
    assert check_proof(data, [PUBLIC]).ok


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET actor = 'x' WHERE number = (SELECT number FROM games WHERE id = '{}') AND seq = 4",
        "DELETE FROM ledger WHERE position = 6",
        "UPDATE ledger SET seq = 99 WHERE position = 7",
    ],
)
def test_nothing_that_was_changed_in_the_database_is_signed(store, statement):
    with store.writing() as transaction:
        transaction.games._session.exec_driver_sql(statement.format(GAME))
    with pytest.raises(Damaged):
        made(store)
