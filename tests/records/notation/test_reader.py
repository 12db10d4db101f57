import io
import re
import tracemalloc

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.records import (
    Game,
    Move,
    Ply,
    RecordsError,
    SourceError,
    read_games,
    write_game,
)
from inkeek.records.notation import splitter, writer
from inkeek.records.notation.movetext import MAX_PLIES
from inkeek.records.notation.splitter import MAX_LINE
from inkeek.records.record import MAX_NESTING
from tests.records.notation.records_made import games

HEAD = '[Game "bof"]\n\n'
OVER = '[Game "bof"]\n[Setup "0.0.0.0.0/0.0.0.0.0 21-19 s 9"]\n\n'
MAX_RECORD = 400_000  # a tenth of the real one, which takes ten times as long


def read(text):
    return list(read_games(io.StringIO(text, newline="")))


def fault(text):
    (game,) = read(text)
    return game.errors[0]


@settings(max_examples=40)
@given(st.lists(games(), min_size=1, max_size=3), st.sampled_from(["\n", "\n\n\n", "\r\n", "\ufeff"]))
def test_records_of_a_file_are_neither_lost_nor_made_up(written, way):
    text = "\n".join(map(write_game, written))
    if way == "\ufeff":
        text = way + text.rstrip("\n")
    elif way == "\r\n":
        text = text.replace("\n", way)
    else:
        text = text + way
    got = read(text)
    assert [game.errors for game in got] == [()] * len(written)
    assert [game.plies for game in got] == [game.plies for game in written]
    assert [game.comments for game in got] == [game.comments for game in written]
    as_bytes = list(read_games(io.BytesIO(text.encode())))
    assert as_bytes == got


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "\ufeff", "\r\n\r\n", " \n\t\n"])
def test_nothing_is_no_game(text):
    assert read(text) == []


def test_a_path_is_opened_and_a_text_is_refused(tmp_path):
    path = tmp_path / "games.pmn"
    path.write_text(HEAD + "1. a *\n")
    assert list(read_games(path)) == list(read_games(str(path))) == read(path.read_text())
    for text in ("", "[", path.read_text(), path.read_bytes(), bytearray(path.read_bytes())):
        with pytest.raises(SourceError, match="StringIO"):
            read_games(text)
    for source in (None, 3):
        with pytest.raises(SourceError, match=re.escape(repr(source)[:80])):
            list(read_games(source))
    with pytest.raises(SourceError, match=re.escape(repr(path)[:60])):
        list(read_games([path]))
    with pytest.raises(FileNotFoundError):
        read_games("games.pmx")


@pytest.mark.parametrize(
    ("text", "code", "kind"),
    [
        (HEAD + "1. a what? *", "not-a-move", "syntax"),
        (HEAD + "1. a { *", "bad-movetext", "syntax"),
        (HEAD + "1. a {[%clk soon]} *", "bad-command", "syntax"),
        ("[Game]\n\n*", "bad-tag", "syntax"),
        ('[Game "chess"]\n\n*', "wrong-tag", "tag"),
        (HEAD + "1. a a *", "not-your-pit", "turn"),
        (HEAD + "1. ~a *", "irregular", "turn"),
        ('[Result "1-0"]\n' + HEAD + "1. a *", "wrong-result", "result"),
        (OVER + "0-1", "wrong-result", "result"),
    ],
)
def test_an_error_says_of_which_kind_it_is(text, code, kind):
    error = fault(text)
    assert (error.code, error.kind, error.severity) == (code, kind, "error")


@pytest.mark.parametrize("end", ["*", "1-0"])
@pytest.mark.parametrize("tag", ["", '[Result "*"]\n'])
def test_a_result_that_follows_from_the_game_is_a_warning(tag, end):
    text = tag + OVER + end
    (game,) = read(text)
    (strict,) = read_games(io.StringIO(text), strict=True)
    assert game.errors == ()
    assert game.replay().outcome.result == "1-0"
    assert game.problems == strict.errors
    assert [(error.code, error.severity, error.line) for error in strict.errors] == [("missing-result", "warning", 1)]


def test_a_brace_that_closes_nothing_has_a_place():
    error = fault(HEAD + "1. a }")
    assert "'}'" in error.message
    assert (error.line, error.column) == (3, 6)


def test_variations_as_deep_as_is_allowed():
    for depth, wrong in ((MAX_NESTING, False), (MAX_NESTING + 1, True)):
        text = HEAD + "a " + "( a " * depth + ") " * depth
        (game,) = read(text)
        assert bool(game.faults) is wrong
    assert str(MAX_NESTING) in game.faults[0].message
    (game,) = read(HEAD + "a " + "( a\n" * 100_000)
    assert str(MAX_NESTING) in game.faults[0].message


def test_a_line_that_is_too_long():
    text = HEAD + "1. a {" + "x" * (2 * MAX_LINE) + "}\n\n" + HEAD + "1. ax5\n"
    first, second = read(text)
    assert f"longer than {MAX_LINE} characters" in first.errors[0].message
    assert first.errors[0].line == 3
    assert not second.errors
    as_lines = list(read_games(text.splitlines(keepends=True)))
    assert [bool(game.errors) for game in as_lines] == [True, False]


@pytest.fixture
def _shorter_records(monkeypatch):
    for module in (splitter, writer):
        monkeypatch.setattr(module, "MAX_RECORD", MAX_RECORD)


@pytest.mark.usefixtures("_shorter_records")
def test_a_record_that_is_too_long():
    line = "{" + "x" * 998 + "}\n"
    text = HEAD + "a " + line * (MAX_RECORD // 1000 + 2) + "\n" + HEAD + "1. ax5\n"
    first, second = read(text)
    assert f"longer than {MAX_RECORD} characters" in first.errors[0].message
    assert not second.errors


@pytest.mark.parametrize("line", ["\0", "y\n", "\n", "1. ax5 {"])
def test_a_file_without_an_end_is_not_read_further(line, monkeypatch):
    monkeypatch.setattr(splitter, "MAX_UNREAD", 300_000)
    file = io.StringIO(HEAD + "1. ax5 *\n\n" + HEAD + line * 1_000_000)
    good, bad = read_games(file)
    assert not good.errors
    assert str(300_000) in bad.errors[0].message
    assert file.tell() < 300_000 + 2 * MAX_LINE


@pytest.mark.usefixtures("_shorter_records")
@pytest.mark.parametrize(
    ("before", "piece", "after", "sizes"),
    [
        ("{ ", "x", "\n}", (MAX_LINE - 2, MAX_LINE - 1)),
        ("a\n;", "x", "\n", (MAX_LINE - 2, MAX_LINE - 1)),
        ("a\n", "{x}" * 1000 + "\n", "", (MAX_RECORD // 4100, MAX_RECORD // 3001 - 1)),
        ("a\n", "$1" * 1000 + "\n", "", (MAX_RECORD // 3100, MAX_RECORD // 2001 - 1)),
    ],
    ids=["comment", "line-comment", "comments", "annotations"],
)
def test_what_is_read_can_be_written_and_read_again_at_every_limit(before, piece, after, sizes):
    refused = []
    for size in sizes:
        (game,) = read(HEAD + before + piece * size + after)
        refused.append(bool(game.faults))
        if not game.faults:
            (again,) = read(write_game(game))
            assert (again.faults, again.plies, again.comments) == ((), game.plies, game.comments)
    assert refused == [False, True]


BREAKS = ["\u2028", "\v", "\f", "\rx", "\x1c", "\x1f", "\x85"]
NEVER = ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\ufffe", "\uffff"]


@pytest.mark.parametrize("character", BREAKS + NEVER)
def test_a_character_that_no_value_holds_is_quoted(character):
    (game,) = read_games(io.BytesIO(f'[South "A{character}"]\n{HEAD}'.encode()))
    error = game.errors[0]
    assert repr(character[0]) in error.message
    assert (error.code, error.line, error.column) == ("bad-tag", 1, 1)
    with pytest.raises(RecordsError, match=re.escape(repr(character[0]))):
        write_game(Game({"Game": "bof", "South": f"A{character}"}))


@pytest.mark.parametrize("character", NEVER)
@pytest.mark.parametrize("form", ["{a comment %s}", "; a comment %s"])
def test_a_character_that_no_comment_holds_is_quoted(form, character):
    (game,) = read(f"{HEAD}a A {form % character}\nb *")
    (error,) = game.errors
    assert repr(character) in error.message
    assert (error.code, error.line, error.column, len(game.plies)) == ("bad-movetext", HEAD.count("\n") + 1, 5, 2)
    with pytest.raises(RecordsError, match=re.escape(repr(character))):
        write_game(Game({"Game": "bof"}, (Ply(Move.parse("a"), comments=(character,)),)))


def test_half_a_surrogate_pair_is_no_text():
    (game,) = read_games([f'[South "\ud800"]\n{HEAD}'.split("\n")[0], *HEAD.split("\n"), "a {\udfff} *"])
    assert [error.code for error in game.faults] == ["bad-tag"]
    (game,) = read(HEAD + "a {\udfff} *")
    assert [error.code for error in game.faults] == ["bad-movetext"]


def test_too_many_plies():
    (game,) = read(HEAD + "a A\n" * (MAX_PLIES // 2 + 1))
    assert f"more than {MAX_PLIES} plies" in game.faults[0].message


def test_a_file_is_read_in_memory_that_does_not_grow_with_it():
    record = HEAD + "1. ax5 Ax3 {" + "word " * 2000 + "}\n\n"

    def lines(count):
        for _ in range(count):
            yield from record.splitlines(keepends=True)

    peaks = []
    for count in (20, 200):
        tracemalloc.start()
        assert sum(1 for _ in read_games(lines(count))) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


@pytest.mark.parametrize(
    ("encoding", "place"), [("cp1252", (2, 12)), ("utf-16", (1, 1)), ("utf-16-le", (1, 1)), ("utf-32", (1, 1))]
)
def test_a_file_in_another_encoding_names_it(encoding, place):
    file = io.BytesIO('[Game "bof"]\n[South "René"]\n\n1. a *\n'.encode(encoding))
    error = next(read_games(file)).errors[0]
    assert (error.line, error.column) == place
    assert {"cp1252": "Windows-1252"}.get(encoding, encoding[:6].upper()) in error.message


def test_no_encoding_is_guessed_of_other_alphabets_and_of_damage():
    for data in ("Мария".encode("cp1251"), "é".encode() + b"\xe9"):
        error = next(read_games(io.BytesIO(b'[Game "bof"]\n[South "' + data + b'"]\n\n1. a *\n'))).errors[0]
        assert (error.line, "Windows" in error.message) == (2, False)


HIDDEN = {"\u200b": "ZERO WIDTH SPACE", "\ufeff": "NO-BREAK", "\u200e": "LEFT-TO-RIGHT MARK", "\u3164": "HANGUL FILLER"}


@pytest.mark.parametrize("character", HIDDEN)
@pytest.mark.parametrize(
    "text",
    [
        '[Game "bof"]\n[So?uth "A"]\n\n1. a *\n',
        '[Game "bo?f"]\n\n1. a *\n',
        '[Game "bof"]\n[South "A?"]\n\n1. a *\n',
        '[Game "bof"]\n\n1. a? *\n',
        '[Game "bof"]\n\n1. ?a *\n',
        '[Game "bof"]\n\n1. a {x\n?y} *\n',
    ],
)
def test_a_character_that_nobody_sees_is_named_with_its_place(character, text):
    (game,) = read(text.replace("?", character))
    before = text[: text.index("?")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    (found,) = {str(problem) for problem in game.problems if HIDDEN[character] in str(problem)}
    assert f"line {line}, " in found
    assert re.search(rf"column {column}:? U\+{ord(character):04X}", found)


def test_joiners_stand_where_scripts_need_them():
    (game,) = read('[Game "bof"]\n[South "می\u200cخواهم"]\n\n1. a {👩\u200d👧} *\n')
    assert game.problems == ()
