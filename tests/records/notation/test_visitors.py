import io

from hypothesis import given
from hypothesis import strategies as st

from inkeek.records import Counts, CountsBuilder, GameBuilder, TagsBuilder, Visitor, read_games, visit_games, write_game
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


class Log(Visitor[list[object]]):
    """Keeps everything in the order in which it is visited."""

    def __init__(self, source, index):
        super().__init__(source, index)
        self.log = [index]

    def tags(self, tags):
        self.log.append(dict(tags))
        return True

    def plies(self, plies):
        for ply in plies:
            assert not ply.variations
            self.log += [str(ply.move), *ply.nags, *ply.comments]

    def annotation(self, nag):
        self.log.append(nag)

    def comment(self, text):
        self.log.append(text)

    def begin_variation(self):
        self.log.append("(")

    def end_variation(self):
        self.log.append(")")

    def result(self, text):
        self.log.append(text)

    def fault(self, error):
        self.log.append(error)

    def done(self):
        return self.log


def test_a_visitor_sees_everything_from_top_to_bottom():
    one, two = visit_games(io.StringIO(TEXT), Log)
    tags = {"Event": "One", "Game": "bof"}
    assert one == [0, tags, "before", "a", 1, "B", "after", "c", "(", "d", "(", "e", ")", "of d", ")", "*"]
    *rest, fault = two
    assert rest == [1, {"Event": "Two", "Game": "bof"}, "a", 2, "(", "b"]
    assert "')'" in fault.message


def test_faults_of_tags_come_before_the_tags():
    (log,) = visit_games(io.StringIO('[Game "bof"]\n[Bad "x]\n\n1. a *'), Log)
    assert (log[1].line, log[1].column) == (2, 1)
    assert log[2] == {"Game": "bof"}


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
