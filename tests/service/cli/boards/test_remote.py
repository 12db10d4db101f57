import signal
import socket
from collections.abc import Iterator

import pytest

from inkeek.drivers.errors import DriverError
from inkeek.service.boards.remote.spool import Spool
from inkeek.service.cli import main


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """The command takes them over."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def attach(runner, tmp_path, monkeypatch):
    """Runs `inkeek board attach` with these options besides those that must be given."""

    def driver(name):
        if name != "inkeek":
            raise DriverError(f"no driver is called {name!r}: known are inkeek")
        return object()

    monkeypatch.setattr("inkeek.service.cli.boards.board.registry.driver", driver)
    monkeypatch.chdir(tmp_path)

    def run(*options, **environ):
        given = ["--to", "http://127.0.0.1:1", "--game", "g1", "--spool", str(tmp_path / "spool")]
        return runner.invoke(main, ["board", "attach", "/dev/x", *given, *options], env=environ)

    return run


@pytest.mark.parametrize(
    ("options", "quoted"),
    [
        (["--driver", "clay"], "'clay'"),
        (["--to", "games.example.org"], "--to"),
        (["--token-file", "nowhere"], "'nowhere'"),
        (["--token-file", "two"], "--token-file two"),
        (["--token-file", "none"], "--token-file none"),
        (["--ca", "two"], "--ca is 'two'"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_opened(attach, tmp_path, options, quoted):
    (tmp_path / "two").write_text("ink_t_a ink_t_b\n")
    (tmp_path / "none").write_text("\n")
    if "--ca" in options:
        options = [*options, "--to", "https://127.0.0.1:1"]
    done = attach(*options)
    assert (done.exit_code, quoted in done.output) == (2, True), done.output
    assert not (tmp_path / "spool").exists()


def test_a_spool_in_use_is_an_error(attach, tmp_path):
    asked = attach("--to", "https://[")
    assert asked.exit_code == 2
    from inkeek.service.boards.remote.process import Plan

    plan = Plan("/dev/x", object(), "http://127.0.0.1:1", "g1", "", None, "", tmp_path / "spool")
    held = Spool(plan.spool)
    done = attach()
    held.close()
    assert done.exit_code == 1
    assert plan.spool.name in done.output


def test_the_token_comes_from_the_environment_or_a_file_and_is_never_printed(attach, tmp_path, monkeypatch):
    seen = []

    def run(plan, notify, stop, settings):
        seen.append(plan)

    monkeypatch.setattr("inkeek.service.cli.boards.board.run", run)
    (tmp_path / "token").write_text("ink_t_file\n")
    done = attach(INKEEK_TOKEN="ink_t_environment\n")
    attach("--token-file", "token", INKEEK_TOKEN="ink_t_environment")
    assert [plan.token for plan in seen] == ["ink_t_environment", "ink_t_file"]
    assert "ink_t" not in done.output
    assert seen[0].name == socket.gethostname()[:60]
