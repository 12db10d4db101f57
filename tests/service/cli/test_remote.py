from __future__ import annotations

import signal
import socket
from collections.abc import Iterator

import pytest

from drivers.errors import DriverError
from service.boards.remote.spool import Spool
from service.cli import main


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

    monkeypatch.setattr("service.cli.remote.registry.driver", driver)
    monkeypatch.chdir(tmp_path)

    def run(*options, **environ):
        given = ["--to", "http://127.0.0.1:1", "--game", "g1", "--spool", str(tmp_path / "spool")]
        return runner.invoke(main, ["board", "attach", "/dev/x", *given, *options], env=environ)

    return run


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--driver", "clay"], 2, "no driver is called 'clay': known are inkeek"),
        (
            ["--to", "games.example.org"],
            2,
            "--to is no address of a service: expected one as https://games.example.org",
        ),
        (["--token-file", "nowhere"], 2, "'nowhere' does not exist"),
        (["--token-file", "two"], 2, "--token-file two holds 2 words: expected a token alone"),
        (["--token-file", "none"], 2, "--token-file none holds 0 words"),
        (["--ca", "two"], 2, "--ca is 'two'"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_opened(attach, tmp_path, options, status, said):
    (tmp_path / "two").write_text("ink_t_a ink_t_b\n")
    (tmp_path / "none").write_text("\n")
    if "--ca" in options:
        options = [*options, "--to", "https://127.0.0.1:1"]
    done = attach(*options)
    assert (done.exit_code, said in done.output) == (status, True), done.output
    assert not (tmp_path / "spool").exists()


def test_a_spool_in_use_is_told(attach, tmp_path):
    asked = attach("--to", "https://[")
    assert asked.exit_code == 2
    from service.boards.remote.agent import Plan

    plan = Plan("/dev/x", object(), "http://127.0.0.1:1", "g1", "", None, "", tmp_path / "spool", False)
    held = Spool(plan.spool)
    done = attach()
    held.close()
    assert done.exit_code == 1
    assert "is in use: another process delivers these events already" in done.output


def test_the_token_comes_from_the_environment_or_a_file_and_is_never_printed(attach, tmp_path, monkeypatch):
    seen = []

    class RemoteAgent:
        def __init__(self, plan, say):
            seen.append(plan)

        def run(self, stop):
            pass

    monkeypatch.setattr("service.cli.remote.RemoteAgent", RemoteAgent)
    (tmp_path / "token").write_text("ink_t_file\n")
    told = attach(INKEEK_TOKEN="ink_t_environment\n")
    attach("--token-file", "token", INKEEK_TOKEN="ink_t_environment")
    assert [plan.token for plan in seen] == ["ink_t_environment", "ink_t_file"]
    assert "ink_t" not in told.output
    assert (seen[0].name, seen[0].take_over) == (socket.gethostname()[:60], False)
