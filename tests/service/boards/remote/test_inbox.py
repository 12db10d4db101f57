import re
import threading

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.events import Disconnected, Gap, PitChanged, Unrecognized
from inkeek.drivers.recording.json_form import event_json
from inkeek.records import NORTH, SOUTH
from inkeek.service.boards.identity import FAR, Identity
from inkeek.service.boards.remote.inbox import BURST, Inboxes
from inkeek.service.boards.status import BoardStatus
from inkeek.service.errors import BoardClosed, Hole, InboxFull, InboxTaken, Invalid, NotFound, TooManyRequests
from inkeek.service.games.write import Write
from tests.service.boards_double import connected

BOOT = "0000000a"
HERE, THERE = "a" * 32, "b" * 32  # spools


def pit(seq, boot=BOOT):
    return PitChanged(boot, seq, 0, 3, 4.0)


def as_json(*events):
    return [event_json(event) for event in events]


class Far:
    """A far board and its inbox."""

    def __init__(self, services, inboxes=None):
        self.boards, self.inboxes = services.boards, inboxes or services.inboxes
        self.game = services.games.create("enkeshui", {}, {}, Write("api")).id
        self.id = services.boards.bind("far:bench", FAR, self.game).id

    def claim(self, spool=HERE, held=None, take_over=False):
        return self.inboxes.claim(self.id, spool, held, take_over)

    def take(self, claim, first, *events):
        return self.inboxes.append(self.id, claim.claim, first, as_json(*events)).row

    def events(self):
        return list(self.inboxes.read(self.id, 0, 100).events)


@pytest.fixture
def far(services):
    return Far(services)


def test_events_arrive_once_and_in_order_however_often_they_are_sent(far):
    claim = far.claim()
    assert (claim.last, claim.resume) == (0, None)
    assert far.take(claim, 1, pit(1), pit(2)).last == 2
    assert far.take(claim, 1, pit(1), pit(2), pit(3)).last == 3
    assert far.take(claim, 2, pit(2)).last == 3
    assert far.take(claim, 4).last == 3
    assert far.events() == [(1, pit(1)), (2, pit(2)), (3, pit(3))]


def test_a_hole_is_refused_with_the_number_that_is_expected(far):
    claim = far.claim()
    far.take(claim, 1, pit(1))
    with pytest.raises(Hole, match="number 3: expected 2") as caught:
        far.take(claim, 3, pit(3))
    assert caught.value.more == {"expected": 2}
    assert far.events() == [(1, pit(1))]


def test_nothing_of_a_delivery_is_stored_when_one_is_no_event(far):
    claim = far.claim()
    with pytest.raises(Invalid, match="event 2: event is 3"):
        far.inboxes.append(far.id, claim.claim, 1, [*as_json(pit(1)), {"event": 3}])
    assert far.events() == []


def test_a_spool_that_comes_back_goes_on(far):
    far.take(far.claim(), 1, pit(1), pit(2))
    again = far.claim(held=(2, 4))
    assert (again.last, again.resume) == (2, (BOOT, 2))
    far.take(again, 2, pit(2), pit(3), pit(4))
    assert [number for number, _ in far.events()] == [1, 2, 3, 4]


def test_an_earlier_claim_is_void(far):
    first = far.claim()
    far.claim(held=(1, 0))
    with pytest.raises(InboxTaken, match="claim 1"):
        far.take(first, 1, pit(1))


def test_a_claim_that_an_older_copy_of_the_database_lacks_is_to_be_made_again(far):
    with pytest.raises(Hole, match="claim 1"):
        far.inboxes.append(far.id, 1, 1, [])
    claim = far.claim()
    with pytest.raises(Hole, match="claim 2"):
        far.inboxes.append(far.id, claim.claim + 1, 1, [])
    assert far.take(claim, 1, pit(1)).last == 1


def test_another_spool_must_say_that_it_takes_over_and_learns_where_it_begins(far):
    claim = far.claim()
    far.take(claim, 1, pit(1), pit(2))
    with pytest.raises(InboxTaken, match="--take-over"):
        far.claim(THERE)
    taken = far.claim(THERE, take_over=True)
    assert (taken.last, taken.resume) == (2, (BOOT, 2))
    with pytest.raises(InboxTaken):
        far.take(claim, 3, pit(3))
    far.take(taken, 3, pit(3))
    assert [number for number, _ in far.events()] == [1, 2, 3]


def test_an_old_copy_of_a_spool_is_refused(far):
    """Its numbers would be taken for those of events that are here already."""
    far.take(far.claim(), 1, pit(1), pit(2), pit(3))
    for held in ((1, 2), (3, 2), (1, 0)):
        with pytest.raises(InboxTaken, match="--take-over"):
            far.claim(held=held)
    assert far.claim(THERE, take_over=True).last == 3


def test_what_was_delivered_to_a_database_that_is_gone_is_a_gap(far):
    """The service goes on from an older copy of its database."""
    claim = far.claim()
    far.take(claim, 1, pit(1), pit(2))
    with pytest.raises(Hole):
        far.take(claim, 8, pit(8))
    again = far.claim(held=(8, 9))
    assert again.last == 7
    far.take(again, 8, pit(8), pit(9))
    numbers, events = zip(*far.events(), strict=True)
    assert numbers == (1, 2, 7, 8, 9)
    gap = events[2]
    assert isinstance(gap, Gap)
    assert (gap.boot, gap.seq, re.findall("[0-9]+", gap.reason)) == (BOOT, 2, ["3", "7"])


def test_a_spool_with_a_past_begins_a_board_that_has_none_without_a_gap(far):
    claim = far.claim(held=(12, 15))
    assert claim.last == 11
    far.take(claim, 12, pit(1))
    assert far.events() == [(12, pit(1))]


def test_a_board_that_came_without_its_inbox_goes_on_after_what_was_dealt_with(far):
    """Events were exported, and imported elsewhere."""
    far.boards.identify(far.id, Identity("S"), "far:bench")
    far.boards.commit_event(far.id, "S", BOOT, 5, BoardStatus())
    assert far.claim(THERE).resume == (BOOT, 5)


def test_a_board_that_came_without_its_inbox_and_has_delivered_since_tells_a_gap(far):
    far.boards.identify(far.id, Identity("S"), "far:bench")
    far.boards.commit_event(far.id, "S", BOOT, 5, BoardStatus())
    assert far.claim(held=(9, 9)).last == 8
    ((number, gap),) = far.events()
    assert (number, gap.boot, gap.seq) == (8, BOOT, 5)


def test_only_a_far_board_that_is_open_has_an_inbox(far, services, monkeypatch):
    with pytest.raises(NotFound):
        services.inboxes.claim("nothing", HERE, None, False)
    with pytest.raises(NotFound, match=far.id):
        services.inboxes.get(far.id)
    claim = far.claim()
    far.boards.release(far.id)
    for ask in (far.claim, lambda: far.take(claim, 1, pit(1))):
        with pytest.raises(BoardClosed):
            ask()
    monkeypatch.setattr("inkeek.drivers.registry.driver", lambda name: object())
    near = services.boards.bind("/dev/fake", "inkeek", services.games.create("bof", {}, {}, Write("api")).id)
    with pytest.raises(Invalid, match=r"'inkeek'.*'far'"):
        services.inboxes.claim(near.id, HERE, None, False)


def test_the_port_of_a_far_board_tells_that_it_is_one(services):
    game = services.games.create("enkeshui", {}, {}, Write("api")).id
    for port in ("/dev/ttyACM0", "far:", "far:a\nb"):
        with pytest.raises(Invalid, match="far:bench"):
            services.boards.bind(port, FAR, game)


def test_an_inbox_that_nobody_empties_is_bounded(far, monkeypatch):
    monkeypatch.setattr("inkeek.service.boards.remote.inbox.MAX_EVENTS", 3)
    claim = far.claim()
    far.take(claim, 1, pit(1), pit(2))
    with pytest.raises(InboxFull):
        far.take(claim, 3, pit(3), pit(4))
    assert far.take(claim, 3).last == 2
    far.inboxes.discard(far.id, far.events()[:1])
    assert far.take(claim, 3, pit(3), pit(4)).last == 4


def test_a_board_that_delivers_more_than_its_share_is_told_when_to_go_on(services):
    now = 0.0
    far = Far(services, Inboxes(services.store, seconds=lambda: now))
    claim = far.claim()
    for first in range(1, int(BURST), 500):
        far.take(claim, first, *map(pit, range(first, first + 500)))
    with pytest.raises(TooManyRequests) as caught:
        far.take(claim, int(BURST) + 1, *map(pit, range(1, 101)))
    now += float(caught.value.headers["Retry-After"])
    far.take(claim, int(BURST) + 1, *map(pit, range(1, 101)))


def test_a_released_board_leaves_no_events(far, services):
    far.take(far.claim(), 1, pit(1), pit(2))
    far.boards.release(far.id)
    with services.store.reading() as transaction:
        assert transaction.inboxes.count(far.id) == 0


def test_what_was_dealt_with_is_dropped_and_who_was_connected_remembered(far):
    claim = far.claim()
    hello = connected(BOOT)
    far.take(claim, 1, hello, pit(1), Disconnected("pulled"), pit(2))
    events = far.events()
    far.inboxes.discard(far.id, events[:2])
    row = far.inboxes.get(far.id)
    assert (row.dealt, row.hello, far.events()) == (2, event_json(hello), events[2:])
    far.inboxes.discard(far.id, events[2:3])
    assert far.inboxes.get(far.id).hello is None
    far.inboxes.discard(far.id, events[:1])
    assert far.inboxes.get(far.id).dealt == 3


def test_lights_say_what_they_answer(far):
    far.inboxes.show(far.id, Guidance(SOUTH))  # nobody is there to see it
    claim = far.claim()
    far.take(claim, 1, pit(1), pit(2))
    far.inboxes.show(far.id, Guidance(SOUTH))
    far.inboxes.discard(far.id, far.events()[:1])
    assert far.inboxes.get(far.id).answers == 0
    for version in (2, 3):
        far.inboxes.show(far.id, Guidance(NORTH))
        row = far.inboxes.get(far.id)
        assert (row.version, row.answers, row.guidance["to_move"]) == (version, 1, "North")


def test_many_who_deliver_at_once_leave_each_event_once(far):
    """A delivery whose answer was lost is sent again while the first is still at work."""
    claim = far.claim()
    events = [pit(seq) for seq in range(1, 41)]

    def deliver():
        for first in range(1, 41, 5):
            far.take(claim, first, *events[first - 1 : first + 7])

    threads = [threading.Thread(target=deliver) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert far.events() == list(enumerate(events, 1))


def test_what_unknown_events_take_is_bounded_in_bytes(far, services):
    """Each of the events has 240 fields of 2000 characters."""
    claim = far.claim()
    far.take(claim, 1, connected())
    flood = [Unrecognized(BOOT, seq, 0, "X", ("y" * 2000,) * 240) for seq in range(1, 3)]
    for first in range(2, 400, 2):
        far.take(claim, first, *flood)
    with services.store.reading() as transaction:
        assert transaction.inboxes.size(far.id) < 400 * 200
        log = transaction.boards.entries(far.id, 0, 1000)
    assert sum(len(str(entry.data)) for entry in log) < 100_000


def test_an_inbox_is_bounded_in_bytes(far, monkeypatch):
    claim = far.claim()
    texts = Unrecognized(BOOT, 1, 0, "X", ("y" * 200,))
    monkeypatch.setattr("inkeek.service.boards.remote.inbox.MAX_BYTES", 3 * len(str(event_json(texts))))
    far.take(claim, 1, texts, texts, texts)
    with pytest.raises(InboxFull):
        far.take(claim, 4, texts)
    far.inboxes.discard(far.id, far.events()[:1])
    assert far.take(claim, 4, texts).last == 4
