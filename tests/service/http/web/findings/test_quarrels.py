import re

import pytest

from inkeek.service.http.web.findings.quarrels import QUARRELS


@pytest.mark.parametrize("language", ["en", "sw"])
def test_the_page_has_every_quarrel_with_its_boards_and_finding(client, language):
    response = client.get("/help/quarrels", query_string={"lang": language})
    assert response.status_code == 200
    text = response.text
    assert re.search(r'<html lang="(\w+)"', text)[1] == language
    assert re.findall(r'<article class="sheet quarrel" id="([\w-]+)"', text) == [quarrel.id for quarrel in QUARRELS]
    assert text.count("<figure") == 2 * len(QUARRELS)
    for part in text.split("<article")[1:]:
        assert part.count("data-kinds=") >= 1
    assert 'data-kinds="unknown"' in text
    assert "Accept-Language" in response.headers["Vary"]


def test_the_languages_differ_and_the_board_does_not(client):
    pages = [client.get(f"/help/quarrels?lang={language}").text for language in ("en", "sw")]
    positions = [re.findall(r'data-position="([^"]+)"', text) for text in pages]
    kinds = [re.findall(r'data-kinds="([^"]+)"', text) for text in pages]
    assert positions[0] == positions[1]
    assert kinds[0] == kinds[1]
    assert pages[0] != pages[1]
