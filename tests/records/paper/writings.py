"""Sheets as a made-up writer writes them, in many ways, of games that are known: what a reader makes of them.

`python -m tests.records.paper.writings --sheets 5000` prints a table: of each way how many sheets were read right,
asked about, wrong, or lost a turn silently.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from inkeek.records import ruleset
from inkeek.records.game import Game
from inkeek.records.moves import PASS, Kind, Move
from inkeek.records.paper.reading import PaperSheet, read_sheet
from inkeek.records.position import Side
from inkeek.records.rules.play import Rules

GAMES = {
    "oware": {},
    "kalah": {},
    "layli-goobalay": {},
    "enkeshui": {"pits": 8, "setup": "fours-right"},
}
NAMES = [
    ("Amina", "Babu"),
    ("Hodan Ali", "Cabdi"),
    ("Nyambura", "K. L."),
    ("Ole Sankale", "Mary Wanjiku"),
    ("P1", "P2"),
]
OUTCOMES = ("right", "asked", "wrong", "silent")


@dataclass(frozen=True)
class Played:
    """A game that was played: its rules, its turns, and who played."""

    tags: dict[str, str]
    rules: Rules
    moves: tuple[Move, ...]
    sides: tuple[Side, ...]
    captured: tuple[int, ...]
    names: tuple[str, str]

    @property
    def row(self) -> int:
        return self.rules.row


@dataclass(frozen=True)
class Sheet:
    """A sheet, with what it should be read as. `must_ask`: it says something that nobody can know."""

    text: str
    tags: dict[str, str]
    moves: tuple[str, ...]
    result: str = "*"
    names: tuple[str, str] | None = None
    date: str | None = None
    must_ask: bool = False


def play(rng: Random, game: str, length: int) -> Played:
    """A game by random play, without passes."""
    options = GAMES[game]
    rules = ruleset(game, **options)
    text = " ".join(f"{name}={value}" for name, value in options.items())
    tags = {"Game": game, **({"Options": text} if text else {})}
    while True:
        position, previous = rules.start(), None
        moves, sides, captured = [], [], []
        while len(moves) < length:
            legal = [move for move in rules.legal_moves(position, 400) if move.kind is Kind.SOW]
            if not legal or rules.outcome(position) is not None:
                break
            move = rng.choice(legal)
            turn = rules.play(position, move, previous)
            moves.append(Move.parse(move.choice_text))
            sides.append(position.to_move)
            captured.append(turn.captured[position.to_move])
            position, previous = turn.position, turn.move
        if len(moves) == length and rules.outcome(position) is None:
            names = rng.choice(NAMES)
            return Played(tags, rules, tuple(moves), tuple(sides), tuple(captured), names)


def first_name(name: str) -> str:
    return name if "." in name else name.split()[0]


# How a pit is written.


def as_it_is(played: Played, at: int) -> str:
    return played.moves[at].choice_text


def capitals(played: Played, at: int) -> str:
    return as_it_is(played, at).upper()


def small(played: Played, at: int) -> str:
    return as_it_is(played, at).lower()


def from_left(played: Played, at: int) -> str:
    return str("abcdefghijklmnop".index(as_it_is(played, at)[0].lower()) + 1)


def from_right(played: Played, at: int) -> str:
    return str(played.row - int(from_left(played, at)) + 1)


def from_souths_left(played: Played, at: int) -> str:
    return (from_right if played.sides[at] else from_left)(played, at)


def round_letter(played: Played, at: int) -> str:
    index = int(from_left(played, at)) - 1 + played.row * played.sides[at]
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index]


def cyrillic(played: Played, at: int) -> str:
    return as_it_is(played, at).translate(str.maketrans("aceABCEH", "асеАВСЕН"))


def full_width(played: Played, at: int) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if letter.isalpha() else letter for letter in as_it_is(played, at))


def with_seeds(sign: str) -> Callable[[Played, int], str]:
    """A pit with how many seeds the turn captured, if it captured any and the game can say it."""

    def write(played: Played, at: int) -> str:
        count = played.captured[at]
        return as_it_is(played, at) + (sign.format(count) if count else "")

    return write


# How turns are laid out.

Pit = Callable[[Played, int], str]


def pairs(played: Played) -> list[list[int]]:
    """The turns by rounds: South's, then North's; several in a row belong together."""
    rounds: list[list[int]] = []
    for at, side in enumerate(played.sides):
        if not rounds or (side is played.sides[0] and played.sides[at - 1] is not side):
            rounds.append([])
        rounds[-1].append(at)
    return rounds


def numbered(form: str, between: str = " ", after: str = "\n") -> Callable[[Played, Pit], str]:
    def write(played: Played, pit: Pit) -> str:
        rows = (form.format(n) + between.join(pit(played, at) for at in row) for n, row in enumerate(pairs(played), 1))
        return after.join(rows) + "\n"

    return write


def sided(form: str, sides: Sequence[str] | None = None, after: str = "\n") -> Callable[[Played, Pit], str]:
    """Each turn with its side."""

    def write(played: Played, pit: Pit) -> str:
        names = sides or [first_name(name) for name in played.names]
        return after.join(
            form.format(n=at + 1, side=names[played.sides[at]], pit=pit(played, at)) for at in range(len(played.moves))
        ) + "\n"  # fmt: skip

    return write


def table(head: str, row: str, sides: Sequence[str] | None = None) -> Callable[[Played, Pit], str]:
    """A row for each turn below a head."""

    def write(played: Played, pit: Pit) -> str:
        names = sides or played.names
        lines = [head] + [
            row.format(n=at + 1, side=names[side], pit=pit(played, at), seeds=played.captured[at])
            for at, side in enumerate(played.sides)
        ]
        return "\n".join(lines) + "\n"

    return write


def columns(head: str, row: str) -> Callable[[Played, Pit], str]:
    """A row for each round below a head; a cell for each side."""

    def write(played: Played, pit: Pit) -> str:
        south, north = played.names
        lines = [head.format(south=south, north=north)] if head else []
        for n, found in enumerate(pairs(played), 1):
            cells = [" ".join(pit(played, at) for at in found if played.sides[at] is side) for side in Side]
            lines.append(row.format(n=n, south=cells[0], north=cells[1]))
        return "\n".join(lines) + "\n"

    return write


def by_side(form: str, sides: Sequence[str] | None = None, between: str = " ") -> Callable[[Played, Pit], str]:
    """All turns of one side, then all of the other."""

    def write(played: Played, pit: Pit) -> str:
        names = sides or [first_name(name) for name in played.names]
        rows = [[pit(played, at) for at, of in enumerate(played.sides) if of is side] for side in Side]
        return "\n".join(form.format(side=names[side], pits=between.join(rows[side])) for side in Side) + "\n"

    return write


def runs(played: Played, pit: Pit) -> str:
    return " ".join("".join(pit(played, at) for at in row) for row in pairs(played)) + "\n"


PLAIN = numbered("{}. ")
ROMANS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
ROMANS += [f"X{number}" for number in ROMANS]
SIDES = ("South", "North")


@dataclass(frozen=True)
class Way:
    """A way of writing. `sure`: a reader has no reason to ask; None: it must ask. `simple`: the pits have nothing but a
    letter."""

    layout: Callable[[Played, Pit], str]
    pit: Pit = as_it_is
    head: str = ""
    sure: bool | None = True
    simple: bool = False
    games: tuple[str, ...] = ("oware", "kalah", "layli-goobalay", "enkeshui")


_PLAYERS = "{south} - {north}\n"
_ONE_TURN = ("oware", "layli-goobalay", "enkeshui")  # a side has one turn after the other's
WAYS = {
    "numbers and dots": Way(PLAIN),
    "names and numbers": Way(PLAIN, head=_PLAYERS),
    "brackets after numbers": Way(numbered("{}) ")),
    "numbers before dashes": Way(numbered("{} - "), sure=False),
    "colons": Way(numbered("{}: ")),
    "hashes": Way(numbered("#{} ")),
    "square brackets": Way(numbered("[{}] ")),
    "round brackets": Way(numbered("({}) ")),
    "bare numbers": Way(numbered("{} ")),
    "ordinals": Way(numbered("{}th turn: ", between=", ")),
    "bullets": Way(numbered("- ", between="\n- ", after="\n"), games=_ONE_TURN),
    "turn and number": Way(numbered("Turn {}: ")),
    "move and number": Way(numbered("Move {}. ")),
    "zamu": Way(numbered("Zamu {}: ")),
    "round and number": Way(numbered("Round {}: "), sure=False),
    "one line": Way(numbered("{}. ", after=" ")),
    "one line without spaces": Way(numbered("{}.", after=" ")),
    "commas": Way(numbered("{}. ", between=", ")),
    "slashes": Way(numbered("{}. ", between=" / ")),
    "slashes between rounds": Way(numbered("{}. ", after=" / ")),
    "dashes": Way(numbered("{}. ", between=" - ")),
    "long dashes": Way(numbered("{}. ", between=" – ")),
    "arrows": Way(numbered("{}. ", between=" → ")),
    "arrows of signs": Way(numbered("{}. ", between=" -> "), simple=True),
    "semicolons": Way(numbered("{}. ", after="; ")),
    "no numbers": Way(numbered("")),
    "no numbers, all in one line": Way(numbered("", after=" ")),
    "capitals": Way(PLAIN, capitals, games=_ONE_TURN),
    "small letters": Way(PLAIN, small, games=_ONE_TURN),
    "runs": Way(runs, simple=True, games=_ONE_TURN),
    "Cyrillic": Way(PLAIN, cyrillic),
    "full width": Way(PLAIN, full_width),
    "captures": Way(PLAIN, with_seeds("x{}"), games=("oware",)),
    "captures in brackets": Way(PLAIN, with_seeds(" (+{})"), games=("oware", "enkeshui")),
    "captures in words": Way(sided("{side} plays {pit}"), with_seeds(" takes {}"), head=_PLAYERS, games=("oware",)),
    "pits from the left, said": Way(PLAIN, from_left, head="Pits counted from each player's left\n", simple=True),
    "pits from the right, said": Way(PLAIN, from_right, head="Pits counted from each player's right\n", simple=True),
    "pits from the left": Way(PLAIN, from_left, sure=False, simple=True),
    "pits from the right": Way(PLAIN, from_right, sure=False, simple=True),
    "pits from the right, no numbers": Way(numbered(""), from_right, sure=False, simple=True),
    "pits from the left in a table": Way(
        table("turn,side,pit,captured", "{n},{side},{pit},{seeds}", SIDES), from_left, sure=False, simple=True
    ),
    "pits from South's left, said": Way(
        PLAIN, from_souths_left, head="Both rows numbered from South's left\n", simple=True
    ),
    "pits with sides": Way(
        sided("{side}{pit}", ("S", "N"), " "), from_left, head="Pits counted from each player's left\n", simple=True
    ),
    "letters round the board": Way(PLAIN, round_letter, sure=False, simple=True, games=_ONE_TURN),
    "letters round the board, said": Way(
        PLAIN, round_letter, head="Letters counted round the board from the left\n", simple=True, games=_ONE_TURN
    ),
    "first names": Way(sided("{side}: {pit}"), head="{south} vs {north}\n"),
    "first names with dashes": Way(sided("{side} - {pit}"), head="{south} v {north}\n"),
    "first names and numbers": Way(sided("{n}. {side} {pit}"), head="{south} v. {north}\n"),
    "sides": Way(sided("{side}: {pit}", SIDES)),
    "sides and numbers": Way(sided("{n}. {side} {pit}", SIDES)),
    "letters for sides": Way(sided("{side}: {pit}", ("S", "N"))),
    "letters for sides in one line": Way(sided("{side} {pit}", ("S", "N"), after=", ")),
    "letters for sides, numbered": Way(sided("{n}) {side}: {pit}", ("S", "N"))),
    "Swahili sides": Way(sided("{side}: {pit}", ("Kusini", "Kaskazini"))),
    "Somali sides": Way(sided("{side}: {pit}", ("Koonfur", "Waqooyi"))),
    "sentences": Way(sided("{side} plays {pit}.", SIDES), simple=True),
    "sentences in one line": Way(sided("{side} plays {pit}", SIDES, after=", then "), simple=True),
    "Swahili sentences": Way(sided("{side} anacheza {pit}", ("Kusini", "Kaskazini"), after=", kisha ")),
    "Somali sentences": Way(sided("{side} ayaa ciyaaray {pit}", ("Koonfur", "Waqooyi"))),
    "who, unknown": Way(sided("{side}: {pit}"), sure=False),
    "a chat": Way(sided("[10:{n:02}] {side}: {pit}"), head="{south} - {north}\n"),
    "a table of turns, whose names stand nowhere else": Way(
        table("turn,player,pit", "{n},{side},{pit}"), games=_ONE_TURN
    ),
    "a line for each side": Way(by_side("{side}: {pits}", SIDES)),
    "a line for each name": Way(by_side("{side}: {pits}"), head=_PLAYERS),
    "a line for each side, with commas": Way(by_side("{side} {pits}", SIDES, between=", ")),
    "columns, tabs": Way(columns("No\tSouth\tNorth", "{n}\t{south}\t{north}")),
    "columns with names": Way(columns("#\t{south}\t{north}", "{n}\t{south}\t{north}")),
    "columns with bars": Way(columns("| Turn | South | North |\n|---|---|---|", "| {n} | {south} | {north} |")),
    "columns in CSV": Way(columns('"turn","South","North"', '"{n}","{south}","{north}"')),
    "columns in CSV without a head": Way(columns("", '"{n}","{south}","{north}"')),
    "columns with semicolons": Way(columns("Turn;South;North", "{n};{south};{north}")),
    "columns in Swahili": Way(columns("Zamu\tKusini\tKaskazini", "{n}\t{south}\t{north}")),
    "columns of spaces": Way(columns("      {south}      {north}\n", "{n:>3}.  {south:8}  {north}"), sure=False),
    "a table of turns": Way(table("Turn,Player,Move", "{n},{side},{pit}", SIDES)),
    "a table of turns by name": Way(
        table("Turn\tPlayer\tPit\tCaptured", "{n}\t{side}\t{pit}\t{seeds}"), head="South: {south}\nNorth: {north}\n"
    ),
    "Roman numbers": Way(lambda played, pit: "".join(
        f"{roman}. {' : '.join(pit(played, at) for at in row)}\n"
        for roman, row in zip(ROMANS, pairs(played), strict=False)), games=_ONE_TURN),
    "letters before numbers": Way(numbered("T{} "), games=("oware", "kalah")),
    "days before turns": Way(numbered("posted {} May: "), games=_ONE_TURN),
    "e-mail": Way(numbered("> {}. ", between=" ... "), games=_ONE_TURN),
    "a remark behind each round": Way(numbered("{}. ", after=" (the children laugh)\n"), head="Club evening, 2x6\n"),
    "a box": Way(columns("+---+---+---+\n|   | South | North |\n+---+---+---+", "| {n} | {south} | {north} |")),
    "North's column first": Way(columns("    North      South", "{n:>2}  {north:9}  {south}"), games=_ONE_TURN),
    "a heading in sentences": Way(PLAIN, head="Oware, six holes a side. South: {south}, North: {north}.\n"),
    "a table with notes": Way(table("Move no.;Side;Pit;Notes", "{n};{side};{pit};", SIDES)),
}  # fmt: skip

# What stands above and below the turns, and the date or the result that it says.
HEADS = [
    ("", None),
    ("", None),
    ("Narok, 21/11/2026\n", "2026.11.21"),
    ("Date: 3 May 1974\n", "1974.05.03"),
    ("21/11/76\n", "1976.11.21"),
    ("Tarehe: 5 Machi 1999\n", "1999.03.05"),
]
ENDS = [
    ("", "*"),
    ("", "*"),
    ("{south} resigned\n", "0-1"),
    ("1-0 time\n", "1-0"),
    ("sare kwa makubaliano\n", "1/2-1/2"),
    ("North wins on time\n", "0-1"),
    ("{north} amejiuzulu\n", "1-0"),
    *[
        (words, None) for words in ("South thinks about time\n", "{south} did not resign\n", "resigned\n")
    ],  # nobody knows
    ("they agreed to stop for tea\n", None),
]


def lose_a_turn(rng: Random, lines: list[str]) -> None:
    """Somebody did not see turns, and says so."""
    at = rng.randrange(1, len(lines))
    lines[at] = rng.choice(["{} missed two", "{} (two turns not seen)", "{} ... skipped", "{} ?", "{} [gap]"]).format(
        lines[at]
    )


def head_of(lines: list[str]) -> int:
    """How many lines stand above the turns."""
    return next(at for at, line in enumerate(lines) if "1" in line)


def lose_a_line(rng: Random, lines: list[str]) -> None:
    """A line in the middle is not there."""
    del lines[rng.randrange(head_of(lines) + 1, len(lines) - 1)]


def lose_a_beginning(rng: Random, lines: list[str]) -> None:
    """The first sheet is lost: this is the second."""
    head = head_of(lines)
    del lines[head : rng.randrange(head + 1, len(lines) - 1)]


def blot(rng: Random, lines: list[str]) -> None:
    """A turn cannot be read."""
    at = rng.randrange(len(lines))
    places = [i for i, letter in enumerate(lines[at]) if letter.isalpha() and (lines[at] + " ")[i + 1] in ' <>x,;|\t"']
    places = [i for i in places if i == 0 or not lines[at][i - 1].isalpha()]
    if places:
        i = rng.choice(places)
        lines[at] = lines[at][:i] + rng.choice(["?", "Ж", "ö", "??", "_", "z?", "q", "···"]) + lines[at][i + 1 :]
    else:
        lines[at] += " ?"


def remark(rng: Random, lines: list[str]) -> None:
    """Words stand between the turns that may be a turn."""
    words = [
        "then a B by both",
        "h left",
        "D or E, not sure",
        "third house",
        "5 again",
        "same as before",
        "South again c",
    ]
    lines.insert(rng.randrange(1, len(lines)), rng.choice(words))


DAMAGES = [lose_a_turn, lose_a_line, lose_a_beginning, blot, remark]
# Numbers or names show that a line is missing there; where none stand, nobody can know.
SHOWS_LOSS = ("numbers and dots", "names and numbers", "brackets after numbers", "colons", "hashes", "square brackets",
              "round brackets", "turn and number", "zamu", "commas", "columns, tabs", "columns in CSV")  # fmt: skip


def write_sheet(rng: Random, name: str, game: str, damage: Callable[[Random, list[str]], None] | None = None) -> Sheet:
    """A sheet in a way of writing, of a random game."""
    way = WAYS[name]
    played = play(rng, game, rng.randrange(6, 20))
    while way.simple and any(len(move.choice_text) > 1 for move in played.moves):
        game = "oware"
        played = play(rng, game, rng.randrange(6, 20))
    south, north = played.names
    body = way.layout(played, way.pit)
    head_text, date = rng.choice(HEADS)
    end_text, result = rng.choice(ENDS)
    if damage is not None:
        lines = body.rstrip("\n").split("\n")
        if damage in (lose_a_line, lose_a_beginning) and name not in SHOWS_LOSS:
            damage = lose_a_turn
        if len(lines) < 5:
            lines += [""] * (2 - len(lines))
            damage = lose_a_turn
        damage(rng, lines)
        body = "\n".join(lines) + "\n"
    says_names = "{south}" in way.head or "{south}" in end_text or "{north}" in end_text
    head = way.head.format(south=south, north=north)
    if "{south}" not in way.head and says_names:
        head = f"South: {south}\nNorth: {north}\n{head}"
    text = head_text + head + body + end_text.format(south=south, north=north)
    moves = tuple(move.choice_text for move in played.moves)
    names = (south, north) if says_names else None
    must_ask = result is None or damage is not None or way.sure is None
    return Sheet(text, played.tags, moves, result or "*", names, date, must_ask)


def judge(sheet: Sheet, read: PaperSheet) -> str:
    """What the reader made of a sheet: one of `OUTCOMES`."""
    if read.marks:
        return "asked"
    game: Game = read.game
    moves = tuple(ply.move.choice_text for ply in game.plies if ply.move != PASS)
    if moves == sheet.moves and not sheet.must_ask:
        said = [(sheet.result, game.tags.get("Result")), (sheet.date, game.tags.get("Date"))]
        if sheet.names is not None:
            said += zip(sheet.names, (game.tags.get("South"), game.tags.get("North")), strict=True)
        return "right" if all(one == other for one, other in said) else "wrong"
    if len(moves) < len(sheet.moves) or sheet.must_ask:
        return "silent"
    return "wrong"


def sheets(seed: int, count: int, damaged: bool) -> Iterator[tuple[str, Sheet]]:
    """So many sheets of each way in turn."""
    for number in range(count):
        rng = Random(f"{seed} {number} {damaged}")
        name = [*WAYS][number % len(WAYS)]
        game = rng.choice(WAYS[name].games)
        yield name, write_sheet(rng, name, game, rng.choice(DAMAGES) if damaged else None)


@dataclass
class Tally:
    """How many sheets of each way came out how, and the first ones that came out badly."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    bad: list[tuple[str, str, Sheet]] = field(default_factory=list)

    def add(self, name: str, sheet: Sheet) -> PaperSheet:
        read = read_sheet(sheet.text, sheet.tags)
        outcome = judge(sheet, read)
        if outcome == "asked" and (sheet.must_ask or not WAYS[name].sure):
            outcome = "right"
        self.counts.setdefault(name, Counter())[outcome] += 1
        if outcome != "right":
            self.bad.append((outcome, name, sheet))
        return read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheets", type=int, default=len(WAYS) * 20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="", help="outcomes to show, of: " + " ".join(OUTCOMES))
    parser.add_argument("--way", default="")
    given = parser.parse_args()
    for damaged in (False, True):
        tally = Tally()
        for name, sheet in sheets(given.seed, given.sheets, damaged):
            if given.way in name:
                tally.add(name, sheet)
        print("damaged sheets" if damaged else "clean sheets")
        for name, counts in tally.counts.items():
            if set(counts) != {"right"}:
                print(f"  {name:40}", *(f"{outcome} {counts[outcome]:4}" for outcome in OUTCOMES))
        total = sum(tally.counts.values(), Counter())
        print(f"  {'all':40}", *(f"{outcome} {total[outcome]:4}" for outcome in OUTCOMES))
        for outcome, name, sheet in tally.bad:
            if outcome in given.show.split():
                read = read_sheet(sheet.text, sheet.tags)
                print(f"--- {outcome}: {name} {sheet.tags}\n{sheet.text}")
                print("    should be:", *sheet.moves, sheet.result, sheet.names, sheet.date)
                print("    read as:  ", *(ply.move.choice_text for ply in read.game.plies), dict(read.game.tags))
                for mark in read.marks:
                    print(
                        "    asked:    ",
                        repr(mark.text),
                        mark.note,
                        [(str(one.says), one.text) for one in mark.readings],
                    )


if __name__ == "__main__":
    main()
