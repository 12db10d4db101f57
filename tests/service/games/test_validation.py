import pytest

from inkeek.records import RecordsError
from inkeek.service.errors import Invalid
from inkeek.service.games.record_check import check_tags, check_text
from inkeek.service.games.validation import check_actor, check_comment, check_options, check_tag_changes


def test_ordinary_tags_and_texts_are_taken():
    check_tags({"South": "Kipsigis “A” {bench}", "SouthTeam": "", "X_1": "x" * 1000})
    check_text("comments", 'with "quotes" and [%clk 0:01:00]', 100)
    check_actor("Nasieku ole Sein")
    check_comment('why not? [%by "A ] B"] [%clk 0:01:00] [%mood calm]')


@pytest.mark.parametrize("comment", ["[%clk soon]", '[%by "A', "[%retract d side=south]", "\x1b", "x" * 20_001])
def test_comments_whose_commands_are_wrong_are_refused(comment):
    with pytest.raises(Invalid, match=r"^comments: "):
        check_comment(comment)


def test_teams_that_cannot_be_are_refused():
    check_tags({"SouthTeam": "A; B", "NorthTeam": "C"})
    with pytest.raises(RecordsError, match=r"NorthTeam .*'B'.* SouthTeam"):
        check_tags({"SouthTeam": "A; B", "NorthTeam": "B"})


@pytest.mark.parametrize("tags", [{"": "x"}, {"1st": "x"}, {"Süd": "x"}, {"A" * 65: "x"}, {"Setup": "x"}])
def test_names_that_are_no_tags_are_refused(tags):
    with pytest.raises(Invalid):
        check_tags(tags)


def test_tags_are_bounded_together():
    long = {f"T{number}": "x" * 2000 for number in range(8)}
    check_tags(long)
    with pytest.raises(Invalid, match="16384"):
        check_tags({**long, "T9": "x" * 2000})
    check_tag_changes({**long, "T9": "x" * 2000}, {"T9": "y" * 2000})  # stored by an earlier version
    with pytest.raises(Invalid, match="in all"):
        check_tag_changes(long, {"T9": "x" * 2000})


def test_too_many_tags_are_refused():
    with pytest.raises(Invalid, match="101"):
        check_tags({f"T{number}": "" for number in range(101)})


@pytest.mark.parametrize(
    ("where", "text"),
    [("tags.X", "a\nb"), ("tags.X", "\x00"), ("tags.X", "\ud800"), ("tags.X", "\u202e"), ("comments", "\x1b[1m")],
)
def test_characters_that_would_break_a_record_are_refused(where, text):
    with pytest.raises(Invalid, match="the character "):
        check_text(where, text, 100)


@pytest.mark.parametrize("by", ["\x1b[1m", "a\nb", "x" * 201, "\u200d", "Ann\u3164", "Nаserian"])
def test_a_name_that_cannot_stand_in_a_record_is_refused(by):
    with pytest.raises(Invalid, match=r"^by: "):
        check_actor(by)


@pytest.mark.parametrize(
    "text",
    ['the "long arm"', "}", "{", "علی\u200cرضا", "👩\u200d🏫", "Сара", "Ngʼombe", "A子", "a\u00a0b", "tab\there"],
)
def test_what_the_notation_can_hold_is_taken(text):
    check_tags({"South": text})
    check_actor(text)
    check_comment(" ".join(text.split()))


def test_options_are_words_numbers_and_truths():
    check_options({"pits": 8, "skip_origin": True, "setup": "4.4.0/4.4.0"})


@pytest.mark.parametrize("value", [8.0, None, [8], {"a": 1}, "", "8 setup=x", "a\tb", "9" * 401, float("inf")])
def test_other_options_are_quoted_and_refused(value):
    with pytest.raises(Invalid, match=r"^options\.pits is "):
        check_options({"pits": value})
    with pytest.raises(Invalid, match=r"^options\.p x is 8"):
        check_options({"p x": 8})
