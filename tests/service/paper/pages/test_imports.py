import html
import io
import re

import pytest

from inkeek.service.http.context import services_of
from inkeek.service.paper.imports import ENVELOPE
from inkeek.service.processes.workers import importer
from tests.service.clients import signed_in

GOOD = '[Game "oware"]\n[South "Ann"]\n[North "Ben"]\n\n1. c C 2. d *\n'
BAD = '[Game "oware"]\n[South "Cid"]\n\n1. c C\n2. zz D *\n'


@pytest.fixture
def client(app):
    return signed_in(app)


def send(client, status=200, **form):
    response = client.post("/import", data=form, content_type="multipart/form-data")
    assert response.status_code == status
    return response.get_data(as_text=True)


def outcomes(text: str) -> list[str]:
    return re.findall(r'data-outcome="(\w+)"', text)


def stored(services) -> int:
    with services.store.reading() as transaction:
        return transaction.games.count()


def test_a_check_says_what_would_be_stored_and_stores_nothing(client, services):
    assert outcomes(send(client, text=GOOD + "\n" + BAD)) == ["refused", "stored"]
    assert stored(services) == 0


def test_good_games_are_stored_and_known_again(client, services):
    text = send(client, text=GOOD + "\n" + BAD, store="1")
    assert outcomes(text) == ["refused", "stored"]
    assert stored(services) == 1
    game_id = re.search(r'</span> <a href="/games/(\w+)">', text)[1]
    assert services.games.row(game_id).tags["South"] == "Ann"
    assert outcomes(send(client, text=GOOD)) == ["present"]
    assert outcomes(send(client, text=GOOD, store="1")) == ["present"]
    assert stored(services) == 1


def test_an_error_is_marked_at_its_line_and_column(client):
    text = html.unescape(send(client, text=GOOD + "\n" + BAD))
    line = GOOD.count("\n") + 1 + 5
    assert f'data-line="{line}" data-column="4"' in text
    assert re.search(
        rf'class="text-line at"><span class="num">{line}</span> <code>2\. <mark>zz</mark> D \*</code>', text
    )
    assert (GOOD + "\n" + BAD) in text  # the form keeps what was sent


def test_a_file_is_read_and_wins_over_the_text(client):
    text = send(client, text=BAD, file=(io.BytesIO(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()), "a.pmn"))
    assert outcomes(text) == ["stored"]


def test_lines_of_an_export_are_read(client, services):
    send(client, text=GOOD, store="1")
    lines = client.get("/api/v1/games/export.ndjson").get_data(as_text=True)
    assert outcomes(send(client, text=lines + '{"x\n')) == ["refused", "present"]


@pytest.mark.parametrize("form", [{}, {"text": " \r\n "}, {"file": (io.BytesIO(b'[Game "oware"]\n\xff'), "a.pmn")}])
def test_what_is_no_text_is_refused(client, form):
    assert 'role="alert"' in send(client, 422, **form)


def test_a_file_that_is_no_text_is_refused_with_its_line(client):
    text = send(client, 422, file=(io.BytesIO(b'[Game "oware"]\n\xff'), "a.pmn"))
    assert "0xff" in text
    assert re.search(r"\b2\b", re.search(r'role="alert">([^<]+)', text)[1])


def send_bytes(client, name: str, data: str):
    """Send a field, or with a file name after it a file, without a temporary file of the client."""
    body = f'--x\r\nContent-Disposition: form-data; name="{name}\r\n\r\n{data}\r\n--x--\r\n'.encode()
    return client.post("/import", data=body, content_type="multipart/form-data; boundary=x")


@pytest.mark.parametrize("field", ['text"', 'file"; filename="a.pmn"'])
def test_what_is_too_large_is_refused_with_the_limit(app, client, field):
    most = services_of(app).settings.max_body
    response = send_bytes(client, field, "x" * (most + 1))
    assert response.status_code == 413
    assert str(most) in response.get_data(as_text=True)


def test_a_text_of_the_size_that_the_page_names_is_read(app, client):
    most = services_of(app).settings.max_body - ENVELOPE
    text = GOOD + "\n" * (most - len(GOOD))
    response = send_bytes(client, 'text"', text)
    assert outcomes(response.get_data(as_text=True)) == ["stored"]


BAD_RECORDS = [  # with what is marked in them, and what is said of it
    ('[Game "oware"]\n\n1. c c *\n', "c", "hairuhusiwi katika"),
    ('[Game "chess"]\n\n1. c *\n', '[Game "chess"]', "chess"),
    ('[Game "oware"]\n\n1. c C 1-0\n', '[Game "oware"]', "1-0"),
    ('[Game "oware"]\n[Setup "4.4/4.4 0-0 s 0"]\n\n1. c *\n', '[Setup "4.4/4.4 0-0 s 0"]', "4.4/4.4"),
    ('[Game "oware"]\n\n1. c (C *\n', "*", "mbadala"),
]


def test_errors_are_in_the_language_of_the_page_also_from_another_process(client, monkeypatch):
    """The whole tag is marked, not its bracket alone."""
    pages, records = [], "\n".join(record for record, _, _ in BAD_RECORDS)
    for small in (importer.SMALL, 0):
        monkeypatch.setattr(importer, "SMALL", small)
        response = client.post("/import?lang=sw", data={"text": records}, content_type="multipart/form-data")
        pages.append(html.unescape(response.get_data(as_text=True)))
    text, from_process = (re.search(r'<ol class="imported">.*?</ol>', page, re.DOTALL)[0] for page in pages)
    assert from_process == text
    listed = re.findall(r"<li .*?</li>", text, re.DOTALL)
    for (_, marked, said), item in zip(BAD_RECORDS, listed, strict=True):
        assert f"<mark>{marked}</mark>" in item
        assert said in re.search(r'<p class="import-error">.*?</p>', item, re.DOTALL)[0]
    assert 'lang="en"' not in text


def test_a_record_without_names_has_no_title(client):
    assert "<strong></strong>" in send(client, text='[Game "chess"]\n\n1. c *\n')
