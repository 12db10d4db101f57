from __future__ import annotations

import pytest

from tests.schema import application, run


@pytest.mark.usefixtures("installed")
def test_the_application_is_as_its_document_says():
    with application() as asker:
        tally = run(asker, 2)
    assert tally.failures == {}
    assert tally.calls > 100
