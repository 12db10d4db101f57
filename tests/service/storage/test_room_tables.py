"""Tables of rooms stand beside those of the service: made and extended by an upgrade, checked each by itself."""

from __future__ import annotations

from contextlib import closing

from sqlalchemy import Column, Integer, MetaData, Text, text

from inkeek.service.maintenance.verify import verify
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.declared import define_table, room_metadata


def tables(*columns: str, of: type = Text, name: str = "room_x_kept") -> MetaData:
    made = room_metadata()
    added = [Column(column, of) for column in columns]
    define_table(name, Column("number", Integer, primary_key=True), *added, within=made)
    return made


def faults(store: Store, rooms: dict[str, MetaData]) -> list[str]:
    return [fault for report in verify(store, None, rooms) for fault in report.faults]


def test_a_later_version_of_a_room_adds_columns_and_keeps_rows(database, caplog):
    with closing(Store(database)) as store:
        store.upgrade({"x": tables("first")})
        with store.writing() as transaction:
            transaction._session.execute(text("INSERT INTO room_x_kept VALUES (1, 'as it was')"))
        later = {"x": tables("first", "second")}
        store.upgrade(later)
        with store.reading() as transaction:
            assert list(transaction._session.execute(text("SELECT * FROM room_x_kept"))) == [(1, "as it was", None)]
        assert faults(store, later) == []
        store.check_revision()
        assert faults(store, {}) == []  # the room is not there any more
        store.upgrade({"x": tables("first")})  # the earlier version again
        assert faults(store, {"x": tables("first")}) == faults(store, later) == []
        assert "no tables" not in caplog.text


def test_tables_that_are_not_the_rooms_are_named_and_left_as_they_are(database, caplog):
    with closing(Store(database)) as store:
        store.upgrade({"x": tables("first")})
        other = {"x": tables("first", of=Integer), "y": tables(name="games")}
        store.upgrade(other)
        assert "'x' has no tables" in caplog.text
        assert "room_y_" in caplog.text
        assert any("room_x_kept.first" in fault for fault in faults(store, {"x": other["x"]}))
        assert faults(store, {"x": tables("first")}) == []
