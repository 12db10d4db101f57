import pytest

from inkeek.service import create_app
from inkeek.service.errors import SettingError, StorageError
from inkeek.service.http.problems import MEDIA_TYPE
from inkeek.service.settings import read_settings


def test_an_unknown_setting_is_refused(tmp_path):
    with pytest.raises(SettingError, match="no setting 'prot'; did you mean 'port'"):
        create_app({"data": str(tmp_path), "prot": 1})


def test_creating_the_application_opens_nothing(tmp_path):
    create_app({"data": str(tmp_path / "new")})
    assert not list(tmp_path.rglob("*.sqlite3*"))


def test_a_file_of_rules_that_cannot_be_read_is_logged(tmp_path, caplog):
    folder = read_settings({}, {"data": str(tmp_path)}).rules_folder
    folder.mkdir()
    (folder / "bad.toml").write_text("id = 1", "utf-8")
    create_app({"data": str(tmp_path)})
    assert "bad.toml is left out" in caplog.text


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/games/nothing", "/healthz/x", "/nothing"])
def test_a_missing_path_is_a_problem_under_api_and_a_page_elsewhere(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    if path.startswith("/api"):
        assert answer.content_type == MEDIA_TYPE
        assert answer.json["type"] == "/problems/not-found"
        assert answer.json["instance"] == path
    else:
        assert answer.content_type.startswith("text/html")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://localhost:9999"},
        {"Origin": "https://localhost"},
        {"Origin": "https://localhost", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://localhost.evil.example:80", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://localhost:9999", "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_write_from_another_sites_page_is_refused(client, headers):
    answer = client.post("/api/v1/games", json={"game": "enkeshui"}, headers=headers)
    assert answer.status_code == 403
    assert answer.json["type"] == "/problems/forbidden"
    assert next(iter(headers.values())) in answer.json["detail"]
    assert client.get("/api/v1/games", headers=headers).json["items"] == []


@pytest.mark.parametrize("origin", ["http://localhost", "http://localhost:8443"])  # a proxy may drop the port
def test_a_write_from_the_own_pages_is_taken(client, origin):
    headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/v1/games", json={"game": "enkeshui"}, headers=headers).status_code == 201


@pytest.mark.parametrize("path", ["/", "/api/v1/games", "/nothing"])
def test_every_answer_has_the_security_headers(client, path):
    headers = client.get(path).headers
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_body_of_another_type_is_refused(client, kind):
    answer = client.post("/api/v1/games", data='{"game": "enkeshui"}', content_type=kind)
    assert answer.status_code == 415
    assert answer.json["type"] == "/problems/media-type"


def test_an_unexpected_failure_is_a_problem_that_gives_nothing_away(client, services, monkeypatch):
    def fail(*_):
        raise RuntimeError("secret")

    monkeypatch.setattr(type(services.games), "page", fail)
    answer = client.get("/api/v1/games")
    assert answer.status_code == 500
    assert answer.json["type"] == "/problems/internal"
    assert "secret" not in answer.text
    page = client.get("/")
    assert page.status_code == 500
    assert "secret" not in page.text


def test_a_failing_database_is_told_as_such(client, services, monkeypatch):
    def fail(*_):
        raise StorageError("the disk is full")

    monkeypatch.setattr(type(services.games), "page", fail)
    answer = client.get("/api/v1/games")
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/storage")
    assert answer.headers["Retry-After"] == "5"
    assert client.get("/").status_code == 503
