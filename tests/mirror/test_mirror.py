import json
import re

from inkeek.service.http.context import services_of
from tests.service.games.every_kind import store_every_kind

from .records import Mirror


def test_records_rebuilt_from_the_feed_alone_equal_the_export(app, client):
    store_every_kind(services_of(app).store)
    mirror = Mirror()
    *lines, _ = client.get("/api/v1/feed?format=ndjson").text.splitlines()
    for line in lines:
        mirror.add(json.loads(line))
    exported = client.get("/api/v1/games/export").data.splitlines()
    ids = [json.loads(line)["id"] for line in exported]
    assert set(ids) == mirror.games.keys()
    assert [re.sub(rb',"cursor":"[^"]*"', b"", line, count=1) for line in exported] == list(mirror.lines(ids))
    assert (mirror.lost, mirror.doubled) == (0, 0)
