"""The manual on the pages: every page of the docs, its links, images and headings, and the search."""

import re

import pytest

from inkeek.service.library.manual import manual_folder

PAGES = sorted(path.stem for path in manual_folder().glob("*.md") if path.stem not in ("README", "index"))


def targets(html: str) -> list[str]:
    article = html.split("<article")[1].split("</article>")[0]
    return re.findall(r'(?:href|src)="([^"]*)"', article)


@pytest.fixture(scope="module")
def texts():
    """The bytes that were answered, by address: many pages link to the same ones."""
    return {}


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_links_to_is_there(client, texts, name):
    shown = client.get(f"/help/{name}")
    assert shown.status_code == 200
    assert "<!--" not in shown.text.split("<article")[1]
    for target in targets(shown.text):
        address, _, anchor = target.partition("#")
        if address.startswith("http"):
            continue
        address = address or f"/help/{name}"
        if address not in texts:
            with client.get(address) as page:
                assert page.status_code == 200, target
                texts[address] = page.data
        assert not anchor or f'id="{anchor}"'.encode() in texts[address], target


def test_the_contents_name_every_page(client):
    linked = {target.partition("#")[0] for target in targets(client.get("/help").text)}
    assert {f"/help/{name}" for name in PAGES} <= linked


def test_a_search_finds_the_section(client):
    assert '<a href="/help/storage#ledger">' in client.get("/help?q=ledger chains events").text
    for query, first in (("bull", "findings"), ("backup", "guide-operator")):  # people first
        assert client.get(f"/help?q={query}").text.split("manual-results")[1].split('href="/help/')[1].startswith(first)
    assert "data-nothing" in client.get("/help?q=nowhereatall").text
    assert "&lt;b&gt;" in client.get("/help?q=<b>").text


@pytest.mark.parametrize(
    "path", ["/help/nothing", "/help/..%2Fsecurity", "/help/img/nothing.png", "/help/img/..%2Fapi.md"]
)
def test_what_is_not_of_the_manual_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_the_manual_leads_who_reads_swahili_to_their_page(client):
    assert "/help/mwongozo" in client.get("/help/notation?lang=sw").text
    assert '<article class="manual" lang="sw">' in client.get("/help/mwongozo?lang=sw").text
    assert "/help/mwongozo" not in client.get("/help/notation?lang=en").text
