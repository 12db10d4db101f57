"""Sheets whose turns are written in words and layouts that no list knows: the game says what each value means."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from inkeek.records.paper.reading import PaperSheet, read_sheet
from inkeek.records.position import Side

from .test_writings import check_spans
from .writings import Played, play

GAME = play(Random(3), "oware", 50)
# Each turn by its number (of the turn, and of the round), a word for its side, its pit and what it captured.
WAYS = {
    "words of another language": ("{ply}. {side} sirke {pit}, hafte {took}\n", ("Uur", "Dhoor")),
    "one line": ("{side} ma {pit} ({took}); ", ("uno", "duo")),
    "sentences in lines": ("Taas {side} ka {pit} aur {took} lita.\n", ("Ravi", "Mohan")),
    "sentences": ("Taas {side} ka {pit} aur {took} lita. ", ("Ravi", "Mohan")),
    "columns of values": ("{ply}\t{side}\t{pit}\t{took}\n", ("1", "2")),
}


def written(played: Played, form: str, sides: tuple[str, str]) -> str:
    pits = [move.pit.lower() for move in played.moves]
    return "".join(
        form.format(ply=at + 1, side=sides[played.sides[at]], pit=pit, took=played.captured[at])
        for at, pit in enumerate(pits)
    )


def read(text: str, played: Played = GAME) -> PaperSheet:
    sheet = read_sheet(text, played.tags)
    check_spans(sheet, text)
    return sheet


@pytest.mark.parametrize("way", WAYS)
def test_the_game_says_what_values_mean(way) -> None:
    sheet = read(written(GAME, *WAYS[way]))
    assert not sheet.marks
    assert [ply.move.choice_text for ply in sheet.game.plies] == [move.choice_text for move in GAME.moves]


def rows(played: Played) -> tuple[list[str], list[str]]:
    """The pits of each side, in small letters."""
    turns = [*zip(played.moves, played.sides, strict=True)]
    south, north = ([move.pit.lower() for move, of in turns if of is side] for side in Side)
    return south, north


def of_own_case(played: Played, south: str, north: str) -> str:
    """Two columns where capitals are South's, under a legend for both."""
    turns = zip(*rows(played), strict=True)
    lines = [f"{at}. {one.upper()} {two}" for at, (one, two) in enumerate(turns, 1)]
    return "\n".join([f"South: houses {south}", f"North: houses {north}", *lines])


def a_list_each(played: Played, south: str = "Ngozi", north: str = "Bayo") -> str:
    lists = ["\n".join(f"{at}) {pit}" for at, pit in enumerate(row, 1)) for row in rows(played)]
    return f"{south}:\n{lists[0]}\n\n{north}:\n{lists[1]}"


def on_its_side(played: Played) -> str:
    south, north = rows(played)
    return "\n\n".join(
        "\n".join([f"Zug {' '.join(str(at + one + 1) for one in range(len(south[at : at + 9])))}",
                   f"Uta {' '.join(south[at : at + 9])}", f"Ben {' '.join(north[at : at + 9])}"])
        for at in range(0, len(south), 9)
    )  # fmt: skip


def ditto(played: Played) -> str:
    """A row a turn, with a ditto mark for a capture that is the same as above."""
    texts = [str(one) for one in played.captured]
    took = [text if at == 0 or text != texts[at - 1] else '"' for at, text in enumerate(texts)]
    names = ("Edo", "Ife")
    pits = [move.pit.lower() for move in played.moves]
    return "\n".join(
        f"{at}  {names[side]}  sa {pit}  {number}"
        for at, (side, pit, number) in enumerate(zip(played.sides, pits, took, strict=True), 1)
    )


PLACES = {
    "capitals are South's": of_own_case(GAME, "A-F", "a-f"),
    "a list each": a_list_each(GAME),
    "a table on its side": on_its_side(GAME),
    "a ditto mark": ditto(GAME),
    "a word before the word": "".join(
        f"{at}. ({move.pit.lower()}) sa shimo {number} na\n"
        for at, (move, number) in enumerate(zip(GAME.moves, GAME.captured, strict=True), 1)
    ),
    "a sentence": "; ".join(f"{at}. {one}, {two}" for at, (one, two) in enumerate(zip(*rows(GAME), strict=True), 1))
    + ".",
}


@pytest.mark.parametrize("place", PLACES)
def test_turns_may_stand_in_any_order(place) -> None:
    sheet = read(PLACES[place])
    assert not sheet.marks
    assert [ply.move.choice_text for ply in sheet.game.plies] == [move.choice_text for move in GAME.moves]


@pytest.mark.parametrize("length", [16, 50])
def test_the_list_of_one_side_is_not_the_turns_of_both(length) -> None:
    for seed in range(1, 13):
        game = play(Random(seed), "oware", length)
        lists = ["\n".join(f"{at}. {pit}" for at, pit in enumerate(pits, 1)) for pits in rows(game)]
        for heading in ("Amina's turns:", "P1", "P1 - left"):
            assert read(f"{heading}\n{lists[0]}\n", game).marks
        sheet = read(f"Amina's turns:\n{lists[0]}\n\nRight page: Babu's turns\n{lists[1]}\nAmina played first.", game)
        is_right = [ply.move.choice_text for ply in sheet.game.plies] == [move.choice_text for move in game.moves]
        assert sheet.marks or is_right  # in a short game, either list may be the first


def test_what_only_the_naming_of_pits_decides_is_one_question() -> None:
    game = play(Random(4), "oware", 16)
    pairs = zip(*rows(game), strict=True)
    text = "".join(
        f"{at}... {'abcdef'.index(one) + 1} ~ {'abcdef'.index(two) + 1}\n" for at, (one, two) in enumerate(pairs, 1)
    )
    (mark,) = read(text, game).marks
    naming = mark.readings[0]
    sheet = read(text[: naming.start] + naming.text + text[naming.end :], game)
    assert not sheet.marks
    assert [ply.move.choice_text for ply in sheet.game.plies] == [move.choice_text for move in game.moves]


def test_a_blank_cell_in_a_table_on_its_side_is_asked() -> None:
    table = "Zug 1 2 3 4 5 6\nUta a a d c e a\nBen f c f  a e"  # legal too if what stands behind it moves up
    assert read(table).marks


def won_below(played: Played, labels: Sequence[str] = ("turn", "Uta", "won", "Ben", "won")) -> str:
    """A table on its side with what was captured below each side's turns, where a dot says that nothing was."""
    south, north = rows(played)
    took = [str(one) if one else "." for one in played.captured]
    lines = ([*map(str, range(1, len(south) + 1))], south, took[::2], north, took[1::2])
    return "\n\n".join(
        "\n".join(
            f"{label:6}" + "".join(f"{cell:>4}" for cell in line[at : at + 9])
            for label, line in zip(labels, lines, strict=True)
        )
        for at in (0, 9)
    )


WON = play(Random(1), "layli-goobalay", 36)


def test_a_row_below_turns_may_have_cells_that_say_nothing() -> None:
    sheet = read(won_below(WON), WON)
    assert not sheet.marks
    assert [ply.move.choice_text for ply in sheet.game.plies] == [move.choice_text for move in WON.moves]


@pytest.mark.parametrize("labels", [("turn", "Uta", "won", "Ben", "won"), ("", "", "", "", "")])
@pytest.mark.parametrize("row", [1, 3])
def test_a_turn_that_lacks_in_a_row_with_others_below_is_asked(row, labels) -> None:
    for column in (1, 6):
        lines = won_below(WON, labels).split("\n")
        begin = 6 + 4 * column
        lines[row] = lines[row][:begin] + "    " + lines[row][begin + 4 :]
        assert read("\n".join(lines), WON).marks, column


def test_a_capture_in_a_row_below_that_cannot_be_is_asked() -> None:
    text = won_below(WON)
    number = next(str(one) for one in WON.captured if one > 1)
    at = text.index(f"   {number}", text.index("won"))
    assert read(text[: at + 3] + str(int(number) - 1) + text[at + 3 + len(number) :], WON).marks


SENTENCES = written(GAME, *WAYS["sentences in lines"])
LINES = SENTENCES.splitlines()


@pytest.mark.parametrize(
    "lines",
    [
        [*LINES[:9], *LINES[10:]],  # a turn is not there
        [*LINES[:9], LINES[9].replace(" lita", "7 lita"), *LINES[10:]],  # a capture that was none
        [*LINES[:9], "illegible", *LINES[9:]],
        [*LINES[:9], LINES[9] + " no, f", *LINES[10:]],
        [*LINES, "Taas Ravi ka ?"],
        [*LINES[:5]],  # nothing proves it
    ],
)
def test_what_the_game_does_not_prove_is_asked(lines) -> None:
    assert read("\n".join(lines)).marks


def test_who_begins_is_read_from_the_first_turn() -> None:
    sides = ("North", "South")  # the words of the sides, by who moves first
    text = written(GAME, "{ply}) {side} hafte {pit} lita\n", sides)
    sheet = read(text)
    assert not sheet.marks
    assert sheet.game.tags["First"] == "North"
    assert sheet.positions[0].to_move is Side.NORTH


@pytest.mark.parametrize(
    "heading", ["", "Ravi (South, capitals) - Mohan (North, small letters)\n\n", "Evening game\n\n"]
)
def test_letters_alone_do_not_say_that_north_begins(heading) -> None:
    """The board looks alike from both sides: capitals of a South who begins play as those of a North who begins."""
    pits = [move.pit.upper() if side is Side.SOUTH else move.pit.lower()
            for move, side in zip(GAME.moves, GAME.sides, strict=True)]  # fmt: skip
    sheet = read(heading + " ".join(f"{at // 2 + 1}. {pit}" if at % 2 == 0 else pit for at, pit in enumerate(pits)))
    assert sheet.game.tags.get("First", "South") == "South"
    assert [ply.move.choice_text for ply in sheet.game.plies] == [move.choice_text for move in GAME.moves]


def test_a_legend_says_whose_the_capitals_are() -> None:
    """The score alone fits both ways, since the board looks alike from both sides."""
    sheet = read(
        "Oware. Round 3, board 2. Esi Owusu (South, capitals) - Yaw Darko (North, small letters).\n\n"
        "1. F e 2. A b 3. E f 4. D d 5. C f 6. F a 7. B f 8. F c 9. F d\n"
        "10. E f 11. F b 12. A b 13. D f 14. E e 15. F a 16. C\nOwusu wins 34-14.\n"
    )
    assert [ply.move.choice_text for ply in sheet.game.plies][:3] == ["f", "E", "a"]
    assert sheet.game.tags.get("First", "South") == "South"
    assert sheet.game.tags["Result"] == "1-0"


def test_a_name_with_s_is_no_south() -> None:
    """S names the second player, Sahra, where no other name begins with N."""
    sides = ("J", "S")
    lines = [
        f"{at}. {sides[side]} from {move.pit.upper()}, takes {took}"
        for at, (move, side, took) in enumerate(zip(GAME.moves, GAME.sides, GAME.captured, strict=True), 1)
    ]
    sheet = read("\n".join(lines))
    assert sheet.marks or sheet.game.tags.get("First", "South") == "South"


def test_words_around_proved_turns_are_comments() -> None:
    text = written(GAME, *WAYS["words of another language"])
    assert not read(f"Video 7, the boys of the village beside the well, 4 beans each.\n\n{text}to be continued\n").marks
    assert read(f"h left\n{text}").marks
    assert read(f"{text}then f\n").marks


def test_numbers_behind_the_last_number_of_a_turn_are_not_taken_for_turns() -> None:
    rounds = [f"{at // 2 + 1}/ Kato {GAME.moves[at].pit.lower()} ... Tendo {GAME.moves[at + 1].pit.lower()}"
              for at in range(0, len(GAME.moves) - 3, 2)]  # fmt: skip
    following = [move.pit.lower() for move in GAME.moves[2 * len(rounds) : 2 * len(rounds) + 2]]
    text = "\n".join(rounds) + f"\n\ntumeacha hapo. Kato {following[0]} Tendo {following[1]}"
    assert read("\n".join(rounds)).marks == ()
    assert read(text).marks


@pytest.mark.parametrize(
    "words", ["from memory, I no longer know who opened", "I don't remember who was first", "sikumbuki"]
)
def test_who_writes_that_something_is_not_known_is_asked(words) -> None:
    text = written(GAME, *WAYS["words of another language"])
    assert not read(text).marks
    assert read(f"{text}{words}\n").marks


def test_proved_names_say_the_end_and_who_plays() -> None:
    text = "".join(
        f"{at}) {'KT'[side]} sa {move.pit.lower()}\n"
        for at, (side, move) in enumerate(zip(GAME.sides, GAME.moves, strict=True), 1)
    )
    sheet = read(f"Kato vs Tendo\n{text}T resigned")
    assert (sheet.marks, sheet.game.tags["Result"]) == ((), "1-0")
    turned = read(f"Kato north, Tendo south\n{text}")
    assert (turned.marks, turned.positions[0].to_move) == ((), Side.NORTH)
    assert read(
        f"Kato south and begins, Tendo north\n{text.replace('K', '#').replace('T', 'K').replace('#', 'T')}"
    ).marks
    assert not read(f"{text}A = own leftmost pit").marks
    assert read(f"{text}A = own rightmost pit").marks
    assert read(f"{text}Rot gibt auf. {'-'.join(map(str, sheet.positions[-1].stores))}").marks  # whoever Rot is


def test_a_number_that_stands_once_in_words_stays_in_the_comment() -> None:
    text = (
        "Sat. under the fig tree\n1. g><> F><\n2. g F\n3. d B\n(an old man joins, much laughter)\n4. f A\n5. c B\n"
        "rain, pause of ten minutes\n6. e F\n7. g A\n8. a \nSouth won 31-17"
    )
    sheet = read_sheet(text, {"Game": "enkeshui", "Options": "pits=8"})
    check_spans(sheet, text)
    assert not sheet.marks
    assert "rain, pause of ten minutes" in [token.text for token in sheet.tokens if token.meaning == "remark"]


@pytest.mark.parametrize(
    "turns",
    [
        "1. a A\n2. c A\n3. e B\n4. a C\n5. b Fx2",
        "1. f D\n2. d F\n3. c C\n4. f D\n5. b Bx5",
        "1. b E\n2. e B\n3. c E\n4. e F\n5. ax2 D\nc D\ne",
    ],
)
def test_a_turn_that_cannot_be_is_no_comment(turns) -> None:
    for heading in ("", "Kofi - Ama\n"):
        assert read_sheet(heading + turns, {"Game": "oware"}).marks


def test_a_turn_that_is_written_twice_is_no_comment() -> None:
    rows = [(GAME.moves[at], GAME.moves[at + 1]) for at in range(0, 24, 2)]
    lines = [f"{number}\t{south}\t{north}" for number, (south, north) in enumerate(rows, 1)]
    assert not read("\n".join(lines)).marks
    for at in (0, 5, 11):
        doubled = f"{at + 1}\t{rows[at][0]} {rows[at][0]}\t{rows[at][1]}"
        assert read("\n".join([*lines[:at], doubled, *lines[at + 1 :]])).marks
