import os
import shlex
import socket
import sys
import threading
from dataclasses import replace

import pytest

from inkeek.service.cli.tokens import link
from inkeek.service.http.access.caller import LINK, SESSION
from inkeek.service.http.access.keys import SECRET, open_keys
from inkeek.service.processes import announcement
from inkeek.service.settings import Settings


@pytest.fixture
def announce(tmp_path, capsys, monkeypatch):
    """Starts a service as far as it prints where it is; what it prints on a terminal, or elsewhere."""
    settings = Settings(data=str(tmp_path))

    def announce(*, terminal: bool, browser: bool = False, **more: object) -> str:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            announcement.announce(replace(settings, **more), listener.fileno(), browser=browser)
        return capsys.readouterr().out

    announce.settings = settings
    return announce


def test_a_start_prints_a_link_on_a_terminal_until_somebody_has_a_key(announce):
    printed = announce(terminal=True)
    address = next(word for word in printed.split() if word.startswith("http"))
    first = printed.split()[-1]
    assert first.startswith(f"{address}sign-in?key=ink_l_")
    behind = announce(terminal=True, proxies=1, allowed_hosts="games.example.org").split()[-1]
    assert behind.startswith("https://games.example.org/sign-in?key=")
    with open_keys(announce.settings) as keys:
        assert keys.find(first.partition("=")[2], LINK).scopes == {"admin"}
        keys.create(SESSION, "Naisula", ("admin",), None)
    _, where = announce(terminal=True).splitlines()
    assert str(announce.settings.data_folder) in where
    assert ("new" in printed.splitlines()[1], "new" in where) == (True, False)


def test_where_the_output_may_be_kept_there_is_no_secret_in_it_but_how_to_sign_in(announce):
    for kept in ({"terminal": False}, {"terminal": True, "log_format": "json"}):
        printed = announce(**kept, config="/etc/ink eek.toml")
        assert not SECRET.search(printed)
        command = shlex.split(printed[printed.index("inkeek token link") :])
        assert link.make_context("link", command[3:]).params["config"] == "/etc/ink eek.toml"
    with open_keys(announce.settings) as keys:
        assert keys.list() == []
        keys.create(SESSION, "Naisula", ("admin",), None)
    assert "token link" not in announce(terminal=False)


def test_a_first_start_that_opens_a_browser_says_too_how_to_sign_in(announce):
    """There may be no browser to open."""
    printed = announce(terminal=False, browser=True)
    assert "inkeek token link" in printed
    assert not SECRET.search(printed)


def test_a_start_goes_on_where_nobody_reads_what_it_prints(announce, monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output, socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(sys, "stdout", output)
        for _ in range(2):
            assert announcement.announce(announce.settings, listener.fileno(), browser=False)[0]


def test_another_address_of_the_machine_is_said_once(monkeypatch, capsys):
    stop = threading.Event()
    seen = iter([["192.168.1.20"]] * 3 + [[]] + [["10.0.0.7"]] * 3)

    def addresses():
        if (found := next(seen, None)) is None:
            stop.set()
        return found or []

    monkeypatch.setattr(announcement, "network_addresses", addresses)
    monkeypatch.setattr(announcement, "NETWORK_EVERY", 0.0)
    announcement.show_changes("http://192.168.1.20:8000/", stop)
    assert capsys.readouterr().out == "The network has changed. Inkeek is at http://10.0.0.7:8000/ now.\n"
