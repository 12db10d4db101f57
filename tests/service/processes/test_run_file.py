import os
import socket
import subprocess
import sys

import pytest

from inkeek.service.processes.run_file import NAME, find_running, noted
from inkeek.service.settings import Settings


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def settings(folder, listener, host="127.0.0.1"):
    return Settings(data=str(folder / "data"), host=host, port=listener.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_service_is_found_while_it_runs(tmp_path, listener, host):
    served = settings(tmp_path, listener, host)
    assert find_running(served.data_folder) is None
    with noted(served):
        found = find_running(served.data_folder)
        assert (found.pid, found.address) == (os.getpid(), f"http://127.0.0.1:{served.port}/")
    assert find_running(served.data_folder) is None
    assert list(served.data_folder.iterdir()) == []


def test_what_a_killed_service_left_is_no_service(tmp_path, listener):
    served = settings(tmp_path, listener)
    path = served.data_folder / NAME
    with noted(served):
        left = path.read_bytes()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    port = str(served.port).encode()
    listener.close()
    for text in (left, b"{", b"{}", left.replace(str(os.getpid()).encode(), str(ended.pid).encode()), port):
        path.write_bytes(text)
        assert find_running(served.data_folder) is None


def test_the_note_of_another_service_stays(tmp_path, listener):
    served = settings(tmp_path, listener)
    with noted(served):
        path = served.data_folder / NAME
        other = path.read_bytes().replace(b"http:", b"https:")
        path.write_bytes(other)
    assert path.read_bytes() == other
