from __future__ import annotations

import json
import sqlite3

import pytest

from service.cli import main
from service.storage.migrate import latest


def test_every_command_has_help(runner):
    assert {"serve", "demo", "board", "db", "play", "validate", "fmt"} <= set(main.commands)
    for name in main.commands:
        if name != "demo":
            assert runner.invoke(main, [name, "--help"]).exit_code == 0, name
    assert "Watch a simulated board" in runner.invoke(main, ["--help"]).output


@pytest.mark.parametrize(
    ("arguments", "environ", "status", "said"),
    [
        (["serve"], {"INKEEK_TLS_CERT": "chain.pem"}, 2, "tls_cert is given without tls_key"),
        (["serve", "--port", "99999"], {}, 2, "expected 0 to 65535"),
        (["serve"], {"INKEEK_PROT": "1"}, 2, "no setting 'INKEEK_PROT'"),
        (["db", "upgrade"], {"INKEEK_DATABASE": "mysql://x"}, 2, "database is 'mysql://x'"),
        (["db", "upgrade"], {"INKEEK_DATABASE": "mysql://me:secret@x/y"}, 2, "database is 'mysql://me:***@x/y'"),
        (["serve", "--speed", "1"], {}, 2, "No such option"),
        (["nothing"], {}, 2, "No such command"),
    ],
)
def test_wrong_usage_is_told_in_a_line(runner, tmp_path, arguments, environ, status, said):
    done = runner.invoke(main, arguments, env={"INKEEK_DATA": str(tmp_path), **environ})
    assert done.exit_code == status
    assert said in done.output


def test_the_database_is_made_once(runner, tmp_path):
    first = runner.invoke(main, ["db", "upgrade", "--data", str(tmp_path)])
    assert first.exit_code == 0
    assert f"from revision none to {latest()}" in first.output
    second = runner.invoke(main, ["db", "upgrade", "--data", str(tmp_path)])
    assert "is up to date" in second.output
    connection = sqlite3.connect(tmp_path / "inkeek.sqlite3")
    assert connection.execute("SELECT count(*) FROM games").fetchone() == (0,)
    connection.close()


def test_a_database_that_is_none_is_told(runner, tmp_path):
    (tmp_path / "inkeek.sqlite3").write_bytes(b"something else" * 100)
    done = runner.invoke(main, ["db", "upgrade", "--data", str(tmp_path)])
    assert done.exit_code == 1
    assert "not a database" in done.output


def test_ports_and_drivers_are_listed(runner, monkeypatch):
    from drivers import registry
    from drivers.registry import BrokenDriver, InstalledDrivers, Port

    monkeypatch.setattr(registry, "ports", lambda: [Port("/dev/ttyACM0", "A cable", None)])
    monkeypatch.setattr(
        registry, "drivers", lambda: InstalledDrivers({}, (BrokenDriver("odd", "odd:B", "ImportError: odd"),))
    )
    told = runner.invoke(main, ["board", "ports"]).output
    assert "/dev/ttyACM0  A cable" in told
    assert "driver odd: odd:B  cannot be used: ImportError: odd" in told
    lines = runner.invoke(main, ["board", "ports", "--json"]).output.splitlines()
    assert json.loads(lines[0]) == {"port": {"url": "/dev/ttyACM0", "title": "A cable"}}
    monkeypatch.setattr(registry, "ports", list)
    assert "No serial ports were found" in runner.invoke(main, ["board", "ports"]).output
