import threading
import time

from inkeek.service.processes import watch


def test_the_database_is_looked_at_until_the_process_stops(monkeypatch):
    monkeypatch.setattr(watch, "INTERVAL", 0.001)
    stop, looks = threading.Event(), []

    class Watch:
        def look(self, seconds):
            looks.append(seconds)
            if len(looks) == 3:
                stop.set()

    class Clocks:
        def look(self, now, *, warns):
            assert warns

    watch.keep_watch(Watch(), Clocks(), stop, 0.5, warns=True).join(30)
    assert looks == [0.5] * 3


def test_a_wrong_clock_is_told_once_until_it_is_right(store, caplog):
    ahead = 7200.0
    clocks = watch.Clocks(store, lambda: time.time() + ahead)
    silent = watch.Clocks(store, lambda: time.time() + ahead)
    silent.look(1.0, warns=False)
    for minute in (1, 2, 3):
        clocks.look(minute * watch.CLOCKS_EVERY, warns=True)
    differs = store.file is None  # SQLite's clock is this machine's
    assert [record.levelname for record in caplog.records] == ["ERROR"] * differs
    for one in (silent, clocks):
        assert abs(one.difference - ahead) < 60 if differs else one.difference is None
    ahead = 0.0
    clocks.look(3.5 * watch.CLOCKS_EVERY, warns=True)
    assert len(caplog.records) == differs  # not yet again
    clocks.look(4 * watch.CLOCKS_EVERY, warns=True)
    assert clocks.difference is None or abs(clocks.difference) < 60
