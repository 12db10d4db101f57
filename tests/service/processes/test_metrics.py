import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from inkeek.service.errors import StorageBusy
from inkeek.service.processes.metrics import Metrics, forget_process
from inkeek.service.settings import METRICS_FOLDER
from inkeek.service.storage.store import Store

CODE = """
from inkeek.service.processes.metrics import Metrics
metrics = Metrics("web")
metrics.note("GET", "/games", 200, 0.02)
metrics.note_streams(1)
print(metrics.text({"inkeek_ready": {"": 1}}).decode())
"""


def shown_by_a_process():
    """What a process shows at its end, and its id."""
    child = subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, text=True)
    return child.communicate()[0].splitlines(), child.pid


def test_each_process_shows_the_counts_of_all_and_the_streams_of_those_that_live(tmp_path, monkeypatch):
    monkeypatch.setenv(METRICS_FOLDER, str(tmp_path))
    for count in (1, 2):
        text, pid = shown_by_a_process()
        assert f'inkeek_requests_total{{method="GET",route="/games",status="200"}} {count}.0' in text
        assert f'inkeek_request_seconds_count{{route="/games"}} {count}.0' in text
        assert {"inkeek_streams 1.0", "inkeek_ready 1.0"} <= set(text)
        forget_process(tmp_path, pid)


def test_connections_and_failed_writes_are_counted(database):
    metrics = Metrics("web")
    store = Store(database, lock_timeout=0.1, connections=1, meter=metrics)
    has_limit = not store.has_one_writer

    def value(line):
        found = re.search(re.escape(line) + r" (\S+)$", metrics.text({}).decode(), re.MULTILINE)
        return None if found is None else float(found[1])

    used, free = (f'inkeek_database_connections{{part="web",state="{state}"}}' for state in ("used", "free"))
    with store.writing():
        assert (value(used), value(free)) == (1, 0 if has_limit else None)
        with ThreadPoolExecutor(1) as another, pytest.raises(StorageBusy):
            another.submit(store.writing().__enter__).result()
    assert (value(used), value(free)) == (0, 1 if has_limit else None)
    assert value('inkeek_database_waiting{part="web"}') == 0
    assert value('inkeek_database_wait_seconds_total{part="web"}') >= 0.1
    assert value('inkeek_write_failures_total{part="web",problem="storage"}') == 1
    store.close()
    assert value(used) == 0
