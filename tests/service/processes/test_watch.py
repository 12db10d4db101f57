import threading

from service.processes import watch


def test_the_database_is_looked_at_until_the_process_stops(monkeypatch):
    monkeypatch.setattr(watch, "INTERVAL", 0.001)
    stop, looks = threading.Event(), []

    class Watch:
        def look(self, seconds):
            looks.append(seconds)
            if len(looks) == 3:
                stop.set()

    watch.keep_watch(Watch(), stop, 0.5).join(30)
    assert looks == [0.5] * 3
