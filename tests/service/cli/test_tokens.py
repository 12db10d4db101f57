import json
import re
import socket
from datetime import timedelta

import pytest

from inkeek.service.cli import main
from inkeek.service.http.access.caller import SESSION, TOKEN
from inkeek.service.http.access.keys import open_keys
from inkeek.service.processes.logs import SECRET
from inkeek.service.processes.run_file import noted
from inkeek.service.settings import Settings, read_settings
from inkeek.service.storage import Limit
from tests.databases import sqlite_database


@pytest.fixture
def token(runner, tmp_path):
    """Runs `inkeek token …` on its own database, which has the tables: to make them takes longer than most tests."""

    def run(*arguments, status=0, **environ):
        done = runner.invoke(main, ["token", *arguments], env={"INKEEK_DATA": str(tmp_path), **environ})
        assert done.exit_code == status, done.output
        return done

    with sqlite_database(tmp_path, empty=False):
        yield run


@pytest.fixture
def keys(tmp_path):
    with open_keys(read_settings({}, {"data": str(tmp_path)})) as keys:
        yield keys


def test_a_token_is_shown_once_alone_on_standard_output(token, keys):
    done = token("create", "score desk", "--scope", "board", "--scope", "record")
    secret = done.stdout.strip()
    assert SECRET.fullmatch(secret)
    assert keys.find(secret, TOKEN).scopes == {"record", "board"}
    assert "score desk: record board." in done.stderr
    assert secret not in token("list").output


def test_a_token_as_json(token, keys):
    answer = json.loads(token("create", "x", "--scope", "read", "--days", "3", "--json").stdout)
    assert keys.find(answer.pop("token"), TOKEN)
    assert (answer["name"], answer["scopes"], answer["good"], answer["revoked"]) == ("x", ["read"], True, None)
    assert answer["expires"] > answer["created"]


def test_list_shows_the_valid_keys_and_with_all_the_rest(token):
    one = json.loads(token("create", "one", "--scope", "read", "--json").stdout)
    token("create", "two", "--scope", "admin", "--days", "1")
    token("revoke", one["id"])
    (line,) = token("list").output.splitlines()
    assert re.fullmatch(r"\w{10}  token    admin +until \d{4}-\d\d-\d\dT\d\d:\d\dZ +two", line)
    first, second = token("list", "--all").output.splitlines()
    assert first.startswith(one["id"])
    assert "revoked 20" in first
    assert second == line
    rows = [json.loads(line) for line in token("list", "--all", "--json").output.splitlines()]
    assert [(key["name"], key["good"]) for key in rows] == [("one", False), ("two", True)]


def test_a_token_with_a_limit(token, keys):
    done = token("create", "bench", "--scope", "attach", "--event", "Narok Open")
    assert keys.find(done.stdout.strip(), TOKEN).limit == Limit("event", "Narok Open")
    assert "event 'Narok Open'" in done.stderr
    assert "event 'Narok Open'" in token("list").output
    link = token("link", "--scope", "record", "--event", "Narok Open").output.strip().rpartition("=")[2]
    assert keys.sign_in(link, timedelta(hours=1))[0].limit == Limit("event", "Narok Open")


def test_the_command_line_revokes_the_last_admin(token, keys):
    made = json.loads(token("create", "x", "--scope", "admin", "--json").stdout)
    token("revoke", made["id"])
    assert keys.find(made["token"], TOKEN) is None


def test_a_link_signs_in_at_the_address_that_the_settings_or_the_option_say(token, keys):
    printed = token("link", INKEEK_PORT="9000").output.strip()
    root, _, secret = printed.partition("/sign-in?key=")
    assert root == "http://127.0.0.1:9000"
    session, cookie = keys.sign_in(secret, timedelta(hours=1))
    assert (session.name, session.scopes) == ("page", ("admin",))
    assert keys.find(cookie, SESSION)
    other = token("link", "--name", "Naisula", "--scope", "record", "--url", "https://games.example.org/").output
    root, _, secret = other.strip().partition("/sign-in?key=")
    assert root == "https://games.example.org"
    assert keys.sign_in(secret, timedelta(hours=1))[0].scopes == ("record",)
    assert token("link", "--port", "8123", INKEEK_PORT="9000").output.startswith("http://127.0.0.1:8123/sign-in?key=")


def test_a_link_leads_to_the_service_that_runs(token, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with noted(Settings(data=str(tmp_path), port=port)):
            assert token("link").output.startswith(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    ("settings", "options", "root"),
    [
        ({"INKEEK_PROXIES": "1"}, [], "https://games.example.org/"),
        ({"INKEEK_PROXIES": "1"}, ["--port", "8443"], "https://games.example.org:8443/"),
        ({"INKEEK_TLS_CERT": "c", "INKEEK_TLS_KEY": "k"}, [], "https://games.example.org:8000/"),
        ({"INKEEK_TLS_CERT": "c", "INKEEK_TLS_KEY": "k", "INKEEK_PORT": "443"}, [], "https://games.example.org/"),
        ({}, [], "http://127.0.0.1:8000/"),
    ],
)
def test_with_tls_a_link_has_the_public_name(token, settings, options, root):
    names = "games.example.org, inkeek.example.org"
    assert token("link", *options, INKEEK_ALLOWED_HOSTS=names, **settings).output.startswith(f"{root}sign-in?key=")


@pytest.mark.parametrize(
    ("arguments", "status", "quoted"),
    [
        (["create", "x"], 2, "'--scope'"),
        (["link", "--port", "80", "--url", "http://x"], 2, "--url"),
        (["create", "x", "--scope", "write"], 2, "'write'"),
        (["create", "x", "--scope", "read", "--game", "a", "--event", "b"], 2, "--event"),
        (["create", "x", "--scope", "read", "--game", "nothing"], 1, "'nothing'"),
        (["create", "x", "--scope", "read", "--days", "0"], 2, "--days"),
        (["list", "--config", "nowhere.toml"], 2, "'nowhere.toml'"),
    ],
)
def test_wrong_usage_is_refused(token, arguments, status, quoted):
    assert quoted in token(*arguments, status=status).output


@pytest.mark.parametrize("arguments", [["list"], ["revoke", "ABCDEFGH"]])
def test_of_a_folder_without_a_database_nothing_is_listed_and_none_is_made(runner, tmp_path, arguments):
    done = runner.invoke(main, ["token", *arguments, "--data", str(tmp_path / "misspelt")])
    assert (done.exit_code, "there is no database" in done.output) == (1, True)
    assert not (tmp_path / "misspelt").exists()


def test_a_file_of_settings_names_the_database(runner, tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(f'data = "{tmp_path / "elsewhere"}"\n')
    assert runner.invoke(main, ["token", "create", "x", "--scope", "read", "--config", str(path)]).exit_code == 0
    assert (tmp_path / "elsewhere" / "inkeek.sqlite3").exists()
