"""Sheets of a writer of many ways: no turn is lost without a mark."""

from __future__ import annotations

import re
from random import Random

import pytest

from inkeek.records.notation.dates import without_date
from inkeek.records.paper.reading import PaperSheet, read_sheet
from inkeek.records.paper.words import says_more
from inkeek.records.text import fold

from .writings import DAMAGES, OUTCOMES, WAYS, Tally, sheets, write_sheet

SHEETS = 3 * len(WAYS)
PARTS = [
    "a", "B", "c D", "1.", "2. ", "12", "x3", "\n", "\r\n", " ", "\t", "-", "—", "{", "}", "(", ")", "[", "]", '"',
    ",", ";", "|", "?", "…", "...", "~~", "Amina", "South", "North:", "Kusini", "took", "resigned", "1-0", "21/11/76",
    "=", "pass", "two", "missed", "а", "ａ", "½", "→", "0.4.4.4/4.4 0-0 s 0", "@", "̶", "\u2028", "\x00", "·",
    "No\tSouth\tNorth\n", "Move,Side,Pit\n", '[Pits "right"]\n',
]  # fmt: skip


def check_spans(sheet: PaperSheet, text: str) -> None:
    """The tokens are the text: each begins where the one before it ends."""
    assert "".join(token.text for token in sheet.tokens) == text
    assert [token.start for token in sheet.tokens] == [0, *(token.end for token in sheet.tokens)][: len(sheet.tokens)]
    for token in sheet.tokens:
        assert text[token.start : token.end] == token.text
        assert token.meaning != "gap" or not re.search(r"(?<!\w)[^\W_](?!\w)|\d", token.text)
        for reading in token.readings:
            assert 0 <= reading.start <= reading.end <= len(text)


def check_words(sheet: PaperSheet) -> None:
    """Each word that is no turn and no comment is in a tag, or has no meaning but that of form."""
    game = sheet.game
    kept = " ".join([*game.tags.values(), *game.comments, *(text for ply in game.plies for text in ply.comments)])
    words = {*re.findall(r"[^\W\d_]+", fold(kept).casefold())}
    for token in sheet.tokens:
        if token.meaning in ("fact", "result", "gap"):
            assert not says_more(without_date(fold(token.text)), words) or token.text in kept, token.text


@pytest.mark.parametrize("damaged", [False, True], ids=["clean", "damaged"])
def test_no_sheet_loses_a_turn_and_few_are_asked_about(damaged) -> None:
    tally = Tally()
    for name, sheet in sheets(7, SHEETS, damaged):
        read = tally.add(name, sheet)
        check_spans(read, sheet.text)
        if not read.marks:
            check_words(read)
    found = {outcome: [(name, sheet) for one, name, sheet in tally.bad if one == outcome] for outcome in OUTCOMES}
    assert not found["silent"]
    assert not found["wrong"]
    assert len(found["asked"]) <= 0.05 * SHEETS


@pytest.mark.parametrize("seed", range(40))
def test_the_spans_cover_any_text(seed) -> None:
    rng = Random(seed)
    text = "".join(rng.choice(PARTS) for _ in range(rng.randrange(60)))
    check_spans(read_sheet(text, {"Game": rng.choice(["oware", "kalah", "layli-goobalay"])}), text)


@pytest.mark.parametrize("seed", range(40))
def test_a_letter_that_changes_loses_no_turn(seed) -> None:
    """What a slip of the pen makes of a sheet is another turn, or asked; each pit that stands there is read."""
    rng = Random(seed)
    sheet = write_sheet(rng, "numbers and dots", "oware")
    at = rng.randrange(len(sheet.text))
    text = (
        sheet.text[:at] + rng.choice([*"abcdefqzABX0189.,:;-?!'\"()[]{} \n", "", "so ", "Babu "]) + sheet.text[at + 1 :]
    )
    read = read_sheet(text, sheet.tags)
    check_spans(read, text)
    assert read.marks or len(read.game.plies) >= len(sheet.moves) - 1


def test_a_mark_is_answered_by_one_of_its_readings() -> None:
    for seed in range(20):
        rng = Random(seed)
        name = rng.choice([*WAYS])
        sheet = write_sheet(rng, name, WAYS[name].games[0], rng.choice(DAMAGES))
        text = sheet.text
        for _ in range(60):
            read = read_sheet(text, sheet.tags)
            if read.wrong is None:
                break
            reading = rng.choice(read.wrong.readings)
            text = text[: reading.start] + reading.text + text[reading.end :]
        assert read.wrong is None
