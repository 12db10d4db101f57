from __future__ import annotations

import pytest

from service.http.api.operation import long_paths


@pytest.mark.parametrize(
    ("path", "is_long"),
    [
        ("/api/v1/games/9pee9je9fg/events", True),
        ("/api/v1/games/export", True),
        ("/api/v1/games/export.ndjson", True),
        ("/api/v1/games/9pee9je9fg/proof", True),
        ("/api/v1/feed", True),
        ("/api/v1/games", False),
        ("/api/v1/games/9pee9je9fg", False),
        ("/api/v1/games/9pee9je9fg.pmn", False),
        ("/api/v1/games/9pee9je9fg/turns", False),
        ("/games/9pee9je9fg/live", False),
    ],
)
def test_streams_and_files_are_long(app, path, is_long):
    assert bool(long_paths(app).fullmatch(path)) is is_long
