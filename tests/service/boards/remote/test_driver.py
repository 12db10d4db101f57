import pytest

from inkeek.drivers import events as board_events
from inkeek.drivers.base import Guidance
from inkeek.drivers.errors import DriverError
from inkeek.drivers.recording.json_form import event_json
from inkeek.records import SOUTH
from inkeek.service.boards.controller import FLUSH_AFTER, BoardController
from inkeek.service.boards.identity import FAR, Identity
from inkeek.service.boards.remote.driver import MAX_PENDING, SILENT_AFTER, RemoteDriver, finder
from inkeek.service.boards.status import BoardStatus
from inkeek.service.games.write import Write
from tests.service.boards_double import SMALL, commit, connected, snapshot

BOOT = "0000000a"
SPOOL = "a" * 32


class Afar:
    """A far board of a game, what its desk delivers, and the connection that the desk here reads it by."""

    def __init__(self, services):
        self.services, self.now, self.sent = services, 0.0, 0
        self.game = services.games.create("enkeshui", SMALL, {}, Write("api")).id
        self.board = services.boards.bind("far:bench", FAR, self.game).id
        self.claim = services.inboxes.claim(self.board, SPOOL, None, False).claim
        self.open()

    def open(self):
        """As the desk does at its start, and after it was killed."""
        board = self.services.boards.get(self.board)
        driver = RemoteDriver(self.services.boards, self.services.inboxes, lambda: self.now)
        self.connection = driver.open("far:bench", board.resume)
        self.controller = BoardController(
            board, self.connection, self.services.games, self.services.boards, lambda: self.now
        )

    def deliver(self, *events):
        read = [event_json(event) for event in events]
        self.services.inboxes.append(self.board, self.claim, self.sent + 1, read)
        self.sent += len(events)

    def poll(self):
        return self.connection.poll(0.0)

    def waiting(self):
        return [event for _, event in self.services.inboxes.read(self.board, 0, 10_000).events]

    def play(self, seq):
        """The next turn and its button, as events of the board."""
        loaded = self.services.games.load(self.game)
        turn = loaded.rules.play(loaded.position, loaded.legal(1)[0])
        return board_events.PitChanged(BOOT, seq - 1, 0, 0, float(turn.position.pits[0])), commit(turn, seq)

    def step(self):
        self.controller.step(0.0)
        self.now += FLUSH_AFTER
        self.controller.step(0.0)

    @property
    def ply(self):
        return self.services.games.row(self.game).ply

    @property
    def kinds(self):
        return [entry.kind for entry in self.services.boards.log(self.board)]


@pytest.fixture
def afar(services):
    return Afar(services)


def pit(seq):
    return board_events.PitChanged(BOOT, seq, 0, 3, 4.0)


def test_events_come_out_in_order_each_once_and_stay_until_acknowledged(afar):
    hello, first, second = connected(BOOT), pit(1), pit(2)
    afar.deliver(hello, first, second)
    assert afar.poll() == [hello, first, second]
    assert afar.poll() == []
    assert afar.waiting() == [first, second]
    afar.connection.acknowledge(first)
    assert afar.waiting() == [second]
    with pytest.raises(DriverError, match="event 1 of boot 0000000a"):
        afar.connection.acknowledge(first)
    afar.connection.acknowledge(second)
    assert afar.waiting() == []
    afar.deliver(pit(3))
    assert afar.poll() == [pit(3)]


def test_after_a_death_it_says_who_is_connected_and_goes_on(afar):
    hello = connected(BOOT)
    afar.deliver(hello, pit(1), pit(2))
    afar.poll()
    afar.connection.acknowledge(pit(1))
    afar.open()
    assert afar.poll() == [hello, pit(2)]
    afar.deliver(board_events.Disconnected("pulled"))
    assert afar.poll() == [board_events.Disconnected("pulled")]
    afar.connection.acknowledge(pit(2))
    afar.poll()
    afar.open()
    assert afar.poll() == []


@pytest.mark.parametrize("settled", [pit(2), board_events.Gap("lost", BOOT, 2)])
def test_what_was_stored_but_not_dropped_when_the_desk_died_is_not_returned_again(afar, settled):
    afar.deliver(connected(BOOT), pit(1), settled, pit(3))
    afar.poll()
    afar.services.boards.identify(afar.board, Identity("S"), "far:bench")
    afar.services.boards.commit_event(afar.board, "S", BOOT, 2, BoardStatus())
    afar.open()
    assert afar.poll() == [connected(BOOT), pit(3)]


def test_a_desk_that_is_not_heard_is_a_board_that_is_gone(afar):
    hello = connected(BOOT)
    afar.deliver(hello)
    assert afar.poll() == [hello]
    afar.now += 10 * SILENT_AFTER  # this machine was asleep
    assert afar.poll() == []
    gone = None
    for _ in range(10):
        assert gone is None
        afar.now += SILENT_AFTER / 10
        gone = next(iter(afar.poll()), None)
    assert isinstance(gone, board_events.Disconnected)
    assert f"{SILENT_AFTER:g}" in gone.reason
    assert afar.poll() == []
    afar.deliver()
    assert afar.poll() == [hello]
    afar.now += SILENT_AFTER / 2
    afar.deliver()
    afar.poll()
    afar.now += SILENT_AFTER / 2
    assert afar.poll() == []


def test_what_is_not_acknowledged_is_bounded(afar):
    """A board that does not fit the game is not acknowledged."""
    for first in range(1, MAX_PENDING + 101, 100):
        afar.deliver(*(pit(seq) for seq in range(first, first + 100)))
    seen = []
    while events := afar.poll():
        seen += events
    assert seen == [pit(seq) for seq in range(1, MAX_PENDING + 1)]
    afar.connection.acknowledge(seen[99])
    assert afar.poll() == [pit(seq) for seq in range(MAX_PENDING + 1, MAX_PENDING + 101)]


def test_it_waits_for_what_comes_but_no_longer_than_its_timeout(afar):
    waited = []

    def wait(seconds):
        waited.append(seconds)
        afar.now += seconds
        if len(waited) == 3:
            afar.deliver(pit(1))

    afar.connection._wait = wait
    assert afar.connection.poll(10.0) == [pit(1)]
    assert len(waited) == 3
    assert afar.connection.poll(0.12) == []
    assert sum(waited[3:]) == pytest.approx(0.12)


def test_lights_go_into_the_inbox(afar):
    afar.connection.show(Guidance(SOUTH))
    assert afar.services.inboxes.get(afar.board).guidance["to_move"] == "South"
    afar.connection.close()


def test_a_board_that_nobody_attached_says_nothing(services):
    game = services.games.create("enkeshui", SMALL, {}, Write("api")).id
    services.boards.bind("far:bench", FAR, game)
    assert RemoteDriver(services.boards, services.inboxes, lambda: 0.0).open("far:bench").poll(0.0) == []
    with pytest.raises(DriverError, match="'far:other'"):
        RemoteDriver(services.boards, services.inboxes).open("far:other")


def test_the_desk_finds_installed_drivers_too(services, monkeypatch):
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: f"driver {name}")
    find = finder(services.boards, services.inboxes)
    assert find("inkeek") == "driver inkeek"
    assert isinstance(find(FAR), RemoteDriver)


def test_turns_played_while_the_network_was_gone_are_judged_one_by_one(afar):
    """Players went on without an answer: each button is judged by the counts that lay there when it was pressed."""
    loaded = afar.services.games.load(afar.game)
    afar.deliver(connected(BOOT), snapshot(loaded.position, 0, BOOT))
    afar.step()
    position, events = loaded.position, []
    for seq in range(1, 7):
        turn = loaded.rules.play(position, loaded.rules.legal_moves(position)[0])
        events.append(commit(turn, seq))
        position = turn.position
    afar.deliver(*events)
    afar.step()
    assert (afar.ply, afar.services.games.load(afar.game).position) == (6, position)
    assert set(afar.kinds) == {"connected"}


def test_another_board_is_shown_until_the_right_one_is_back_or_a_person_confirms_it(afar):
    position = afar.services.games.load(afar.game).position
    afar.deliver(connected(), snapshot(position))
    afar.step()
    afar.deliver(board_events.Disconnected("cable"), connected(serial="T-0002"))
    afar.step()
    status = afar.services.boards.get(afar.board).status
    assert (status["state"], status["found"]) == ("refused", "T-0002")
    assert not afar.controller.leaves  # no port is held
    afar.deliver(connected(), *afar.play(2))
    afar.step()
    assert (afar.ply, afar.services.boards.get(afar.board).status.get("found")) == (1, None)
    afar.deliver(connected(serial="T-0002"))
    afar.step()
    afar.services.boards.rebind(afar.board, "T-0002")
    for request in afar.services.boards.poll()[1]:
        afar.controller.add_request(request)
    afar.controller.step(0.0)
    assert afar.controller.leaves
    afar.open()
    afar.step()
    status = afar.services.boards.get(afar.board).status
    assert (status["state"], status.get("found")) == ("connected", None)
    assert afar.waiting() == []


FOURS = (4.0,) * 18
POISON = [
    board_events.Fault(BOOT, 1, 0, 33, "open"),
    board_events.Calibrated(BOOT, 1, 0, 33, True),
    board_events.PitChanged(BOOT, 1, 0, 33, 4.0),
    board_events.Lifted(BOOT, 1, 0, 33),
    board_events.Button(BOOT, 1, 0, SOUTH, "commit", ()),
    board_events.Button(BOOT, 1, 0, SOUTH, "commit", (4.0,) * 256),
    board_events.Button(BOOT, 1, 0, SOUTH, "commit", (-4.0,) * 18),
    board_events.Button(BOOT, 1, 0, SOUTH, "dance", FOURS),
    board_events.Unrecognized(BOOT, 1, 0, "X", ("y" * 2000,) * 240),
    board_events.Snapshot(BOOT, 0, (), ()),
    board_events.Snapshot(BOOT, 0, (4.0,) * 256, (15,) * 256),
    board_events.Status(5.0, 20.0, ("open3",) * 256, 0),
]


@pytest.mark.parametrize("is_checked", [True, False], ids=["delivered", "stored-before"])
@pytest.mark.parametrize("event", POISON, ids=lambda event: f"{type(event).__name__}-{len(repr(event))}")
def test_an_event_that_does_not_fit_is_refused_counted_and_passed(afar, event, is_checked, monkeypatch):
    """Also one that an earlier version has stored: it stops nothing."""
    position = afar.services.games.load(afar.game).position
    afar.deliver(connected(BOOT), snapshot(position, 0, BOOT))
    afar.step()
    with monkeypatch.context() as patch:
        if not is_checked:
            patch.setattr("inkeek.service.boards.remote.inbox.Gate.admit", lambda gate, events: list(events))
        afar.deliver(event)
    afar.step()
    refused = afar.services.boards.get(afar.board)
    assert [kind for kind in afar.kinds if kind not in ("connected", "unrecognised")] == ["misfit"]
    assert is_checked or refused.status["misfits"] == 1
    afar.deliver(*afar.play(3))
    afar.step()
    assert (afar.ply, afar.services.boards.get(afar.board).status["state"]) == (1, "connected")
    assert not any(isinstance(event, board_events.Numbered) for event in afar.waiting())


def test_the_answer_says_which_events_were_refused(afar):
    deliver = afar.services.inboxes.append
    read = [event_json(event) for event in (connected(BOOT), POISON[0], pit(2))]
    first = deliver(afar.board, afar.claim, 1, read)
    assert [(refused.number, "33" in refused.reason) for refused in first.refused] == [(2, True)]
    assert first.row.last == 3
    again = deliver(afar.board, afar.claim, 1, read)
    assert (again.refused, again.row.last) == ((), 3)
    later = deliver(afar.board, afar.claim, 4, [event_json(POISON[1])])  # the board is known from before
    assert [refused.number for refused in later.refused] == [4]


def test_an_event_whose_handling_fails_is_passed_over(afar, monkeypatch):
    """An error of this program, which would come again at each try."""
    position = afar.services.games.load(afar.game).position
    afar.deliver(connected(BOOT), snapshot(position, 0, BOOT))
    afar.step()

    def fail(*_):
        raise ValueError("21 is no side")

    with monkeypatch.context() as patch:
        patch.setattr("inkeek.service.boards.controller.health.mark", fail)
        patch.setattr("inkeek.service.boards.controller.health.update_health", fail)
        afar.deliver(board_events.Fault(BOOT, 1, 0, 3, "open"), board_events.Status(5.0, 20.0, (), 0))
        afar.step()
        afar.deliver(*afar.play(3))
        afar.step()
    assert (afar.ply, afar.kinds.count("unhandled")) == (1, 2)
    assert afar.services.boards.get(afar.board).status["misfits"] == 2


def test_an_event_that_cannot_be_read_any_more_is_dropped(afar):
    afar.deliver(connected(BOOT), pit(1))
    with afar.services.store.writing() as transaction:
        transaction.inboxes.fill(afar.board, [(3, '{"event": "knock"}'), (4, '{"event": "lifted", "pit": "x"}')])
        transaction.inboxes.put(transaction.inboxes.get(afar.board, lock=True)._replace(last=4))
    afar.sent = 4
    assert afar.poll() == [connected(BOOT), pit(1)]
    assert afar.poll() == []
    afar.deliver(pit(2))
    assert afar.poll() == [pit(2)]
