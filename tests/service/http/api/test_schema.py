import pytest

from tests.schema import run, service


@pytest.mark.usefixtures("installed")
@pytest.mark.timeout(1200)  # it sends thousands of requests
@pytest.mark.filterwarnings("default")  # of schemathesis
@pytest.mark.parametrize(("kind", "coverage"), [("sqlite", True), ("postgresql", False)])
def test_the_service_is_as_its_document_says(kind, coverage):
    with service(kind) as asker:
        tally = run(asker, 2, coverage=coverage)
    assert tally.failures == {}
    assert tally.calls.total() > (2000 if coverage else 200)
