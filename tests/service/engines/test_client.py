"""A host and an engine that shares none of its code, and what every fault of an engine leads to."""

import sys

import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.records.analysis.protocol import Search
from inkeek.service.engines import EngineError, EngineProcess, client, popen

COMMAND = f'"{sys.executable}" -m tests.service.engines.other_engine'
RULES = ruleset("oware")


@pytest.fixture
def engine():
    with EngineProcess(COMMAND) as process:
        process.start()
        yield process


def ask(process, **limits):
    process.new_game(RULES)
    return ask_again(process, **limits)


def ask_again(process, **limits):
    return process.search(RULES.start(), [Move.parse("c")], Search(depth=1), **limits)


def test_an_engine_introduces_itself_and_answers(engine):
    infos = []
    engine.new_game(RULES)
    answer = engine.search(RULES.start(), [Move.parse("c")], Search(depth=1), on_info=infos.append)
    assert engine.introduction.name == "Greedy"
    assert [option.name for option in engine.introduction.options] == ["Depth"]
    assert RULES.is_legal(RULES.play(RULES.start(), Move.parse("c")).position, answer.move)
    assert [info.depth for info in infos] == [1]


def test_options_are_set_at_the_start():
    with EngineProcess(COMMAND, options=[("Depth", 3)]) as process:
        process.start()
        assert ask(process).move is not None


@pytest.mark.parametrize("option", [("Depth", 10), ("Hash", 1)])
def test_an_option_that_is_not_offered_is_refused(option):
    with EngineProcess(COMMAND, options=[option]) as process, pytest.raises(EngineError, match=option[0]):
        process.start()


@pytest.mark.parametrize("value", ["3", 3.0, True, None])
def test_an_option_that_is_no_whole_number_is_refused_and_the_process_ended(value):
    process = EngineProcess(COMMAND, options=[("Depth", value)])
    with pytest.raises(EngineError, match="Depth"):
        process.start()
    assert process._process is None


def test_whatever_fails_at_the_start_ends_the_process(monkeypatch):
    started = []
    monkeypatch.setattr(EngineProcess, "_introduce", lambda process: started.append(process._process) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        popen(COMMAND)
    assert started[0].poll() is not None


def test_an_engine_that_is_started_again_runs_once(engine):
    first = engine._process
    engine.start()
    assert first.poll() is not None


@pytest.mark.parametrize("command", ["", "no-such-engine-anywhere", '"', "true", "yes"])
def test_a_program_that_is_no_engine_is_refused(command, monkeypatch):
    monkeypatch.setattr(client, "START_SECONDS", 1.0)
    with EngineProcess(command) as process, pytest.raises(EngineError):
        process.start()


def test_an_engine_that_does_not_introduce_itself_is_given_up(monkeypatch):
    monkeypatch.setattr(client, "START_SECONDS", 1.0)
    monkeypatch.setattr(client, "STOP_SECONDS", 0.2)
    with EngineProcess(f"{COMMAND} mute") as process, pytest.raises(EngineError):
        process.start()


def test_an_engine_that_leaves_is_quoted():
    left = "exit status 1: no such thing"
    with pytest.raises(EngineError, match=left), EngineProcess([sys.executable, "-c", "exit('no such thing')"]) as one:
        one.start()


@pytest.mark.parametrize("fault", ["leaves", "deaf", "flood", "long-line", "nonsense", "error"])
def test_no_fault_hangs_the_host(fault, monkeypatch):
    monkeypatch.setattr(client, "STOP_SECONDS", 0.2)
    with EngineProcess(f"{COMMAND} {fault}") as process:
        process.start()
        with pytest.raises(EngineError):
            ask(process, seconds=0.3)


def test_a_second_answer_is_none_to_the_next_search():
    with popen(f"{COMMAND} twice") as process:
        assert ask(process).move is not None
        process._unread.put(process._unread.get(timeout=60))  # it has come
        with pytest.raises(EngineError, match="without being asked"):
            ask_again(process)


def test_an_engine_that_does_not_read_is_given_up(monkeypatch):
    monkeypatch.setattr(client, "STOP_SECONDS", 0.2)
    with popen(f"{COMMAND} unread") as process, pytest.raises(EngineError, match="does not read"):
        any(process.new_game(RULES) for _ in range(100_000))


def test_play_returns_a_move_or_none_after_the_end(engine):
    answer = engine.play(RULES, RULES.start(), [Move.parse("c")], Search(move_time=60_000))
    assert RULES.is_legal(RULES.play(RULES.start(), Move.parse("c")).position, answer.move)
    over = Position.parse("0.0.0.0.0.0/0.0.0.0.0.0 25-23 s 90")
    assert engine.play(RULES, over, [], Search(depth=1)).move is None


@pytest.mark.parametrize("fault", ["illegal", "resigns"])
def test_play_returns_no_move_that_is_not_legal(fault):
    with popen(f"{COMMAND} {fault}") as process, pytest.raises(EngineError, match="no legal move"):
        process.play(RULES, RULES.start(), [], Search(depth=1))


def test_analyse_returns_the_last_report_of_each_line():
    with popen(f'"{sys.executable}" -m inkeek.service.cli engine', Memory=1) as process:
        found = process.analyse(RULES, RULES.start(), [], Search(depth=4, lines=2))
        assert [(info.line, info.depth) for info in found] == [(1, 4), (2, 4)]
        bof = ruleset("bof")
        assert bof.is_legal(bof.start(), process.analyse(bof, bof.start(), [], Search(depth=2))[0].moves[0])


def test_a_path_of_windows_keeps_its_backslashes(tmp_path, monkeypatch):
    program = tmp_path / "engines\\new.py"
    program.write_text(f"#!{sys.executable}\nprint('inkeekok 1', flush=True)\ninput()\n")
    program.chmod(0o700)
    monkeypatch.setattr(client, "WINDOWS", True)
    with popen(str(program)) as process:
        assert process.introduction.options == ()


def test_an_engine_that_was_ended_can_be_started_again(engine):
    engine.close()
    with pytest.raises(EngineError):
        ask(engine)
    engine.start()
    assert ask(engine).move is not None
