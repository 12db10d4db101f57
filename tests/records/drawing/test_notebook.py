import subprocess
import sys

from inkeek.records import Board, Game, ruleset

from .test_svg import by_class, parse, text_of


def test_positions_turns_boards_and_games_are_drawn_with_their_seeds_and_where_the_turn_was():
    board = Board(ruleset("enkeshui", pits=8))
    assert len(by_class(parse(board._repr_svg_()), "pit")) == 16
    turn = board.push("c")
    for shown in (turn, board, board.game(), turn.position):
        root = parse(shown._repr_svg_())
        assert [int(text_of(pit, "count")) for pit in by_class(root, "pit")] == list(turn.position.pits)
        assert len(by_class(root, "start")) == (shown is not turn.position)
    assert Game({"Game": "chess"})._repr_svg_() is None


def test_the_library_needs_nothing_but_msgspec():
    program = (
        "import sys; before = set(sys.modules)\n"
        "from inkeek import records; records.ruleset('bof').start()._repr_svg_()\n"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)\n"
        "loaded = {name for name in loaded if not name.startswith('_')} - {'cython_runtime', 'typing_extensions'}\n"
        "assert loaded == {'inkeek', 'msgspec'}, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
