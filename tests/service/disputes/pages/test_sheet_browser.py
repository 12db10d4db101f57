"""The sheet in a real browser: on screens of all sizes, on paper, and for people who cannot see it."""

import io

import pypdf
import pytest
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from PIL import Image

from .test_sheet import dispute as dispute  # a fixture

pytestmark = pytest.mark.browser
DISPUTES = {"8": {}, "12": {"options": {"pits": 12}}, "unseen": {"seen": False}}


@pytest.mark.parametrize("kind", ["12", "unseen"])  # test_every_page_browser has the other kind
def test_the_sheet_fits_every_screen_and_is_accessible(watch, dispute, kind):
    game_id, seq = dispute(**DISPUTES[kind])
    for width, scheme in ((320, "light"), (390, "dark"), (1280, "light")):
        page = watch.open(
            f"/games/{game_id}/disputes/{seq}/sheet",
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert Axe().run(page).response["violations"] == []


@pytest.mark.parametrize(("language", "paper"), [("en", "A4"), ("sw", "Letter")])
@pytest.mark.parametrize("kind", DISPUTES)
def test_the_sheet_prints_on_one_page(watch, games, dispute, kind, language, paper):
    game_id, seq = dispute(**DISPUTES[kind])
    page = watch.open(f"/games/{game_id}/disputes/{seq}/sheet?lang={language}")
    (printed,) = pypdf.PdfReader(io.BytesIO(page.pdf(format=paper))).pages
    text = printed.extract_text()
    assert text.count(f"{game_id}-{seq}") == 2  # at the head of the paper, and on the sheet
    assert {"1/1", games.row(game_id).hash} <= set(text.split())
    assert "<b>Tipape</b>" in text


def test_a_long_dispute_takes_more_pages_and_loses_nothing(watch, dispute):
    game_id, seq = dispute(claim="He said that. " * 140, turns=9)
    page = watch.open(f"/games/{game_id}/disputes/{seq}/sheet")
    printed = [one.extract_text() for one in pypdf.PdfReader(io.BytesIO(page.pdf(format="A5"))).pages]
    assert len(printed) > 1
    assert all(f"{game_id}-{seq}" in text and f"{number}/" in text for number, text in enumerate(printed, 1))
    assert " ".join(" ".join(printed).split()).count("He said that.") == 140


def test_no_letters_of_an_id_are_joined_on_paper(watch, dispute):
    game_id, seq = dispute()
    page = watch.open(f"/games/{game_id}/disputes/{seq}/sheet")
    page.wait_for_load_state()
    shown = page.get_by_text(f"{game_id}-{seq}", exact=False).first
    shown.evaluate("(part, id) => { part.innerHTML = part.innerHTML.replace(id, 'ffi7flff'); }", game_id)
    (printed,) = pypdf.PdfReader(io.BytesIO(page.pdf())).pages
    assert f"ffi7flff-{seq}" in printed.extract_text()


def test_no_board_row_or_signature_is_cut_on_paper(watch, dispute):
    page = watch.open("/games/{}/disputes/{}/sheet".format(*dispute()))
    page.emulate_media(media="print")
    uncut = page.eval_on_selector_all(
        ".dispute-sheet figure, .sowing tr, .sheet-ends",
        "parts => parts.map(part => getComputedStyle(part).breakInside)",
    )
    assert len(uncut) > 4
    assert set(uncut) == {"avoid"}


def test_the_code_on_the_page_says_the_hash(watch, games, dispute):
    game_id, seq = dispute()
    page = watch.open(f"/games/{game_id}/disputes/{seq}/sheet")
    with Image.open(io.BytesIO(page.locator(".qr-code").screenshot())) as picture:
        (code,) = zxingcpp.read_barcodes(picture.convert("L"), formats=zxingcpp.BarcodeFormat.QRCode)
    assert code.text == games.row(game_id).hash == page.text_content("[data-hash]")
