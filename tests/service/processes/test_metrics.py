import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector

from service.processes.metrics import merge_ended
from service.settings import METRICS_FOLDER

KEYS = [mmap_key("inkeek_requests", "inkeek_requests_total", ["route"], [route], "Requests.") for route in "abc"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(METRICS_FOLDER, str(tmp_path))
    return tmp_path


def write(path, **counts):
    values = MmapedDict(str(path))
    for route, count in counts.items():
        values.write_value(KEYS["abc".index(route)], float(count), 0.0)
    values.close()


def shown():
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return sorted(line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#"))


def test_the_files_of_processes_that_ended_are_merged_and_no_count_is_lost(folder):
    write(folder / "counter_1.db", a=3)
    for pid in range(10, 20):
        write(folder / f"counter_{pid}.db", a=1, **{"b" if pid < 15 else "c": 2})
        write(folder / f"histogram_{pid}.db", a=1)
        before = shown()
        merge_ended(folder, pid)
        assert shown() == before
    assert {path.name for path in folder.iterdir()} == {"counter_1.db", "counter_ended.db", "histogram_ended.db"}
    assert 'inkeek_requests_total{route="a"} 23.0' in shown()
    merge_ended(folder)
    assert {path.name for path in folder.iterdir()} == {"counter_ended.db", "histogram_ended.db"}
    assert 'inkeek_requests_total{route="a"} 23.0' in shown()


@pytest.mark.parametrize(
    "left", [b"", b"\x09", b"\xff\x00\x00\x00" * 3, b"\x40\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00["]
)
def test_a_file_that_was_cut_short_is_dropped_and_the_rest_stays(folder, left, caplog):
    write(folder / "counter_ended.db", a=3)
    (folder / "counter_7.db").write_bytes(left)
    merge_ended(folder, 7)
    assert [path.name for path in folder.glob("*.db")] == ["counter_ended.db"]
    assert shown() == ['inkeek_requests_total{route="a"} 3.0']
    assert "counter_7.db" in caplog.text


def test_a_process_without_figures_leaves_nothing_to_merge(folder):
    merge_ended(folder, 5)
    assert list(folder.iterdir()) == []
