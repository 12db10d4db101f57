import re

import pytest


def test_the_page_asks_for_nothing_that_the_service_does_not_have(client):
    page = client.get("/docs")
    assert (page.status_code, page.content_type) == (200, "text/html; charset=utf-8")
    links = re.findall(r'(?:src|href|data-document)="([^"]+)"', page.text)
    assert len(links) == 5
    for place in links:
        with client.get(place) as answer:
            assert answer.status_code == 200, place
    assert "script-src" not in page.headers["Content-Security-Policy"]  # scripts: from here only
    assert not re.search(r"<script>|https?://", page.text)


@pytest.mark.parametrize("name", ["swagger-ui.js", "..", "%2e%2e%2f__init__.py", "VERSION"])
def test_other_files_of_the_package_are_not_served(client, name):
    assert client.get(f"/docs/{name}").status_code == 404
