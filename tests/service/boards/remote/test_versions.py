"""An agent and a service of different versions: each passes over what it does not know (`docs/far.md`)."""

import time

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.events import Complaint, Connected, Fault, PitChanged, Unrecognized
from inkeek.drivers.protocol.frames import Frame
from inkeek.drivers.protocol.messages import parse
from inkeek.records import NORTH
from inkeek.service.boards.identity import FAR
from inkeek.service.boards.remote.lights import BoardLights
from inkeek.service.boards.remote.spool import Spool
from inkeek.service.boards.remote.uploader import LightsPoller, Uploader
from inkeek.service.games.write import Write
from tests.unknown_fields import with_unknown_fields

BOOT = "0000000a"
LATER_KINDS = {"complaint": "battery", "fault": "knock"}


class Service:
    """The service behind its API; the agent or the service speaks the version that the test says."""

    url = "https://far.example"

    def __init__(self, client, agent, service):
        self.client, self.agent, self.service = client, agent, service

    def ask(self, method, path, body=None, timeout=0.0):
        if self.agent == "later" and body is not None:
            body = with_unknown_fields(body)
            for event in body.get("events", ()):
                event["event"] = LATER_KINDS.get(event["event"], event["event"])
        answer = self.client.open(f"/api/v1{path}", method=method, json=body)
        assert answer.status_code == 200, answer.text
        data = answer.json
        if "far_version" in data and self.service != "this":
            data["far_version"] += 1
            if self.service == "first":
                del data["far_version"]
        return with_unknown_fields(data) if self.service == "later" else data


@pytest.mark.parametrize(
    ("agent", "service"), [("this", "this"), ("later", "this"), ("this", "later"), ("this", "first")]
)
def test_events_and_lights_arrive(tmp_path, client, services, agent, service):
    game = services.games.create("enkeshui", {}, {}, Write("api")).id
    board = services.boards.bind("far:bench", FAR, game).id
    there = Service(client, agent, service)
    # A board of a later version says more in its report of health.
    report = parse(Frame("STAT", (BOOT, "5", "5012", "231", "open3", "2", "1", *["later"] * 9, "charge87")))
    hello = Connected("B-7", "1.0", (1, 9), BOOT, 12, False, frozenset({"buttons"}))
    pit, fault = PitChanged(BOOT, 1, 10, 3, 4.0), Fault(BOOT, 2, 20, 3, "open")
    messages = []
    spool, lights = Spool(tmp_path / "x.spool"), BoardLights(0, time.monotonic)
    try:
        spool.bind(board)
        uploader = Uploader(spool, lights, there, messages.append, time.monotonic, lambda: None)
        uploader.claim()
        spool.append([hello, report.status, pit, fault, Complaint("range", "x")])
        services.inboxes.show(board, Guidance(NORTH))
        LightsPoller(spool, lights, there).step()  # nothing was shown yet, so the service answers at once
        assert lights.take_next() == Guidance(NORTH)
        uploader.step()
        assert spool.waiting == 0
    finally:
        spool.close()
    stored = [event for _, event in services.inboxes.read(board, 0, 100).events]
    known = [fault, Complaint("range", "x")] if agent == "this" else [Unrecognized(BOOT, 2, 20, "knock", ())]
    assert stored == [hello, report.status, pit, *known]
    assert bool(messages) is (service != "this")
