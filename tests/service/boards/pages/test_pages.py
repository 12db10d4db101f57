import html
import re
from datetime import UTC, datetime

import pytest

from inkeek.drivers.registry import InstalledDriver
from inkeek.records import Move, Position
from inkeek.records.json_codec import to_json
from inkeek.service.boards.ports import KnownPort
from inkeek.service.boards.quarantine import with_fault
from inkeek.service.boards.status import Question, read_status
from inkeek.service.boards.view_models import STATES
from inkeek.service.games.write import Write
from inkeek.service.storage import GameFilter, Limit, PluggedRow
from tests.service.boards_double import set_status
from tests.service.clients import signed_in

DEVICE = {"firmware": "0.1.0", "can": ["buttons", "cal", "leds"], "row": 8, "stores": True}
HEALTH = {"volts": 4.98, "celsius": 21.4, "faults": ["open3"], "held": 2}
COUNTS = [0.0, 0.02, 4.0, 4.1, 3.9, 4.0, 4.0, 4.0, 0.0, 0.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 0.0, 0.0]


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    monkeypatch.setattr("inkeek.service.boards.pages.known_ports", lambda: [KnownPort("/dev/ttyACM0", "A <cable>")])
    drivers = [
        InstalledDriver("inkeek", "Inkeek board", "inkeek", "1.0"),
        InstalledDriver("percent", "Board of %(driver)s, 100 %", "percent-boards", "0.1"),
        InstalledDriver("odd", "odd:Board", "odd-boards", "1.2", "ImportError: no odd"),
    ]
    monkeypatch.setattr("inkeek.service.boards.pages.known_drivers", lambda: drivers)


def text(response):
    return response.get_data(as_text=True)


def test_a_desk_without_boards_offers_to_bind_one(client, new_game):
    page = text(client.get("/boards"))
    assert "data-no-boards" in page
    assert "data-no-games" in page
    new_game()
    page = text(client.get("/boards"))
    assert "A &lt;cable&gt;" in page
    assert "ImportError: no odd" in page
    assert "Board of %(driver)s, 100 %" in page
    assert 'action="/boards"' in page


def test_a_board_that_is_plugged_in_begins_a_game_or_joins_one_with_one_tap(client, services, new_game, monkeypatch):
    monkeypatch.setattr(services.boards, "desk", lambda: "process 1 on here")
    services.boards.put_plugged(
        [
            PluggedRow("/dev/ttyACM0", "A cable", "board", "B-1", 8, True),
            PluggedRow("/dev/ttyACM1", "Somebody’s", "nobody"),
        ]
    )
    going, small = new_game(), new_game(game="oware")
    page = text(client.get("/boards"))
    assert "Board B-1" in page
    assert "Somebody’s" in page
    assert f'name="game" value="{going}"' in page
    assert f'name="game" value="{small}"' not in page
    board = {"port": "/dev/ttyACM0", "driver": "inkeek", "serial": "B-1", "row": "8"}
    refused = client.post("/boards", data={**board, "rules": "oware"})
    assert (refused.status_code, services.boards.open()) == (422, [])
    answer = client.post("/boards", data={**board, "rules": "enkeshui"})
    (bound,) = services.boards.open()
    assert answer.location == f"/games/{bound.game}/live?names=new"
    assert (bound.url, bound.serial) == ("/dev/ttyACM0", "B-1")
    assert Position.parse(services.games.row(bound.game).position).row == 8
    assert services.games.row(bound.game).tags["Date"] == f"{datetime.now(services.settings.zone):%Y.%m.%d}"
    assert 'name="rules"' not in text(client.get("/boards"))
    games = services.games.page(9, None, GameFilter())[0]
    assert client.post("/boards", data={**board, "rules": "enkeshui"}).status_code == 409  # and no game is begun
    assert services.games.page(9, None, GameFilter())[0] == games


def test_a_board_whose_game_is_over_plays_the_next_one(client, services, new_game, bind_board):
    game = new_game()
    bind_board(game, device=DEVICE, counts=COUNTS)
    assert 'name="rules"' not in text(client.get("/boards"))
    services.games.end(game, "abandoned", None, Write("api"))
    assert 'name="rules" value="enkeshui"' in text(client.get("/boards"))


def test_a_board_is_bound_from_the_form_and_released(client, services, new_game):
    game = new_game()
    answer = client.post("/boards", data={"port": "/dev/ttyACM0", "driver": "inkeek", "game": game, "still": "1"})
    assert answer.status_code == 303
    (board,) = services.boards.open()
    assert (board.url, board.game, board.buttons) == ("/dev/ttyACM0", game, False)
    assert answer.location == f"/boards/{board.id}"
    assert STATES["waiting"][0] in text(client.get(answer.location))
    assert client.post(answer.location, data={"action": "release"}).status_code == 303
    assert services.boards.open() == []
    assert f'href="/boards/{board.id}"' in text(client.get("/boards"))


def test_somebody_with_a_limit_follows_only_what_they_may_see(app, services, new_game):
    mine, other = new_game(tags={"Event": "Cup"}), new_game()
    services.boards.bind("/dev/ttyACM1", "inkeek", other)
    board = services.boards.bind("/dev/ttyACM0", "inkeek", mine)
    arbiter = signed_in(app, "arbiter", limit=Limit("event", "cup"))
    arbiter.environ_base["REMOTE_ADDR"] = "192.0.2.9"
    page = text(arbiter.get("/boards", base_url="http://localhost"))
    followed = html.unescape(re.search(r'data-follow="([^"]+)"', page)[1]).split()
    assert followed[1:] == [f"/api/v1/boards/{board.id}/events"]
    for address in followed:
        with arbiter.get(address, base_url="http://localhost") as answer:
            assert answer.status_code == 200


def test_a_board_shows_its_facts_and_its_log(client, services, new_game, bind_board):
    game = new_game(tags={"South": "West bench", "North": "East bench"})
    board = bind_board(
        game, counts=COUNTS, device=DEVICE, health=HEALTH, buttons=True, refusals=2, message="All is well."
    )
    set_status(services.boards, board, ("gap", {"reason": "the board started again"}))
    set_status(services.boards, board, ("fault", {"pit": 3, "code": "open"}))
    set_status(services.boards, board, ("calibrated", {"pit": 16, "ok": True}))
    page = text(client.get(f"/boards/{board}"))
    for shown in (
        "Board SIM-1",
        "West bench – East bench",
        "4.98 V",
        "21.4 °C",
        "open3",
        "0.1.0",
        "2×8",
        "All is well.",
        "the board started again",
        'name="pit" value="17"',
        "North’s store",
    ):
        assert shown in page, shown
    assert page.index("South’s store was calibrated") < page.index("the board started again")


def test_a_long_log_shows_its_last_entries(client, services, new_game, bind_board):
    board = bind_board(new_game())
    for number in range(130):
        set_status(services.boards, board, ("gap", {"reason": f"number {number}"}))
    page = text(client.get(f"/boards/{board}"))
    assert "number 129" in page
    assert "number 29<" not in page
    assert "events?after=130" in page


def test_log_entries_with_less_data_or_of_an_unknown_kind_are_shown(client, services, new_game, bind_board):
    board = bind_board(new_game())
    set_status(services.boards, board, ("gap", {}))
    set_status(services.boards, board, ("sung", {"song": "la"}))
    page = text(client.get(f"/boards/{board}"))
    assert "sung" in page


def test_a_refused_board_is_confirmed_on_its_page(client, services, new_game, bind_board):
    board = bind_board(new_game())
    services.boards.rebind(board, "B-1")
    page = f"/boards/{board}"
    assert 'value="rebind"' not in text(client.get(page))
    set_status(services.boards, board, ("other-board", {"bound": "B-1", "found": "B-9", "port": "/dev/x"}))
    set_status(services.boards, board, state="refused", found="B-9", message="B-9 in place of B-1")
    shown = text(client.get(page))
    assert 'value="rebind"' in shown
    assert "B-9 in place of B-1" in shown
    assert client.post(page, data={"action": "rebind"}).status_code == 422
    assert client.post(page, data={"action": "rebind", "serial": "B-9"}).status_code == 303
    assert services.boards.get(board).serial == "B-9"


def test_lines_that_were_not_accepted_are_shown_escaped(client, services, new_game, bind_board):
    board = bind_board(new_game())
    heard = [{"text": "<b>4 4", "reason": "no <line>"}]
    set_status(services.boards, board, state="opening", port_state="unreadable", heard=heard)
    shown = text(client.get(f"/boards/{board}"))
    assert "&lt;b&gt;4 4" in shown
    assert "no &lt;line&gt;" in shown


def test_calibration_is_requested_step_by_step(client, services, new_game, bind_board):
    board = bind_board(new_game(), counts=COUNTS, device=DEVICE)
    assert client.post(f"/boards/{board}", data={"action": "tare"}).status_code == 303
    assert client.post(f"/boards/{board}", data={"action": "seeds", "pit": "17", "seeds": "20"}).status_code == 303
    assert [(r.kind, r.data) for r in services.boards.poll()[1]] == [("tare", {}), ("seeds", {"pit": 17, "seeds": 20})]
    assert client.post(f"/boards/{board}", data={"action": "sing"}).status_code == 400
    steps = [
        ("calibration-asked", {"pit": None, "seeds": 0}),
        *(("calibrated", {"pit": n, "ok": True}) for n in range(18)),
    ]
    for sensor, ok in ((0, True), (1, False)):
        steps += [("calibration-asked", {"pit": sensor, "seeds": 20}), ("calibrated", {"pit": sensor, "ok": ok})]
    for step in steps:
        set_status(services.boards, board, step)
    page = text(client.get(f"/boards/{board}"))
    assert re.findall(r'class="sensor (\w+)">\s*<input[^>]*value="(\d+)"', page) == [("done", "0"), ("failed", "1")]
    assert re.findall(r'name="pit"\s+value="(\d+)"\s+required\s+checked', page) == ["1"]
    assert re.findall(r'class="pit[^"]* start[^"]*"\s+data-pit="(\d+)"', page) == ["1"]


def test_calibration_is_offered_only_where_it_is_supported(client, new_game, bind_board):
    board = bind_board(new_game(), device={**DEVICE, "can": ["buttons"]})
    assert 'value="tare"' not in text(client.get(f"/boards/{board}"))


def ask(services, board, **question):
    """Have a board ask; what an answer names."""
    at = services.games.row(services.boards.get(board).game).seq
    asking = read_status(services.boards.get(board).status).asking(Question(**{"side": None, "at": at, **question}))
    set_status(services.boards, board, ask=to_json(asking.ask), questions=asking.questions, message=question["message"])
    return asking.ask.name


def test_a_turn_is_taken_back_by_an_answer(client, services, new_game, bind_board):
    game = new_game(2)
    board = bind_board(game)
    name = ask(services, board, kind="taken-back", ply=2, plies=1, message="is it taken back?")
    page = text(client.get(f"/games/{game}/live"))
    assert "is it taken back?" in page
    assert 'name="answer" value="yes"' in page
    assert f'name="question" value="{name}"' in page
    answer = client.post(f"/boards/{board}/answer", data={"question": name, "answer": "yes"})
    assert (answer.status_code, answer.location) == (303, f"/games/{game}/live")
    assert services.games.row(game).ply == 1
    (retraction,) = services.games.load(game).record.people().retractions
    assert retraction.command.reason == "agreement"


def test_an_answer_to_an_old_question_changes_nothing(client, services, new_game, bind_board):
    game = new_game(2)
    board = bind_board(game)
    question = {"kind": "taken-back", "ply": 2, "message": "is it taken back?"}
    for earlier in (  # pages that were loaded before
        None,
        "",
        ask(services, board, plies=1, at=services.games.row(game).seq - 1, **question),
        ask(services, board, plies=1, **question),
    ):
        ask(services, board, plies=2, **question)
        client.post(f"/boards/{board}/answer", data={"question": earlier, "answer": "yes"})
        assert services.games.row(game).ply == 2


def test_no_is_an_answer(client, services, new_game, bind_board):
    game = new_game(2)
    board = bind_board(game)
    name = ask(services, board, kind="taken-back", ply=2, plies=1, message="is it taken back?")
    client.post(f"/boards/{board}/answer", data={"question": name, "answer": "no"})
    assert services.games.row(game).ply == 2
    assert [request.kind for request in services.boards.poll()[1]] == ["dismiss"]


def test_a_tried_move_is_entered_on_the_page(client, services, new_game, bind_board):
    game = new_game()
    board = bind_board(game)
    name = ask(services, board, kind="trial", ply=1, side="South", message="from which pit?")
    assert 'id="tried"' in text(client.get(f"/games/{game}/live"))
    wrong = client.post(f"/boards/{board}/answer", data={"question": name, "answer": "yes", "move": "?!"})
    assert wrong.status_code == 422
    client.post(f"/boards/{board}/answer", data={"question": name, "answer": "yes", "move": "d"})
    (trial,) = services.games.load(game).record.people().trials
    assert trial.command.move == Move.parse("d")


def refusal(ply, *choices, **more):
    return {
        "ply": ply, "number": "2", "side": "South", "cause": "ambiguous", "meant": None, "message": "not sure",
        "sentences": [], "mend": {}, "question": "0000beef:3", "repeated": False, "counts": COUNTS,
        "candidates": [
            {"move": move, "probability": share, "sentence": f"South played {move}.", "fits": fits}
            for move, share, fits in choices
        ],
        **more,
    }  # fmt: skip


def test_a_turn_is_recorded_by_one_of_the_buttons_that_the_board_offers(client, services, new_game, bind_board):
    game = new_game(2)
    one, other = map(str, services.games.load(game).legal(2))
    asked = refusal(3, (one, 0.72, True), (other, 0.2799, False), at=services.games.row(game).seq)
    board = bind_board(game, refusal=asked, counts=COUNTS, buttons=True)
    for page in (text(client.get(f"/games/{game}/live")), text(client.get(f"/boards/{board}"))):
        assert 'name="question" value="0000beef:3"' in page
        assert "72 %" in page
        assert "28 %" in page
    form = {"kind": "turn", "question": "0000beef:3", "ply": "3", "move": one}
    for wrong, status in (({"question": "0000beef:2"}, 409), ({"move": "?!"}, 422), ({"ply": "x"}, 422)):
        answer = client.post(f"/boards/{board}/answer", data={**form, **wrong})
        assert (answer.status_code, services.games.row(game).ply) == (status, 2)
    for _ in range(2):  # a second tap records nothing
        answer = client.post(f"/boards/{board}/answer", data=form)
        assert (answer.status_code, answer.location) == (303, f"/games/{game}/live")
    (played,) = services.games.load(game).record.plies[2:]
    assert str(played.move) == one
    assert "0000beef:3" in " ".join(played.comments)


def test_unused_sensors_are_marked_and_read_as_nothing(client, new_game, bind_board):
    game = new_game()
    faulty = {"2": "open", "16": "stuck"}
    board = bind_board(game, counts=[*COUNTS[:2], 77.0, *COUNTS[3:]], faulty=faulty, device=DEVICE, health=HEALTH)
    page = text(client.get(f"/boards/{board}"))
    assert page.count('class="unused"') == 2  # and the one in the health report
    assert 'data-count="77"' not in page
    assert ">77<" not in page
    assert "South’s store" in page


def test_a_turned_board_is_asked_about_and_turned_back(app, client, services, new_game, bind_board):
    game = new_game()
    board = bind_board(game)
    name = ask(services, board, kind="turned", ply=0, message="the wrong way round?")
    assert 'name="answer" value="yes"' in text(client.get(f"/games/{game}/live"))
    client.post(f"/boards/{board}/answer", data={"question": name, "answer": "yes"})
    assert [request.kind for request in services.boards.poll()[1]] == ["turned"]
    set_status(services.boards, board, turned=True, device=DEVICE)
    page = text(client.get(f"/boards/{board}"))
    seq = services.games.row(game).seq
    assert f'name="at" value="{seq}"' in page[page.index('data-fresh="turned"') : page.index('value="upright"')]
    assert client.post(f"/boards/{board}", data={"action": "upright"}).status_code == 422  # as of when?
    assert client.post(f"/boards/{board}", data={"action": "upright", "at": seq}).status_code == 303
    assert [request.kind for request in services.boards.poll()[1]] == ["turned", "upright"]
    name = ask(services, board, kind="turned", ply=0, message="the wrong way round?")  # turned back in the meantime
    client.post(f"/boards/{board}/answer", data={"question": name, "answer": "yes"})
    assert [request.kind for request in services.boards.poll()[1]][2:] == ["upright"]


@pytest.mark.browser
def test_a_board_that_is_released_leaves_the_list(watch, services, new_game, bind_board):
    board = bind_board(new_game())
    page = watch.open("/boards", ready="[data-following]")
    services.boards.release(board)
    page.wait_for_selector("[data-no-boards]")
    page.wait_for_selector(f'[data-fresh="closed"] a[href="/boards/{board}"]', state="attached")


def test_a_driver_that_is_left_alone_is_named_and_tried_again(client, services, new_game):
    board = services.boards.bind("/dev/ttyACM0", "inkeek", new_game())
    page = f"/boards/{board.id}"
    assert 'value="retry"' not in text(client.get(page))
    status, log = with_fault(board, "its process ended in poll", datetime(2026, 1, 1, tzinfo=UTC), 1.0)
    services.boards.update_status(board.id, status, log)
    for language in ("en", "sw"):
        shown = text(client.get(f"{page}?lang={language}"))
        for named in ("its process ended in poll", 'value="retry"'):
            assert named in shown
    assert client.post(page, data={"action": "retry"}).status_code == 303
    assert [request.kind for request in services.boards.poll()[1]] == ["retry"]
