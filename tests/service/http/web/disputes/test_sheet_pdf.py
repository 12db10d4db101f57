from __future__ import annotations

import importlib.util
import io
import subprocess
import sys
from functools import partial

import pypdf
import pytest
import zxingcpp
from PIL import Image

from records.findings import find
from records.language import load_language
from service.boards.turn_recording import TurnRecording
from service.games.disputes import disputes
from service.http.disputes.finding import DisputeFinding
from service.http.web.disputes.sheet_pdf import sheet_pdf
from service.http.web.disputes.sheet_view import sheet_view

from .test_sheet import dispute as dispute  # a fixture

typst = pytest.importorskip("typst")
SIZES = {"a4": (595, 842), "letter": (612, 792)}
NOW = "2026-11-22T13:00:00Z"


@pytest.fixture
def view_of(app, games):
    """The values of a sheet, in a language."""

    def make(game_id: str, seq: int, language: str = "en"):
        snapshot = games.load(game_id)
        course = snapshot.state.course(seq)
        evidence = disputes.known_evidence(snapshot.state, course.row)
        assert evidence is not None
        finding = find(snapshot.rules, evidence, language=language)
        found = DisputeFinding(evidence, finding, course.row.ply, course.row.ply)
        with app.test_request_context(f"/?lang={language}"):
            return sheet_view(snapshot, course, found, TurnRecording((), True), load_language(language), NOW)

    return make


@pytest.mark.parametrize(
    ("paper", "language", "game", "options"),
    [
        ("a4", "en", "enkeshui", None),
        ("letter", "sw", "enkeshui", {"pits": 12}),
        ("letter", "en", "oware", None),
        ("a4", "sw", "layli-goobalay", None),
    ],
)
def test_the_pdf_opens_and_is_one_page_of_that_paper(client, games, dispute, paper, language, game, options):
    game_id, seq = dispute(game=game, options=options)
    response = client.get(f"/games/{game_id}/disputes/{seq}/sheet.pdf?paper={paper}&lang={language}")
    assert (response.status_code, response.content_type) == (200, "application/pdf")
    reader = pypdf.PdfReader(io.BytesIO(response.data))
    (page,) = reader.pages
    assert (round(page.mediabox.width), round(page.mediabox.height)) == SIZES[paper]
    text = page.extract_text()
    assert "Naisula" in text
    assert "<b>Tipape</b>" in text
    assert games.row(game_id).hash in text.replace("\n", "")
    assert load_language(language).sides[1] in text
    assert f"{game_id}-{seq}" in response.headers["Content-Disposition"]
    assert reader.trailer["/Root"]["/Lang"] == language


def test_the_code_on_the_paper_says_the_hash(app, games, dispute, view_of, monkeypatch):
    monkeypatch.setattr(typst, "compile", partial(typst.compile, format="png"))
    game_id, seq = dispute()
    with app.test_request_context("/"):
        picture = sheet_pdf(view_of(game_id, seq), "a4")
    with Image.open(io.BytesIO(picture)) as image:
        (code,) = zxingcpp.read_barcodes(image.convert("L"), formats=zxingcpp.BarcodeFormat.QRCode)
    assert code.text == games.row(game_id).hash


def test_a_long_dispute_takes_more_pages_and_loses_nothing(app, dispute, view_of):
    game_id, seq = dispute(claim="He said that. " * 140, turns=9)
    with app.test_request_context("/"):
        reader = pypdf.PdfReader(io.BytesIO(sheet_pdf(view_of(game_id, seq), "a4")))
    assert 1 <= len(reader.pages) <= 3
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).split())
    assert text.count("He said that.") == 140


def test_what_people_wrote_is_text_and_no_markup(app, dispute, view_of):
    claim = '#read("/etc/passwd") *x* $1/0$ </svg> "\\ @ref // /* `'
    game_id, seq = dispute(claim=claim)
    with app.test_request_context("/"):
        reader = pypdf.PdfReader(io.BytesIO(sheet_pdf(view_of(game_id, seq), "a4")))
    text = reader.pages[0].extract_text().replace("”", '"').replace("“", '"')
    assert '#read("/etc/passwd") *x* $1/0$ </svg>' in text


def test_without_typst_the_answer_says_how_to_get_it(client, dispute, monkeypatch):
    game_id, seq = dispute()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    response = client.get(f"/games/{game_id}/disputes/{seq}/sheet.pdf?lang=sw")
    assert response.status_code == 501
    assert "inkeek[pdf]" in response.text
    assert f"/games/{game_id}/disputes/{seq}/sheet?" in response.text


def test_the_service_starts_without_typst():
    code = "import sys; sys.modules['typst'] = None; import service; service.create_app({'TESTING': True})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
