from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records import NORTH, SOUTH, Game, Move, Ply, RecordsError, read_games, write_game
from records.notation.commands import (
    FORMS,
    After,
    BoardEvent,
    By,
    Clock,
    CommandError,
    Dispute,
    Elapsed,
    Evaluation,
    Join,
    Moment,
    Retraction,
    Ruling,
    Trial,
    after_position,
    as_words,
    commands_in,
    parse_command,
    wrong_in,
)
from records.notation.comments import Written
from tests.records.notation.commands_made import claims, commands


@settings(deadline=None, max_examples=500)
@given(commands)
def test_reading_undoes_writing_and_writing_reading(command):
    text = str(command)
    read = parse_command(text)
    assert read == command
    assert str(read) == text
    if isinstance(command, Trial | Retraction):
        assert claims(read.move) == claims(command.move)


@settings(deadline=None, max_examples=400)
@given(st.data(), st.sampled_from([name for name, form in FORMS.items() if form.sure is not None]))
def test_what_is_surely_right_is_right(data, name):
    arguments = data.draw(st.from_regex(FORMS[name].sure, fullmatch=True))
    command = parse_command(Written(name, arguments.strip()))
    assert parse_command(str(command)) == command
    assert FORMS[name].sure.fullmatch(str(command).removeprefix(f"[%{name}").removesuffix("]"))


@settings(deadline=None, max_examples=150)
@given(st.lists(commands, min_size=1, max_size=6))
def test_commands_come_back_from_a_record_as_they_were(said):
    comment = "before " + " and ".join(map(str, said)) + " after"
    game = Game({"Game": "bof"}, (Ply(Move.parse("a"), comments=(comment,)),))
    (read,) = read_games(io.StringIO(write_game(game)))
    assert read.errors == ()
    assert list(commands_in(read.plies[0].comments)) == said


@settings(deadline=None, max_examples=500)
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
    wrong = list(wrong_in(comment))
    if name == "mood":
        assert not [name for name, _, _ in wrong if name == "mood"]
        return
    assert good or wrong
    for wrong_name, _, message in wrong:
        assert FORMS[wrong_name].usage in message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[%clk 1:02:03]", Clock(3723)),
        ("[%clk 00:00:01.50]", Clock(Decimal("1.5"))),
        ("[%emt 0:00:07]", Elapsed(7)),
        ("[%at 2026-11-20T18:05:10Z]", Moment(datetime(2026, 11, 20, 18, 5, 10, tzinfo=UTC))),
        ("[%eval +3]", Evaluation(3)),
        ("[%eval -2.25,12]", Evaluation(Decimal("-2.25"), depth=12)),
        ("[%eval #0-1]", Evaluation(result="0-1")),
        ("[%by Koinet]", By("Koinet")),
        ('[%by  "A  b "]', By("A b")),
        ('[%join north "A \\"b\\" \\\\"]', Join(NORTH, 'A "b" \\')),
        ("[%trial d=f]", Trial(Move.parse("d"))),
        ("[%retract reason=illegal d side=south]", Retraction(Move.parse("d"), SOUTH, "illegal")),
        ('[%dispute claim="side=south" side=north]', Dispute(NORTH, "side=south")),
        ("[%ruling outcome=corrected note=so]", Ruling("corrected", note="so")),
        ('[%board "SIM [1]" seq=007]', BoardEvent("SIM [1]", 7)),
    ],
)
def test_commands_are_read(text, value):
    assert parse_command(text) == value


def test_seconds_are_whole_unless_decimals_are_told():
    assert isinstance(parse_command("[%clk 0:00:01]").seconds, int)
    assert parse_command("[%clk 0:00:01.50]").seconds.as_tuple().digits == (1, 5, 0)


def test_moves_keep_their_claims():
    trial = parse_command("[%trial d<x3=ef]")
    assert claims(trial.move) == ((3, 0), "ef")
    assert str(trial) == "[%trial d<x3=ef]"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[%clk]", "something is missing: expected [%clk h:mm:ss]"),
        ("[%clk 0:60:00]", "'0:60:00' is no time"),
        ("[%clk -0:01:00]", "'-0:01:00' is no time"),
        ("[%emt 12]", "'12' is no time"),
        ("[%at 2026-11-20T18:05:10]", "no time of RFC 3339"),
        ("[%at 2026-11-20T25:05:10Z]", "no time of RFC 3339"),
        ("[%at 20261120T180510Z]", "no time of RFC 3339"),
        ("[%eval better]", "'better' are no seeds"),
        ("[%eval 3,]", "'' is no number"),
        ("[%eval 3,99999]", "99999 is no depth"),
        ("[%eval #2-0]", "'2-0' is not one of 1-0, 0-1, 1/2-1/2"),
        ('[%join South "A"]', "'South' is not one of south, north"),
        ("[%join south]", "something is missing"),
        ("[%leave]", '[%leave south|north "name"]'),
        ("[%retract d side=west reason=trial]", "'west' is not one of"),
        ("[%retract d side=south]", "reason is missing"),
        ("[%retract side=south reason=trial]", "something is missing"),
        ("[%retract d e side=south reason=trial]", "'e' is too much"),
        ('[%dispute claim="x"]', "side is missing"),
        ('[%dispute side=north claim=""]', "a text is empty"),
        ("[%ruling outcome=Stands]", "'Stands' is not one of"),
        ('[%board "T"]', "seq is missing"),
        ('[%board "T" seq=-1]', "'-1' is no number"),
        ('[%after "4.4/4.4 0-0 s"]', "not a position"),
        ('[%by "A"B]', "cannot be told apart"),
        ('[%by "A" "B"]', "'B' is too much"),
        ('[%by "A" b="B"]', "cannot be told apart"),
        ('[%by "A" bb="B"]', "it has no bb"),
        ("plain", "is not a command"),
        ("[%clk 0:00:01] [%clk 0:00:02]", "is not a command"),
    ],
)
def test_wrong_commands_are_quoted_with_what_is_right(text, says):
    with pytest.raises(CommandError) as caught:
        parse_command(text)
    assert text in str(caught.value)
    assert says in str(caught.value)


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
    assert parse_command("[%cal  Gd4,Re5 ]") == Written("cal", "Gd4,Re5")
    assert list(wrong_in("[%cal Gd4] [%Clk x] [%mood never closed")) == []
    assert list(commands_in(["[%cal Gd4] [%Clk 0:00:01]"])) == []


def test_wrong_ones_are_told_and_the_others_read():
    comments = ['[%by "A"] [%clk soon] and [%emt 0:00:01]', '[%join south "B']
    assert list(commands_in(comments)) == [By("A"), Elapsed(1)]
    assert [(name, text) for comment in comments for name, text, _ in wrong_in(comment)] == [
        ("clk", "[%clk soon]"),
        ("join", "[%join"),
    ]


@settings(deadline=None, max_examples=400)
@given(
    st.lists(
        st.sampled_from(
            ["[%clk ", "[%by ", "[%mood ", '"', "\\", "]", "[", " ", "0:01:00]", '"A"]', "x", "[%clk 0:00:01]"]
        ),
        max_size=12,
    ).map("".join)
)
def test_a_wrong_command_becomes_words_and_what_is_right_stays(comment):
    told = as_words(comment)
    assert list(wrong_in(told)) == []
    assert told.replace("[%", "[") == comment.replace("[%", "[")
    if not list(wrong_in(comment)):
        assert told == comment


def test_as_words_nothing_but_the_wrong_one_changes():
    assert as_words('a [%clk soon] b [%by "A"] [%mood x] [%by "B') == 'a [clk soon] b [%by "A"] [%mood x] [by "B'


def test_the_position_after_is_the_first_told_whatever_it_is():
    assert after_position(["x", "[%after]", '[%after "no position"] [%after "4/4 0-0 s 0"]']) == "no position"
    assert after_position(["[%before 1]"]) is None
