"""Reading a sheet of paper that was typed as it stands there: names, dates, words and moves in any layout.

Every character of the sheet is accounted for: it is a turn, a number, a name, a fact, how the game ended, a comment or
the layout; or it is marked, and the game cannot be kept before somebody answers the mark. `read_sheet` takes the lines
apart (`lines`), then plays the turns. How numbers name the pits is asked unless the sheet says it, or all turns are
legal by one way alone, and with what stands beside them (captures, stores) that can hardly be by chance. Where
something is marked, the game may prove another layout (`layouts`): it is taken if nothing is marked then.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from string import ascii_letters

from inkeek.records.errors import Budget, ErrorText, MoveSyntaxError, RecordsError, message_of
from inkeek.records.game import Game
from inkeek.records.language import MessageText
from inkeek.records.moves import PASS, IllegalMove, Move, Turn
from inkeek.records.notation.commands import as_words
from inkeek.records.notation.dates import without_date
from inkeek.records.notation.movetext import GLYPHS, first_number
from inkeek.records.notation.tags import ENDINGS, RESULT_TEXTS, RESULTS_BY_TERMINATION, RULES_TAGS, rules_of
from inkeek.records.position import Position, Side
from inkeek.records.record import Ply
from inkeek.records.rules.outcome import Outcome
from inkeek.records.rules.play import Rules
from inkeek.records.text import as_scanned, fold

from .heading import Lines, comment_reading, sentences
from .layouts import CHANCE, SURE_CHANCE, Layout, LayoutReader, pit_of
from .lines import read_lines
from .tokens import (
    ASKED,
    JUDGED,
    MARKUP,
    NAMED,
    NUMBERED,
    TAIL,
    TURNS,
    LineToken,
    SheetItem,
    SheetReading,
    is_run,
    tokenize,
)
from .words import PITS, Ended, pits_said, says_more

MAX_SHEET = 10_000  # characters
MAX_TOKENS = 1_500  # turns, numbers and marks
MAX_ANSWERS = 16  # legal moves that are answers to a missing turn
MAX_LEGAL = 200  # legal moves that are listed
MEANINGS = ("move", "number", "result", "name", "fact", "remark", "gap", "wrong", "unread")


@dataclass(frozen=True, slots=True)
class SheetToken:
    """A part of the sheet, from `start` to `end`. `line` and `column` count from 1; `meaning` is one of `MEANINGS`.

    A turn has its canonical text as `move`, and its number `ply`. `note` says why a part is marked, or what it was read
    as. A marked part (``wrong``) has `readings`: what may stand in its place; so has a fact that the record can keep
    with all of them. `legal` are moves that would be legal there. ``unread`` turns come after a mark.
    """

    text: str
    start: int
    end: int
    line: int
    column: int
    meaning: str
    move: str = ""
    ply: int = 0
    note: str = ""
    legal: tuple[str, ...] = ()
    readings: tuple[SheetReading, ...] = ()


@dataclass(frozen=True)
class PaperSheet:
    """What was read. The texts of the `tokens` together are the sheet.

    `game` is right as far as its `plies` go; its tags are those given and those found. `overruled` has, for each tag
    that was given and has another value on the sheet, both: the sheet's is taken. `legal` are the legal moves after the
    last one. `marks` are the tokens that must be answered before the game is kept, `wrong` is their first. `pits` is
    how the pits are named, of `PITS`, and `namings` are the readings by which it would be another.
    """

    tokens: tuple[SheetToken, ...]
    game: Game
    positions: tuple[Position, ...]
    legal: tuple[str, ...]
    pits: str = "left"
    namings: tuple[SheetReading, ...] = ()
    overruled: Mapping[str, ErrorText] = field(default_factory=dict)

    @property
    def marks(self) -> tuple[SheetToken, ...]:
        return tuple(token for token in self.tokens if token.meaning == "wrong")

    @property
    def wrong(self) -> SheetToken | None:
        return next(iter(self.marks), None)

    @property
    def questions(self) -> tuple[SheetToken, ...]:
        """Facts with more than one reading, such as a date whose day may be its month: the game can be kept with all
        of them."""
        return tuple(token for token in self.tokens if token.meaning == "fact" and token.readings)

    @property
    def left_out(self) -> tuple[SheetToken, ...]:
        """What is not in the game: marks, and turns after them."""
        return tuple(token for token in self.tokens if token.meaning in ("wrong", "unread"))


def read_sheet(text: str, tags: Mapping[str, str]) -> PaperSheet:
    """Read a sheet. `tags` are what is known already: at least the game. Its rules and its start count more than the
    sheet (`RULES_TAGS`); of all else, such as players, date and result, the sheet counts more.

    Small letters are South's and capitals North's if that fits until both have moved; else case means nothing.

    :raises RecordsError: the tags name no game or impossible options, or the text is too long.
    """
    if len(text) > MAX_SHEET:
        raise RecordsError(ErrorText("the sheet is longer than %(most)s characters: split it", most=MAX_SHEET))
    rules_of(tags).verify_known()
    sheet, scanned = _read(text, text, tags), as_scanned(text)
    other = _read(scanned, text, tags) if sheet.marks and scanned != text else sheet
    return sheet if other.marks else other


def _read(text: str, written: str, tags: Mapping[str, str]) -> PaperSheet:
    """Read a text in place of what was `written`, which has other letters in the same places."""
    lines = read_lines(text, rules_of(tags), tags)
    if len(lines.items) > MAX_TOKENS:
        raise RecordsError(ErrorText("the sheet has more than %(most)s words: split it", most=MAX_TOKENS))
    if "First" in lines.tags and not {"First", "Setup", "Race"} & tags.keys():  # who begins has the first name
        lines = read_lines(text, rules_of({**tags, "First": lines.tags["First"]}), tags)
    lines.text = written
    known = {**{name: lines.tags[name] for name in RULES_TAGS if name in lines.tags}, **tags}
    namings = tuple(_namings(written))
    player = _choose(lines, known, namings)
    if lines.heading and not player.is_stopped and max(player.chances) >= SURE_CHANCE:
        start, end = lines.heading
        both = comment_reading(written, start, end)._replace(says=ErrorText("the turns of both sides, in order"))
        player.mark(player.first_turn(), ErrorText("does the list of the other side lie elsewhere?"), [both])
    sheet = player.sheet(tags, namings)
    other = _read_layout(text, tags, lines, namings) if sheet.marks else None
    return other if other and len(other.marks) <= len(sheet.marks) else sheet


def _read_layout(
    text: str, tags: Mapping[str, str], lines: Lines, namings: tuple[SheetReading, ...]
) -> PaperSheet | None:
    """Read a sheet by the only layout that the game proves, or ask how pits are named if that decides between several;
    None if there is none."""
    known = {**{name: lines.tags[name] for name in RULES_TAGS if name in lines.tags}, **tags}
    firsts = [known.get("First", "")]
    if not {"First", "Setup", "Race"} & known.keys():
        firsts.append(str(rules_of(known).start().to_move.other))
    said = [name for name in lines.pits.split() if name in PITS]
    asked: list[_Player] = []
    for first in firsts:
        given = {**tags, **({"First": first} if first else {})}
        rules = rules_of({**known, **given})
        try:
            layouts = sorted(LayoutReader(text, rules).read(said), key=lambda one: one.chance)
        except RecordsError:  # the budget is spent
            return None
        scored = [one for one in layouts if one.score_in(fold(text[one.end :])) not in ("", "0-0")]
        layouts = scored if len(scored) == 1 and scored[0].is_proved else layouts
        for layout in layouts:
            fits = layout.names_fit({side: {**tags, **lines.tags}.get(str(side), "") for side in Side})
            if fits is False:
                continue
            if first != firsts[0] and not (layout.says_sides or fits):  # else who begins is South
                break
            found = read_lines(text, rules, given, layout)
            found.text = lines.text
            player = _Player(found, rules, layout.pits, layout.is_cased, True)
            player.trust(layout)
            played = sum(item.pit not in ("", str(PASS)) for item in player.play().items)
            is_whole = played == len(layout.turns) - layout.turns.count(str(PASS))
            is_headed = bool(lines.heading or found.heading)
            has_both = not is_headed or {*layout.labels.values()} == {*Side}
            is_proved = (layout.is_proved and (has_both or layout.chance < SURE_CHANCE)) or (
                layout.is_ordered and has_both and layout in scored
            )
            if player.hidden_turns("remark", "wrong"):  # the first reading says what is wrong with it
                continue
            if is_proved and is_whole and len(layouts) == 1:
                return player.sheet(given, namings)
            if layout.is_ordered and not (is_headed or said or layout.has_letters or player.is_stopped):
                asked.append(player)
    if asked and len({player.naming for player in asked}) == len(asked):
        by_name = {reading.text.split('"')[1]: reading for reading in namings}
        offered = [by_name[player.naming] for player in asked]
        asked[0].mark(asked[0].first_turn(), ErrorText("from where are the pits counted?"), offered)
        return asked[0].sheet(tags, namings)
    return None


def _namings(text: str) -> Iterator[SheetReading]:
    """The readings that say how the pits are named."""
    said = re.search(r'^[ \t]*\[Pits "[^"\n]*"\][ \t]*\n?', text, re.MULTILINE)
    start, end = said.span() if said else (0, 0)
    for name, says in PITS.items():
        yield SheetReading(says, start, end, f'[Pits "{name}"]\n')


def _choose(lines: Lines, known: Mapping[str, str], namings: Sequence[SheetReading]) -> _Player:
    """Play the sheet by all ways of naming pits that it leaves open, and let the rules judge; what they leave open is
    marked. Letters name pits as the notation does, if that fits."""
    rules = rules_of(known)
    said = [name for name in lines.pits.split() if name in PITS]
    by_name = {reading.text.split('"')[1]: reading for reading in namings}

    def played(naming: str, is_cased: bool = False, by: Rules = rules) -> _Player:
        player = _Player(lines, by, naming, is_cased, trusts_numbers=True).play()
        return player if player.is_complete or not player.has_trusted else _Player(lines, by, naming, is_cased).play()

    is_cased = lines.has_letters and "any-case" not in lines.pits
    first = played(said[0] if said else "left", is_cased)
    is_open = len(said) > 1  # whose end the sheet counts from: the turns must say it
    has_fitting_letters = lines.has_letters and not first.is_stopped and not is_open
    if not any(item.meaning in TURNS for item in lines.items) or has_fitting_letters:
        return first
    players = [played(naming) for naming in (said if said and not is_open else PITS)]
    whole = [player for player in players if not player.is_stopped]
    if is_open:
        fitting = [player for player in whole if player.naming in said]
        if len(fitting) == 1 and (len(whole) == 1 or max(fitting[0].chances) < CHANCE):
            return fitting[0]
        best = max(whole or players, key=lambda player: len(player.plies))
        offered = [by_name[player.naming] for player in fitting]
        best.mark(best.first_turn(), ErrorText("from where are the pits counted?"), offered or [*namings])
        return best
    if is_cased and len({ply.move.side for ply in first.plies}) < len(Side):
        cases, has_first = _cases(lines), bool({"First", "Setup", "Race"} & known.keys())
        if cases == "one" or (cases == "lines" and players[0] in whole):
            first = players[0]
        else:
            north = str(rules.start().to_move.other)
            is_north = not has_first and not played("left", True, rules_of({**known, "First": north})).is_stopped
            begins = SheetReading(ErrorText("%(side)s begins", side=north), 0, 0, f'[First "{north}"]\n')
            case = SheetReading(ErrorText("capitals mean nothing"), 0, 0, '[Pits "left any-case"]\n')
            first.offer([begins] * is_north + [case] * (players[0] in whole))
    if not first.is_stopped and lines.has_letters:
        return first
    if is_cased and len({ply.move.side for ply in first.plies}) == len(Side) and _cases(lines) == "mixed":
        whole = [player for player in whole if player.has_own_cases()]  # a capital may be a slip of the turn
    if len(whole) == 1 and (said or max(whole[0].chances) < CHANCE):
        whole[0].accept_naming()
        return whole[0]
    offered = [by_name[player.naming] for player in whole if not said]
    if lines.has_letters:
        first.offer(offered)
        return first
    best = max(whole or players, key=lambda player: len(player.plies))
    if not said:
        best.mark(best.first_turn(), ErrorText("from where are the pits counted?"), offered or [*namings])
    return best


def _cases(lines: Lines) -> str:
    """How capitals stand: all pits in ``one`` case, capitals only where ``lines`` begin, or ``mixed``."""
    pits = [item for item in lines.items if item.meaning == "move" and item.pit.isalpha() and len(item.pit) == 1]
    if len({item.pit.isupper() for item in pits}) < 2:
        return "one"
    begins = {item.start for item in pits if not lines.text[: item.start].rpartition("\n")[2].strip()}
    return "lines" if all(item.pit.isupper() == (item.start in begins) for item in pits) else "mixed"


@dataclass
class _Player:
    """Plays the turns of a sheet, whose pits are named in a way of `PITS`. `is_cased`: small letters are South's,
    capitals North's. `trusts_numbers`: words cannot hide a turn, since the numbers will be complete."""

    lines: Lines
    rules: Rules
    naming: str
    is_cased: bool
    trusts_numbers: bool = False
    has_trusted: bool = False
    plies: list[Ply] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    is_stopped: bool = False  # at a turn, or a number, that cannot be

    def __post_init__(self) -> None:
        self.items = [replace(item) for item in self.lines.items]
        self.moves: dict[int, tuple[str, int]] = {}  # by item: what was played, and its number
        self.legal_at: dict[int, tuple[str, ...]] = {}
        self.positions = [self.rules.start()]
        self.turn: Turn | None = None  # the last one
        self.chances = [1.0, 1.0]  # of each side, that turns which mean nothing are all legal
        self.ended = Ended()
        self._ended_at = -1  # the item that says the result
        self._starter = self.positions[0].to_move
        self._budget = Budget(len(self.items))
        self._legal: tuple[str, ...] | None = None
        self._queue = [at for at, item in enumerate(self.items) if item.system and item.meaning in TURNS]
        ply = self.positions[0].ply
        self._due = {"round": first_number(self.positions[0]), "ply": ply + 1, "visit": ply + 1}  # the next numbers
        self._countings = tuple(self._due)  # of them those that fit the sheet's numbers
        self._number = 0  # the last one

    def _is_behind(self, at: int) -> bool:
        """Whether an item stands behind another one in its line."""
        return at > 0 and self._line(self.items[at - 1]) == self._line(self.items[at])

    def _whole_line(self, item: SheetItem) -> str:
        return self.lines.text.split("\n")[self._line(item)]

    def _before(self, item: SheetItem) -> str:
        """What stands before an item in its line."""
        return self.lines.text[: item.start].rpartition("\n")[2]

    def _line(self, item: SheetItem) -> int:
        return self.lines.text.count("\n", 0, item.start)

    def first_turn(self) -> int:
        return next(at for at, item in enumerate(self.items) if item.pit)

    def mark(self, at: int, note: str, readings: Sequence[SheetReading] = (), legal: tuple[str, ...] = ()) -> None:
        """Mark an item: it must be answered."""
        item = self.items[at]
        others = item.readings or (comment_reading(self.lines.text, item.start, item.end),)
        self.items[at] = replace(item, meaning="wrong", note=note, readings=(*readings, *others))
        if legal:
            self.legal_at[at] = legal

    def stop(self, at: int, why: str, readings: Sequence[SheetReading] = (), legal: tuple[str, ...] = ()) -> None:
        self.mark(at, why, readings, legal)
        self.is_stopped = True

    def offer(self, readings: Sequence[SheetReading]) -> None:
        """Offer other readings at the first turn that cannot be."""
        at = next((at for at in self.legal_at if self.items[at].meaning == "wrong"), None)
        if at is not None:
            self.items[at].readings = (*readings, *self.items[at].readings)

    def trust(self, layout: Layout) -> None:
        """Take words outside of the turns that are proved for comments, if they can be nothing else."""
        items, self.items = self.items, []
        for item in items:
            is_open = item.meaning == "wrong" and not layout.start <= item.start < layout.end
            text = self.lines.text[item.start : item.end]
            parts = [
                replace(item, start=item.start + begin, end=item.start + end) for begin, end in sentences(fold(text))
            ]
            if is_open and not self._trust(item, layout) and all(self._trust(part, layout) for part in parts):
                self.items += parts
            else:
                self.items.append(item)

    def _trust(self, item: SheetItem, layout: Layout) -> bool:
        """Take words for what they can only be; False if they may be more."""
        said = fold(self.lines.text[item.start : item.end])
        is_above = item.start < layout.start
        if item.doubt == JUDGED:
            item.meaning = "fact"
        elif (item.doubt == NAMED and layout.has_names(said)) or (
            layout.pits in pits_said(said, self._starter, self.rules.row).split()
        ):
            item.meaning = "remark"
        elif not is_above and (ended := layout.end_in(said)).is_all and ended.is_said and not ended.lacks:
            item.meaning, item.ended = "result", ended
        elif not is_above and (score := layout.score_in(said)) and layout.is_over:
            item.meaning, item.ended = "result", Ended(score=score, is_all=True)
        elif item.stops and not layout.may_mean_more(said, self._whole_line(item), is_above):
            item.meaning = "remark"
        else:
            return False
        item.note, item.readings, item.stops = "", (), False
        return True

    def play(self) -> _Player:
        """Play all items in their order, but the turns of a side's own lines when it is to move."""
        for at, item in enumerate(self.items):
            meaning = item.meaning
            if meaning in ("fact", "result") or item.doubt == JUDGED:
                self._keep_more(item)
            if meaning == "result":
                self._end(at)
            elif meaning == "remark":
                self._comment(item)
            elif self._is_comment(at):
                item.meaning = "remark"
                self._comment(item)
            elif self.is_stopped:
                item.meaning = "unread" if meaning in (*TURNS, "claim", "dash", "glyph", "dots") else meaning
            elif item.stops:
                self.is_stopped = True
                self.legal_at[at] = self.legal()
            elif item.system and meaning in TURNS:
                self._play_until(at)
            elif meaning == "move" or (meaning == "digits" and not self.lines.has_letters):
                self._play_turn(at)
            elif meaning == "digits":
                self._read_digits(at)
            elif meaning == "number" and not item.system:
                self._count(at)
            elif meaning in ("dash", "dots"):
                self._read_dash(at)
            elif meaning == "claim":
                self._verify(at, exact=item.rest)
            elif meaning == "glyph":
                self._annotate(item)
        if not any(item.pit for item in self.items):
            for at, item in enumerate(self.items):
                if item.meaning == "remark" and self.lines.text[item.start] not in "{~<":
                    self.mark(at, ErrorText("no turn was read: what does this say?"))
        return self

    def _is_comment(self, at: int) -> bool:
        """Whether words that may be more are a comment, if the numbers of the turns will be complete."""
        item = self.items[at]
        if not self.trusts_numbers or item.meaning != "wrong" or item.doubt >= ASKED:
            return False
        is_between = any(one.pit for one in self.items[at:])
        is_over = bool(self.ended.result) or not self.legal()
        is_whole = self._number > 4 and self.positions[-1].to_move is self._starter and not self._is_behind(at)
        if not (is_between or is_over or item.doubt == NUMBERED or (is_whole and item.doubt == TAIL)):
            return False
        self.has_trusted = True
        return True

    @property
    def is_complete(self) -> bool:
        """Whether turns are numbered from the first to the last, and all are legal."""
        last = max((at for at, item in enumerate(self.items) if item.meaning == "number"), default=-1)
        is_last = any(self._due[one] in (self._number, self._number + 1) for one in self._countings)
        has_turn = last >= 0 and any(item.pit for item in self.items[last:])
        return not self.is_stopped and self._number > 0 and is_last and has_turn

    def accept_naming(self) -> None:
        """Take what the sheet says of the pits' names for what the turns prove."""
        for item in self.items:
            if item.doubt == JUDGED:
                item.meaning, item.note, item.readings = "fact", "", ()

    def _play_until(self, at: int) -> None:
        """Play the turns of lines that are one side's, of those that belong together, up to one of them."""
        while at in self._queue and not self.is_stopped:
            mover = self.positions[-1].to_move
            mine = (
                one
                for one in self._queue
                if self.items[one].side is mover and self.items[one].system == self.items[at].system
            )
            first = next(mine, None)
            if first is not None:
                self._queue.remove(first)
                self._play_turn(first)
            elif not self._pass():
                self.stop(at, ErrorText("it is the turn of %(side)s", side=mover), (), self.legal())

    def _read_digits(self, at: int) -> None:
        """Read digits among letters: the next number, or the seeds of the last turn."""
        item, before = self.items[at], self.items[at - 1] if at else None
        is_first = before is None or self._line(before) < self._line(item) or before.meaning in ("name", "wrong")
        is_next = item.number in (self._due[counting] for counting in self._countings)
        if before and before.meaning == "move" and not is_first and not is_next:
            self._verify(at, exact="any")
        elif (is_first or is_next) and at + 1 < len(self.items) and self.items[at + 1].meaning != "number":
            item.meaning, item.pit = "number", ""
            self._count(at)
        else:
            self.stop(at, ErrorText("%(text)s is neither a pit nor the next number", text=item.pit), (), self.legal())

    def _count(self, at: int) -> None:
        """Check a number: it counts rounds, turns, or how often the side to move changed, all over the sheet alike."""
        item = self.items[at]
        follows = self._number == 0 or item.number in (self._number, self._number + 1)
        fitting = tuple(one for one in self._countings if follows and self._due[one] == item.number)
        side = self.positions[-1].to_move
        if side is not self._starter and self._number not in (0, item.number):  # a round begins with who began
            fitting = tuple(one for one in fitting if one != "round")
        if not fitting and self._pass():
            self._count(at)
        elif not fitting:
            wanted = self._due[self._countings[0]]
            why = ErrorText("turn %(number)s stands where %(wanted)s is due", number=item.number, wanted=wanted)
            if self._number == 0:
                why = ErrorText(
                    "the sheet begins with turn %(number)s, and the game with %(wanted)s: is this a second sheet? Then "
                    "give the position where it begins", number=item.number, wanted=wanted)  # fmt: skip
            readings = self._renumbered(at, wanted)
            if "round" in self._countings and side is not self._starter and item.number == self._number + 1:
                why = ErrorText("turn %(number)s of %(side)s is missing", number=self._number, side=str(side))
                legal, place = self.legal()[:MAX_ANSWERS], item.start
                readings = [*(SheetReading(move, place, place, f"{move}\n") for move in legal), *readings]
            self.stop(at, why, readings)
        elif (
            re.search(r"\.\.|…", item.rest)
            and not all(re.search(r"\.\.|…", one.rest) for one in self.items if one.meaning == "number")
            and side is self._starter
            and fitting == ("round",)
            and (self.plies or not self.lines.is_starter_said)
        ):
            self.stop(at, ErrorText("the turn of %(side)s is missing", side=side), self._other_begins())
        else:
            self._countings, self._number = fitting, item.number
            if re.fullmatch(r"\d+", digits := re.sub(r"\W", "", item.rest)) and int(digits) != item.number:
                item.note = ErrorText("read as: %(what)s", what=str(item.number))

    def _renumbered(self, at: int, wanted: int) -> list[SheetReading]:
        """That a number, or all from it on, are wrong by as much."""
        text, item = self.lines.text, self.items[at]
        shift = wanted - item.number
        parts, end = [], item.start
        for one in self.items[at:]:
            if one.meaning == "number" and one.number + shift > 0:
                number = re.sub(r"\d+", str(one.number + shift), text[one.start : one.end], count=1)
                parts += [text[end : one.start], number]
                end = one.end
        found = [SheetReading(ErrorText("it is %(number)s", number=wanted), item.start, item.end, parts[1])]
        if len(parts) > 2:
            says = ErrorText("no turn is missing: count on from %(number)s", number=wanted)
            found.insert(0, SheetReading(says, item.start, end, "".join(parts)))
        return found

    def _other_begins(self) -> list[SheetReading]:
        other = str(self._starter.other)
        if self.plies or self.lines.is_starter_said:
            return []
        return [SheetReading(ErrorText("%(side)s begins", side=other), 0, 0, f'[First "{other}"]\n')]

    def _read_dash(self, at: int) -> None:
        """Read a dash or dots: between turns, before the turn of who comes second, a pass, or a missing turn."""
        item = self.items[at]
        before = next((one for one in reversed(self.items[:at]) if one.meaning != "gap"), None)
        after = next((one for one in self.items[at + 1 :] if one.meaning != "gap"), None)
        is_between = before is not None and after is not None and after.pit and self._line(before) == self._line(after)
        is_unread = bool(item.meaning == "dots" and item.side is not None and after and after.side is item.side)
        is_second = (
            item.meaning == "dots"
            and after is not None
            and bool(after.pit)
            and (self.positions[-1].to_move is not self._starter or (self.lines.is_starter_said and not self.plies))
        )
        is_remark = bool(before and before.pit and after and after.meaning in ("wrong", "remark")
                         and self._line(before) == self._line(after))  # fmt: skip
        is_last = (
            before is not None
            and before.meaning == "move"
            and item.meaning == "dash"
            and not any(one.pit for one in self.items[at:])
        )
        if self._must_pass() and not is_second:
            self._play_turn(at)
        elif not is_unread and (
            is_second
            or (item.side is None and ((is_between and item.meaning == "dash") or is_last))
            or (item.rest and is_last)
            or (self.trusts_numbers and is_between and bool(before and before.pit))
            or (self.trusts_numbers and is_remark)
        ):
            self.has_trusted |= is_remark or (item.meaning == "dots" and not is_second)
            item.meaning = "gap"
        else:
            readings = self._other_begins() if item.meaning == "dots" else []
            self.stop(at, ErrorText("is a turn missing here?"), readings, self.legal())

    def _play_turn(self, at: int) -> None:
        item, mover = self.items[at], self.positions[-1].to_move
        try:
            if item.side not in (None, mover) and not self._pass():
                raise RecordsError(ErrorText("it is the turn of %(side)s", side=mover))
            move = self._move_of(item)
            if item.rest.endswith(">") and not self.rules.is_legal(self.positions[-1], move):
                item.rest = item.rest[:-1]  # an arrow to what follows
                move = self._move_of(item)
            self._add_ply(at, move)
        except IllegalMove as error:
            if error.legal == (PASS,) and self._pass():
                self._play_turn(at)
            else:
                self.stop(at, ErrorText("not legal: %(why)s", why=MessageText(error.why)), (), self.legal())
        except RecordsError as error:
            self.stop(at, message_of(error), (), self.legal())

    def _move_of(self, item: SheetItem) -> Move:
        """The move that was written: by the letters as they are, or by their owner's case.

        :raises RecordsError: it is none.
        """
        if item.pit in ("--", ""):
            return PASS
        if "@" in item.pit:
            return Move.parse(item.pit)
        if item.pit.startswith("~"):
            raise MoveSyntaxError(ErrorText("%(text)s: leave out the ~, and play irregular turns on the page of the "
                                            "game", text=item.pit + item.rest))  # fmt: skip
        move = Move.parse(self._pit_of(item) + item.rest)
        if self.is_cased or move.special is None:
            return move
        tries = (replace(move, special=special) for special in (move.special.lower(), move.special.upper()))
        return next((one for one in tries if self.rules.is_legal(self.positions[-1], one)), move)

    def _pit_of(self, item: SheetItem) -> str:
        """The letter of a pit in the notation.

        :raises MoveSyntaxError: there is no such pit.
        """
        mover = self.positions[-1].to_move
        index = item.number - 1 if item.pit.isdecimal() else ascii_letters.index(item.pit.lower())
        pit = pit_of(item.pit, index, self.naming, self.rules.row, mover, self._starter, self.is_cased)
        if not pit:
            raise MoveSyntaxError(ErrorText("%(text)s is not a pit", text=item.pit))
        return pit

    def _add_ply(self, at: int, move: Move) -> None:
        before, previous = self.positions[-1], self.plies[-1].move if self.plies else None
        self.turn = self.rules.play(before, move, previous, self._budget)
        self.plies.append(Ply(self.turn.move))
        self.positions.append(self.turn.position)
        self._legal = None
        self._due["ply"] += 1
        if self.turn.position.to_move is not before.to_move:
            self._due["visit"] += 1
            self._due["round"] += self.turn.position.to_move is self._starter
        if at >= 0:
            item, row = self.items[at], self.rules.row
            self.chances[before.to_move] *= sum(map(bool, before.pits[row * before.to_move :][:row])) / row
            item.meaning = "move"
            self.moves[at] = str(self.turn.move), len(self.plies)
            text = self.lines.text[item.start : item.end]
            if not text[0].isascii() or text[0] == '"' or (item.pit.isdecimal() and not re.search(r"\d", text)):
                item.note = ErrorText("read as: %(what)s", what=str(self.turn.move))

    def _must_pass(self) -> bool:
        return self.legal() == (str(PASS),)

    def _pass(self) -> bool:
        """Play the pass that a sheet leaves out; False if there is a legal turn."""
        if not self._must_pass():
            return False
        self._add_ply(-1, PASS)
        return True

    def legal(self) -> tuple[str, ...]:
        """The legal moves after the last one that was played."""
        if self._legal is None:
            try:
                moves = self.rules.legal_moves(self.positions[-1], MAX_LEGAL, self._budget)
            except RecordsError:  # the budget is spent
                return ()
            self._legal = tuple(move.choice_text for move in moves)
        return self._legal

    def _verify(self, at: int, exact: str) -> None:
        """Check how many seeds a turn took (``x``) or gave to the other side (``x of other``), how many ``laps`` it
        had, the ``store`` of its side, of one said, or of one of them, what both have (``3-2``), or any of its
        counts."""
        item, turn = self.items[at], self.turn
        item.meaning = "move"
        exact = "x" if exact == "told" else exact
        if turn is None:
            self.mark(at, ErrorText("no turn stands before this"))
            return
        if exact.startswith("special"):
            index = ascii_letters.find(exact[8:].lower()) if exact[8:] else -1
            made = [ascii_letters.index(one.lower()) for one in turn.special]
            is_true = bool(made) if index < 0 else index in made
        elif "-" in exact:
            south, north = turn.position.stores
            is_true = exact == f"{south}-{north}"
        else:
            is_true = item.number in self._counts(turn, exact)
        if is_true:
            self.moves[at] = str(turn.move), len(self.plies)
            if not self.lines.has_letters and (exact == "x" or exact.startswith("store")):
                self.chances[turn.before.to_move] *= self._share(turn.before, item.number, exact)
            return
        text = self.lines.text[item.start : item.end]
        self.stop(at, ErrorText("%(move)s does not do %(text)s", move=str(turn.move), text=text), (), self.legal())

    def _counts(self, turn: Turn, exact: str) -> set[int]:
        """The numbers that may stand beside a turn, by what is counted."""
        mover, (south, north) = turn.before.to_move, turn.position.stores
        captured = {turn.captured[mover], turn.position.stores[mover] - turn.before.stores[mover]}
        if exact == "x":
            return captured
        if exact == "x of other":
            return {turn.captured[mover.other]}
        if exact == "laps":
            return {turn.laps}
        if exact == "store of one":
            return {south, north}
        if exact.startswith("store"):
            return {turn.position.stores[Side[exact[6:].upper()] if exact[6:] else mover]}
        pit = turn.move.pit
        lifted = {turn.before.pits[turn.move.pit_index(self.rules.row)]} if pit and pit.isalpha() else set()
        return captured | lifted | {turn.laps}

    def _share(self, before: Position, number: int, exact: str) -> float:
        """The share of the legal moves that a number fits: how likely it is to be true of a wrong one."""
        try:
            moves = self.rules.legal_moves(before, MAX_LEGAL, self._budget)
            turns = [self.rules.play(before, move, None, self._budget) for move in moves]
        except RecordsError:  # the budget is spent, or the turn before decides what is legal
            return 1.0
        return sum(number in self._counts(turn, exact) for turn in turns) / len(turns)

    def _annotate(self, item: SheetItem) -> None:
        nag = GLYPHS.get(item.rest)
        item.meaning = "gap" if nag else "remark"
        if nag is None:
            self._comment(item)
        elif self.plies:
            self.plies[-1] = self.plies[-1]._replace(nags=(*self.plies[-1].nags, nag))

    def _keep_more(self, item: SheetItem) -> None:
        """Keep as a comment what a fact or an end says beside what the record has of it; names say no more."""
        words = without_date(fold(self.lines.text[item.start : item.end]))
        if says_more(words, self.lines.words):
            self._comment(item)

    def _comment(self, item: SheetItem) -> None:
        text = self.lines.text[item.start : item.end]
        words = as_words(" ".join(text.strip("{}();~ ").replace("}", ")").replace("{", "(").split()))
        if words and self.plies:
            self.plies[-1] = self.plies[-1]._replace(comments=(*self.plies[-1].comments, words))
        elif words:
            self.comments.append(words)

    def _end(self, at: int) -> None:
        """Take how the game ended, if no turn follows, and nothing else was said."""
        item = self.items[at]
        ended, before = item.ended, self.ended
        text = self.lines.text[item.start : item.end].strip()
        pits, stores = self.positions[-1].pits, self.positions[-1].stores
        seeds = tuple(map(int, ended.score.split("-"))) if ended.score else stores
        is_score = seeds == stores or sum(seeds) == sum(pits) + sum(stores)
        pairs = [(ended.result, before.result), (ended.termination, before.termination), (ended.score, before.score)]
        if not item.rest and any(one.pit and one.start > item.start for one in self.items):
            self.mark(at, ErrorText("turns follow: this is not the end"))
        elif any(one and other and one != other for one, other in pairs):
            self.mark(at, ErrorText("the sheet says another end before"))
        elif not is_score and not item.rest and not self.is_stopped:
            reading = SheetReading(ErrorText("the score"), item.start, item.end, f'\n[Score "{ended.score}"]\n')
            self.mark(at, ErrorText("%(text)s cannot be the seeds at the end", text=ended.score), [reading])
        elif ended.lacks and not before.result and not any(one.ended.result for one in self.items[at + 1 :]):
            allowed = RESULTS_BY_TERMINATION.get(ended.termination, ())
            readings = [
                SheetReading(says, item.start, item.end, f"{result} {text}")
                for result, says in RESULT_TEXTS.items()
                if result in allowed
            ]
            self.mark(at, ErrorText("who won?"), readings)
        else:
            result, termination, score = (one or other for one, other in pairs)
            self.ended = Ended(result, termination, score)
            self._ended_at = at if ended.result else self._ended_at

    def has_own_cases(self) -> bool:
        """Whether each side's letters are all small, or all capitals."""
        played = [(self.positions[ply - 1].to_move, self.items[at].pit.isupper())
                  for at, (_, ply) in self.moves.items() if self.items[at].pit.isalpha()]  # fmt: skip
        return len({*played}) == len({side for side, _ in played})

    def hidden_turns(self, *meanings: str) -> list[int]:
        """The items of some meanings that have nothing but turns, or a turn with what it captures. Comments
        that the sheet marks as such are none."""
        text = fold(self.lines.text)
        struck = {token.start for token in tokenize(text) if token.kind == "struck"}
        first = min((self._line(item) for item in self.items if item.pit), default=0)
        return [
            at
            for at, item in enumerate(self.items)
            if item.meaning in meanings
            and item.rest != "last pit"
            and item.start not in struck
            and (self._line(item) >= first or not re.search(r"\w", self._before(item)))
            and text[item.start] not in "{(["
            and not (re.match(r"\d", text[item.start :]) and re.search(r"[^\W\d_]{2}\W*$", self._before(item)))
            and self._may_be_turns(text[item.start : item.end])
        ]

    def _may_be_turns(self, words: str) -> bool:
        row, has_letters = self.rules.row, self.lines.has_letters
        tokens = [one for one in tokenize(words) if one.kind not in ("gap", "dash", "glyph", "dots", "arrow")]
        tokens = tokens[1:] if tokens and tokens[0].kind == "number" else tokens

        def is_pit(token: LineToken) -> bool:
            if token.kind == "digits":
                return not has_letters and 0 < int(token.text[:6]) <= 2 * row
            is_letter = token.kind == "move" and ascii_letters.find(token.text[0].lower()) in range(2 * row)
            return token.kind == "laid" or (has_letters and (is_letter or is_run(token.text, row)))

        has_capture = any(is_pit(one) and re.search(r"[xX]\s?\d", one.text) for one in tokens)
        is_all = all(is_pit(one) or one.kind in ("digits", "taken", "number") for one in tokens)
        return has_capture or (is_all and any(map(is_pit, tokens)))

    def sheet(self, given: Mapping[str, str], namings: tuple[SheetReading, ...]) -> PaperSheet:
        overruled = self._overruled(given)
        given = {name: value for name, value in given.items() if name not in overruled}
        tags = {**self.lines.tags, **given}
        for at in self.hidden_turns("remark"):
            self.mark(at, ErrorText("is this a turn, the end, or a comment?"))
        if self.ended.score:
            tags.setdefault("Score", self.ended.score)
        if self._ended_at >= 0 and not self.is_stopped and "Termination" not in given:
            self._verify_result()
        tokens = tuple(self._tokens())
        if not any(token.meaning == "wrong" for token in tokens):
            tags |= self._end_tags(given)
        game = Game(tags, tuple(self.plies), tuple(self.comments))
        legal = () if self.is_stopped else self.legal()
        return PaperSheet(tokens, game, tuple(self.positions), legal, self.naming, namings, overruled)

    def _overruled(self, given: Mapping[str, str]) -> dict[str, ErrorText]:
        """Of each tag that is given, but not its rules, and has another value on the sheet: what is left out. A reason
        belongs to its result."""
        ended = {"Result": self.ended.result, "Termination": self.ended.termination, "Score": self.ended.score}
        said = {**{name: value for name, value in ended.items() if value}, **self.lines.tags}
        found: dict[str, ErrorText] = {}
        for name in sorted(given.keys() - set(RULES_TAGS)):  # the result before its reason
            value = said.get(name, given["Result"] if name == "Termination" and "Result" in found else "")
            if not {value, given[name]} & {"", "?", "????.??.??"} and value != given[name]:
                found[name] = ErrorText("%(tag)s: the sheet says %(said)s, and beside it stands %(given)s", tag=name,
                                        said=said.get(name, said.get("Result", "")), given=given[name])  # fmt: skip
        return found

    def _tokens(self) -> Iterator[SheetToken]:
        """All of the sheet, in order. What no item covers is layout, or is marked if it could say something."""
        text, begin = self.lines.text, 0
        lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

        def token(at: int, item: SheetItem) -> SheetToken:
            line = bisect_right(lines, item.start)
            move, ply = self.moves.get(at, ("", 0))
            return SheetToken(text[item.start : item.end], item.start, item.end, line, item.start - lines[line - 1] + 1,
                              item.meaning, move, ply, item.note, self.legal_at.get(at, ()), item.readings)  # fmt: skip

        end = SheetItem("gap", len(text), len(text))
        for at, item in [*sorted(enumerate(self.items), key=lambda pair: pair[1].start), (-1, end)]:
            for match in re.finditer(r"\s+|\S(?:[^\n]*\S)?", text[begin : item.start]):
                part = SheetItem("gap", begin + match.start(), begin + match.end())
                if re.search(r"[^\W_]|[?…]", re.sub(MARKUP, "", match[0])):
                    reading = comment_reading(text, part.start, part.end)
                    part = replace(part, meaning="wrong", note=ErrorText("what does this say?"), readings=(reading,))
                yield token(-1, part)
            if item.start < item.end:
                yield token(at, item)
            begin = max(item.start, item.end)

    def _outcome(self) -> Outcome | None:
        try:
            return self.rules.outcome(self.positions[-1], self._budget)
        except RecordsError:  # the budget is spent
            return None

    def _verify_result(self) -> None:
        """Mark a result that the rules contradict, or that lacks its reason in a game that is not over."""
        outcome, result, at = self._outcome(), self.ended.result, self._ended_at
        start, end = self.items[at].start, self.items[at].end
        if outcome is not None and outcome.result != result:
            right = SheetReading(RESULT_TEXTS[outcome.result], start, end, f'\n[Result "{outcome.result}"]\n')
            self.mark(at, ErrorText("by the rules the result is %(result)s", result=outcome.result), [right])
        elif outcome is None and result != "*" and not self.ended.termination:
            text = f'\n[Result "{result}"]\n[Termination "%s"]\n'
            fitting = [one for one in ENDINGS if result in one.results and (one.written or one.name == "unrecorded")]
            reasons = sorted(fitting, key=lambda one: one.name != "unrecorded")  # most sheets say no more
            readings = [SheetReading(one.says, start, end, text % one.name) for one in reasons]
            self.mark(at, ErrorText("the game is not over: why did it end?"), readings)

    def _end_tags(self, given: Mapping[str, str]) -> dict[str, str]:
        """The result and its reason: what is given, what the rules say, what the sheet says."""
        outcome = self._outcome()
        found = self.ended
        if outcome is not None:
            return {"Result": given.get("Result", found.result or outcome.result)}
        result, reason = given.get("Result", found.result or "*"), given.get("Termination", found.termination)
        return {"Result": result, **({"Termination": reason} if reason else {})}
