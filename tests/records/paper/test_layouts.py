"""Sheets whose turns are written in words and layouts that no list knows: the game says what each value means."""

from __future__ import annotations

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


def test_words_around_proved_turns_are_comments() -> None:
    text = written(GAME, *WAYS["words of another language"])
    assert not read(f"Video 7, the boys of the village beside the well, 4 beans each.\n\n{text}to be continued\n").marks
    assert read(f"h left\n{text}").marks
    assert read(f"{text}then f\n").marks
