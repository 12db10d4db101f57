import json
import os

import pytest
from click.testing import CliRunner

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import TransportError
from inkeek.service.cli import main
from inkeek.service.cli.boards.check import Terminal
from tests.foreign_board import Bench, Deviations, ForeignBoard
from tests.service.waiting import until

PORT = "/dev/virtual"


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> ForeignBoard:
    """A board on the port `PORT`, in virtual time."""
    bench = Bench(TransportError)
    board = ForeignBoard(4, clock=bench.clock)
    environment = bench.plug(PORT, board)
    monkeypatch.setattr(StandardBoard, "environment", lambda driver, port: environment)
    return board


def test_a_good_board_passes(runner: CliRunner, board: ForeignBoard) -> None:
    done = runner.invoke(main, ["board", "check", PORT])
    assert done.exit_code == 0, done.output
    assert "$HELLO,1.0,foreign-1,FB-1," in done.output


def test_a_wrong_board_fails_with_the_reason(runner: CliRunner, board: ForeignBoard) -> None:
    board.deviations = Deviations(line_end=b"\n")
    done = runner.invoke(main, ["board", "check", PORT, "--json"])
    assert done.exit_code == 1, done.output
    first, *values, last = map(json.loads, done.output.splitlines())
    assert first == {"check": {"port": PORT}}
    assert last["end"]["failed"] == 2
    assert {value["line"]["fault"] for value in values if "line" in value} == {"", "line-end"}
    (greeting,) = [value["step"] for value in values if value.get("step", {}).get("name") == "greeting"]
    assert greeting["outcome"] == "failed"


def test_listening_sends_nothing(runner: CliRunner, board: ForeignBoard) -> None:
    board.emit("LIFT", 1)
    done = runner.invoke(main, ["board", "check", PORT, "--listen", "--seconds", "0.5"])
    assert done.exit_code == 0, done.output
    assert "EVT," in done.output
    assert board.heard == []


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["/dev/no-such-port"], 1),
        (["what"], 1),
        (["socket://127.0.0.1:1"], 1),
        (["loop://", "--seconds", "1"], 2),
        ([], 2),
    ],
)
def test_wrong_usage_and_ports(runner: CliRunner, arguments: list[str], status: int) -> None:
    done = runner.invoke(main, ["board", "check", *arguments])
    assert done.exit_code == status, done.output


def test_a_terminal_reads_what_is_typed_after_the_question() -> None:
    reader, writer = os.pipe()
    printed: list[str] = []
    terminal = Terminal(reader, printed.append)
    try:
        assert terminal.ask("lights", "Is it lit?")
        assert terminal.answer() is None
        os.write(writer, b"y\n")
        answers: list[str | None] = []
        until(lambda: answers.append(terminal.answer()) or answers[-1] is not None)
        assert answers[-1] == "y"
        os.close(writer)
        writer = -1
        until(lambda: not terminal.ask("lights", "Is it lit?"))
    finally:
        if writer >= 0:
            os.close(writer)
        os.close(reader)
    assert "Is it lit?" in printed[0]
