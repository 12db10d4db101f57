from collections.abc import Iterator

import pytest
from flask import Flask

from tests.service.http.conformance import Conformance


@pytest.fixture
def app(app: Flask) -> Iterator[Flask]:
    """Holds every response of the API that a test gets against the OpenAPI document."""
    conformance = Conformance(app)
    yield app
    assert conformance.differences == []
