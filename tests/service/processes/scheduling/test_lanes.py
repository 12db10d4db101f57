import asyncio
import contextlib

import pytest

from service.http.api.operation import computing_paths
from service.processes.scheduling.call_threads import LoopCalls
from service.processes.scheduling.lanes import LONG, Lanes

GAME = "/api/v1/games/k3f9wm2p"


@pytest.fixture
def loop():
    with contextlib.closing(asyncio.new_event_loop()) as loop:
        yield loop


@pytest.mark.parametrize(
    ("method", "path", "size", "lane"),
    [
        ("POST", f"{GAME}/turns", 40, "writes"),
        ("PATCH", GAME, 40, "writes"),
        ("POST", "/games/k3f9wm2p/live", 40, "writes"),
        ("POST", f"{GAME}/annotations", LONG + 1, "bulk"),
        ("POST", "/api/v1/games/import", LONG + 1, "bulk"),
        ("GET", GAME, 0, "reads"),
        ("HEAD", "/", 0, "reads"),
        ("POST", "/api/v1/analysis", 40, "reads"),
        ("POST", "/api/v1/findings", LONG + 1, "reads"),
    ],
)
def test_a_request_has_the_lane_of_what_it_does(app, loop, method, path, size, lane):
    lanes = Lanes(4, 1, computing_paths(app), LoopCalls(loop))
    assert lanes.lane({"REQUEST_METHOD": method, "PATH_INFO": path}, size) is getattr(lanes, lane)
