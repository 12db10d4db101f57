import io
import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.records import NORTH, SOUTH, Game, Move, Ply, RecordsError, read_games, write_game
from inkeek.records.notation.commands import (
    FORMS,
    After,
    BoardEvent,
    By,
    Clock,
    CommandError,
    Comment,
    Dispute,
    Elapsed,
    Evaluation,
    Moment,
    RawCommand,
    Reopening,
    Retraction,
    Ruling,
    Trial,
    after_position,
    as_words,
    commands_in,
    parse_command,
    split_comment,
    unclosed_commands,
    wrong_commands,
)
from tests.records.notation.commands_made import claims, commands


@settings(max_examples=500)
@given(commands)
def test_reading_undoes_writing_and_writing_reading(command):
    text = str(command)
    read = parse_command(text)
    assert read == command
    assert str(read) == text
    if isinstance(command, Trial | Retraction):
        assert claims(read.move) == claims(command.move)


@settings(max_examples=400)
@given(st.data(), st.sampled_from([name for name, form in FORMS.items() if form.certain and form.name == name]))
def test_what_is_surely_right_is_right(data, name):
    arguments = data.draw(st.from_regex(FORMS[name].certain, fullmatch=True))
    command = parse_command(RawCommand(name, arguments.strip()))
    assert parse_command(str(command)) == command
    assert re.fullmatch(FORMS[name].certain, str(command).removeprefix(f"[%{name}").removesuffix("]"))


@settings(max_examples=150)
@given(st.lists(commands, min_size=1, max_size=6))
def test_commands_come_back_from_a_record_as_they_were(said):
    comment = "before " + " and ".join(map(str, said)) + " after"
    reopened = str(Reopening())  # else the tags would have to tell an end
    game = Game({"Version": "1.1", "Game": "bof"}, (Ply(Move.parse("a"), comments=(comment, reopened)),))
    (read,) = read_games(io.StringIO(write_game(game)))
    assert read.errors == ()
    assert list(commands_in(read.plies[0].comments[:1])) == said


@settings(max_examples=500)
@given(
    st.sampled_from([*FORMS, "mood"]),
    st.lists(
        st.sampled_from(
            [
                " ",
                '"',
                '"A"',
                "south",
                "side=north",
                "reason=trial",
                "d",
                "0:01:00",
                "seq=1",
                "by=",
                "]",
                "[%",
                "\\",
                "3,",
            ]
        ),
        max_size=8,
    ).map("".join),
)
def test_any_arguments_are_read_or_refused_with_what_is_right(name, arguments):
    comment = f"[%{name} {arguments}]"
    good = list(commands_in([comment]))
    wrong = list(wrong_commands(comment))
    if name == "mood":
        assert not [name for name, _, _ in wrong if name == "mood"]
        return
    assert good or wrong
    for wrong_name, _, message in wrong:
        assert FORMS[wrong_name].usage in message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[%clk 00:00:01.50]", Clock(Decimal("1.5"))),
        ("[%at 2016-12-31T23:59:60Z]", Moment(datetime(2016, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))),
        ("[%eval +3]", Evaluation(3)),
        ("[%eval -2.25,12]", Evaluation(Decimal("-2.25"), depth=12)),
        ("[%by Koinet]", By("Koinet")),
        ('[%by  "A  b "]', By("A b")),
        ("[%retract reason=illegal d side=south]", Retraction(Move.parse("d"), SOUTH, "illegal")),
        ('[%dispute claim="side=south" side=north]', Dispute(NORTH, "side=south")),
        ("[%ruling outcome=corrected note=so]", Ruling("corrected", note="so")),
        ('[%board "SIM [1]" seq=007]', BoardEvent("SIM [1]", 7)),
    ],
)
def test_commands_are_read(text, value):
    assert parse_command(text) == value


@pytest.mark.parametrize(("text", "quoted"), [("[%clk 0:60:00]", "'0:60:00'"), ("[%eval 3,99999]", "99999")])
def test_bounds_of_numbers_are_kept(text, quoted):
    with pytest.raises(CommandError, match=quoted):
        parse_command(text)


def test_seconds_are_whole_unless_decimals_are_written():
    assert isinstance(parse_command("[%clk 0:00:01]").seconds, int)
    assert parse_command("[%clk 0:00:01.50]").seconds.as_tuple().digits == (1, 5, 0)


@pytest.mark.parametrize("text", ["plain", "[%clk 0:00:01] [%clk 0:00:02]", "[%clk 0:00:01] and words"])
def test_what_is_not_one_command_is_quoted(text):
    with pytest.raises(CommandError, match=re.escape(f"{text!r} is not a command: expected [%name …]")):
        parse_command(text)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Clock(-1),
        lambda: Clock(36_000_000),
        lambda: Clock(Decimal("NaN")),
        lambda: Elapsed(Decimal("0.0000000001")),
        lambda: Moment(datetime(2026, 11, 20)),
        lambda: Moment(datetime(2026, 11, 20, tzinfo=timezone(timedelta(seconds=30)))),
        lambda: Evaluation(),
        lambda: Evaluation(3, "1-0"),
        lambda: Evaluation(10_000),
        lambda: Evaluation(Decimal("0.0001")),
        lambda: Evaluation(result="*"),
        lambda: Evaluation(3, depth=-1),
        lambda: By(""),
        lambda: By("a  b"),
        lambda: By("a\nb"),
        lambda: Trial(Move.parse("a"), " b"),
        lambda: Retraction(Move.parse("a"), SOUTH, "mood"),
        lambda: Dispute(SOUTH, ""),
        lambda: Ruling("maybe"),
        lambda: BoardEvent("T", -1),
        lambda: After("4.4"),
    ],
)
def test_values_that_could_not_be_written_cannot_be(make):
    with pytest.raises(RecordsError):
        make()


def test_unknown_commands_stay_as_they_came():
    assert parse_command("[%cal  Gd4,Re5 ]") == RawCommand("cal", "Gd4,Re5")
    assert list(wrong_commands("[%cal Gd4] [%Clk x] [%mood never closed")) == []
    assert list(commands_in(["[%cal Gd4] [%Clk 0:00:01]"])) == []


def test_wrong_commands_are_listed_and_the_others_read():
    comments = ['[%by "A"] [%clk soon] and [%emt 0:00:01]', '[%join south "B']
    assert list(commands_in(comments)) == [By("A"), Elapsed(1)]
    assert [(name, text) for comment in comments for name, text, _ in wrong_commands(comment)] == [
        ("clk", "[%clk soon]"),
        ("join", "[%join"),
    ]


@settings(max_examples=400)
@given(
    st.lists(
        st.sampled_from(
            ["[%clk ", "[%by ", "[%mood ", '"', "\\", "]", "[", " ", "0:01:00]", '"A"]', "x", "[%clk 0:00:01]"]
        ),
        max_size=12,
    ).map("".join)
)
def test_a_wrong_command_becomes_words_and_what_is_right_stays(comment):
    words = as_words(comment)
    assert list(wrong_commands(words)) == []
    assert words.replace("[%", "[") == comment.replace("[%", "[")
    if not list(wrong_commands(comment)):
        assert words == comment


def test_as_words_nothing_but_the_wrong_one_changes():
    assert as_words('a [%clk soon] b [%by "A"] [%mood x] [%by "B') == 'a [clk soon] b [%by "A"] [%mood x] [by "B'


def test_the_position_after_is_the_first_one_whatever_it_is():
    assert after_position(["x", "[%after]", '[%after "no position"] [%after "4/4 0-0 s 0"]']) == "no position"
    assert after_position(["[%before 1]"]) is None


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
