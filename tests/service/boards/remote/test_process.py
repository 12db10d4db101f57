"""A far board's process judges and lights without its service, and what it reports is done once."""

import subprocess
import sys

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.errors import SpoolError
from inkeek.records import NORTH, SOUTH, Move
from inkeek.service.boards.remote import delivery
from inkeek.service.errors import StorageError
from inkeek.service.games.write import Write
from tests.service.boards.remote.bench import BOOT, Bench
from tests.service.boards_double import commit, press
from tests.service.waiting import until


@pytest.fixture
def bench(client, services, tmp_path, monkeypatch):
    monkeypatch.setattr(delivery, "QUICK", 20.0)  # a busy machine: away is what the test says
    monkeypatch.setattr(delivery, "FIRST_RETRY", 0.01)
    monkeypatch.setattr(delivery, "MAX_RETRY", 0.02)
    made = Bench(client, services, tmp_path)
    made.greet()
    yield made
    made.kill()


def test_a_turn_is_in_the_service_when_its_press_is_acknowledged(bench):
    move = bench.play()
    assert bench.recorded() == [move]
    assert bench.connection.acknowledged[-1] == (BOOT, 1)
    assert bench.sources() == [f"board:T-0001:{BOOT}:1"]
    row = bench.services.boards.get(bench.board)
    assert (row.serial, row.boot, row.seq, row.status["state"]) == ("T-0001", BOOT, 1, "connected")
    assert row.status["last"]["move"] == move
    assert bench.games.load(bench.game).events == bench.services.games.load(bench.game).events


def test_a_board_is_judged_and_lit_without_the_network_and_nothing_is_lost(bench):
    moves = [bench.play()]
    with bench.away():
        for side in (NORTH, SOUTH) * 6:
            assert bench.connection.shown[-1].to_move is side
            moves.append(bench.play())
            assert bench.connection.acknowledged[-1] == (BOOT, len(moves))
            assert bench.connection.shown[-1].pending  # only this machine has it
        assert bench.recorded() == moves[:1]
    assert bench.recorded() == moves
    assert len(set(bench.sources())) == len(bench.sources()) == 13
    assert bench.connection.shown[-1] == Guidance(NORTH, last=bench.connection.shown[-1].last)
    assert bench.services.games.integrity(bench.game) == []
    assert any("network is down" in line for line in bench.told)
    assert any("works again" in line for line in bench.told)


@pytest.mark.parametrize("weather", ["up", "down", "deaf"])
@pytest.mark.parametrize("again", ["up", "down"])
def test_a_process_that_is_killed_loses_and_doubles_nothing(bench, weather, again):
    moves = [bench.play(), bench.play()]
    bench.link.weather = weather
    moves.append(bench.play())
    last = bench.connection.acknowledged[-1]
    bench.kill()
    bench.link.weather = again
    bench.start()
    assert last == (BOOT, 3)
    bench.greet()
    bench.hear(commit(bench.games.load(bench.game).turn(3), 3))  # the acknowledgment was lost
    moves.append(bench.play())
    bench.deliver()
    assert bench.recorded() == moves
    assert len(set(bench.sources())) == len(bench.sources()) == 4
    assert [data["event"] for data in bench.log("button") if "event" in data] == []


def test_a_report_whose_answer_is_lost_is_taken_once(bench):
    until(lambda: not bench.delivery._waiting)
    bench.link.weather = "deaf"
    move = bench.play()
    until(lambda: bench.recorded() == [move])
    before = bench.log("connected")
    bench.seq += 1
    bench.hear(press(bench.games.load(bench.game).position, NORTH, bench.seq, "trial"))
    bench.deliver()
    assert len(bench.log("button")) == 1
    assert bench.log("connected") == before


def test_what_a_phone_entered_meanwhile_stands_and_the_rest_is_evidence(bench):
    bench.play()
    with bench.away():
        first, second = bench.turn().move, None
        bench.play()
        second = bench.turn().move
        bench.play()
        loaded = bench.services.games.load(bench.game)
        other = next(move for move in loaded.legal(9) if move != first)
        bench.services.games.play(bench.game, other, Write("api"))
    assert bench.recorded()[1:] == [str(other)]
    lost = bench.log("not-recorded")
    assert [entry["data"]["turn"]["move"] for entry in lost] == [str(first), str(second)]
    assert all(entry["reason"] for entry in lost)
    bench.step()
    assert "lay the board out" in bench.controller.status.message
    until(lambda: "lay the board out" in str(bench.status()["message"]))
    assert any("do not fit any more" in line for line in bench.told)


def test_names_and_annotations_that_came_meanwhile_are_no_hindrance(bench):
    bench.play()
    with bench.away():
        moves = [bench.play(), bench.play()]
        bench.services.games.retag(bench.game, {"South": "Naisula"}, Write("api"))
    assert bench.recorded()[1:] == moves
    assert bench.games.row(bench.game).tags["South"] == "Naisula"


def test_undo_trial_dispute_and_withdrawal_without_the_network(bench):
    def button(side, action, position=None):
        bench.seq += 1
        position = position or bench.games.load(bench.game).position
        bench.hear(press(position, side, bench.seq, action))

    start = bench.games.load(bench.game).position
    with bench.away():
        bench.play()
        button(SOUTH, "undo", start)
        bench.play()
        tried = bench.turn()
        button(NORTH, "trial")
        button(NORTH, "trial", tried.position)
        button(NORTH, "trial")
        button(NORTH, "dispute")
        assert bench.connection.shown[-1].disputed
        button(NORTH, "dispute")
        bench.play()
    kinds = [event.kind for event in bench.services.games.load(bench.game).events]
    assert kinds == ["created", "turn", "retraction", "turn", "trial", "dispute", "ruling", "turn"]
    copy, stored = bench.games.load(bench.game), bench.services.games.load(bench.game)
    assert copy.events == stored.events
    assert stored.events[5].data["sensors"]["counts"]


def test_a_full_disk_is_told_and_the_board_keeps_its_press(bench, monkeypatch):
    with bench.away():
        bench.play()
        keep = bench.spool.keep

        def full(*_):
            raise SpoolError("the spool is full")

        monkeypatch.setattr(bench.spool, "keep", full)
        turn = bench.turn()
        with pytest.raises(StorageError, match="the spool is full"):
            bench.hear(commit(turn, 2))
        assert bench.connection.acknowledged[-1] == (BOOT, 1)
        assert bench.games.row(bench.game).ply == 1
        monkeypatch.setattr(bench.spool, "keep", keep)
        bench.hear(commit(turn, 2))
    assert bench.recorded()[1:] == [str(turn.move)]


def test_a_request_reaches_the_board_and_is_finished(bench):
    bench.services.boards.add_request(bench.board, "turned", {"by": "Judge", "at": 1})
    bench.hear_news()
    for number, request in enumerate(bench.boards.poll()[1], 1):
        assert number == 1
        bench.controller.add_request(request)
    bench.step()
    bench.deliver()
    assert bench.services.boards.requests_to(bench.board) == []
    assert bench.status()["turned"] is True


def test_the_page_says_when_the_process_is_silent_and_when_it_is_back(bench, monkeypatch):
    monkeypatch.setattr("inkeek.service.boards.bindings.SILENT_AFTER", -1.0)

    def is_gone() -> bool:
        bench.services.boards.note_silent()  # unless a report arrives right after it
        return bench.status()["state"] == "gone"

    until(is_gone)
    bench.hear_news()
    bench.step()
    until(lambda: bench.status()["state"] == "connected")


def test_another_board_plays_when_somebody_says_so(bench):
    bench.play()
    bench.services.boards.rebind(bench.board, "T-0002")
    bench.hear_news()
    bench.step()
    row = bench.boards.get(bench.board)
    assert (row.serial, row.boot) == ("T-0002", None)
    assert [request.kind for request in bench.boards.poll()[1]] == ["reopen"]


def test_answers_on_a_phone_to_a_question_are_followed(bench):
    position = bench.games.load(bench.game).position
    turn = bench.turn()
    pits = list(turn.position.pits)
    pits[0] += 1
    bench.seq += 1
    bench.hear(press(turn.position.replaced(pits=tuple(pits)), position.to_move, bench.seq))
    assert bench.status()["refusal"] is not None
    bench.services.games.play(bench.game, Move.parse(str(turn.move)), Write("api"))
    bench.hear_news()
    bench.step()
    assert bench.controller.status.refusal is None


def test_a_far_boards_process_loads_no_database():
    code = "import sys, inkeek.service.boards.remote.process; print(not {'sqlalchemy', 'flask'} & sys.modules.keys())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "True\n"
