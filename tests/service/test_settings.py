from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from service.errors import SettingError
from service.settings import Settings, as_environ, is_loopback, read_settings

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def test_defaults_are_within_their_own_bounds():
    assert read_settings({}) == Settings()


def test_a_flag_wins_over_the_environment_and_none_is_not_given():
    environ = {"INKEEK_PORT": "9000", "INKEEK_THREADS": "20", "PATH": "/bin"}
    settings = read_settings(environ, {"port": 9001, "threads": None})
    assert (settings.port, settings.threads) == (9001, 20)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"INKEEK_PORTS": "1"}, "no setting 'INKEEK_PORTS'; did you mean 'port'"),
        ({"INKEEK_PORT": "http"}, "INKEEK_PORT is 'http': expected a whole number"),
        ({"INKEEK_PORT": "70000"}, "INKEEK_PORT is '70000': expected 0 to 65535"),
        ({"INKEEK_STREAM_POLL": "nan"}, "INKEEK_STREAM_POLL is 'nan'"),
        ({"INKEEK_THREADS": "8"}, "raise threads to 14"),
        ({"INKEEK_HOST": "0.0.0.0"}, "only loopback"),
        ({"INKEEK_HOST": "example.org"}, "only loopback"),
    ],
)
def test_what_is_wrong_is_said(environ, said):
    with pytest.raises(SettingError, match=re.escape(said)):
        read_settings(environ)


def test_a_child_reads_the_same_settings():
    settings = read_settings({}, {"port": 8123, "stream_poll": 0.05, "data": "/somewhere"})
    assert read_settings(as_environ(settings)) == settings


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])
def test_loopback(host):
    assert is_loopback(host)


def test_the_documentation_tells_every_setting_with_its_default_and_bounds():
    rows = re.findall(r"^\| `(\w+)` \| `([^`]*)` \| ([^|]*) \| ([^|]*) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    told = [(name, default, bounds.strip(), says.strip()) for name, default, bounds, says in rows]
    expected = []
    for setting in fields(Settings):
        low, high = setting.metadata["low"], setting.metadata["high"]
        bounds = "" if low is None else f"{low:.10g} to {high:.10g}"
        expected.append((setting.name, str(setting.default), bounds, setting.metadata["says"]))
    assert told == expected
