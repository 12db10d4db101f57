import json

from inkeek.service.storage import GENESIS, seal, verify_chain
from inkeek.service.storage.integrity.chain import canonical_json


def chain(length: int = 3):
    events = []
    for seq in range(1, length + 1):
        prev = events[-1].hash if events else GENESIS
        events.append(seal("g", seq, "t", "a", "api", "turn", {"ply": seq, "ä": None}, prev))
    return events


def test_a_chain_as_it_was_sealed_is_whole():
    events = chain()
    assert verify_chain(events, (3, events[-1].hash)) == []


def test_an_event_changed_and_sealed_again_shows_at_the_next():
    events = chain()
    events[1] = seal("g", 2, "t", "a", "api", "turn", {"ply": 9}, events[0].hash)
    assert any("event 3 does not follow" in fault for fault in verify_chain(events))


def test_a_missing_event_shows():
    events = chain()
    del events[1]
    assert any("event 2 is missing" in fault for fault in verify_chain(events))


def test_a_chain_cut_short_shows_by_its_head():
    events = chain()
    assert verify_chain(events[:2]) == []
    assert any("head is event 3" in fault for fault in verify_chain(events[:2], (3, events[-1].hash)))


def test_the_order_of_tags_is_part_of_the_hash():
    one = seal("g", 1, "t", "a", "api", "created", {"tags": {"A": "1", "B": "2"}}, GENESIS)
    two = seal("g", 1, "t", "a", "api", "created", {"tags": {"B": "2", "A": "1"}}, GENESIS)
    assert one.hash != two.hash


def test_the_text_that_is_hashed_is_what_the_json_module_writes():
    """The hashes of stored events must hold whatever library writes their JSON."""
    characters = "".join(map(chr, [*range(0x300), 0x2028, 0x2029, 0xFEFF, 0x1F600]))
    value = ["id", 1, characters, {"z": None, "a": [True, False, -1, 2**63, {}, []], 'é/\\"': characters}]
    assert canonical_json(value) == json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
