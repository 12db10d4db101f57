"""Sheets as different people write them."""

from __future__ import annotations

import re
from random import Random

import pytest

from inkeek.records import RecordsError, read_games
from inkeek.records.notation.tags import ENDINGS
from inkeek.records.notation.writer import write_game
from inkeek.records.paper.reading import MAX_SHEET, MAX_TOKENS, MEANINGS, read_sheet
from inkeek.records.paper.words import find_end, pits_said
from inkeek.records.position import Side

from .writings import from_right, from_souths_left, numbered, play

ENKESHUI = {"Game": "enkeshui", "Options": "pits=8 setup=fours-right"}
KALAH, OWARE, LAYLI = {"Game": "kalah"}, {"Game": "oware"}, {"Game": "layli-goobalay"}
NAMES = {"South": "Amina", "North": "Babu"}
LOST = {"Result": "0-1", "Termination": "resignation"}

# What is known, the sheet, the moves that are read, the tags that come out.
SHEETS = {
    "two columns with headers": (
        OWARE,
        "Amina        Babu\n-----        ----\n1.  c        D\n2.  a        F\n3.  f\n",
        "c D a F f",
        {**NAMES, "Result": "*"},
    ),
    "stores that a column says a side has": (
        OWARE,
        "turn, pit, South has, North has\n1, c, 0, 0\n2, D, 0, 0\n3, a, 0, 0\n",
        "c D a",
        {"Result": "*"},
    ),
    "where it is from and what may be shown, in sentences": (
        OWARE,
        "Source: Notes of K. Lelei, pp. 12; the blue book. Second shelf\nNoted by: Nasieku\nc D\n\nConsent: pseudonyms",
        "c D",
        {
            "Source": "Notes of K. Lelei, pp. 12; the blue book. Second shelf",
            "Recorder": "Nasieku",
            "Consent": "pseudonyms",
            "Result": "*",
        },
    ),
    "sides as headers": (OWARE, "South | North\n1 c | D\n2 a | F\n", "c D a F", {"Result": "*"}),
    "one line": (
        OWARE,
        "Amina v Babu 1.c D 2.a F 3.f 0-1 resigned",
        "c D a F f",
        {**NAMES, **LOST},
    ),
    "one line without spaces": (OWARE, "1.cD 2.aF 1/2 agreed", "c D a F", {"Result": "1/2-1/2"}),
    "capitals": (OWARE, "C D A F F", "c D a F f", {"Result": "*"}),
    "small letters, which a phone begins with a capital": (OWARE, "C d\nA f\nF", "c D a F f", {"Result": "*"}),
    "crossed numbers": (OWARE, "1) c D\n~~2) a~~ 2) a F\n3) f\n", "c D a F f", {"Result": "*"}),
    "commas and dashes": (OWARE, "#1: c, d; 2: a - f\n3 f", "c D a F f", {"Result": "*"}),
    "choices that need more than a pit": (ENKESHUI, "1. g > < x 2   b X6\n2. d = a", "g>< B d", {"Result": "*"}),
    "captures in Layli, in capitals": (LAYLI, "LX6 B\nA", "l B a", {"Result": "*"}),
    "a line for each side": (OWARE, "South: c a f\nNorth: D F\n", "c D a F f", {"Result": "*"}),
    "a line for each player, with numbers": (
        OWARE,
        "Amina - Babu\nAMINA 1. c 2. a 3. f\nBABU 1. d 2. f",
        "c D a F f",
        {**NAMES, "Result": "*"},
    ),
    "several moves in a turn": (KALAH, "1. c, a   D\n2. b", "c a D b", {"Result": "*"}),
    "a result in words": (OWARE, "Amina against Babu\n1. c D\nBabu won on time", "c D",
                          {**NAMES, "Result": "0-1", "Termination": "time"}),
    "who resigned, and who wins": (OWARE, "Amina vs Babu\nc D\nAmina resigned, Babu wins", "c D", {**NAMES, **LOST}),
    "a name in capitals in the first line, and a place": (
        {**OWARE, **NAMES},
        "AMINA\nNarok, 21/11/2026\n1. c D",
        "c D",
        {**NAMES, "Date": "2026.11.21"},
    ),
    "letters of the sides on one line": (OWARE, "S: Amina N: Babu\n1. c D\n2. a F", "c D a F", NAMES),
    "letters of the sides on one line, turned round": (OWARE, "N= Babu  S= Amina\n1. c D", "c D", NAMES),
    "labels": (
        OWARE,
        "South: Amina\nNorth: Babu\nEvent: Cup\nTable: 4\nDate: 3 Novemba 2026\nResult: 0-1\nReason: gave up\nc D",
        "c D",
        {**NAMES, **LOST, "Event": "Cup", "Board": "4", "Date": "2026.11.03"},
    ),
    "an unfinished game": (OWARE, "1. c D\n2. a\nunfinished", "c D a", {"Result": "*"}),
    "Swahili": (
        OWARE,
        "Amina dhidi ya Babu\nTarehe: 21.11.76\n1. c D\nAmina amejiuzulu",
        "c D",
        {**NAMES, **LOST, "Date": "1976.11.21"},
    ),
    "a draw in Swahili": (OWARE, "c D\nsare kwa makubaliano", "c D", {"Result": "1/2-1/2", "Termination": "agreement"}),
    "Windows line ends": (OWARE, "Amina - Babu\r\n1. c D\r\n2. a F\r\n", "c D a F", NAMES),
    "a record in the notation": (
        OWARE,
        '[South "Amina"]\n[Result "1-0"]\n[Termination "forfeit"]\n\n1. c! D {slow} 2. a 1-0\n',
        "c D a",
        {"South": "Amina", "Result": "1-0", "Termination": "forfeit"},
    ),
    "seeds": (OWARE, "1. c D 26-22", "c D", {"Score": "26-22"}),
    "names that say who played a line": (
        OWARE, "W. Driedger: c a f\nOle Sankan: D F", "c D a F f", {"South": "W. Driedger", "North": "Ole Sankan"}
    ),
    "names in a chat, of whom North began": (
        OWARE, "North begins\n[10:32] Amina: C\n[10:33] Babu: d", "C d", {"South": "Babu", "North": "Amina"}
    ),
    "names in a column": (OWARE, "turn,player,pit\n1,Amina,c\n2,Babu,D\n3,Amina,a", "c D a", NAMES),
    "names and turns in one line": (OWARE, "Amina - Babu: c; D; a", "c D a", NAMES),
    "full names above, short ones beside the turns": (
        OWARE, "Ole Sankale vs Ed\nOle: c\nEd: D", "c D", {"South": "Ole Sankale", "North": "Ed"}
    ),
    "a Roman month": (OWARE, "Amina–Babu, 21.XII.72\n1. c D", "c D", {**NAMES, "Date": "1972.12.21"}),
    "a date in a sentence": (
        OWARE, "13 May 2021. South K. Mensah, North Ama.\n1. c D", "c D",
        {"South": "K. Mensah", "North": "Ama", "Date": "2021.05.13"},
    ),
    "a weekday and bullets": (
        OWARE, "Sunday, November 19th, 2008\nAmina against Babu\n– c\n– D\n– a", "c D a",
        {**NAMES, "Date": "2008.11.19"},
    ),
    "a date in brackets before the turns": (
        OWARE, "Amina - Babu (21/7/1987) 1.c D 2.a F", "c D a F", {**NAMES, "Date": "1987.07.21"}
    ),
    "ordinals": (OWARE, "1st turn: c, D\n2nd turn: a, F", "c D a F", {}),
    "ordinals in words": (OWARE, "First turn: c, D\nSecond turn: a, F", "c D a F", {}),
    "sides beside numbers": (OWARE, "Pits counted from each player's left\nS3 N4 S1", "c D a", {}),
    "seeds after each round": (OWARE, "1. c D [0-0]\n2. a F [0-0]", "c D a F", {}),
    "initials before turns, with a legend": (
        OWARE, "A.H. = Amina Haji (South)\nB.M. = Babu Musa (North)\nA.H. c\nB.M. D\nA.H. a", "c D a",
        {"South": "Amina Haji", "North": "Babu Musa"},
    ),
    "initials of the names above": (
        OWARE, "Amina Haji - Babu Musa\nA.H. c\nB.M. D\nA.H. a\nB.M. F", "c D a F",
        {"South": "Amina Haji", "North": "Babu Musa"},
    ),
    "a block of turns for each side": (
        OWARE, "Abebe (South)\n 1. c\n 2. a\n 3. f\nTigist (North)\n 1. D\n 2. F", "c D a F f",
        {"South": "Abebe", "North": "Tigist"},
    ),
    "a verb that no list has": (
        OWARE, "Sul joga c\nNorte joga D, captura 0\nSul joga a\nNorte joga F", "c D a F", {"Result": "*"}
    ),
    "signs for the sides": (OWARE, "🟢 c\n🔴 D\n🟢 a\n🔴 F", "c D a F", {"Result": "*"}),
    "days from one to another": (
        OWARE, "12-14 May 1974\n1. c D", "c D", {"Date": "1974-05-12/1974-05-14"}
    ),
    "a month in Portuguese": (OWARE, "Jogo de 12 de agosto de 1991\n1. c D", "c D", {"Date": "1991.08.12"}),
    "many arrows": (OWARE, "c → D → a → F → f", "c D a F f", {}),
    "dots before the turn of who begins": (OWARE, "North begins\n1. … D\n2. c", "D c", {"First": "North"}),
}  # fmt: skip


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_is_read_as_it_was_meant(name) -> None:
    known, text, moves, tags = SHEETS[name]
    sheet = read_sheet(text, known)
    assert sheet.wrong is None
    assert [ply.move.choice_text for ply in sheet.game.plies] == moves.split()
    assert {tag: sheet.game.tags.get(tag) for tag in tags} == tags
    assert not sheet.game.errors
    assert len(sheet.positions) == len(sheet.game.plies) + 1
    assert sheet.legal
    (stored,) = read_games(write_game(sheet.game).splitlines(True))
    assert not stored.errors


# What is known, the sheet, the word that cannot be, its line and column, moves before it, one that is legal there.
WRONG = {
    "a misread letter": (OWARE, "1. c D\n2. q F", "q", 2, 4, 2, "a"),
    "a misread digit": (OWARE, "c D 8 F", "8", 1, 5, 2, "b"),
    "a letter of another alphabet": (OWARE, "1. c ö", "ö", 1, 6, 1, "D"),
    "an illegal turn": (OWARE, "1. c D 2. c", "c", 1, 11, 2, "a"),
    "the turn of the other side": (OWARE, "1. c D 2. F", "F", 1, 11, 2, "a"),
    "a false claim": (ENKESHUI, "g><x3", "g><x3", 1, 1, 0, "g><"),
    "a turn left out of a line": (OWARE, "South: c a f\nNorth: D\n", "f", 1, 12, 3, "F"),
    "a word": (OWARE, "1. c D 2. abc d", "abc", 1, 11, 2, "a"),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_first_word_that_cannot_be_is_marked_with_what_would_be_legal(name) -> None:
    known, text, word, line, column, plies, legal = WRONG[name]
    sheet = read_sheet(text, known)
    assert sheet.wrong is not None
    assert (sheet.wrong.text, sheet.wrong.line, sheet.wrong.column) == (word, line, column)
    assert len(sheet.game.plies) == plies
    assert legal in sheet.wrong.legal
    assert sheet.wrong.note
    assert all(token.meaning in MEANINGS for token in sheet.tokens)
    after = [token for token in sheet.tokens if (token.line, token.column) > (line, column)]
    assert not any(token.meaning == "move" for token in after) or name == "a turn left out of a line"


# Sheets that say what nobody can know, with what is marked.
ASKED = [
    ("Holes A-F South, a-f North, from own left\n1. C d\n2. A f", "Holes A-F South, a-f North, from own left"),
    ("Zug;Sud;Nord\n1;c;D\n2;a;F\nremis vereinbart;;", "remis vereinbart"),
    ("turn,side,pit,total N\n1,South,c,0\n2,North,D,5", "5"),
    ("2 b E missed two", "2"),
    ("1. b E missed two", "missed two"),
    ("1. c D / 3. a F", "3."),
    ("10. c D\n11. a F", "10."),
    ("1. c D\n2. a h left", "h left"),
    ("c D\nSouth thinks about time", "South thinks about time"),
    ("c D\nAmina did not resign", "Amina did not resign"),
    ("c D\nthey agreed to stop for tea", "they agreed to stop for tea"),
    ("c D\n1-0\na F", "1-0"),
    ("c D\nresigned", "resigned"),
    ("c D\nMara wins", "Mara wins"),
    ("Date: 1974.13.40\nc D", "Date: 1974.13.40"),
    ("4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0\nc D", "4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0"),
    ("c D\nelle joue le troisième trou", "elle joue le troisième trou"),
    ("c D and so on", "so on"),
    ("1. c D\n2. a F\nand so on, South resigned", "and so on, South resigned"),
    ("1. c D\n2. a F\nand on, South resigned", "and on, South resigned"),
    ("1. c D\n2. a F\nusw., South resigned", "usw., South resigned"),
    ("c D\n2. a …", "…"),
    ("P. K. (S) v. A (N)\nc D", "P. K. (S) v. A (N)"),
    (
        "Tess    Imran       houses 1-6 from each player's left\n 1  6       5\n 2  5       1\n 3  1       2\n"
        " 4  6       3(2)\n 5  2       2\nAli writes from here and counts the way he sees it\n 6  3       2\n"
        " 7  4       4\n 8  5       5\n 9  2       2",
        "Ali writes from here and counts the way he sees it",
    ),
    ("1. 3 4\n2. 1 6", "3"),
    ("South,North\nc,D\n?,F", "?"),
    ("c D\nhe lifted the corner hole\na F", "he lifted the corner hole"),
    ("1. c D (he sowed it fast)", "(he sowed it fast)"),
    ("c D\nthe leftmost", "the leftmost"),
    ("c D\nthey swapped seats", "they swapped seats"),
    ("c D\nalipanda mbegu", "alipanda mbegu"),
    ("c D\nwuu ciyaaray", "wuu ciyaaray"),
    ("c D\nthe elders stopped it", "the elders stopped it"),
    ("c D\nthey shared it", "they shared it"),
    ('c D\n"\na F', '"'),
    ("c D\n/ /\na F", "/ /"),
    ("c D\n- -\na F", "- -"),
    ("South\tNorth\nc\tD\n-\t-\na\tF", "-"),
    ('South\tNorth\nc\tD\n"\t"\na\tF', '"'),
    ('No\tSouth\tNorth\n1\tc\tD\n2\t"\tF', '"'),
    ("Ed - Ab\nc D", "Ed - Ab"),
    ("Amina - Babu\nCabdi - Duale\nc D", "Cabdi - Duale"),
    ("Amina South\nc D", "Amina South"),
    ("1. c D\n2. a\n3. f B", "3."),
    ("1. c D 2-1", "2-1"),
    ("c D\nSouth wins", "South wins"),
    ("pits numbered clockwise\n1. c D", "pits numbered clockwise"),
    ("North begins\npits round the board from South's left\n1. 10 3", "pits round the board from South's left"),
    ("1. 3 4\n2. 1 6\n3. 6 2\n4. 2 1", "3"),
    ("South: Amina\nSouth: Babu\nc D", "South: Babu"),
    ("Kusini: ö\nKusini: c\nKaskazini: D\nKusini: a", "Kusini: ö"),
    ("South: c (two turns not seen)\nNorth: D\nSouth: a", "(two turns not seen)"),
    ("South: c\nNorth: D\nNorth: F\nSouth: a", "F"),
    ("1. c D\nthey changed seats\n2. a F", "they changed seats"),
    ("1. c D\n2. a F\n2. a F", "2."),
    ("1. c D\n2. a F\n2. a F (written twice)\n3. f", "2."),
    ("1. c D\n2. abc a F", "2. abc a F"),
    ("h left\n1. c D\n2. a F", "h left"),
    ("North may have begun\n1. c D", "North may have begun"),
    ("1. c D\n2. a\nthe last hole", "the last hole"),
    ("North  South\nc      D\na      F", "D"),
    ("no,South,North\n1,c,D\ntotal,1,2,3", "total,1,2,3"),
    ("Amina - Babu\nAmina - _\nBabu - D\nAmina - f\nBabu - F", "Amina - _"),
    ("South: 1. c 3. a 4. f\nNorth: 1. D 2. F", "3."),
    ("No\tSide\tPit\tTaken\tWeather\n1\tS\tc\t0\tfine\n2\tN\tD\t0\tE was better", "E was better"),
]


@pytest.mark.parametrize(
    ("text", "date", "readings"),
    [
        ("05/04/2021\nc D", "2021-04-05 or 2021-05-04", 2),
        ("4/3/27\nc D", "1927-03-04 or 1927-04-03 or 2027-03-04 or 2027-04-03", 4),
        ("Sun 5/4/15\nc D", "2015.04.05", 0),
        ("5/4/2021, club evening, to 16/4/2021\nc D", "2021.04.05", 0),
        ("Tarehe: 5/4/2021\nKusini: Amina\nc D", "2021.04.05", 0),
        ("8/2/26\nc D\n{typed in on 2-XII-2026}", "2026-02-08 or 2026-08-02", 2),
    ],
)
def test_a_date_is_kept_with_all_days_it_may_be(text, date, readings) -> None:
    sheet = read_sheet(text, OWARE)
    assert (sheet.marks, sheet.game.tags["Date"]) == ((), date)
    assert sum(len(question.readings) for question in sheet.questions) == readings


@pytest.mark.parametrize(
    ("head", "end", "heads", "ends"),
    [
        ("", "Kofi resigned because of the rain", (), ("Kofi resigned because of the rain",)),
        ("", "Ama resigned because Kofi cheated", (), ("Ama resigned because Kofi cheated",)),
        ("", "Ama resigned after 40 moves", (), ("Ama resigned after 40 moves",)),
        ("", "Result: 1-0, resigned due to thirst", (), ("Result: 1-0, resigned due to thirst",)),
        ("", "Ama resigned", (), ()),
        ("Pits counted from each player's left\n", "1-0 resigned", (), ()),
        ("Counted from own left because Ama insisted\n", "", ("Counted from own left because Ama insisted",), ()),
        ("by the toss of Mensah South begins\n", "", ("by the toss of Mensah South begins",), ()),
        ("Kofi begins\nVenue: Accra\n3 May 1990\n", "", (), ()),
        ("", "pits counted from each player's left, board by old Mensah", (),
         ("pits counted from each player's left, board by old Mensah",)),
    ],
)  # fmt: skip
def test_what_stands_beside_a_fact_or_an_end_is_a_comment(head, end, heads, ends) -> None:
    sheet = read_sheet(f"Kofi - Ama\n{head}1. c D\n2. a F\n{end}", OWARE)
    assert (sheet.marks, len(sheet.game.plies), sheet.game.comments) == ((), 4, heads)
    assert sheet.game.plies[-1].comments == ends


def test_a_line_is_kept_when_an_answer_says_how_its_pits_are_named() -> None:
    sheet = read_sheet("Numbers seen from the bench by Mensah, left or right\n3 4\n1 6", OWARE)
    mark = next(mark for mark in sheet.marks if "named" in mark.note)
    assert "Mensah" in mark.readings[0].text


@pytest.mark.parametrize(
    ("end", "result"),
    [
        ("Rain began and the game was left there.", "*"),
        ("Giza liliingia, tuliacha hapo. Hakuna mshindi.", "*"),
        ("The rest was not written down.", "*"),
        ("food is ready, tomorrow we finish", "*"),
        ("They shook hands on a draw because of bedtime.", "1/2-1/2"),
        ("Las negras abandonan.", None),
        ("rain, and Amina had the lead", None),
    ],
)
def test_how_play_stopped_is_no_question(end, result) -> None:
    sheet = read_sheet(f"c D\n{end}", OWARE)
    assert not sheet.marks if result else sheet.marks
    assert sheet.game.tags.get("Result") == result


@pytest.mark.parametrize(
    "text",
    [
        "1. b, no: c D\n2. a F",
        "1. c D\n2. d -- sorry, a F",
        "1. c E (crossed out) D\n2. a F",
        "1. c D (not E as I first wrote)\n2. a F",
        "1. c D\n2. b → a sorry F",
        "1. c D\n2. [struck] b [/struck] a F",
        "1. c D\n2. [b] -> a F",
    ],
)
def test_a_turn_that_the_sheet_takes_back_is_a_comment(text) -> None:
    sheet = read_sheet(text, OWARE)
    assert (sheet.marks, [str(ply.move) for ply in sheet.game.plies]) == ((), [*"cDaF"])


def test_a_mark_of_a_special_pit_must_be_true() -> None:
    tags = {"Game": "enkeshui", "Options": "pits=8 setup=fours-right"}
    rules = read_sheet("", tags).game.rules()
    position, moves = rules.start(), []
    while not moves or not moves[-1].special:
        turn = rules.play(position, rules.legal_moves(position, 1)[0], None)
        moves.append(turn.move)
        position = turn.position
    text = " ".join(move.choice_text for move in moves)
    assert not read_sheet(f"{text} *", tags).marks
    assert not read_sheet(f"{text} bull", tags).marks
    first, rest = text.split(" ", 1)
    assert bool(read_sheet(f"{first} * {rest}", tags).marks) is not bool(moves[0].special)


@pytest.mark.parametrize("said", ["", "no turn is missing"])
def test_numbers_that_slipped_and_came_right_again_are_read(said) -> None:
    rules, position, moves = read_sheet("", OWARE).game.rules(), read_sheet("", OWARE).positions[0], []
    for at in range(24):
        turn = rules.play(position, rules.legal_moves(position, 9)[at % 2], None)
        moves.append(turn.move.choice_text)
        position = turn.position
    numbers = [1, 2, 3, 4, 5, 6, 6, 7, 9, 10, 11, 13 if said else 12]
    lines = [f"{number}. {moves[2 * at]} {moves[2 * at + 1]}" for at, number in enumerate(numbers)]
    sheet = read_sheet("\n".join([*lines, said]), OWARE)
    assert (sheet.marks, len(sheet.game.plies)) == ((), 24)
    assert read_sheet("\n".join(lines[:6] + lines[7:]), OWARE).marks, "a line is missing"


def test_letters_that_a_scanner_takes_for_digits_are_read_where_the_game_proves_it() -> None:
    text = "holes l-6 frorn own Ieft\n1. South 3\n2. N0rth 4\n3. South l\n4. N0rth b"
    sheet = read_sheet(text, OWARE)
    assert (sheet.marks, [str(ply.move) for ply in sheet.game.plies]) == ((), [*"cDaF"])
    assert "".join(token.text for token in sheet.tokens) == text
    assert read_sheet(text.replace("South l", "South B"), OWARE).marks


@pytest.mark.parametrize(("text", "marked"), ASKED)
def test_what_is_not_sure_is_asked(text, marked) -> None:
    sheet = read_sheet(text, OWARE)
    assert sheet.wrong is not None
    assert sheet.wrong.text == marked
    assert sheet.wrong.readings
    assert sheet.game.tags.get("Result") is None


@pytest.mark.parametrize(
    "heading",
    ["A windy day", "Market, Narok", "Semi-final", "Saturday - Sunday", "rainy day - few people", "OWARE, 2x6",
     "O w a r e",
     "Oware (2x6), six holes a side", "club evening: Standard 6 Blue", "+-----+"],
)  # fmt: skip
def test_a_heading_that_holds_no_turn_is_a_comment(heading) -> None:
    sheet = read_sheet(f"{heading}\nc D", OWARE)
    assert not sheet.marks
    assert [ply.move.choice_text for ply in sheet.game.plies] == ["c", "D"]
    assert sheet.game.comments == ((heading,) if "+" not in heading else ())


# Headings in sentences, with the tags that come out.
HEADINGS = [
    ("Oware at Narok, 3 May 1974. South: K. L. North: Mrs. Hill.",
     {"South": "K. L.", "North": "Mrs. Hill", "Date": "1974.05.03"}),
    ("Oware | Kwame v Yaw | Kumasi", {"South": "Kwame", "North": "Yaw"}),
    ("K. L. v. P. O'B.   (K. L. = South, moves first)", {"South": "K. L.", "North": "P. O'B.", "First": "South"}),
    ("Final: Esi M. (South) against Abena O. (North)", {"South": "Esi M.", "North": "Abena O."}),
    ("South: Idil in Berbera. North: Warsan in Leeds.", {"South": "Idil", "North": "Warsan"}),
    ("South player: Esi\nNorth player: Kojo", {"South": "Esi", "North": "Kojo"}),
    ("南 South: 田中   北 North: 佐藤\n２０２５年７月３日", {"South": "田中", "North": "佐藤", "Date": "2025.07.03"}),
    ("Sud : Aminata    Nord : Koffi", {"South": "Aminata", "North": "Koffi"}),
    ("Oware. (seconds and minutes behind each move)\nMarket 2021\nSouth = Esi, North = Kojo; Accra, Dec 2 1999",
     {"South": "Esi", "North": "Kojo", "Date": "1999.12.02"}),
]  # fmt: skip


@pytest.mark.parametrize(("heading", "tags"), HEADINGS)
def test_a_heading_is_read_sentence_by_sentence(heading, tags) -> None:
    sheet = read_sheet(f"{heading}\n1. c D\n2. a F", OWARE)
    assert not sheet.marks
    assert {tag: sheet.game.tags.get(tag) for tag in tags} == tags


def test_a_remark_is_a_comment_where_the_numbers_of_the_turns_are_complete() -> None:
    text = "1. c D\n(South thinks a long time)\n2. a F\nKofi anakuja\n3. f\nwalimaliza chai"
    sheet = read_sheet(text, OWARE)
    assert not sheet.marks
    assert [ply.comments for ply in sheet.game.plies if ply.comments] == [
        ("South thinks a long time",), ("Kofi anakuja",), ("walimaliza chai",)
    ]  # fmt: skip
    assert len(read_sheet(text.replace("2. a F", "3. a F"), OWARE).marks) == 3


# How turns are laid out and counted, all c D a F.
LAYOUTS = [
    "round  1  2\nSouth  c  a\nNorth  D  F\n\nround  3  4\nSouth  f  b\nNorth  B  D",
    "c a f\nD F B\n\nb d\nE C",
    "Zug\tWeiß\tSchwarz\tStand\n1\tc\tD\t0:0\n2\ta\tF\t0:0",
    "Holes a-f South, A-F North, each from own left\n1. c D\n2. a F",
    "Upper = North (A-F), lower = South (a-f), each lettered from its owner's left\nc D a F",
    "[South Amina] [North Babu]\n1.c D 2.a F",
    "Players: Amina (begins) and Babu\n1. Amina: c\n2. Babu: D\n3. Amina: a\n4. Babu: F",
    "Players: Juma and Tipape\npits 1..6 from own left\nJ3 T4 J1 T6",
    "S = South, N = North, pits 1..6 from own left\nS3 N4 S1 N6",
    "Cases 1 à 6, comptées de la gauche de chaque joueur. Sud commence.\n"
    "| Coup | Joueur | Case | Prises |\n|---|---|---|---|\n| 1 | Sud | 3 | 0 |\n| 2 | Nord | 4 | 0 |\n"
    "| 3 | Sud | 1 | 0 |\n| 4 | Nord | 6 | 0 |",
    "pits from own left\nmove,player,house,captured,score_south,score_north\n1,South,3,0,0,0\n2,North,4,0,0,0\n"
    "3,South,1,0,0,0\n4,North,6,0,0,0",
    "Turn|Side|Who|Pit|Eaten\n1|South|Amina|c|0\n2|North|Babu|D|0\n3|South|Juma|a|0\n4|North|Babu|F|0",
    "I. c : D\nII. a : F\nIII. f",
    "T1 c D\nT2 a F\nT3 f",
    "One: c, D\nTwo: a, F\nThree: f",
    "1er coup : c – D\n2e coup : a – F\n3e coup : f",
    "1 . c D   2. a F\n  3 . f",
    "* 1. c D\n* 2. a F\n* 3. f",
    "> 1. c ... D\n> 2. a ... F\n> 3. f",
    "1. c 0-0; D 0-0\n2. a 0-0; F 0-0\n3. f 0-0",
    "1. c D\n2. (struck: b) a F\n3. f",
    "1. c D [0:0]\n2. a F [0:0]\n3. f",
    "1ª jogada: c / D\n2ª jogada: a / F\n3ª jogada: f",
    '(" = same as above)\nNo  South  North\n1   c      D\n2   a      F\n3   f      ',
    "   North  South\n1  D      c\n2  F      a\n3         f",
    "no;South;taken;North;taken\n1;c;0;D;0\n2;a;0;F;0\n;0 total;;0 total;",
    "+---+---+---+\n|   | S | N |\n+---+---+---+\n| 1 | c | D |\n| 2 | a | F |\n+---+---+---+",
    "posted 3 May: c\nposted 4 May: D\nposted 5 May: a\nposted 6 May: F",
    "[10:01, 29/11/2026] South: c\n[10:02, 29/11/2026] North: D\n[10:03, 29/11/2026] South: a\n"
    "[10:04, 29/11/2026] North: F",
    "South took c, North took D, South took a, North took F",
    "<table>\n<tr><td>1</td><td>c</td><td>D</td></tr>\n<tr><td>2</td><td>a</td><td>F</td></tr>\n"
    "<tr><td>3</td><td>f</td><td></td></tr>\n</table>",
    "- [x] 1. c D\n- [x] 2. a F\n- [x] 3. f",
    '{"turn": 1, "south": "c", "north": "D"}\n{"turn": 2, "south": "a", "north": "F"}\n{"turn": 3, "south": "f"}',
    "The Southern player: c. The Northern player: D.\nThe Southern player: a. The Northern player: F.\n"
    "The Southern player: f. The Northern player: B.",
    "oware 1 c/D 2 a/F 3 f",
    "K = South (Amina), W = North (Babu)\nK c  W D\nK a  W F",
    "1 & c & D \\\\\n2 & a & F \\\\\n3 & f & \\\\",
    "1️⃣ c D\n2️⃣ a F\n3️⃣ f",
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_turns_are_laid_out_and_counted_in_many_ways(text) -> None:
    sheet = read_sheet(text, OWARE)
    assert not sheet.marks
    assert [ply.move.choice_text for ply in sheet.game.plies][:4] == ["c", "D", "a", "F"]


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("(23) (25)", "23-25"),
        ("25 : 23", "25-23"),
        ("S 23 N 25", "23-25"),
        ("Final count: North 25, South 23", "23-25"),
    ],
)
def test_a_last_line_of_all_seeds_is_the_count_at_the_end(line, score) -> None:
    sheet = read_sheet(f"c D\na F\n\n{line}", OWARE)
    assert (sheet.marks, sheet.game.tags["Score"]) == ((), score)


@pytest.mark.parametrize("line", ["23 24", "(23) (24)", "24 24 24"])
def test_a_last_line_of_other_numbers_is_asked(line) -> None:
    assert read_sheet(f"c D\na F\n\n{line}", OWARE).marks


STORES = """move,player,pit,store_A,store_B
1,A,4,1,0
2,B,4,1,1
3,A,1,1,1
4,B,3,1,2
5,B,6,1,3
6,A,4,1,3
7,B,5,1,4
8,A,3,2,4
9,B,4,2,12
10,A,5,3,12
11,B,5,3,12
12,A,1,3,12"""


def test_stores_beside_the_turns_say_from_where_the_pits_are_counted() -> None:
    without = "\n".join(",".join(line.split(",")[:3]) for line in STORES.split("\n"))
    assert [mark.note for mark in read_sheet(without, KALAH).marks] == ["from where are the pits counted?"]
    sheet = read_sheet(STORES, KALAH)
    assert (sheet.marks, sheet.pits) == ((), "left")
    moves = [ply.move.choice_text for ply in sheet.game.plies]
    assert moves == ["d", "D", "a", "C", "F", "d", "E", "c", "D", "e", "E", "a"]
    assert read_sheet(STORES.replace("12,A,1,3,12", "12,A,1,4,12"), KALAH).marks


def test_turns_say_whose_end_the_pits_are_counted_from() -> None:
    turns = "\n".join(",".join(line.split(",")[:3]) for line in STORES.split("\n"))
    sheet = read_sheet(f"pits numbered from the left\n{turns}", KALAH)
    assert (sheet.marks, sheet.pits) == ((), "left")
    for head in ("pits numbered from the right", "pits numbered, 6 = left"):
        assert read_sheet(f"{head}\n{turns}", KALAH).marks
    short = read_sheet("pits numbered from the left\n1. 3 4\n2. 1 6", OWARE)
    assert [mark.note for mark in short.marks] == ["from where are the pits counted?"]
    assert len(short.marks[0].readings) == 3  # two ways, and a comment


@pytest.mark.parametrize(
    ("words", "pits"),
    [
        ("Cases 1 à 6 de gauche à droite pour chaque joueur", "left"),
        ("Häuser 1 bis 6, jeder zählt bei sich von links nach rechts", "left"),
        ("holes 1-6, each from his right hand to his left", "right"),
        ("los hoyos 1 a 6 desde la izquierda de cada uno", "left"),
        ("Ana (sur) y Luis (norte). Los hoyos van del 1 al 6 desde la izquierda de cada uno.", "left"),
        ("holes numbered right round, 1-12, from her left", "round-left"),
        ("A = own leftmost pit, F = own rightmost", "left"),
        ("pits are numbered from the left", "left columns"),
        ("pits are numbered from the right", "right columns-north"),
        ("pits are numbered, pit 6 is the leftmost", "?"),
        ("they left the holes from 1 to 6 empty", "?"),
    ],
)
def test_what_a_line_says_of_the_pits(words, pits) -> None:
    assert pits_said(words, Side.SOUTH, 6) == pits


def test_a_blank_in_a_table_without_lines_is_asked() -> None:
    table = "No.  Player  Pit  Taken\n1    South   c    0\n2    North        0\n3    South   a    0"
    assert [mark.text for mark in read_sheet(table, OWARE).marks] == ["2    North        0"]
    whole = read_sheet(table.replace("North     ", "North   D "), OWARE)
    assert (whole.marks, [ply.move.choice_text for ply in whole.game.plies]) == ((), ["c", "D", "a"])


@pytest.mark.parametrize(
    "head",
    [
        "Player 1: Amina   Player 2: Babu",
        "Player 1: Amina\nPlayer 2: Babu",
        "First: Amina, second: Babu",
        "1st Amina   2nd Babu",
        "Mchezaji wa kwanza: Amina     Mchezaji wa pili: Babu",
        "Players: Amina (begins) and Babu",
        "[South Amina] [North Babu]",
        "[South: Amina] [North: Babu]",
    ],
)
def test_a_head_says_who_the_players_are_by_who_begins(head) -> None:
    sheet = read_sheet(f"{head}\n\n1. c D\n2. a F", OWARE)
    assert (sheet.marks, [sheet.game.tags.get(side) for side in NAMES]) == ((), ["Amina", "Babu"])


SENTENCES = [
    "Won by Babu, 25 seeds to 23.",
    "Babu won by 25-23",
    "Babu wins 25-23",
    "Babu gagne 25 à 23.",
    "Mshindi: Babu, 25 kwa 23",
    "Game over. Amina: 23, Babu: 25. Babu wins.",
    "Babu 25, Amina 23. Winner: Babu",
    "Babu 25, Amina 23. Winner Babu.",
    "Amina 23, Babu winner, 25",
    "Babu is the winner, 25-23",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_result_in_a_sentence_says_the_winners_seeds_first(sentence) -> None:
    ended = find_end(sentence, ["Amina", "Babu"])
    assert (ended.result, ended.score, ended.is_all) == ("0-1", "23-25", True)


def test_a_name_stands_behind_its_side() -> None:
    for text in (
        "no,South Amina,North Babu",
        "Amina South, Babu North",
        "South: Amina North: Babu",
        "South: Amina / North: Babu",
        "South - Amina\nNorth - Babu",
        "South: A\nNorth: K. L.",
        "South P1, North P2",
        "Amina (South), Babu (North)",
    ):
        game = read_sheet(f"{text}\n1. c D", OWARE).game
        assert len(game.plies) == 2
        names = game.tags["South"], game.tags["North"]
        assert names in {("Amina", "Babu"), ("A", "K. L."), ("P1", "P2")}


def test_names_that_look_like_turns_are_names_beside_others() -> None:
    for text in ("Ed - Abe", "Ed vs Abe", "South Ed, North Abe", "South: Ed North: Abe"):
        game = read_sheet(f"{text}\n1. c D", OWARE).game
        assert (game.tags["South"], game.tags["North"], len(game.plies)) == ("Ed", "Abe", 2)


# What a sheet says of its numbers, the numbers, and the turns.
NUMBERINGS = [
    ("pits counted from each player's left", "3 4", "c D"),
    ("pits counted from each player's right", "4 3", "c D"),
    ("pit 1 = leftmost of the side that moves", "3 4", "c D"),
    ("both rows numbered from South's left", "3 3", "c D"),
    ("both rows numbered from South's right", "4 4", "c D"),
    ("columns seen from North", "4 4", "c D"),
    ("holes numbered 1-6 from own left", "3 4", "c D"),
    ("S3 = South plays his 3rd house from his left, N likewise", "3 4", "c D"),
    ("pits 1-12 round the board from South's left", "3 10", "c D"),
    ("North begins\npits 1-12 round the board from North's left", "3 10", "C d"),
]


@pytest.mark.parametrize(("said", "numbers", "moves"), NUMBERINGS)
def test_a_sheet_says_how_its_pits_are_numbered(said, numbers, moves) -> None:
    sheet = read_sheet(f"{said}\n1. {numbers}", OWARE)
    assert not sheet.marks
    assert [ply.move.choice_text for ply in sheet.game.plies] == moves.split()
    behind = read_sheet(f"1. {numbers}\n{said}", OWARE)
    assert "begins" in said or [ply.move.choice_text for ply in behind.game.plies] == moves.split()


def test_numbers_go_round_the_board_only_beyond_a_row() -> None:
    read = read_sheet("holes numbered 1-12 from own left\nTurn\tSouth\tNorth\n1\t3\t9", {"Game": "enkeshui"})
    assert (read.pits, [ply.move.choice_text for ply in read.game.plies], read.marks) == ("left", ["c", "I"], ())
    own = read_sheet("South counts houses from his left\n1. 3 4", OWARE)
    assert own.marks  # nothing is said of North's


def test_a_cell_with_a_blank_before_a_turn_is_asked() -> None:
    read = read_sheet("No\tSouth\tNorth\n1\tf\t_ A\n2\ta\tC\n3\ta\tD\n", KALAH)
    assert [mark.text for mark in read.marks] == ["_"]


REMARKS = {
    "12 people came": True, "3 bulls": True, "should be e": False, "rather e": False, "missed 2": False,
    "then two": False, "no, 5": False, "e": False, "played again": False,
}  # fmt: skip


@pytest.mark.parametrize("remark", REMARKS)
def test_a_column_of_remarks_is_comments_unless_it_may_name_a_turn(remark) -> None:
    rows = f'No,South,North,remark\n1,c,D,"{remark}"\n2,a,F,\n'
    assert (not read_sheet(rows, OWARE).marks) == REMARKS[remark]
    assert read_sheet(rows.replace("2,a", "3,a"), OWARE).marks  # numbers are not complete


def test_turns_may_prove_how_their_pits_are_numbered() -> None:
    """All of them are legal by one way alone, and hardly by chance."""
    rng, found = Random(3), []
    for _ in range(20):
        played = play(rng, "kalah", 24)
        sheet = read_sheet(numbered("{}. ")(played, from_right), played.tags)
        moves = [ply.move.choice_text for ply in sheet.game.plies]
        found.append(sheet.wrong is None)
        assert sheet.wrong or (sheet.pits == "right" and moves == [move.choice_text for move in played.moves])
    assert sum(found) > 5


def test_the_turns_judge_what_is_said_of_the_numbers() -> None:
    """A wrong turn proves no other way to name the pits."""
    rng, clean, wrong = Random(4), [], []
    for _ in range(40):
        played = play(rng, "oware", 40)
        text = "The scribe sat in the east: pits are numbered from the scribe's left\n" + numbered("{}. ")(
            played, from_souths_left
        )
        at = rng.choice([match.start() for match in re.finditer(r"(?<= )\d$", text, re.MULTILINE)])
        moves = [move.choice_text for move in played.moves]
        clean.append(read_sheet(text, OWARE))
        wrong.append(read_sheet(f"{text[:at]}{rng.randrange(1, 7)}{text[at + 1 :]}", OWARE))
        for sheet in (clean[-1], wrong[-1]):
            read = [ply.move.choice_text for ply in sheet.game.plies]
            assert sheet.marks or len([pair for pair in zip(read, moves, strict=True) if len({*pair}) > 1]) <= 1
    assert sum(not sheet.marks for sheet in clean) > 15


def test_words_at_the_end_are_a_comment_where_the_next_turn_would_have_its_number() -> None:
    text = "1. c D\n2. a F\n3. f B\n4. b E\n5. e C\n"
    assert not read_sheet(f"{text}Then dinner was ready.", OWARE).marks
    assert read_sheet(f"{text[:-2]}\nthen the other", OWARE).marks
    assert read_sheet(f"{text}they agreed to stop for tea", OWARE).marks


@pytest.mark.parametrize("month", ["Agoosto", "Ogosto", "Agosti", "August"])
def test_months_have_several_spellings(month) -> None:
    assert read_sheet(f"Date: 5 {month} 2021\nc D", OWARE).game.tags["Date"] == "2021.08.05"


def test_a_result_that_the_rules_contradict_is_asked() -> None:
    known = {**OWARE, "Setup": "0.0.0.0.0.1/0.0.0.0.0.0 24-23 s 0"}
    assert [mark.text for mark in read_sheet("f\n0-1", known).marks] == ["0-1"]
    assert not read_sheet("f\n1/2-1/2", known).marks


def test_remarks_and_glyphs_are_kept() -> None:
    game = read_sheet("Windy day, 21/11/2026\n1. c? (too early) D {[%clk x]} 2. a", OWARE).game
    assert game.comments == ("Windy day",)
    assert game.tags["Date"] == "2026.11.21"
    assert game.plies[0].nags == (2,)
    assert game.plies[0].comments == ("too early",)
    assert not game.errors


@pytest.mark.parametrize(("text", "given", "taken", "overruled"), [
    ("Amina - Babu\n1. c D\nAmina resigned", {"South": "Hodan", "Result": "1-0", "Termination": "forfeit"},
     {**NAMES, **LOST}, 3),
    ("Amina - Babu 3 May 1990\n1. c D", {**NAMES, "North": "Ed", "Date": "1991.01.01", "Site": "Kumasi"},
     {**NAMES, "Date": "1990.05.03", "Site": "Kumasi"}, 2),
    ("1. c D\n0-1", {"South": "Hodan", "Termination": "time"}, {"South": "Hodan", **LOST, "Termination": "time"}, 0),
    ('[North "?"]\n1. c D', {"South": "Amina", "North": "Ed"}, {"North": "Ed"}, 0),
    ("3/4/1927\n1. c D", {"Date": "1927.04.03"}, {"Date": "1927.04.03"}, 0),
])  # fmt: skip
def test_the_sheet_counts_more_than_what_is_given(
    text: str, given: dict[str, str], taken: dict[str, str], overruled: int
) -> None:
    sheet = read_sheet(text, {**OWARE, **given})
    assert sheet.marks == ()
    assert taken.items() <= sheet.game.tags.items()
    assert len(sheet.overruled) == overruled


def test_the_reason_of_another_result_is_not_taken() -> None:
    sheet = read_sheet("1. c D\n0-1", {**OWARE, "Result": "1-0", "Termination": "time"})
    assert [mark.text for mark in sheet.marks] == ["0-1"]
    assert len(sheet.overruled) == 2


def test_rules_that_are_given_count_more_than_the_sheet() -> None:
    sheet = read_sheet('[First "North"]\nc D', {**OWARE, "First": "South"})
    assert sheet.game.tags["First"] == "South"
    assert not sheet.marks


def test_a_pass_may_be_left_out_and_the_rules_end_the_game() -> None:
    known = {**OWARE, "Setup": "0.0.0.0.0.1/0.0.0.0.0.0 24-23 s 0"}
    sheet = read_sheet("f", known)
    assert sheet.game.replay().outcome is not None
    assert sheet.game.tags["Result"] == sheet.game.replay().outcome.result
    assert not sheet.legal
    late = read_sheet("f D a", known)
    assert late.wrong is not None


def test_every_way_to_end_a_game_has_its_words() -> None:
    for ending in ENDINGS[1:]:
        for words in ending.written:
            tags = read_sheet(f"Amina - Babu\nc D\n{words}: Babu", OWARE).game.tags
            won = {"Result": "1-0", "Termination": ending.name}
            assert not ending.by_loser or {name: tags.get(name) for name in won} == won


def test_a_sheet_is_bounded() -> None:
    with pytest.raises(RecordsError, match=str(MAX_SHEET)):
        read_sheet("c" * (MAX_SHEET + 1), OWARE)
    with pytest.raises(RecordsError, match=str(MAX_TOKENS)):
        read_sheet("c " * (MAX_TOKENS + 1), OWARE)


@pytest.mark.parametrize(
    "text",
    [
        " " * 9_000 + "a",
        "no," + " " * 9_000 + "x",
        "a: " + " " * 9_000 + "x",
        "(" * 9_000,
        "ab" * 4_500,
        "~~ " * 700,
        "South: x\n" * 700,
    ],
)
def test_no_sheet_is_too_odd_to_read(text) -> None:
    assert read_sheet(text, OWARE).tokens


@pytest.mark.parametrize(
    ("text", "south", "north"),
    [
        ("K. L. (South) against P1 (North).\n1. c B\n2. b E\n", "K. L.", "P1"),
        ("| Turn | K. L. | Y. |\n|---|---|---|\n| 1 | c | B |\n| 2 | b | E |\n", "K. L.", "Y."),
        ("move_no,player,pit,captured\n1,P1,c,5\n2,P2,B,0\n3,P1,b,2\n4,P2,E,4\n", "P1", "P2"),
        ("A. H.: c +5\nM. O.: B\nA. H.: b +2\nM. O.: E +4\n", "A. H.", "M. O."),
        ("Halima (S) Yusuf (N) 4 Feb 1988\n1. c B\n2. b E\n", "Halima", "Yusuf"),
        ("South Halima North Yusuf 4 Feb 1988\n1. c B\n2. b E\n", "Halima", "Yusuf"),
    ],
)
def test_initials_codes_and_names_beside_a_date_are_names(text, south, north):
    read = read_sheet(text, {"Game": "bof"})
    assert read.marks == ()
    assert (read.game.tags["South"], read.game.tags["North"]) == (south, north)
    assert [ply.move.pit for ply in read.game.plies] == ["c", "B", "b", "E"]
