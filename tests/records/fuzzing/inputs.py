"""Inputs for the fuzzer: mutated files of the corpora, and words of the grammar strung together, right and wrong.

An input is a function of the seed, the target and its number: what failed once can be made again.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

from inkeek.records import Game, Ply, Variation, ruleset_ids, write_game
from inkeek.records.notation.tags import format_options
from tests.records import positions

TARGETS = ("text", "bytes", "position", "move")
MAX_CHARACTERS = 3000  # of one input; the corpora's files have some hundred

ROOT = Path(__file__).parents[3]
FOLDERS = ("tests/data/notation/good", "tests/data/notation/bad", "docs/examples")
PLAYED = 8  # records made of every rule set, with at most so many
PLIES = 16
MILD = (
    " ",
    "\n",
    " {said} ",
    " $3 ",
    " ! ",
    "\n\n",
    " ;said\n",
    ' {[%by "A"] and more} ',
    "\n%left out\n",
    "  5. ",
    " 5... ",
)
TOKEN = re.compile(r"\s+|\w+|.", re.DOTALL)

PIECES = (
    *("[", "]", "{", "}", "(", ")", ";", "%", "$", "$1", "$999", '"', "\\", '\\"', "!", "??", "!?!", "*"),
    *("~", "~?", "--"),
    *("1.", "1...", "12", "1-0", "0-1", "1/2-1/2", "1/2", "0", "-1", "9" * 20, "x", "=", "@", "<", ">", "><", ",", "."),
    *("a", "ax5", "A", "Bx2", "c=d", "d<x0,4=Ab", "~a", "ab@c4d2", "ab@", "z", "?", "é", "ﬁ", "\U0001f9ee", "０"),
    *("\n", "\n\n", "\r\n", "\r", " ", "\t", "\ufeff", "\x00", "\x0b", "\x85", "\u2028", "\u00a0", "\ud800", "\x1f"),
    *('[Game "bof"]', '[Event "x"]\n', "[Event", '[Result "1-0"]\n', "[%", "[%after "),
    *('[%after "4.4/4.4 0-0 s 0"]', "[%clk 0:00:01]"),
    *('[First "North"]', '[Options "', "pits=8", 'pits=8"]', "setup=", "rearrangement=any-turn"),
    *('[Setup "', '[Termination "repetition"]'),
)
POSITION_PIECES = (
    *(*".//  -snx0123456789", "4s", "3n", "x", "0-0", " s 0", " n 12"),
    *("9999", "10000", "/", "\n", "٣", "4.4"),
)
MOVE_PIECES = (*"abcdhlpzABCHLP<>x=,@~?-!0123456789", "x0", "x12,4", "=fC", "--", "><", "9999", "\n", "é", "٣")


@cache
def corpus() -> tuple[str, ...]:
    """The texts that are mutated, in order: the files of the corpora, and games played at random."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.pmn"))]
    files = [path.read_bytes().decode("utf-8", "surrogateescape")[:MAX_CHARACTERS] for path in paths]
    return (*files, *(played(id, number) for id in ruleset_ids() for number in range(PLAYED)))


def played(id: str, number: int) -> str:
    """A record that is right: a game played at random under random options, cut off somewhere."""
    rng = Random(f"{id} {number}")
    rules = positions.random_rules(rng, id)
    position = rules.start()
    plies = []
    for _ in range(rng.randint(2, PLIES)):
        moves = rules.legal_moves(position, limit=50)
        if not moves:
            break
        move = rng.choice(moves)
        said = ("said so",) if rng.random() < 0.1 else ()
        others = (Variation((Ply(rng.choice(moves)),)),) if rng.random() < 0.1 else ()
        plies.append(Ply(move, (rng.randrange(8),) if rng.random() < 0.1 else (), said, others))
        position = rules.play(position, move).position
    return write_game(Game({"Game": id, "Options": format_options(rules.changed)}, tuple(plies)))


def make(target: str, seed: int, number: int) -> str | bytes:
    """The input with this number, at most `MAX_CHARACTERS` long."""
    rng = Random(((seed << 48) + number) * len(TARGETS) + TARGETS.index(target))
    if target == "move":
        return _move(rng)
    if target == "position":
        return _position(rng)
    chance = rng.random()
    if chance < 0.3:
        text = _grown(rng)
    elif chance < 0.6:
        text = _dressed(rng, rng.choice(corpus()))
    else:
        text = _mutated(rng, rng.choice(corpus()))
    if target == "text":
        return text[:MAX_CHARACTERS]
    return _damaged(rng, text[:MAX_CHARACTERS].encode("utf-8", "surrogatepass"))


def _mutated(rng: Random, text: str) -> str:
    """A text of the corpus with a few changes, each of which leaves most of it as it was."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        at, to = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + rng.choice(PIECES) + text[at + 1 :]
        elif kind == 2:
            text = text[:at] + text[min(to, at + rng.randint(1, 12)) :]
        elif kind == 3:
            text = text[:to] + text[at:to] * rng.randint(1, 3) + text[to:]
        elif kind == 4:
            other = rng.choice(corpus())
            text = text[:at] + other[rng.randint(0, len(other)) :]
        elif kind == 5:
            text = text[:at] + chr(rng.randrange(0x250)) + text[at:]
        else:
            words = TOKEN.findall(text)
            if len(words) > 1:
                here, there = rng.randrange(len(words)), rng.randrange(len(words))
                words[here], words[there] = words[there], words[here]
                text = "".join(words)
    return text


def _dressed(rng: Random, text: str) -> str:
    """A text of the corpus with a few things put between its words: most can be read as before."""
    words = TOKEN.findall(text)
    moves = text.find("\n\n")
    first = len(TOKEN.findall(text[:moves])) if moves >= 0 else 0
    for _ in range(rng.choice((1, 2, 4))):
        spaces = [at for at in range(first, len(words)) if words[at].isspace()]
        if spaces:
            words[rng.choice(spaces)] = rng.choice(MILD)
    return "".join(words)


def _grown(rng: Random) -> str:
    """A record or two of the grammar's words: mostly in an order that can be read, of moves that can be played."""
    parts = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        if rng.random() < 0.9:
            parts.append(f'[Game "{rng.choice(ruleset_ids())}"]\n')
        for _ in range(rng.choice((0, 0, 1, 2))):
            parts.append(f'[{rng.choice(("Event", "Result", "Site", "Score", "Q"))} "{rng.choice(PIECES)}"]\n')
        parts.append("\n" * rng.choice((0, 1, 1, 1, 2)))
        opened = 0
        north = False
        for _ in range(rng.choice((1, 3, 8, 20, 60))):
            chance = rng.random()
            if chance < 0.6:
                letter = rng.choice("abcdefghijklm")
                parts.append(letter.upper() if north else letter)
                north = not north
            elif chance < 0.7:
                parts.append("{" + rng.choice(PIECES) + rng.choice((" ", "")) + rng.choice(PIECES) + "}")
            elif chance < 0.75:
                parts.append(rng.choice((" $3", "!", "?!", ";said\n", " 7.", " 3...")))
            elif chance < 0.8:
                opened += 1
                parts.append("(")
            elif chance < 0.85 and opened:
                opened -= 1
                parts.append(")")
            elif chance < 0.88:
                parts.append(_move(rng))
            elif chance < 0.9:
                parts.append(rng.choice(PIECES))
            parts.append(rng.choice((" ", " ", " ", "\n")))
        parts.append(")" * opened + rng.choice(("", " *", " 1-0")) + "\n" * rng.choice((0, 1, 2)))
    return "".join(parts)


def _damaged(rng: Random, data: bytes) -> bytes:
    """Bytes of which some are others, gone, or too many."""
    for _ in range(rng.choice((0, 0, 1, 1, 2, 6))):
        at = rng.randint(0, len(data))
        kind = rng.randrange(3)
        put = bytes(rng.randrange(256) for _ in range(rng.randint(1, 3))) if kind else b""
        data = data[:at] + put + data[at + (kind != 1) :]
    return data


def _position(rng: Random) -> str:
    """A position, or something much like one."""
    row = rng.choice((1, 2, 5, 6, 7, 8, 12, 16, 17))
    rows = []
    for _ in range(2):
        pits = [
            str(rng.choice((0, 1, 2, 3, 4, 4, 17, 200))) + rng.choice(("", "", "", "", "s", "n")) for _ in range(row)
        ]
        if rng.random() < 0.2:
            pits[rng.randrange(row)] = "x"
        rows.append(".".join(pits))
    text = f"{rows[0]}/{rows[1]} {rng.randrange(50)}-{rng.randrange(50)} {rng.choice('sn')} {rng.randrange(300)}"
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        at = rng.randint(0, len(text))
        text = text[:at] + (rng.choice(POSITION_PIECES) if rng.random() < 0.7 else "") + text[at + rng.randrange(3) :]
    if rng.random() < 0.005:
        text *= rng.randint(2, 12)
    return text


def _move(rng: Random) -> str:
    """A move, or something much like one."""
    if rng.random() < 0.15:
        laid = "".join(f"{rng.choice('abcdABCD')}{rng.randrange(30)}" for _ in range(rng.randrange(4)))
        text = f"{rng.choice(('ab', 'CD', 'aB'))}@{laid}"
    else:
        text = rng.choice("abcdefghijklmABCDEFGHIJKLM")
        if rng.random() < 0.3:
            text += "".join(rng.choice("<>") for _ in range(rng.choice((1, 2, 3, 12))))
        if rng.random() < 0.4:
            text += f"x{rng.randrange(30)}" + (f",{rng.randrange(9)}" if rng.random() < 0.3 else "")
        if rng.random() < 0.3:
            text += "=" + "".join(rng.choice("abcABC") for _ in range(rng.randint(1, 3)))
        if rng.random() < 0.1:
            text = "~" + text
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        at = rng.randint(0, len(text))
        text = text[:at] + (rng.choice(MOVE_PIECES) if rng.random() < 0.7 else "") + text[at + rng.randrange(2) :]
    if rng.random() < 0.005:
        text *= rng.randint(2, 150)
    return text[:MAX_CHARACTERS]
