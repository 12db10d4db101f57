from hypothesis import given
from hypothesis import strategies as st

from service.storage.event_rows import PHRASES, event_row, read_events, without_hash
from service.storage.integrity.chain import GENESIS, canonical_json, seal

TEXTS = st.text(max_size=9) | st.lists(st.sampled_from([phrase for phrase, _ in PHRASES]), max_size=3).map("".join)
DATA = st.dictionaries(TEXTS, TEXTS | st.integers(-9, 99) | st.lists(TEXTS, max_size=2), max_size=3)
TIMES = st.sampled_from(
    ["2026-11-20T18:30:00.000001Z", "1970-01-01T00:00:00.000000Z", "2026-11-20T18:30:00Z", "2026-11-20", "", "\x1f1"]
)


@given(st.lists(st.tuples(TIMES, DATA, st.booleans()), min_size=1, max_size=5), st.data())
def test_events_are_read_as_they_were_written(contents, chance):
    """Whatever their times and data, and whichever rows lack a hash that follows from them."""
    events, rows = [], []
    for seq, (time, data, bare) in enumerate(contents, 1):
        events.append(seal("g", seq, time, "", "api", "turn", data, events[-1].hash if events else GENESIS))
        row = event_row(events[-1])
        rows.append((1, *(without_hash(row) if bare and seq < len(contents) else row)))
    assert read_events("g", rows) == events
    after = chance.draw(st.sampled_from([0, *(row[1] for row in rows if row[-1] is not None)]))
    assert read_events("g", rows[max(0, after - 1) :], after) == events[after:]
    assert [canonical_json(event.data) for event in read_events("g", rows)] == [
        canonical_json(event.data) for event in events
    ]
