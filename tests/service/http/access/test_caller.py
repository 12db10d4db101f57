from __future__ import annotations

import pytest

from service.http.access.caller import NOBODY, SESSION, TOKEN, Caller


@pytest.mark.parametrize(
    ("caller", "way", "source"),
    [
        (NOBODY, None, "api"),
        (Caller(TOKEN, "k3f9", "score desk"), None, "api:score desk:k3f9"),
        (Caller(SESSION, "k3f9", "Naisula"), None, "page:Naisula:k3f9"),
        (Caller(TOKEN, "k3f9", "score desk"), "import", "import:score desk:k3f9"),
    ],
)
def test_the_source_of_an_event_names_the_key(caller, way, source):
    assert caller.source(way) == source
