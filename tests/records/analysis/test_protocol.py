"""The lines of the engine protocol: what is written is read back, and what is wrong is quoted."""

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from inkeek.records import Move, RecordsError, ruleset
from inkeek.records.analysis import protocol
from inkeek.records.analysis.protocol import Answer, EngineOption, Info, ProtocolError, Search

NUMBERS = st.integers(1, protocol.MAX_NUMBER)
MAYBE = st.none() | NUMBERS
CLOCKS = st.tuples(st.integers(0, 10**9), st.integers(0, 10**9))
SEARCHES = st.builds(
    Search,
    depth=MAYBE,
    nodes=MAYBE,
    move_time=MAYBE,
    clocks=st.none() | CLOCKS,
    lines=st.integers(1, protocol.MAX_LINES),
)
MOVES = st.sampled_from([Move.parse(text) for text in ("a", "F", "c<>", "ab@c4d2", "--")])
VALUES = st.integers(-200, 200)


@st.composite
def infos(draw):
    exact = draw(st.booleans())
    value = float(draw(VALUES)) if exact else draw(VALUES) / 4
    counts = {name: draw(st.integers(0, 10**12)) for name in ("depth", "line", "nodes", "time")}
    return Info(value, exact, **counts, moves=tuple(draw(st.lists(MOVES, max_size=5))))


@given(SEARCHES)
def test_a_search_is_read_as_it_was_written(search):
    assert protocol.read_search(protocol.search_text(search).split()[1:]) == search


@given(infos())
def test_an_info_is_read_as_it_was_written(info):
    assert protocol.read_info(protocol.info_text(info).split()[1:]) == info


@given(st.none() | MOVES.filter(lambda move: str(move) != "--"), st.none() | VALUES)
def test_an_answer_is_read_as_it_was_written(move, value):
    answer = Answer(move, None if value is None else Info(float(value), exact=True))
    assert protocol.read_answer(protocol.answer_text(answer).split()[1:]) == answer


def test_an_option_is_read_as_it_was_written():
    option = EngineOption("Memory", 64, 1, 4096)
    assert protocol.read_option(protocol.option_text(option).split()[1:]) == option


@pytest.mark.parametrize("rules", [ruleset("oware"), ruleset("enkeshui", pits=8, setup="fours-right")], ids=str)
def test_rules_and_positions_are_read_as_they_were_written(rules):
    read = protocol.read_rules(protocol.rules_text(rules).split()[1:])
    assert read.options == rules.options
    moves = [rules.legal_moves(rules.start())[0]]
    words = protocol.position_text(rules.start(), moves).split()[1:]
    _, positions = protocol.read_position(read, words)
    assert positions == [rules.start(), rules.play(rules.start(), moves[0]).position]


@pytest.mark.parametrize("seeds", ["0-0", "20-20", "100-98"])
def test_a_position_has_the_seeds_of_the_game_unless_the_rules_allow_others(seeds):
    with pytest.raises(RecordsError, match="48"):
        protocol.read_position(ruleset("oware"), f"0.0.0.0.0.1/1.0.0.0.0.0 {seeds} s 9".split())
    words = f"0.0.0.0.0.0.0.1/1.0.0.0.0.0.0.0 {seeds} s 9".split()
    rules, positions = protocol.read_position(ruleset("enkeshui", pits=8), words)
    assert positions[0].seeds == rules.seeds


@pytest.mark.parametrize(
    "words",
    ["depth", "depth x", "depth 0", "depth 1 depth 2", "southtime 5", "ponder", "lines 51", "nodes " + "9" * 30],
)
def test_a_wrong_search_is_refused(words):
    with pytest.raises(ProtocolError):
        protocol.read_search(words.split())


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text):
    for read in (protocol.read_search, protocol.read_info, protocol.read_answer, protocol.read_option):
        with suppress(RecordsError):
            read(text.split())
    with suppress(RecordsError):
        protocol.read_position(ruleset("oware"), text.split())


@pytest.mark.parametrize("left", [0, 1, 50, 1000, 60_000])
def test_a_clock_is_not_overstepped(left):
    time = Search(clocks=(left, left)).time_for(ruleset("oware").start().to_move)
    assert 1 <= time <= max(1, left)
