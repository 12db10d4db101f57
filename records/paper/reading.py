"""Reading a sheet of paper that was typed as it stands there: names, dates, words and moves in any layout.

Every character of the sheet is accounted for: it is a turn, a number, a name, a fact, how the game ended, a comment or
the layout; or it is marked, and the game cannot be kept before somebody answers the mark. `read_sheet` takes the lines
apart (`lines`), then plays the turns by each way in which the pits may be named. The rules are evidence: they choose
between ways only where nothing else is left, and that is said.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from string import ascii_letters

from records.budget import Budget
from records.errors import ErrorText, MoveSyntaxError, RecordsError, message_of
from records.game import Game
from records.language import MessageText
from records.moves import PASS, IllegalMove, Move, Turn
from records.notation.commands import as_words
from records.notation.move_numbers import first_number
from records.notation.movetext import GLYPHS
from records.notation.tags import RESULTS_BY_TERMINATION, RULES_TAGS, rules_of
from records.position import Position, Side, pit_letter
from records.record import Ply
from records.rules.play import Rules

from .lines import Item, Lines, Reading, comment_reading, read_lines
from .words import PITS, Ended

MAX_SHEET = 10_000  # characters
MAX_TOKENS = 1_500  # turns, numbers and marks
MAX_LEGAL = 200  # legal moves that are listed
SURE = 12  # turns that only one way of naming the pits allows: it is not asked
MEANINGS = ("move", "number", "result", "name", "fact", "remark", "gap", "wrong", "unread")


@dataclass(frozen=True, slots=True)
class SheetToken:
    """A part of the sheet, from `start` to `end`. `line` and `column` count from 1; `meaning` is one of `MEANINGS`.

    A turn has its canonical text as `move`, and its number `ply`. `note` says why a part is marked, or what it was read
    as. A marked part (``wrong``) has `readings`: what may stand in its place. `legal` are moves that would be legal
    there. ``unread`` turns come after a mark.
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
    readings: tuple[Reading, ...] = ()


@dataclass(frozen=True)
class PaperSheet:
    """What was read. The texts of the `tokens` together are the sheet.

    `game` is right as far as its `plies` go; its tags are those given and those found. `legal` are the legal moves after
    the last one. `marks` are the tokens that must be answered before the game is kept, `wrong` is the first of them.
    `pits` is how the pits are named, of `PITS`, and `namings` are the readings by which it would be another.
    """

    tokens: tuple[SheetToken, ...]
    game: Game
    positions: tuple[Position, ...]
    legal: tuple[str, ...]
    pits: str = "left"
    namings: tuple[Reading, ...] = ()

    @property
    def marks(self) -> tuple[SheetToken, ...]:
        return tuple(token for token in self.tokens if token.meaning == "wrong")

    @property
    def wrong(self) -> SheetToken | None:
        return next(iter(self.marks), None)


def read_sheet(text: str, tags: Mapping[str, str]) -> PaperSheet:
    """Read a sheet. `tags` are what is known already: at least the game; they count more than the sheet.

    Small letters are South's and capitals North's if that fits until both have moved; else case means nothing.

    :raises RecordsError: the tags name no game or impossible options, or the text is too long.
    """
    if len(text) > MAX_SHEET:
        raise RecordsError(ErrorText("the sheet is longer than %(most)s characters: split it", most=MAX_SHEET))
    lines = read_lines(text, rules_of(tags), tags)
    if len(lines.items) > MAX_TOKENS:
        raise RecordsError(ErrorText("the sheet has more than %(most)s words: split it", most=MAX_TOKENS))
    known = {**{name: lines.tags[name] for name in RULES_TAGS if name in lines.tags}, **tags}
    player = _choose(lines, known)
    return player.sheet(tags, tuple(_namings(text)))


def _namings(text: str) -> Iterator[Reading]:
    """The readings that say how the pits are named."""
    said = re.search(r'^[ \t]*\[Pits "[^"\n]*"\][ \t]*\n?', text, re.MULTILINE)
    start, end = said.span() if said else (0, 0)
    for name, says in PITS.items():
        yield Reading(says, start, end, f'[Pits "{name}"]\n')


def _choose(lines: Lines, known: Mapping[str, str]) -> _Player:
    """Play the sheet by the way of naming pits that it says, or else that fits; what is not sure is marked."""
    rules = rules_of(known)
    turns = [at for at, item in enumerate(lines.items) if item.meaning in ("move", "digits")]
    said = [name for name in lines.pits.split() if name in PITS]
    is_any_case = "any-case" in lines.pits
    namings = {reading.text.split('"')[1]: reading for reading in _namings(lines.text)}

    def played(naming: str, is_cased: bool = False, by: Rules = rules) -> _Player:
        player = _Player(lines, by, naming, is_cased)
        player.play()
        return player

    if not lines.has_letters:
        players = [played(naming) for naming in said or PITS]
        fitting = [player for player in players if not player.is_stopped] or players
        best = max(fitting, key=lambda player: len(player.plies))
        if len(fitting) > 1 and len({tuple(ply.move for ply in player.plies) for player in fitting}) == 1:
            fitting = fitting[:1]
        if turns and not said and (len(fitting) > 1 or best.is_stopped or best.evidence < SURE):
            readings = [namings[player.naming] for player in fitting]
            best.mark(best.first_turn(), ErrorText("from where are the pits counted?"), readings)
        return best
    best = played(said[0] if said else "left", not is_any_case)
    if not is_any_case and best.is_stopped and len({ply.move.side for ply in best.plies}) < len(Side):
        other = played(best.naming)
        best = other if len(other.plies) > len(best.plies) or lines_in_one_case(lines) else best
        north = {**known, "First": str(rules.start().to_move.other)}
        if not lines_in_one_case(lines) and not {"First", "Setup", "Race"} & known.keys():
            swapped = played("left", True, rules_of(north))
            if not swapped.is_stopped and turns:
                first = Reading(ErrorText("%(side)s begins", side=north["First"]), 0, 0, f'[First "{north["First"]}"]\n')
                case = Reading(ErrorText("capitals mean nothing"), 0, 0, '[Pits "left any-case"]\n')
                best.mark(best.first_turn(), ErrorText("who begins?"), [first] if best.is_stopped else [first, case])
                return best
    if best.is_stopped and not said:
        others = [player for naming in PITS if naming != "left" and not (player := played(naming)).is_stopped]
        beyond = sum(not _is_in_row(lines.items[at], rules.row) for at in turns)
        if len(others) == 1 and 4 * beyond > len(turns) and others[0].evidence >= SURE:
            others[0].note(others[0].first_turn(), ErrorText("read as: %(what)s", what=PITS[others[0].naming]))
            return others[0]
        best.offer([namings[player.naming] for player in others])
    return best


def lines_in_one_case(lines: Lines) -> bool:
    pits = [item.pit for item in lines.items if item.meaning == "move" and item.pit.isalpha()]
    return all(map(str.islower, pits)) or all(map(str.isupper, pits))


def _is_in_row(item: Item, row: int) -> bool:
    return ascii_letters.find(item.pit[:1].lower()) < row


@dataclass
class _Player:
    """Plays the turns of a sheet, whose pits are named in a way of `PITS`. `is_cased`: small letters are South's,
    capitals North's."""

    lines: Lines
    rules: Rules
    naming: str
    is_cased: bool
    plies: list[Ply] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    is_stopped: bool = False  # at a turn, or a number, that cannot be
    evidence: int = 0  # turns, and three for each claim that is true

    def __post_init__(self) -> None:
        self.items = [replace(item) for item in self.lines.items]
        self.moves: dict[int, tuple[str, int]] = {}  # by item: what was played, and its number
        self.legal_at: dict[int, tuple[str, ...]] = {}
        self.positions = [self.rules.start()]
        self.ended = Ended()
        self._starter = self.positions[0].to_move
        self._budget = Budget(len(self.items))
        self._legal: tuple[str, ...] | None = None
        self._queue = [at for at, item in enumerate(self.items) if item.system and item.meaning in ("move", "digits")]
        self._find_numbers()
        self._last_turn = max((at for at, item in enumerate(self.items) if item.meaning in ("move", "digits")), default=-1)
        numbers = {item.number for item in self.items if item.meaning == "number"}
        turns = sum(item.meaning in ("move", "digits") for item in self.items)
        self._are_pairs = 5 * turns > 7 * len(numbers)
        self._number: int | None = None  # the last one
        self._since = 0  # turns after it

    def _find_numbers(self) -> None:
        """Find the numbers of lines among digits: each line's first, if they go up one by one."""
        lines: dict[int, list[int]] = {}
        for at, item in enumerate(self.items):
            if item.meaning == "digits" and not item.system:
                lines.setdefault(self._line(item), []).append(at)
        if self.lines.has_letters:
            starts = {self._line(item): at for at, item in reversed([*enumerate(self.items)]) if item.meaning != "gap"}
            firsts = [found[0] for line, found in lines.items() if starts[line] == found[0]]
            firsts = [at for at in firsts if self._line(self.items[at]) == self._line(self.items[min(at + 1, len(self.items) - 1)])]
        else:
            firsts = [found[0] for found in lines.values() if len(found) > 1]
            values = [self.items[at].number for at in firsts]
            numbered = values == [*range(values[0], values[0] + len(values))] if values else False
            if len(firsts) < len(lines) - 1 or not numbered or (len(firsts) == 1 and len(lines[self._line(self.items[firsts[0]])]) != 3):
                firsts = []
        for at in firsts:
            self.items[at].meaning = "number"

    def _line(self, item: Item) -> int:
        return self.lines.text.count("\n", 0, item.start)

    def first_turn(self) -> int:
        return next(at for at, item in enumerate(self.items) if item.meaning in ("move", "digits") or at in self.moves)

    def mark(self, at: int, note: str, readings: Sequence[Reading] = (), legal: tuple[str, ...] = ()) -> None:
        """Mark an item: it must be answered."""
        item = self.items[at]
        self.items[at] = replace(item, meaning="wrong", note=note, readings=(*readings, *self._as_comment(item)))
        if legal:
            self.legal_at[at] = legal

    def _as_comment(self, item: Item) -> list[Reading]:
        return [] if item.meaning == "wrong" else [comment_reading(self.lines.text, item.start, item.end)]

    def note(self, at: int, note: str) -> None:
        self.items[at].note = self.items[at].note or note

    def offer(self, readings: Sequence[Reading]) -> None:
        """Offer other ways of naming the pits at the turn that cannot be."""
        for at, item in enumerate(self.items):
            if at in self.legal_at or (item.meaning == "wrong" and item.pit):
                item.readings = (*readings, *item.readings)
                return

    def play(self) -> None:
        """Play all items in their order, but the turns of a side's own lines when it is to move."""
        for at, item in enumerate(self.items):
            meaning = item.meaning
            if self.is_stopped:
                if meaning in ("move", "digits", "claim", "dash", "glyph", "dots"):
                    item.meaning = "unread"
            elif item.system and meaning in ("move", "digits"):
                self._play_queue()
            elif meaning == "move":
                self._play_turn(at)
            elif meaning == "digits":
                self._play_digits(at)
            elif meaning == "number" and not item.system:
                self._count(at)
            elif meaning in ("dash", "dots"):
                self._play_dash(at)
            elif meaning == "claim":
                self._verify(at)
            elif meaning == "glyph":
                self._annotate(item)
            elif meaning == "remark":
                self._comment(item)
            if item.meaning == "result":
                self._end(at)
        if not self.moves and self._last_turn < 0:
            for at, item in enumerate(self.items):
                if item.meaning == "remark" and self.lines.text[item.start] not in "{~<":
                    self.mark(at, ErrorText("no turn was read: what does this say?"))

    def _play_queue(self) -> None:
        """Play the turns of lines that are one side's, of those that belong together."""
        system = self.items[self._queue[0]].system if self._queue else 0
        queue = [at for at in self._queue if self.items[at].system == system]
        while queue and not self.is_stopped:
            mover = self.positions[-1].to_move
            mine = next((at for at in queue if self.items[at].side is mover), None)
            if mine is not None:
                queue.remove(mine)
                self._queue.remove(mine)
                self._play_turn(mine)
            elif not self._pass():
                self._stop(queue[0], ErrorText("it is the turn of %(side)s", side=mover), self.legal())

    def _play_digits(self, at: int) -> None:
        """Play digits, which are a pit, or among letters the next number or the seeds of the last turn."""
        item = self.items[at]
        if not self.lines.has_letters:
            self._play_turn(at)
            return
        is_next = (self._number or 0) + 1 == item.number
        if is_next and (self.positions[-1].to_move is self._starter or not self._are_pairs):
            item.meaning = "number"
            self._count(at)
        elif at and self.items[at - 1].meaning == "move" and self._line(self.items[at - 1]) == self._line(item):
            item.meaning = "claim"
            self._verify(at)
        else:
            self._stop(at, ErrorText("%(text)s is neither a pit nor the next number", text=item.pit), self.legal())

    def _count(self, at: int) -> None:
        """Check a number: they go up one by one, and each has its turns."""
        item, last = self.items[at], self._number
        start = self.positions[0]
        first = first_number(start) if self._are_pairs or start.ply == 0 else start.ply + 1
        side = self.positions[-1].to_move
        wanted = first if last is None else last + 1
        is_late = bool(re.search(r"\.\.\.|…", item.rest))
        if item.number == last and (self._since == 0 or (self._are_pairs and side is not self._starter)):
            wanted = last
        elif self._are_pairs and item.number == wanted and last is not None and side is not self._starter:
            if not self._pass():
                self._stop(at, ErrorText("before %(number)s the turn of %(side)s is missing", number=item.number, side=side))
                return
        if item.number != wanted or (last is not None and item.number != last and not self._since):
            self._stop(at, self._why_not(item.number, wanted), None, self._renumbered(at, wanted))
        elif is_late and self.positions[-1].to_move is self._starter and not (self._since == 0 and last == item.number):
            self._stop(at, ErrorText("the turn of %(side)s is missing", side=side), None, self._begins(item))
        else:
            self._since = 0 if item.number != last else self._since
            self._number = item.number

    def _why_not(self, number: int, wanted: int) -> ErrorText:
        if self._number is None:
            return ErrorText(
                "the sheet begins with turn %(number)s, and the game with %(wanted)s: is this a second sheet? Then give "
                "the position where it begins", number=number, wanted=wanted)  # fmt: skip
        return ErrorText("turn %(number)s stands where %(wanted)s is due", number=number, wanted=wanted)

    def _renumbered(self, at: int, wanted: int) -> list[Reading]:
        """That a number, or all from it on, are wrong by as much."""
        text, item = self.lines.text, self.items[at]
        shift = wanted - item.number
        numbers = [one for one in self.items[at:] if one.meaning == "number" and one.start >= item.start]
        parts, end = [], item.start
        for one in numbers:
            parts += [text[end : one.start], _renumber(text[one.start : one.end], shift)]
            end = one.end
        found = [Reading(ErrorText("it is %(number)s", number=wanted), item.start, item.end, parts[1])]
        if len(numbers) > 1 and all(one.number + shift > 0 for one in numbers):
            says = ErrorText("no turn is missing: count on from %(number)s", number=wanted)
            found.insert(0, Reading(says, item.start, end, "".join(parts)))
        return found

    def _begins(self, item: Item) -> list[Reading]:
        other = str(self._starter.other)
        return [] if self.plies else [Reading(ErrorText("%(side)s begins", side=other), 0, 0, f'[First "{other}"]\n')]

    def _play_dash(self, at: int) -> None:
        item = self.items[at]
        before, after = (self.items[one].meaning if 0 <= one < len(self.items) else "" for one in (at - 1, at + 1))
        if item.meaning == "dots":
            if self.positions[-1].to_move is self._starter:
                side = self.positions[-1].to_move
                self._stop(at, ErrorText("the turn of %(side)s is missing", side=side), None, self._begins(item))
            else:
                item.meaning = "gap"
        elif self._must_pass():
            self._play_turn(at)
        elif item.side is None and before not in ("", "wrong") and after and self._line(item) == self._line(self.items[at + 1]):
            is_number = before == "number" and "." in self.items[at - 1].rest
            if is_number:
                self.mark(at, ErrorText("is a turn missing here?"), [Reading(ErrorText("no"), item.start, item.end, " ")])
            else:
                item.meaning = "gap"
        elif at > self._last_turn:
            item.meaning = "gap"
        else:
            self._stop(at, ErrorText("is a turn missing here?"), self.legal())

    def _play_turn(self, at: int) -> None:
        item = self.items[at]
        mover = self.positions[-1].to_move
        try:
            if item.side not in (None, mover) and not self._pass():
                raise RecordsError(ErrorText("it is the turn of %(side)s", side=mover))
            self._add_ply(at, self._move_of(item))
        except IllegalMove as error:
            if error.legal == (PASS,) and self._pass():
                self._play_turn(at)
            elif error.reason == "no-such-choice" and item.rest.endswith(">"):
                item.rest = item.rest[:-1]  # an arrow to what follows
                self._play_turn(at)
            else:
                self._stop(at, ErrorText("not legal: %(why)s", why=MessageText(error.why)), self.legal())
        except RecordsError as error:
            self._stop(at, message_of(error), self.legal())

    def _move_of(self, item: Item) -> Move:
        """The move that was written: by the letters as they are, or by their owner's case.

        :raises RecordsError: it is none.
        """
        if item.pit in ("--", "") or item.meaning == "dash":
            return PASS
        if "@" in item.pit:
            return Move.parse(item.pit)
        if item.pit.startswith("~"):
            raise MoveSyntaxError(ErrorText("%(text)s: leave out the ~, and play irregular turns on the page of the "
                                            "game", text=item.pit + item.rest))  # fmt: skip
        pit = self._pit_of(item)
        move = Move.parse(pit + item.rest)
        if self.is_cased or move.special is None:
            return move
        for special in (move.special, move.special.lower(), move.special.upper()):
            move = replace(move, special=special)
            if self.rules.is_legal(self.positions[-1], move):
                break
        return move

    def _pit_of(self, item: Item) -> str:
        """The letter of a pit in the notation.

        :raises MoveSyntaxError: there is no such pit.
        """
        row, mover = self.rules.row, self.positions[-1].to_move
        index = item.number - 1 if item.pit.isdecimal() else ascii_letters.index(item.pit.lower())
        offset = row * self._starter
        if self.naming == "round-left":
            pit = (index + offset) % (2 * row)
        elif self.naming == "round-right":
            pit = (row - 1 - index + offset) % (2 * row)
        else:
            side = mover
            if self.is_cased and item.pit.isalpha():
                side = Side(item.pit.isupper())
            is_turned = self.naming == "right" or (self.naming == "columns" and side is Side.NORTH)
            pit = row * side + (row - 1 - index if is_turned else index)
        limit = 2 * row if self.naming.startswith("round") else row
        if not 0 <= index < limit:
            raise MoveSyntaxError(ErrorText("%(text)s is not a pit", text=item.pit))
        return pit_letter(pit, row)

    def _add_ply(self, at: int, move: Move) -> None:
        previous = self.plies[-1].move if self.plies else None
        turn = self.rules.play(self.positions[-1], move, previous, self._budget)
        self.plies.append(Ply(turn.move))
        self.turns.append(turn)
        self.positions.append(turn.position)
        self._legal = None
        self._since += 1
        self.evidence += 1 + 3 * (move.captured is not None)
        if at >= 0:
            item = self.items[at]
            written = self.lines.text[item.start : item.end]
            looks = written[0] != move.pit and (not written[0].isascii() or (not self.is_cased and self._mixed(written, move)))
            if looks and self.lines.has_letters and item.pit not in ("", "--"):
                item.note = ErrorText("read as: %(what)s", what=str(turn.move))
            item.meaning = "move"
            self.moves[at] = str(turn.move), len(self.plies)

    def _mixed(self, written: str, move: Move) -> bool:
        return self.naming == "left" and written[0].isalpha() and not lines_in_one_case(self.lines)

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

    def _stop(
        self, at: int, why: str, legal: tuple[str, ...] | None = None, readings: Sequence[Reading] = ()
    ) -> None:
        self.mark(at, why, readings, legal or ())
        self.is_stopped = True

    def _verify(self, at: int) -> None:
        """Check how many seeds a turn took, or how many laps it had, against the turn."""
        item = self.items[at]
        item.meaning = "move"
        if not self.turns:
            self.mark(at, ErrorText("no turn stands before this"))
            return
        turn, mover = self.turns[-1], self.turns[-1].before.to_move
        gained = turn.position.stores[mover] - turn.before.stores[mover]
        fits = {"x": {turn.captured[mover], gained}, "laps": {turn.laps}}.get(item.rest)
        if fits is None:
            pit = turn.move.pit
            lifted = turn.before.pits[turn.move.pit_index(self.rules.row)] if pit and pit.isalpha() else 0
            fits = {turn.captured[mover], gained, turn.laps, lifted}
        if item.number in fits:
            self.evidence += 3
            self.moves[at] = str(turn.move), len(self.plies)
        else:
            text = self.lines.text[item.start : item.end]
            why = ErrorText("%(move)s does not do %(text)s", move=str(turn.move), text=text)
            if item.rest:
                self.mark(at, why)
            else:  # it may be a turn
                self._stop(at, why, self.legal())

    def _annotate(self, item: Item) -> None:
        nag = GLYPHS.get(item.rest)
        item.meaning = "gap" if nag else "remark"
        if nag is None:
            self._comment(item)
        elif self.plies:
            self.plies[-1] = self.plies[-1]._replace(nags=(*self.plies[-1].nags, nag))

    def _comment(self, item: Item) -> None:
        text = self.lines.text[item.start : item.end]
        words = as_words(" ".join(text.strip("{}();~ ").replace("}", ")").replace("{", "(").split()))
        if not words:
            return
        if self.plies:
            self.plies[-1] = self.plies[-1]._replace(comments=(*self.plies[-1].comments, words))
        else:
            self.comments.append(words)

    def _end(self, at: int) -> None:
        """Take how the game ended, if no turn follows, and nothing else was said."""
        ended, item = self.items[at].ended, self.items[at]
        text = self.lines.text[item.start : item.end].strip()
        before = self.ended
        pairs = [(ended.result, before.result), (ended.termination, before.termination), (ended.score, before.score)]
        if not item.rest and any(one.start > item.start for one in self.items if one.pit):
            self.mark(at, ErrorText("turns follow: this is not the end"))
        elif any(one and other and one != other for one, other in pairs):
            self.mark(at, ErrorText("the sheet says another end before"))
        elif ended.lacks and not before.result and ended.termination != "abandoned":
            later = any(one.meaning == "result" and one.ended.result for one in self.items[at + 1 :])
            if not later:
                readings = [
                    Reading(says, item.start, item.end, f"{result} {text}")
                    for result, says in _RESULTS.items()
                    if result in RESULTS_BY_TERMINATION[ended.termination]
                ]
                self.mark(at, ErrorText("who won?"), readings)
        if self.items[at].meaning == "result":
            self.ended = Ended(*(one or other for one, other in pairs))

    def sheet(self, given: Mapping[str, str], namings: tuple[Reading, ...]) -> PaperSheet:
        tags = {**self.lines.tags, **given}
        tags.pop("Pits", None)
        if self.ended.score:
            tags.setdefault("Score", self.ended.score)
        if not any(item.meaning == "wrong" for item in self.items):
            tags |= self._end_tags(given)
        game = Game(tags, tuple(self.plies), tuple(self.comments))
        legal = () if self.is_stopped else self.legal()
        return PaperSheet(tuple(self._tokens()), game, tuple(self.positions), legal, self.naming, namings)

    def _tokens(self) -> Iterator[SheetToken]:
        """All of the sheet, in order. What no item covers is layout, or is marked if it could say something."""
        text, begin = self.lines.text, 0
        lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        end_item = Item("gap", len(text), len(text))
        for at, item in [*sorted(enumerate(self.items), key=lambda pair: pair[1].start), (-1, end_item)]:
            if begin < item.start:
                found = text[begin : item.start]
                stripped = found.strip()
                if re.search(r"[^\W_]|[?…]", found):
                    start = begin + len(found) - len(found.lstrip())
                    stop = start + len(stripped)
                    parts = [Item("gap", begin, start), Item("wrong", start, stop, note=ErrorText("what does this say?"),
                             readings=(comment_reading(text, start, stop),)), Item("gap", stop, item.start)]  # fmt: skip
                else:
                    parts = [Item("gap", begin, item.start)]
                yield from (_token(text, lines, part) for part in parts if part.start < part.end)
            if max(begin, item.start) < item.end:
                move, ply = self.moves.get(at, ("", 0))
                start = max(begin, item.start)
                yield _token(text, lines, replace(item, start=start), move, ply, self.legal_at.get(at, ()))
                begin = item.end

    def _end_tags(self, given: Mapping[str, str]) -> dict[str, str]:
        """The result and its reason: what is given, what the rules say, what the sheet says."""
        try:
            outcome = self.rules.outcome(self.positions[-1], self._budget)
        except RecordsError:
            outcome = None
        found = self.ended
        if outcome is not None:
            return {"Result": given.get("Result", found.result or outcome.result)}
        result, reason = given.get("Result", found.result), given.get("Termination", found.termination)
        if not result:
            allowed = RESULTS_BY_TERMINATION.get(reason, ())
            result = "1/2-1/2" if reason == "agreement" else "*"
            reason = reason if result in allowed or "Termination" in given else ""
        return {"Result": result, **({"Termination": reason} if reason else {})}


_RESULTS = {"1-0": ErrorText("South won"), "0-1": ErrorText("North won"), "1/2-1/2": ErrorText("a draw")}


def _renumber(text: str, shift: int) -> str:
    return re.sub(r"\d+", lambda match: str(int(match[0]) + shift), text, count=1)


def _token(
    text: str, lines: Sequence[int], item: Item, move: str = "", ply: int = 0, legal: tuple[str, ...] = ()
) -> SheetToken:
    line = bisect_right(lines, item.start)
    meaning = item.meaning if item.meaning in MEANINGS else "unread"
    return SheetToken(text[item.start : item.end], item.start, item.end, line, item.start - lines[line - 1] + 1, meaning,
                      move, ply, item.note, legal, item.readings)  # fmt: skip
