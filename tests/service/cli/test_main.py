import json
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import click
import pytest

from inkeek.service.cli import main

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "bof.pmn"


def test_every_command_has_help(runner):
    names = main.list_commands(click.Context(main))
    assert {"serve", "demo", "board", "db", "play", "validate", "fmt"} <= {*names}
    listed = runner.invoke(main, ["--help"]).output
    for name in names:
        assert runner.invoke(main, [name, "--help"]).exit_code == 0, name
        assert f"  {name} " in listed


@pytest.mark.parametrize(
    ("arguments", "environ", "status", "quoted"),
    [
        (["serve"], {"INKEEK_TLS_CERT": "chain.pem"}, 2, "tls_key"),
        (["serve", "--port", "99999"], {}, 2, "65535"),
        (["serve"], {"INKEEK_PROT": "1"}, 2, "'INKEEK_PROT'"),
        (["db", "upgrade"], {"INKEEK_DATABASE": "mysql://x"}, 2, "'mysql://x'"),
        (["db", "upgrade"], {"INKEEK_DATABASE": "mysql://me:secret@x/y"}, 2, "'mysql://me:***@x/y'"),
        (["serve", "--speed", "1"], {}, 2, "--speed"),
        (["nothing"], {}, 2, "'nothing'"),
    ],
)
def test_wrong_usage_is_refused(runner, tmp_path, arguments, environ, status, quoted):
    done = runner.invoke(main, arguments, env={"INKEEK_DATA": str(tmp_path), **environ})
    assert done.exit_code == status
    assert quoted in done.output


def test_a_file_that_is_not_utf_8_is_refused(runner, tmp_path):
    file, data = tmp_path / "latin.txt", ["--data", str(tmp_path / "data")]
    file.write_bytes(b"S\xe9in\n")
    runner.invoke(main, ["db", "upgrade", *data])
    done = runner.invoke(main, ["db", "verify", "--checkpoint", str(file), *data])
    assert (done.exit_code, "latin.txt" in done.stderr) == (2, True)


def test_a_process_that_was_killed_is_an_error_of_one_line(runner, monkeypatch):
    def fail(*_words, **_more):
        raise BrokenProcessPool

    monkeypatch.setattr("inkeek.service.cli.annotate._try", fail)
    done = runner.invoke(main, ["annotate", "docs/examples/bof.pmn"])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)


def test_a_file_that_is_no_database_is_refused(runner, tmp_path):
    (tmp_path / "inkeek.sqlite3").write_bytes(b"something else" * 100)
    done = runner.invoke(main, ["db", "upgrade", "--data", str(tmp_path)])
    assert done.exit_code == 1
    assert "not a database" in done.output


def test_ports_and_drivers_are_listed(runner, monkeypatch):
    from inkeek.drivers import registry
    from inkeek.drivers.registry import InstalledDriver, Port

    monkeypatch.setattr(registry, "ports", lambda: [Port("/dev/ttyACM0", "A cable", None)])
    odd = InstalledDriver("odd", "odd:B", "odd-boards", "1.2", "ImportError: odd")
    monkeypatch.setattr(registry, "drivers", lambda loads: [odd])
    output = runner.invoke(main, ["board", "ports"]).output
    assert "/dev/ttyACM0  A cable" in output
    assert "driver odd: odd:B  cannot be used: ImportError: odd" in output
    lines = runner.invoke(main, ["board", "ports", "--json"]).output.splitlines()
    assert json.loads(lines[0]) == {"port": {"url": "/dev/ttyACM0", "title": "A cable"}}
    monkeypatch.setattr(registry, "ports", list)
    assert "/dev/" not in runner.invoke(main, ["board", "ports"]).output


def test_a_file_of_another_user_is_an_error_that_names_it(runner, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/var/lib/inkeek/key.pem")

    monkeypatch.setattr("inkeek.service.cli.key.read_key", refuse)
    result = runner.invoke(main, ["key", "show"])
    assert result.exit_code == 1
    assert "'/var/lib/inkeek/key.pem'" in result.output
