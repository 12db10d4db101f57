"""Visitors: one reader, many makers."""

import io

from hypothesis import given
from hypothesis import strategies as st

from records import Counts, CountsBuilder, GameBuilder, TagsBuilder, Visitor, read_games, visit_games, write_game
from tests.records.notation.records_made import games

TEXT = """[Event "One"]
[Game "bof"]

{before} 1. a! B {after} 2. c ( 2. d ( 2. e ) {of d} ) *

[Event "Two"]
[Game "bof"]

1. a ? ( b
"""


def test_counting():
    counts = list(visit_games(io.StringIO(TEXT), CountsBuilder))
    assert counts == [Counts(plies=3, others=2, variations=2, comments=3), Counts(1, 1, 1, 0, faults=1)]


def test_headers_alone():
    assert [tags["Event"] for tags in visit_games(io.StringIO(TEXT), TagsBuilder)] == ["One", "Two"]


class Told(Visitor[list[object]]):
    """Everything that a visitor is told."""

    def __init__(self, source, index):
        super().__init__(source, index)
        self.all = [index]

    def tags(self, tags):
        self.all.append(dict(tags))
        return True

    def moves(self, moves, places):
        assert [self.source.text[at] for at in places] == [str(move)[0] for move in moves]
        self.all += [str(move) for move in moves]

    def annotation(self, nag):
        self.all.append(nag)

    def comment(self, text):
        self.all.append(text)

    def begin_variation(self):
        self.all.append("(")

    def end_variation(self):
        self.all.append(")")

    def result(self, text):
        self.all.append(text)

    def fault(self, error):
        self.all.append(error.message)

    def done(self):
        return self.all


def test_a_visitor_is_told_everything_from_top_to_bottom():
    one, two = visit_games(io.StringIO(TEXT), Told)
    tags = {"Event": "One", "Game": "bof"}
    assert one == [0, tags, "before", "a", 1, "B", "after", "c", "(", "d", "(", "e", ")", "of d", ")", "*"]
    *rest, fault = two
    assert rest == [1, {"Event": "Two", "Game": "bof"}, "a", 2, "(", "b"]
    assert fault == "1 variations are still open at the end: expected ')'"


def test_faults_in_tags_are_told_before_the_tags():
    (told,) = visit_games(io.StringIO('[Game "bof"]\n[Bad "x]\n\n1. a *'), Told)
    assert "is not a tag" in told[1]
    assert told[2] == {"Game": "bof"}


@given(st.lists(games(), min_size=1, max_size=4))
def test_counting_agrees_with_building(made):
    text = "\n".join(write_game(game) for game in made)
    read = list(read_games(io.StringIO(text)))
    assert read == list(visit_games(io.StringIO(text), GameBuilder))
    for game, counts in zip(read, visit_games(io.StringIO(text), CountsBuilder), strict=True):
        lines = [(game.plies, game.comments, 0)]
        plies = others = variations = comments = 0
        while lines:
            line, said, depth = lines.pop()
            comments += len(said) + sum(len(ply.comments) for ply in line)
            plies, others = (plies, others + len(line)) if depth else (plies + len(line), others)
            inner = [variation for ply in line for variation in ply.variations]
            variations += len(inner)
            lines += [(variation.plies, variation.comments, depth + 1) for variation in inner]
        assert counts == Counts(plies, others, variations, comments)
