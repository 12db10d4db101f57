import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inkeek.records.notation.commands import Comment, RawCommand, split_comment, unclosed_commands

PIECES = ["[%a ", "[%by ", '"', "\\", " ", "[", "]", "x", "=", '\\"', "[%", "%"]


@pytest.mark.parametrize(
    ("comment", "text", "commands"),
    [
        ("no  command", "no command", ()),
        ("a [%clk 0:01:00] b[%mood]c", "a b c", (RawCommand("clk", "0:01:00"), RawCommand("mood"))),
        ('[%by "a ] b"] c]', "c]", (RawCommand("by", '"a ] b"'),)),
        ('[%by "a \\"] b"]', "", (RawCommand("by", '"a \\"] b"'),)),
        ("[%by [1]]", "]", (RawCommand("by", "[1"),)),
        ("[% 3] and [%3]", "[% 3] and [%3]", ()),
        ("[%by a [%clk 0:01:00]", "[%by a", (RawCommand("clk", "0:01:00"),)),
        ('[%by "a [%clk 0:01:00]', '[%by "a', (RawCommand("clk", "0:01:00"),)),
        ('[%by"a"]', '[%by"a"]', ()),
        ("[%A_1\tb\n c ]", "", (RawCommand("A_1", "b\n c"),)),
    ],
)
def test_a_comment_is_split_into_words_and_commands(comment, text, commands):
    assert split_comment(comment) == Comment(text, commands)


def test_what_is_begun_and_never_closed_is_found():
    assert list(unclosed_commands('as [%by "Abdi and [%clk')) == [("by", ' "Abdi and [%clk'), ("clk", "")]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=40))
def test_taking_apart_twice_is_taking_apart_once(comment):
    said = split_comment(comment)
    joined = " ".join([said.text, *map(str, said.commands)])
    assert split_comment(joined).commands[-len(said.commands) or len(joined) :] == said.commands
    for command in said.commands:
        assert split_comment(str(command)) == Comment("", (command,))
