import pytest

from inkeek.service.disputes.checks import ruling_faults
from inkeek.service.storage import GameEvent

TURN = {"ply": 1, "turn": 2}
END = {"ply": 1, "turn": 3, "about": "end"}


def faults(*events):
    """The numbers of the events that are found to be wrong; the first two are the start and a turn."""
    kinds = [("created", {}), ("turn", {}), *((event, {}) if isinstance(event, str) else event for event in events)]
    chain = [GameEvent("g", seq, "", "", "", kind, data, "", "") for seq, (kind, data) in enumerate(kinds, 1)]
    return [seq for seq, _ in ruling_faults(chain)]


def dispute(**data):
    return "dispute", data


def ruling(dispute, outcome):
    return "ruling", {"dispute": dispute, "outcome": outcome}


def appeal(dispute):
    return "appeal", {"dispute": dispute}


@pytest.mark.parametrize(
    "events",
    [
        (dispute(**TURN),),
        (dispute(**TURN), ruling(3, "stands"), "turn"),
        (dispute(**TURN), ruling(3, "stands"), appeal(3), ruling(3, "stands")),
        ("ended", dispute(**END), ruling(4, "stands"), "retraction"),
        (dispute(**TURN), "retraction", "turn", ruling(3, "stands")),
    ],
)
def test_what_the_service_writes_is_right(events):
    assert faults(*events) == []


@pytest.mark.parametrize(
    ("events", "wrong"),
    [
        ((dispute(ply=2, turn=2),), 3),
        ((dispute(ply=0, turn=1),), 3),
        ((dispute(ply=1, turn=1),), 3),
        ((dispute(ply=1, turn=2, about="end"),), 3),
        (("retraction", dispute(**TURN)), 4),
        ((ruling(2, "stands"),), 3),
        ((ruling(4, "stands"), dispute(**TURN)), 3),
        ((dispute(**TURN), ruling(3, "stands"), ruling(3, "stands")), 5),
        ((dispute(**TURN), appeal(3)), 4),
        ((dispute(**TURN), ruling(3, "stands"), appeal(3), appeal(3)), 6),
    ],
)
def test_what_it_does_not_write_is_wrong(events, wrong):
    assert faults(*events) == [wrong]
