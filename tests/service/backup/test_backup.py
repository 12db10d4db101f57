import re

import pytest

from inkeek.service.backup import pages as page_module
from inkeek.service.maintenance import backups as module
from inkeek.service.maintenance.backups import Backups, try_backup
from inkeek.service.storage.clock import stamp, utc_now
from tests.service.http.web.html_forms import form_fields


@pytest.fixture
def stick(tmp_path, monkeypatch):
    """The folder for backups on a stick that is plugged in."""
    base = tmp_path / "stick?"
    base.mkdir()
    monkeypatch.setattr(module, "_sticks", lambda: [base])
    return base / module.FOLDER


def text(answer):
    return answer.get_data(as_text=True)


def test_a_backup_is_downloaded_in_parts_and_leaves_no_copy(admin, services, new_game, tmp_path, monkeypatch):
    if services.store.file is None:
        return
    monkeypatch.setattr(page_module, "CHUNK", 1 << 10)
    new_game()
    folder = services.store.file.parent
    before = set(folder.iterdir())
    with admin.post("/backup/download") as answer:
        assert (answer.status_code, answer.content_length) == (200, None)
        assert admin.post("/backup/download").status_code == 503, "one at a time"
        parts = list(answer.iter_encoded())
    assert max(map(len, parts)) <= 1 << 10
    assert set(folder.iterdir()) == before
    assert re.fullmatch(r'attachment; filename="inkeek-[0-9-]+\.sqlite3"', answer.headers["Content-Disposition"])
    (tmp_path / "downloaded").write_bytes(b"".join(parts))
    assert try_backup(tmp_path / "downloaded") == 1
    with admin.post("/backup/download") as answer:
        assert answer.status_code == 200


def test_a_stick_is_chosen_and_the_page_says_what_was_made_there(admin, services, new_game, stick):
    if services.store.file is None:
        return
    new_game()
    assert form_fields(text(admin.get("/backup")), "backup-folder")["folder"] == ""
    assert admin.post("/backup", data={"folder": "/somewhere"}).status_code == 422
    assert admin.post("/backup").status_code == 400, "nothing is chosen"
    assert admin.post("/backup", data={"folder": str(stick)}).status_code == 303
    late = admin.post("/backup", data={"was.folder": "", "folder": ""})
    assert late.status_code == 303, "nothing was changed in that form"
    page = text(admin.get("/backup"))
    assert 'data-last=""' in page
    Backups(services.store).look()
    (made,) = Backups(services.store).history().made
    assert made.time <= stamp(utc_now())
    assert f'data-last="{made.name}"' in text(admin.get("/backup"))
    stick.rename(stick.with_name("pocket"))
    page = text(admin.get("/backup"))
    assert "data-missing" in page
    assert f'data-last="{made.name}"' in page


def test_on_postgresql_the_operator_makes_the_backups(admin, services):
    page = text(admin.get("/backup"))
    assert ("data-operator" in page) == (services.store.file is None) == ("/backup/download" not in page)
    if services.store.file is None:
        assert admin.post("/backup/download").status_code == 404
