import pytest

from inkeek.service.boards.identity import Identity
from inkeek.service.boards.status import BoardStatus
from inkeek.service.errors import BoardBound
from inkeek.service.games.write import Write
from inkeek.service.live.topics import ALL_BOARDS, Heads, open_topic
from inkeek.service.storage import Limit
from inkeek.service.storage.rows import FAR
from tests.service.boards_double import SMALL, set_status


@pytest.fixture
def board(services, monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    row = services.games.create("enkeshui", {}, {}, Write("api"))
    return services.boards.bind("/dev/fake", "inkeek", row.id)


def test_every_change_of_the_status_grows_the_version(services, board):
    again = set_status(services.boards, board.id)
    assert again.version == board.version
    changed = set_status(services.boards, board.id, message="hm")
    assert changed.version == board.version + 1
    assert services.boards.get(board.id) == changed


def test_what_was_settled_and_its_log_are_stored_together(services, board):
    services.boards.identify(board.id, Identity("S"), board.url)
    settled = services.boards.commit_event(
        board.id, "S", "b", 9, BoardStatus("connected"), ("button", {"side": "South"})
    )
    assert (settled.serial, settled.boot, settled.seq) == ("S", "b", 9)
    assert services.boards.get(board.id) == settled
    (entry,) = services.boards.log(board.id)
    assert (entry.number, entry.kind, entry.data) == (1, "button", {"side": "South"})


def test_a_board_may_be_at_the_port_of_one_that_plays_elsewhere_now(services, board):
    """Exchanged boards: whichever is found first, the other one knows where to look."""
    services.boards.identify(board.id, Identity("S"), board.url)
    other = services.boards.bind("/dev/other", "inkeek", services.games.create("enkeshui", {}, {}, Write("api")).id)
    assert services.boards.seen_at(services.boards.get(board.id)) == []
    set_status(services.boards, other.id, found="S", port="/dev/other")
    assert services.boards.seen_at(services.boards.get(board.id)) == ["/dev/other"]
    set_status(services.boards, other.id, found=None, port="/dev/fake")
    assert services.boards.seen_at(services.boards.get(board.id)) == ["/dev/other"]


def test_a_released_board_keeps_what_it_said(services, board):
    set_status(services.boards, board.id, counts=[1.0])
    released = services.boards.release(board.id)
    assert (released.wanted, released.status["state"], released.status["counts"]) == ("closed", "closed", [1.0])
    assert services.boards.release(board.id) == released
    assert services.boards.open() == []


def test_boards_closed_later_elsewhere_do_not_hide_those_of_an_event(services, monkeypatch):
    monkeypatch.setattr("inkeek.service.boards.bindings.CLOSED_SHOWN", 1)
    for event in ("Cup", "Open"):
        game = services.games.create("enkeshui", {}, {"Event": event}, Write("api")).id
        services.boards.release(services.boards.bind(f"far:{event}", FAR, game).id)
    assert [board.url for board in services.boards.closed()] == ["far:Open"]
    assert [board.url for board in services.boards.closed(Limit("event", "Cup"))] == ["far:Cup"]


def test_followers_of_all_boards_hear_of_one_bound_before_the_first_look(services, board):
    topic = open_topic(ALL_BOARDS, 0, services.store)
    other = services.games.create("enkeshui", {}, {}, Write("api")).id
    second = services.boards.bind("/dev/other", "inkeek", other)
    services.boards.release(board.id)
    with services.store.reading() as transaction:
        found = topic.read(transaction, Heads({}, transaction.boards.versions()))
    assert {row.id for row in found} == {board.id, second.id}


def test_a_port_is_the_same_under_all_its_names(services, tmp_path):
    device, link = tmp_path / "ttyACM0", tmp_path / "by-id"
    device.touch()
    link.symlink_to(device)
    games = [services.games.create("enkeshui", SMALL, {}, Write("api")).id for _ in range(3)]
    services.boards.bind(str(device), "inkeek", games[0])
    for name in (str(link), f"{tmp_path}/./ttyACM0"):
        with pytest.raises(BoardBound, match=games[0]):
            services.boards.bind(name, "inkeek", games[1])
    services.boards.bind("COM7", "inkeek", games[1])
    with pytest.raises(BoardBound, match=games[1]):
        services.boards.bind("\\\\.\\com7", "inkeek", games[2])
