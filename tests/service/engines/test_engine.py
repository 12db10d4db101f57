"""The engine as a program: its answers to right and wrong lines."""

from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace

import pytest

from inkeek.records import Move, ruleset
from inkeek.records.analysis import Limits, analyse
from inkeek.records.analysis.tables import Tables, build_table
from inkeek.service.engines import engine as engine_module
from inkeek.service.engines.engine import Engine


class Conversation:
    """An engine in a thread, and the host's end of both streams."""

    def __init__(self, tables=None):
        self._sent, self._said = SimpleQueue(), SimpleQueue()
        self._thread = Thread(target=lambda: Engine(self._said.put, tables).run(iter(self._sent.get, None)))
        self._thread.start()

    def send(self, *lines):
        for line in lines:
            self._sent.put(line + "\n")

    def wait_for(self, word):
        said = []
        while not said or not said[-1].startswith(word):
            said.append(self._said.get(timeout=60))
        return said

    def close(self):
        self._sent.put(None)
        self._thread.join(60)
        assert not self._thread.is_alive()


@pytest.fixture
def engine():
    conversation = Conversation()
    yield conversation
    conversation.close()


def test_it_looks_positions_up_in_its_tables(tmp_path):
    build_table(tmp_path / "bof", ruleset("bof"), 4)
    position = "1.0.0.0.1/0.1.0.1.0 18-18 s 30"
    for tables, is_exact in ((Tables(tmp_path), True), (None, False)):
        engine = Conversation(tables)
        engine.send("rules bof", f"position {position}", "go depth 1")
        assert ("exact" in engine.wait_for("bestmove")[-1]) is is_exact
        engine.close()


def test_it_introduces_itself(engine):
    engine.send("inkeek 1")
    said = engine.wait_for("inkeekok")
    assert said[-1] == "inkeekok 1"
    assert {line.split()[1] for line in said if line.startswith("option")} >= {"Memory", "Threads"}


def test_it_finds_a_legal_move_with_its_value(engine):
    engine.send("rules oware", "position start moves c D", "go depth 4 lines 2")
    said = engine.wait_for("bestmove")
    rules = ruleset("oware")
    position = rules.start()
    for text in ("c", "D"):
        position = rules.play(position, Move.parse(text)).position
    assert rules.is_legal(position, Move.parse(said[-1].split()[1]))
    assert any(" line 2 " in line for line in said)


def test_it_stops_when_told(engine):
    engine.send("rules enkeshui", "position start", "go", "isready")
    engine.wait_for("readyok")
    engine.send("stop")
    assert engine.wait_for("bestmove")[-1] != "bestmove none"


def test_a_finished_game_has_no_best_move(engine):
    engine.send("rules oware", "position 0.0.0.0.0.0/0.0.0.0.0.0 25-23 s 90", "go depth 1")
    assert engine.wait_for("bestmove")[-1] == "bestmove none"


@pytest.mark.parametrize(
    "line", ["fly", "go depth -1", "go sideways", "set Memory 0", "set Memory 99999999", "set Speed 9", "inkeek one"]
)
def test_a_wrong_line_is_told_and_changes_nothing(engine, line):
    engine.send(line, "isready")
    said = engine.wait_for("readyok")
    assert said[0].startswith("error ")
    engine.send("go depth 1")
    assert engine.wait_for("bestmove")[-1] != "bestmove none"


@pytest.mark.parametrize(
    "line",
    [
        "rules chess",
        "rules oware pits=7",
        "position start moves z",
        "position 1.1/1 0-0 s 0",
        "position 10.10.10.10.10.8/0.0.0.0.0.0 0-0 s 0",
        "position start moves " + "c D " * 20_000,
        "rules oware" + " " * 70_000,
        " " * 70_000 + "position start",
        " " * 65_530 + "position start",
    ],
    ids=lambda line: line[:60],
)
def test_no_move_is_found_for_the_position_before_one_that_was_refused(engine, line):
    engine.send(line, "go depth 1")
    said = engine.wait_for("bestmove")
    assert said[0].startswith("error ")
    assert "refused" in said[-2]
    assert said[-1] == "bestmove none"
    engine.send("rules kalah", "position start", "go depth 1")
    assert engine.wait_for("bestmove")[-1] != "bestmove none"


@pytest.mark.parametrize(
    ("name", "line", "last"), [("SearchTable", "set Memory 2", "error"), ("analyse", "go depth 1", "bestmove none")]
)
def test_whatever_fails_is_told_and_the_engine_is_ready_again(engine, name, line, last, monkeypatch):
    def fail(*given, **named):
        raise OSError("no room")

    with monkeypatch.context() as context:
        context.setattr(engine_module, name, fail)
        engine.send(line)
        assert "no room" in engine.wait_for(last)[0]
    engine.send("isready")
    engine.wait_for("readyok")
    engine.send("go depth 1")
    assert engine.wait_for("bestmove")[-1] != "bestmove none"


def test_time_runs_from_the_reading_of_the_line(engine, monkeypatch):
    asked = []

    def analyse_little(rules, position, limits, **named):
        asked.append(limits.seconds)
        return analyse(rules, position, Limits(depth=1), table=named["table"])

    monkeypatch.setattr(engine_module, "analyse", analyse_little)
    times = iter([0.0, 100.0, 130.0])  # of `isready`, of `go`, and when the search begins
    monkeypatch.setattr(engine_module, "time", SimpleNamespace(monotonic=times.__next__))
    engine.send("isready", "go movetime 60000")
    engine.wait_for("bestmove")
    assert asked == [30.0]


def test_many_threads_are_no_more_than_processors(engine, monkeypatch):
    monkeypatch.setattr(engine_module, "processors", lambda: 1)
    engine.send("set Threads 64", "go nodes 3000")
    first = engine.wait_for("bestmove")[-1]
    engine.send("newgame", "go nodes 3000")  # on one thread it is the same again
    assert engine.wait_for("bestmove")[-1] == first


@pytest.mark.parametrize(("files", "most"), [("max", 4096), ("1073741824", 512)])
def test_memory_is_at_most_half_of_what_there_is(files, most, monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    limit.write_text(files)
    monkeypatch.setattr(engine_module, "CONTAINER_LIMIT", limit)
    monkeypatch.setattr(
        engine_module.os, "sysconf", lambda name: {"SC_PAGE_SIZE": 4096}.get(name, 2 << 20), raising=False
    )
    assert engine_module.offered_options()[0].most == most


def test_the_table_is_kept_from_turn_to_turn_and_not_into_another_game(engine):
    def nodes_of(*lines):
        engine.send(*lines, "go depth 9")
        return int(engine.wait_for("bestmove")[-2].split(" nodes ")[1].split()[0])

    fresh = nodes_of("rules oware", "position start")
    assert nodes_of("position start") < fresh / 2
    assert nodes_of("rules oware majority_end=false", "position start") > fresh / 2
    assert nodes_of("newgame", "rules oware", "position start") == fresh


def test_during_a_search_the_position_cannot_change(engine):
    engine.send("rules enkeshui", "go", "position start")
    assert engine.wait_for("error")
    engine.send("stop")
    assert engine.wait_for("bestmove")[-1] != "bestmove none"
    engine.send("go depth 1")  # not for the position before the one that was refused
    assert engine.wait_for("bestmove")[-1] == "bestmove none"


def test_a_position_without_the_memory_to_search_it_is_refused(engine, monkeypatch):
    def fail(memory):
        raise MemoryError

    monkeypatch.setattr(engine_module, "SearchTable", fail)
    engine.send("position start")
    assert engine.wait_for("error")
    monkeypatch.undo()
    engine.send("go depth 1")
    assert engine.wait_for("bestmove")[-1] == "bestmove none"
