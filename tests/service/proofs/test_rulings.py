"""What a ruling orders is compared with what follows it, also after an appeal."""

import pytest

from inkeek.service.disputes import disputes
from inkeek.service.disputes.rulings import appeal, propose, respond, rule
from inkeek.service.disputes.terms import EndTermsData, Terms
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.proofs.check import check_proof
from inkeek.service.proofs.making import make_proof
from inkeek.service.storage.store import Store
from tests.service.positions import moved

from .falsified import GAME, KEY, NOW, PUBLIC, Draft, changed_values

API = Write("api")
END = EndTermsData("forfeit", "South", None)


def play(games, *numbers):
    for number in numbers:
        games.play(GAME, games.load(GAME).legal(9)[number], API)


def ruled(games, dispute, *rulings):
    """Rulings on a dispute, each by another arbiter, with appeals between them."""
    for number, terms in enumerate(rulings):
        if number:
            appeal(games, dispute.id, "not so", API, is_arbiter=True)
        rule(games, dispute.id, terms, Write("api", f"Judge {number}"))


def other_move(games, ply):
    """A move that could have been played in turn `ply`."""
    snapshot = games.load(GAME)
    played = snapshot.record.plies[ply - 1].move
    return next(move for move in snapshot.rules.legal_moves(snapshot.position_at(ply - 1)) if move.pit != played.pit)


def retracted_then_restored(games):
    play(games, 0, 1, 0, 0)
    dispute = disputes.open_dispute(games, GAME, "South", "no", API, ply=3)
    ruled(games, dispute, Terms("retracted"), Terms("stands", "it was right"), Terms("retracted", "not", to=1))


def corrected_then_corrected(games):
    play(games, 0, 1, 0, 0)
    dispute = disputes.open_dispute(games, GAME, "South", "no", API, ply=2)
    other = Terms("corrected", "as we saw", str(other_move(games, 2).choice), keeps=True)
    ruled(games, dispute, other, Terms("stands", "it was right"), other)
    games.retag(GAME, {"Round": "2"}, API)  # so that it is clear where what was ordered ends
    play(games, 0)


def corrected_board_then_stands(games):
    play(games, 0, 1, 0)
    position = moved(str(games.load(GAME).position_at(3)))
    dispute = disputes.open_dispute(games, GAME, "South", "no", API)
    ruled(games, dispute, Terms("corrected", "set up so", position=position), Terms("stands", "no"))
    games.retag(GAME, {"Round": "2"}, API)
    play(games, 1)


def ended_then_undone(games):
    play(games, 0, 1, 0)
    dispute = disputes.open_dispute(games, GAME, "South", "no", API)
    ruled(
        games, dispute, Terms("ended", "too late", end=END), Terms("retracted", "go on"), Terms("ended", "no", end=END)
    )


def end_corrected_then_reopened(games):
    play(games, 0, 1)
    games.end(GAME, "resignation", "South", API)
    dispute = disputes.open_dispute(games, GAME, "North", "not resigned", API, about="end")
    agreed = Terms("corrected", "agreed", end=EndTermsData("agreement", None, None))
    ruled(games, dispute, agreed, Terms("reopened", "they play on"), Terms("stands", "it was so"))


def agreed_then_ruled(games):
    play(games, 0, 1, 0)
    dispute = disputes.open_dispute(games, GAME, "South", "no", API)
    propose(games, dispute.id, "North", Terms("retracted", "fair"), API)
    respond(games, dispute.id, games.load(GAME).seq, "South", Write("api", "Nasieku"), accepts=True)
    appeal(games, dispute.id, "not so", API, is_arbiter=True)
    rule(games, dispute.id, Terms("stands", "it was right"), Write("api", "Judge"))


def unrecorded_then_corrected(games):
    play(games, 0, 1)
    dispute = disputes.open_dispute(games, GAME, "South", "no", API, ply=3)
    move = games.load(GAME).legal(1)[0].choice
    ruled(games, dispute, Terms("stands", "go on"), Terms("corrected", "it was so", str(move)))


# For each course, other terms of its rulings, by number. None of them orders less than what follows: the rest could be
# what the players did by themselves.
COURSES = {
    retracted_then_restored: [
        (0, {"outcome": "retracted", "to": 1}),
        (0, {"outcome": "retracted", "to": 3}),
        (0, {"outcome": "reopened"}),
        (0, {"dispute": 5}),
        (1, {"outcome": "retracted", "to": 1}),
        (1, {"outcome": "ended"}),
        (2, {"to": 0}),
        (2, {"to": -1}),
        (2, {"to": "1"}),
    ],
    corrected_then_corrected: [
        (0, {"move": "~?"}),
        (0, {"keeps": False, "to": 1}),
        (0, {"outcome": "stands"}),
        (1, {"outcome": "retracted", "to": 0}),
        (2, {"outcome": "stands"}),
        (2, {"outcome": "retracted"}),
    ],
    corrected_board_then_stands: [
        (0, {"position": "9.9.9.9.9/9.9.9.9.9 0-0 n 3"}),
        (0, {"outcome": "retracted", "to": 0}),
        (1, {"outcome": "retracted", "to": 0}),
    ],
    ended_then_undone: [
        (0, {"end": {"termination": "forfeit", "winner": "North", "score": None, "result": "0-1"}}),
        (0, {"end": {"termination": "time", "winner": "South", "score": None, "result": "1-0"}}),
        (0, {"end": {"termination": "forfeit", "winner": "South", "score": [1, 1], "result": "1-0"}}),
        (0, {"end": {"termination": "forfeit", "winner": "South", "score": None, "result": "0-1"}}),
        (1, {"to": 1}),
        (1, {"note": "another reason"}),
        (2, {"end": {"termination": "time", "winner": "South", "score": None, "result": "1-0"}}),
        (2, {"outcome": "retracted"}),
    ],
    end_corrected_then_reopened: [
        (0, {"end": {"termination": "time", "winner": "South", "score": None, "result": "1-0"}}),
        (0, {"outcome": "reopened"}),
        (1, {"outcome": "corrected"}),
        (1, {"outcome": "retracted"}),
        (2, {"outcome": "corrected"}),
        (2, {"end": {"termination": "agreement", "winner": None, "score": None, "result": "1/2-1/2"}}),
    ],
    unrecorded_then_corrected: [
        (0, {"outcome": "corrected", "move": "e"}),
        (1, {"move": "~?"}),
        (1, {"outcome": "ended"}),
    ],
    agreed_then_ruled: [
        (0, {"by": "Judge"}),
        (0, {"note": "else"}),
        (0, {"to": 1}),
        (0, {"penalties": [{"side": "South", "kind": "warning"}]}),
        (1, {"outcome": "retracted", "to": 1}),
    ],
}


@pytest.fixture(params=COURSES, ids=lambda course: course.__name__)
def draft(request, database):
    store = Store(database, 5.0)
    games = Games(store, max_plies=5000, new_id=lambda: GAME)
    games.create("bof", {}, {}, API)
    request.param(games)
    data = make_proof(store, GAME, KEY, NOW)
    store.close()
    assert check_proof(data, [PUBLIC]).ok
    draft = Draft(data)
    draft.course = request.param
    return draft


def found(draft, *numbers):
    """Whether the draft, hashed and signed again, is refused at one of these events."""
    data = draft.rehash().rewrite_ledger(KEY).signed()
    report = check_proof(data, [PUBLIC])
    return any(f"event {number}" in fault.message for fault in report.faults for number in numbers)


def rulings(draft):
    return [event for event in draft.events if event[5] == "ruling"]


def ordered(draft, ruling):
    """The numbers of the events that a ruling has caused."""
    kinds = {"retraction", "turn", "reopening", "ended", "correction"}
    numbers = []
    for event in draft.events[ruling[1] :]:
        if event[5] not in kinds:
            break
        numbers.append(event[1])
    return numbers


def test_other_terms_than_those_that_were_followed_are_found(draft):
    for at, other in COURSES[draft.course]:
        changed = draft.copy()
        ruling = rulings(changed)[at]
        ruling[6].update(other)
        assert found(changed, *range(ruling[1], ruling[1] + 8)), (at, other)


def test_what_follows_a_ruling_cannot_be_changed(draft):
    for at, ruling in enumerate(rulings(draft)):
        for number in ordered(draft, ruling):
            for name in ("position", "result", "termination", "ply"):
                if name in draft.events[number - 1][6]:
                    changed = draft.copy()
                    changed.events[number - 1][6][name] = next(changed_values(ruling[6].get(name, 7)))
                    assert found(changed, *range(ruling[1], number + 8)), (at, number, name)


def test_an_event_that_a_ruling_orders_cannot_be_left_out(draft):
    for ruling in rulings(draft):
        for number in ordered(draft, ruling)[:4]:
            changed = draft.copy()
            del changed.lines[changed.places("event")[number - 1]]
            assert found(changed, *range(ruling[1], number + 8)), number
