"""What is kept of records that are wrong."""

import io
import re

import pytest
from hypothesis import given, strategies as st

from inkeek.records import LenientBuilder, read_games, visit_games, write_game
from inkeek.records.notation.commands import split_arguments, split_comment
from tests.records.notation.records_made import games
from tests.records.notation.test_corpus import CORPUS

HEAD = '[Event "?"]\n[Game "bof"]\n'
TEAMS = '[SouthTeam "A"]\n[NorthTeam "A; B"]\n'


def kept(text):
    (game,) = visit_games(io.StringIO(text), LenientBuilder)
    return game


def movetext(game):
    return " ".join(write_game(game).split("\n\n", 1)[1].split())


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("1. a B 2. a *", "1. ax5 Bx2 2. ax1 *", ""),
        ("1. a B 2. b C *", "1. ax5 Bx2 2. b {STOPPED} *", "line 4, column 13: C:"),
        ("1. a B 2. b )", "1. ax5 Bx2 2. b {STOPPED} *", "line 4, column 13: ply 3: ')'"),
        (
            "1. a ( b ( 1. c {deep} x!",
            "1. ax5 {STOPPED} ( 1. bx5 ( 1. cx5 {deep} {STOPPED} ) ) *",
            "line 4, column 26: ply 1: 2 ",
        ),
        ("1. a ( b A ) B *", "1. ax5 ( 1. bx5 A ) 1... Bx2 *", ""),
        ("1. a ( c b {gone} ) B *", "1. ax5 ( 1. cx5 {STOPPED} ) 1... Bx2 *", "line 4, column 10: b:"),
        ("1. a ( A ) B *", "1. ax5 {STOPPED} 1... Bx2 *", "line 4, column 8: A:"),
        ("1. a ( {what if}", "1. ax5 {what if} {STOPPED} *", "line 4, column 17: ply 1: 1 "),
        ("A *", "{STOPPED} *", "line 4, column 1: A:"),
        ("1. a {never closed B *", "1. ax5 ;STOPPED *", "line 4, column 6: ply 1: "),
        ('1. a {say " } and B *', '1. ax5 {say "} {STOPPED} *', "line 4, column 15: ply 2: "),
    ],
)
def test_what_is_right_is_kept_and_marked(text, expected, place):
    game = kept(f"{HEAD}\n{text}")
    assert game.errors == ()
    written = movetext(game)
    assert f'[%stopped "{place}' in written or not place
    assert re.sub(r'\[%stopped "(?:[^"\\]|\\.)*"\]', "STOPPED", written) == expected


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("1. a {kept} B *", []),
        ("1. a ( b A A {gone} ( d ) ) {kept} B *", [(4, 12, "2... A {gone} ( 2. d )")]),
        ("1. a B ;c } d\n2. b {kept} C {gone}\nD *", [(5, 13, "2... C {gone} 2... D")]),
        ("1. a {never closed\nB *", [(4, 6, None)]),
        ("1. a B zzz {gone} 2. b *", [(4, 8, None)]),
        ('[Site "x]\n[South "a\\"]\n1. a A *', [(4, 1, '[Site "x]'), (5, 1, '[South "a\\"]'), (6, 6, "1... A")]),
    ],
)
def test_what_is_left_out_is_listed_with_its_place(text, left_out):
    builder = None

    def make(source, index):
        nonlocal builder
        builder = LenientBuilder(source, index)
        return builder

    (game,) = visit_games(io.StringIO(f"{HEAD}\n{text}"), make)
    assert game.errors == ()
    assert sorted(builder.left_out) == left_out


def test_a_mark_quotes_what_a_brace_comment_cannot_hold():
    game = kept(f"{HEAD}\n1. a {{never closed")
    (read,) = read_games(io.StringIO(write_game(game)))
    (mark,) = split_comment(read.plies[-1].comments[-1]).commands
    assert "'}'" in split_arguments(mark.arguments)[0][0]


def test_a_result_that_no_longer_follows_stands_in_the_mark():
    game = kept('[Event "?"]\n[Result "1-0"]\n[Score "30-10"]\n[Termination "normal"]\n[Game "bof"]\n\n1. a B 2. a 1-0')
    assert game.errors == ()
    assert game.tags["Result"] == "*"
    assert not {"Score", "Termination"} & game.tags.keys()
    (mark,) = split_comment(game.plies[-1].comments[-1]).commands
    assert mark.name == "stopped"
    plain, named = split_arguments(mark.arguments)
    assert "Result is 1-0" in plain[0]
    assert dict(named) == {"result": "1-0", "score": "30-10", "termination": "normal"}


def test_an_end_that_players_made_is_no_reason_to_lose_the_result():
    game = kept('[Event "?"]\n[Result "1-0"]\n[Termination "resignation"]\n[Game "bof"]\n\n1. a B 2. a 1-0')
    assert (game.errors, game.tags["Result"]) == ((), "1-0")


def test_moves_are_read_after_a_wrong_tag():
    game = kept('[Event "?"]\n[Site "x]\n[Game "bof"]\n\n1. a B *')
    assert game.errors == ()
    assert [str(ply.move) for ply in game.plies] == ["ax5", "Bx2"]


def test_where_not_even_the_rules_are_known_all_moves_stay():
    game = kept('[Event "?"]\n[Game "chess"]\n\n1. a B (C) *')
    assert game.errors
    assert [str(ply.move) for ply in game.plies] == ["a", "B"]
    assert "'chess'" in game.comments[0]


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/*.pmn")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_corpus_kept_is_right_wherever_its_rules_are_known(path):
    for game, was in zip(visit_games(path, LenientBuilder), read_games(path), strict=True):
        if not was.errors:
            assert game == was
        elif game.errors:
            assert was.replay().positions == ()
        else:
            assert write_game(game) == write_game(next(read_games(io.StringIO(write_game(game)))))
            good = [turn.move for turn in was.replay().turns]
            assert [ply.move for ply in game.plies[: len(good)]] == good


@given(games(), st.data())
def test_whatever_is_broken_what_is_kept_is_right(game, data):
    text = write_game(game)
    at = data.draw(st.integers(text.index("\n\n"), len(text)))
    broken = (
        text[:at]
        + data.draw(st.sampled_from(["", ")", "(", "{", "}", " a ", " Z ", "!!!", "\x00", "1-0"]))
        + text[at + 1 :]
    )
    for one in visit_games(io.StringIO(broken), LenientBuilder):
        assert one.errors == ()
        assert write_game(next(read_games(io.StringIO(write_game(one))))) == write_game(one)


def test_wrong_commands_become_words_and_the_moves_stay():
    game = kept(HEAD + "\n{[%by]} 1. a {[%clk soon] [%clk 0:01:00]} B ( 1... C {[%emt x]} ) *\n")
    assert game.errors == ()
    assert movetext(game) == "{[by]} 1. ax5 {[clk soon] [%clk 0:01:00]} 1... Bx2 ( 1... Cx1 {[emt x]} ) *"


def test_teams_that_cannot_be_stand_in_a_mark():
    game = kept(f"{HEAD}{TEAMS}\n1. a *\n")
    assert game.errors == ()
    (comment,) = game.comments
    (mark,) = split_comment(comment).commands
    plain, named = split_arguments(mark.arguments)
    assert (mark.name, len(plain), dict(named)) == ("stopped", 1, {"southteam": "A", "northteam": "A; B"})
    assert "NorthTeam" in plain[0]
    assert "'A'" in plain[0]
    assert not {"SouthTeam", "NorthTeam"} & game.tags.keys()
