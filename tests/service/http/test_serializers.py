import pytest

from inkeek.records import NORTH, SOUTH, Game, Ply, Position, Side, ruleset, write_game
from inkeek.records.notation.movetext import cite_turn, number_turns

START = Position.parse("2.0/0.2 0-0 s 0")


def after(movers: str) -> list[Position]:
    """Positions with these sides to move."""
    return [START.replaced(to_move=Side("sn".index(mover)), ply=ply) for ply, mover in enumerate(movers)]


@pytest.mark.parametrize(
    ("movers", "cited"),
    [
        ("s", "1. d"),
        ("sn", "1… d"),
        ("sns", "2. d"),
        ("n", "1… d"),
        ("ns", "2. d"),
        ("nsn", "2… d"),
        ("ssnns", "2. d"),  # a side that moves again keeps its number
    ],
)
def test_turns_are_cited_as_in_the_notation(movers: str, cited: str) -> None:
    assert cite_turn(after(movers), "d") == cited
    assert cite_turn(after(movers)) == cited.removesuffix(" d")


def test_a_game_that_starts_in_the_middle_goes_on_counting() -> None:
    def positions(ply: int, *movers: Side) -> list[Position]:
        return [START.replaced(ply=ply + turns, to_move=mover) for turns, mover in enumerate(movers)]

    assert list(number_turns(positions(10, SOUTH, NORTH, SOUTH))) == [6, 6, 7]
    assert list(number_turns(positions(11, NORTH, SOUTH))) == [6, 7]


def test_numbers_are_those_of_a_written_record() -> None:
    rules = ruleset("enkeshui", pits=8, setup="fours-right")
    positions, plies = [rules.start()], []
    for _ in range(9):
        move = rules.legal_moves(positions[-1])[0]
        plies.append(Ply(move))
        positions.append(rules.play(positions[-1], move).position)
    written = write_game(Game({"Game": "enkeshui", "Options": "pits=8 setup=fours-right"}, tuple(plies)))
    words = written.split("\n\n")[1].split()
    for ply, at in ((1, "1."), (7, "4."), (9, "5.")):
        assert words[words.index(at) + 1] == str(rules.play(positions[ply - 1], plies[ply - 1].move).move)
        assert cite_turn(positions[:ply]) == at
