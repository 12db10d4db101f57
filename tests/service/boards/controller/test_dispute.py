import pytest

from inkeek.drivers.base import Guidance
from inkeek.records import NORTH, SOUTH, ruleset
from inkeek.records.findings import find
from inkeek.records.notation.commands import Dispute, commands_in
from inkeek.service.boards.controller.game_view import to_mend
from inkeek.service.boards.status import read_status
from inkeek.service.disputes.disputes import dispute_evidence, open_dispute
from inkeek.service.disputes.rulings import rule
from inkeek.service.disputes.terms import OUTCOMES_ABOUT, EndTermsData, Terms
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.corrections import reopen
from inkeek.service.games.integrity import event_faults, record_faults
from inkeek.service.games.write import Write
from tests.service.boards.controller.conftest import BOOT
from tests.service.boards_double import SMALL, commit, connected, counts_of, press, snapshot

WAITS = Guidance(None, disputed=True)


@pytest.fixture
def disputed(playing):
    """South has played, and North disputes it."""
    turn = playing.play(seq=1)
    playing.hear(press(turn.position, NORTH, 2, "dispute"))
    return playing


def disputes(table):
    return table.games.load(table.game).state.disputes


def test_a_dispute_is_opened_with_what_lies_on_the_board(disputed):
    (dispute,) = disputes(disputed)
    assert (dispute.side, dispute.ply, dispute.state) == ("North", 1, "open")
    assert dispute.seen == str(disputed.position)
    assert dispute.claim == "North pressed dispute at the board"
    assert disputed.games.load(disputed.game).events[-1].source == f"board:T-0001:{BOOT}:2"
    assert disputed.shown == WAITS
    assert disputed.status["dispute"] == dispute.id


def test_a_dispute_is_opened_though_the_game_is_annotated_meanwhile(playing, monkeypatch):
    def annotate_first(games, game_id, *rest, **more):
        annotate(games, game_id, [Edit("", "comment", "meanwhile", 1)], Write("api"), is_arbiter=False)
        return open_dispute(games, game_id, *rest, **more)

    monkeypatch.setattr("inkeek.service.boards.controller.dispute.open_dispute", annotate_first)
    turn = playing.play(seq=1)
    playing.hear(press(turn.position, NORTH, 2, "dispute"))
    assert len(disputes(playing)) == 1


def test_the_game_waits_until_it_is_ruled_on(disputed):
    turn = disputed.turn()
    disputed.hear(commit(turn, 3))
    assert disputed.games.row(disputed.game).ply == 1
    assert disputed.log()[-1] == "disputed"
    assert disputed.shown == WAITS
    rule(disputed.games, disputed.status["dispute"], Terms("stands"), Write("api"))
    disputed.step()
    assert disputed.shown == Guidance(NORTH)
    assert disputed.status["dispute"] is None
    disputed.hear(commit(turn, 4))
    assert disputed.position == turn.position


@pytest.mark.parametrize("to", [None, 0])  # the turn alone, or a restart
def test_a_ruling_that_retracts_the_turn_says_how_to_lay_the_board(disputed, to):
    played = disputed.position
    rule(disputed.games, disputed.status["dispute"], Terms("retracted", to=to), Write("api"))
    disputed.step()
    lacks = to_mend(disputed.position, counts_of(played))
    assert disputed.shown == Guidance(SOUTH, frozenset(map(int, lacks)))
    assert disputed.status["mend"] == lacks
    assert len(disputed.status["sentences"]) == len(lacks)
    assert disputed.games.row(disputed.game).ply == 0
    disputed.hear(snapshot(disputed.position, 3))  # hands have laid it out
    disputed.still()
    assert (disputed.shown, disputed.status["mend"]) == (Guidance(SOUTH), {})


def test_where_the_turn_stands_hands_put_right_what_they_moved(disputed):
    moved = disputed.position.replaced(pits=(0, *disputed.position.pits[1:-1], disputed.position.pits[-1] + 4))
    disputed.hear(snapshot(moved, 3))
    rule(disputed.games, disputed.status["dispute"], Terms("stands"), Write("api"))
    disputed.step()
    lacks = to_mend(disputed.position, counts_of(moved))
    assert lacks
    assert disputed.status["mend"] == lacks
    disputed.hear(snapshot(disputed.position, 4))
    disputed.still()
    assert disputed.status["mend"] == {}


@pytest.mark.parametrize("about", ["turn", "end"])
@pytest.mark.parametrize("outcome", ["stands", "retracted", "corrected", "ended", "reopened"])
def test_after_every_ruling_the_board_asks_for_what_differs_alone(playing, about, outcome):
    playing.play(seq=1)
    laid = playing.position
    game = playing.games.load(playing.game)
    if about == "end":
        playing.games.end(playing.game, "resignation", "South", Write("api"))
    if outcome not in OUTCOMES_ABOUT[about]:
        return
    dispute = open_dispute(playing.games, playing.game, "North", "no", Write("api"), about=about)
    playing.step()
    assert playing.shown == WAITS
    ended = outcome == "ended" or (about == "end" and outcome == "corrected")
    corrects = about == "turn" and outcome == "corrected"
    move = str(game.rules.legal_moves(game.position_at(0))[-1].choice) if corrects else None
    end = EndTermsData("time", "North", None) if ended else None
    rule(playing.games, dispute.id, Terms(outcome, "so", move, end=end), Write("api"))
    playing.step()
    over = playing.games.row(playing.game).state == "ended"
    assert playing.shown.over is over
    assert playing.status["dispute"] is None
    assert playing.status["mend"] == ({} if over else to_mend(playing.position, counts_of(laid)))


def test_who_opened_it_withdraws_it(disputed):
    disputed.hear(press(disputed.position, SOUTH, 3, "dispute"))
    assert disputed.shown == WAITS
    disputed.hear(press(disputed.position, NORTH, 4, "dispute"))
    (dispute,) = disputes(disputed)
    assert (dispute.state, dispute.outcome, dispute.arbiter) == ("ruled", "stands", "North")
    assert dispute.note == "withdrawn at the board"
    assert disputed.shown == Guidance(NORTH)


def test_the_same_press_again_opens_and_withdraws_nothing(disputed):
    disputed.boards.commit_event(disputed.board, "T-0001", BOOT, 1, read_status(disputed.status))
    disputed.sit()
    disputed.hear(connected(), press(disputed.position, NORTH, 2, "dispute"))
    (dispute,) = disputes(disputed)
    assert dispute.state == "open"
    assert disputed.shown == WAITS


def test_seeds_in_a_hand_are_no_position_but_stand_in_the_log(playing):
    turn = playing.play(seq=1)
    playing.hear(press(turn.position.replaced(pits=(0,) * 16), NORTH, 2, "dispute"))
    (dispute,) = disputes(playing)
    assert dispute.seen is None
    (entry,) = [entry for entry in playing.boards.log(playing.board) if entry.kind == "button"]
    assert entry.data["counts"][:16] == [0.0] * 16


def test_before_the_first_turn_there_is_nothing_to_dispute(playing):
    playing.hear(press(playing.position, NORTH, 1, "dispute"))
    assert disputes(playing) == ()
    assert playing.status["dispute"] is None
    assert playing.connection.acknowledged[-1] == (BOOT, 1)


def test_while_it_is_open_nothing_is_taken_back_or_tried(disputed):
    for seq, action in enumerate(("undo", "trial"), 3):
        disputed.hear(press(disputed.position, SOUTH, seq, action))
        assert disputed.log()[-1] == "button"
        assert disputed.status[action] is None
    assert disputed.games.row(disputed.game).ply == 1


def test_a_dispute_opened_elsewhere_stops_the_board_too(playing):
    from inkeek.service.disputes.disputes import open_dispute

    playing.play(seq=1)
    open_dispute(playing.games, playing.game, "North", "too many", Write("page"))
    playing.step()
    assert playing.shown == WAITS


def test_a_reopened_game_goes_on_at_the_board(playing):
    turn = playing.play(seq=1)
    playing.games.end(playing.game, "resignation", "North", Write("api"))
    playing.step()
    assert playing.shown.over
    reopen(playing.games, playing.game, "nobody had resigned", Write("api"))
    playing.step()
    assert (playing.shown.over, playing.shown.to_move) == (False, NORTH)
    playing.hear(press(turn.position, NORTH, 2, "dispute"))
    assert len(disputes(playing)) == 1


def skipped(position):
    """The board after South's turn e from the start, in which pit g was skipped: no legal turn leads there."""
    return position.replaced(pits=(0, 0, 4, 4, 0, 5, 4, 5, 1, 1, 4, 4, 4, 4, 4, 4))


@pytest.fixture
def refused(playing):
    """The board refuses South's first turn, in which a pit was skipped, and North disputes it."""
    wrong = skipped(playing.position)
    playing.hear(press(wrong, SOUTH, 1, "commit"))
    playing.hear(press(wrong, NORTH, 2, "dispute"))
    return playing


def test_a_dispute_after_a_refused_turn_is_about_that_turn(refused):
    loaded = refused.games.load(refused.game)
    (dispute,) = loaded.state.disputes
    assert (dispute.ply, dispute.is_unrecorded, loaded.row.ply) == (1, True, 0)
    evidence = dispute_evidence(loaded.state, dispute)
    assert (evidence.before, evidence.claimed) == (loaded.rules.start(), None)
    first = find(loaded.rules, evidence).accounts[0]
    assert (first.kinds, str(first.move)) == (("skipped",), "e")
    step = first.steps[first.first_wrong_step]
    assert (step.kind, loaded.rules.start().letter(step.pit)) == ("drop", "h")
    assert [*event_faults(loaded.state), *record_faults(loaded.state)] == []


def test_after_the_next_turn_a_refused_one_is_no_longer_disputed(playing):
    playing.play(seq=1)
    playing.hear(press(skipped(playing.position), NORTH, 2, "commit"))
    assert playing.status["refusal"] is not None
    following = playing.turn()
    playing.hear(commit(following, 3))
    playing.hear(press(following.position, SOUTH, 4, "dispute"))
    (dispute,) = disputes(playing)
    assert (dispute.ply, dispute.is_unrecorded) == (2, False)


START = ruleset("enkeshui", **SMALL).start()


@pytest.mark.parametrize(
    ("terms", "moves"),
    [
        (Terms("stands"), []),
        (Terms("retracted"), []),
        (Terms("corrected", move="e"), ["e"]),
        (Terms("corrected", position=str(skipped(START).replaced(to_move=NORTH, ply=1))), ["~?"]),
        (Terms("ended", "three times wrong", end=EndTermsData("forfeit", "North", None)), []),
    ],
)
def test_a_ruling_on_a_turn_that_is_not_recorded(refused, terms, moves):
    rule(refused.games, refused.status["dispute"], terms, Write("api", actor="Koinet"))
    loaded = refused.games.load(refused.game)
    assert [str(ply.move) for ply in loaded.record.plies] == moves
    assert loaded.ended == (terms.outcome == "ended")
    assert [*event_faults(loaded.state), *record_faults(loaded.state)] == []


def test_the_record_says_which_turn_was_disputed_though_it_is_not_recorded(refused):
    (command,) = commands_in(refused.games.load(refused.game).record.comments, Dispute)
    assert command.ply == 1
