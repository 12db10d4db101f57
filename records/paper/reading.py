"""Reading a sheet of paper that was typed as it stands there: names, dates, words and moves in any layout.

`read_sheet` takes the text apart into tokens, line by line, says what each means, and plays the moves as far as the
rules allow. The first token that cannot be is kept with what would be legal there; nothing after it is played.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from records.budget import Budget
from records.errors import ErrorText, MoveSyntaxError, RecordsError, message_of
from records.game import Game
from records.language import MessageText
from records.moves import PASS, IllegalMove, Kind, Move
from records.notation.commands import as_words
from records.notation.movetext import GLYPHS
from records.notation.tags import MAX_VALUE, RESULTS_BY_TERMINATION, rules_of
from records.position import Position, Side
from records.record import Ply
from records.rules.play import Rules

from .words import LABELS, NAMES_APART, PASSES, SIDE_WORDS, Ended, find_end, read_date

MAX_SHEET = 10_000  # characters
MAX_TOKENS = 1_500
MAX_LEGAL = 200  # legal moves that are listed
MAX_WORDS = 400  # characters of a line in which names, labels and ends are looked for
AMONG_MOVES = ("gap", "move", "number", "digits", "dash", "result", "remark", "glyph")
MEANINGS = ("move", "number", "result", "name", "fact", "remark", "wrong", "unread")

_LETTER = r"[^\W\d_]"
_CHOICE = "[<>←→«»]"
_MOVE = (
    rf"[A-Za-z]{{2}}@(?:[A-Za-z]\d{{1,4}})*|~?[A-Za-z](?:\s*{_CHOICE})*"
    rf"(?:\s?[xX×]\s?\d{{1,4}}(?:,\d{{1,4}})?)?(?:\s?=\s?[A-Za-z]+)?(?!{_LETTER})"
)
_TOKEN = re.compile(
    rf"""(?P<remark>\{{[^}}]*\}}?|\([^)]*\)?|~~.*?~~)
      | (?P<result>(?:1\s?[-–—:]\s?0|0\s?[-–—:]\s?1|(?:1/2|½)(?:\s?[-–—]\s?(?:1/2|½))?|\*)(?![\d/]))
      | (?P<date>\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}(?!\d))
      | (?P<score>\d{{1,4}}\s?[-–—:]\s?\d{{1,4}}(?!\d))
      | (?P<number>\#?\d{{1,5}}\s?[.):…]+)
      | (?P<digits>\d+)
      | (?P<move>{_MOVE})
      | (?P<glyph>[!?]{{1,2}})
      | (?P<word>{_LETTER}[^\W_]*(?:['’]{_LETTER}+)*\.?)
      | (?P<dash>[-–—]+)
      | (?P<gap>[\s,;|/&+.:_•·✓]+)
      | (?P<other>\S)""",
    re.VERBOSE,
)
_NUMBERED = re.compile(rf"(?<!\S)\#?\d{{1,3}}\s?[.)]\s*(?:{_MOVE}|[A-Za-z]{{2}}(?!{_LETTER}))")
_LABEL = re.compile(rf"\[?\s*(?P<label>{_LETTER}+)\s*(?:[:=]|\s\")\s*(?P<value>.*?)\"?\s*\]?\s*")
_CHOICES = str.maketrans("←→«»", "<><>")


@dataclass(frozen=True, slots=True)
class SheetToken:
    """A word of the sheet. `line` and `column` count from 1; `meaning` is one of `MEANINGS`.

    A move has its canonical text as `move`, and its number `ply`. `note` says why a token cannot be; `legal` are then
    the moves that would be legal there.
    """

    text: str
    line: int
    column: int
    meaning: str
    move: str = ""
    ply: int = 0
    note: str = ""
    legal: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaperSheet:
    """What was read. `game` is right as far as its `plies` go; its tags are those given and those found.

    `legal` are the legal moves after the last one, `wrong` is the first token that cannot be.
    """

    tokens: tuple[SheetToken, ...]
    game: Game
    positions: tuple[Position, ...]
    legal: tuple[str, ...]
    wrong: SheetToken | None = None


def read_sheet(text: str, tags: Mapping[str, str]) -> PaperSheet:
    """Read a sheet. `tags` are what is known already: at least the game; they count more than the sheet.

    Small letters are South's and capitals North's if that fits until both have moved; else case means nothing.

    :raises RecordsError: the tags name no game or impossible options, or the text is too long.
    """
    rules = rules_of(tags)
    if len(text) > MAX_SHEET:
        raise RecordsError(ErrorText("the sheet is longer than %(most)s characters: split it", most=MAX_SHEET))
    layout = _Layout(tags)
    for number, line in enumerate(text.split("\n"), 1):
        layout.add_line(number, line.rstrip("\r"))
        if len(layout.tokens) > MAX_TOKENS:
            raise RecordsError(ErrorText("the sheet has more than %(most)s words: split it", most=MAX_TOKENS))
    player = _Player(layout, rules, is_cased=True)
    player.play()
    if player.wrong is not None and len({ply.move.side for ply in player.plies}) < len(Side):
        player = _Player(layout, rules, is_cased=False)
        player.play()
    return player.sheet(tags)


class _Layout:
    """The tokens of a sheet, and what stands beside its moves."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.tokens: list[SheetToken] = []
        self.sides: dict[int, Side] = {}  # of the moves of lines that are one side's, by index
        self.tags: dict[str, str] = {}
        self.end = Ended()
        self._given = given
        self._has_moves = False

    def add_line(self, number: int, line: str) -> None:
        """Add the tokens of a line, by what kind of line it is."""
        if not line.strip():
            return
        if len(line) <= MAX_WORDS:
            label = _LABEL.fullmatch(line)
            name = LABELS.get(label["label"].casefold()) if label else None
            if label and name and not _is_moves(label["value"], least=1):
                self._add_label(number, line, name, label["value"])
                return
        side, begin = self._owner(line)
        if side is not None:
            self._add(number, 1, line[:begin].rstrip(": \t"), "name")
        elif not _is_moves(line):
            first = _NUMBERED.search(line)
            begin = len(line) if first is None else first.start()
            if line[:begin].strip():
                self._add_words(number, line[:begin])
        self._add_moves(number, line, begin, side)

    def _owner(self, line: str) -> tuple[Side | None, int]:
        """Whose moves alone are in the line, and where these begin: after the name of the player or the side."""
        for side in Side:
            names = [self.name(side), *(word for word, of in SIDE_WORDS.items() if of is side)]
            for name in filter(None, names):
                begin = re.match(rf"\s*{re.escape(name)}\s*[:.\-–—]?\s+", line, re.IGNORECASE)
                if begin and _is_moves(line[begin.end() :], least=1):
                    kinds = [token.lastgroup for token in _TOKEN.finditer(line, begin.end())]
                    if kinds.count("number") in (0, kinds.count("move")):
                        return side, begin.end()
        return None, 0

    def name(self, side: Side) -> str:
        value = self._given.get(str(side)) or self.tags.get(str(side), "")
        return "" if value == "?" else value

    def _add_label(self, number: int, line: str, tag: str, value: str) -> None:
        if tag in ("Result", "Termination"):
            if not self._add_end(number, line, value):
                self._add(number, 1, line, "remark")
            return
        value = (read_date(value) if tag == "Date" else None) or " ".join(value.split())[:MAX_VALUE]
        self.tags.setdefault(tag, value)
        self._add(number, 1, line, "name" if tag in ("South", "North") else "fact")

    def _add_words(self, number: int, line: str) -> None:
        """A line of words: the players, a date, how the game ended, or a remark."""
        date = read_date(line)
        if self._add_end(number, line, line, after_moves=self._has_moves):
            return
        meaning = "remark" if re.search(_LETTER, line) else "fact"
        names = [part.strip(" .:") for part in NAMES_APART.split(line.strip()[:MAX_WORDS])]
        if len(names) == 2 and not self._has_moves and all(map(_is_name, names)):
            meaning = "name"
            if not all(name.casefold() in SIDE_WORDS for name in names):
                for side, name in zip(Side, names, strict=True):
                    self.tags.setdefault(str(side), name[:MAX_VALUE])
        elif date is not None:
            self.tags.setdefault("Date", date)
        elif line.strip(" .:").casefold() in {self.name(side).casefold() for side in Side}:
            meaning = "name"
        self._add(number, 1, line, meaning)

    def _add_end(self, number: int, line: str, words: str, column: int = 1, after_moves: bool = True) -> bool:
        """Add words that say how the game ended; False if they do not. Before the moves a reason alone says nothing:
        the time may be that of the beginning."""
        if len(words) > MAX_WORDS:
            return False
        end = find_end(words, [self.name(side) for side in Side])
        if not (end.result or (end.termination and after_moves)):
            return False
        self.end = self.end.joined(end)
        self._add(number, column, line, "result")
        return True

    def _add_moves(self, number: int, line: str, begin: int, side: Side | None = None) -> None:
        """Add a line of moves, from an offset on; words after them may say how the game ended."""
        found = list(_TOKEN.finditer(line, begin))
        only_moves = max((token.end() for token in found if not _is_among_moves(token)), default=0)  # from there on
        numbered = max((token.end() for token in found if token.lastgroup in ("number", "result")), default=0)
        for token in found:
            kind, text, column = str(token.lastgroup), token[0], token.start() + 1
            rest = line[token.start() :]
            if kind == "word" and not (_is_move_word(text) and (column > only_moves or column <= numbered)):
                if text.strip(".").casefold() in {self.name(one).casefold() for one in Side}:
                    kind = "name"
                elif self._add_end(number, rest, rest, column):
                    return
                elif len(text) > 3 and text.isalpha() and text.casefold() not in PASSES:
                    kind = "remark"
            if kind == "word" and len(text) == 2 and text.isascii() and text.isalpha():
                for at, letter in enumerate(text):
                    self._add_move(number, column + at, letter, side)
            elif kind in ("move", "word", "other", "digits"):
                self._add_move(number, column, text, side)
            elif kind != "gap":
                self._add(number, column, text, _MEANINGS.get(kind, kind))
            if kind == "result":
                self.end = self.end.joined(Ended("1/2-1/2" if "/" in text else _RESULT_SIGNS[text[0]]))
            elif kind == "score":
                self.tags.setdefault("Score", "-".join(str(int(seeds)) for seeds in re.findall(r"\d+", text)))
            elif kind == "date":
                self.tags.setdefault("Date", read_date(text) or text)

    def _add_move(self, number: int, column: int, text: str, side: Side | None) -> None:
        self._has_moves = True
        if side is not None:
            self.sides[len(self.tokens)] = side
        self._add(number, column, text, "move")

    def _add(self, line: int, column: int, text: str, meaning: str) -> None:
        column += len(text) - len(text.lstrip())
        self.tokens.append(SheetToken(text.strip(), line, column, meaning))


_MEANINGS = {"score": "result", "date": "fact"}  # of tokens whose kind is none
_RESULT_SIGNS = {"1": "1-0", "0": "0-1", "½": "1/2-1/2", "*": "*"}


def _is_move_word(text: str) -> bool:
    """Whether a word of letters may stand among moves: two moves without a space, or a pass."""
    return text.casefold() in PASSES or (len(text) == 2 and text.isascii() and text.isalpha())


def _is_among_moves(token: re.Match[str]) -> bool:
    """Whether a token may stand in a line of moves."""
    return token.lastgroup in AMONG_MOVES or (token["word"] is not None and _is_move_word(token[0]))


def _is_moves(line: str, least: int = 0) -> bool:
    """Whether nothing but moves, at least so many, and what may stand among them is in the line."""
    found = list(_TOKEN.finditer(line))
    return all(map(_is_among_moves, found)) and least <= sum(token.lastgroup == "move" for token in found)


def _is_name(text: str) -> bool:
    return len(re.findall(_LETTER, text)) >= 2 and not re.search(r"\d", text) and len(text) <= 80


@dataclass
class _Player:
    """Plays the moves of a sheet. `is_cased`: small letters are South's, capitals North's."""

    layout: _Layout
    rules: Rules
    is_cased: bool
    plies: list[Ply] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    wrong: SheetToken | None = None

    def __post_init__(self) -> None:
        self.tokens = list(self.layout.tokens)
        self.positions = [self.rules.start()]
        self._budget = Budget(len(self.tokens))
        self._legal: tuple[str, ...] | None = None
        self._queues = {side: [at for at, of in self.layout.sides.items() if of is side] for side in Side}

    def play(self) -> None:
        """Play all tokens in their order, but moves in a line of their side when it is to move."""
        for at, token in enumerate(self.tokens):
            if self.wrong is not None:
                break
            if at in self.layout.sides:
                self._play_queues()
            elif token.meaning in ("move", "dash"):
                self._play_move(at)
            elif token.meaning == "glyph":
                self._annotate(at)
            elif token.meaning == "remark":
                self._comment(token.text)
        for at, token in enumerate(self.tokens):
            if token.meaning in ("move", "dash", "glyph"):  # they come after the wrong one
                is_late = self.wrong is not None and token.ply == 0 and token.meaning == "move"
                if is_late or token.meaning != "move":
                    self.tokens[at] = replace(token, meaning="unread" if is_late else "remark")

    def _play_queues(self) -> None:
        """Play the moves of lines that are one side's."""
        while self.wrong is None and any(self._queues.values()):
            mine = self._queues[self.positions[-1].to_move]
            other = self._queues[self.positions[-1].to_move.other]
            if mine:
                self._play_move(mine.pop(0))
            elif not self._pass():
                self._refuse(other[0], ErrorText("it is the turn of %(side)s", side=self.positions[-1].to_move))

    def _play_move(self, at: int) -> None:
        token = self.tokens[at]
        if token.meaning == "dash" and not self._must_pass():
            return
        if token.text.isdecimal():
            if int(token.text) in (len(self.plies) // 2 + 1, len(self.plies) + 1) or self._begins_line(at):
                self.tokens[at] = replace(token, meaning="number")
            else:
                self._refuse(at, ErrorText("%(text)s is neither a pit nor the next number", text=token.text))
            return
        try:
            self._add_ply(at, self._move_of(token))
        except IllegalMove as error:
            if error.legal == (PASS,) and self._pass():
                self._play_move(at)
            else:
                self._refuse(at, ErrorText("not legal: %(why)s", why=MessageText(error.why)))
        except RecordsError as error:
            self._refuse(at, message_of(error))

    def _begins_line(self, at: int) -> bool:
        return self.tokens[at].text != "0" and (at == 0 or self.tokens[at - 1].line < self.tokens[at].line)

    def _move_of(self, token: SheetToken) -> Move:
        """The move that was written: by the letters as they are, or by their owner's case.

        :raises RecordsError: it is none, or not legal.
        """
        if token.meaning == "dash" or token.text.casefold() in PASSES:
            return PASS
        text = re.sub(r"\s", "", token.text).translate(_CHOICES).replace("×", "x")
        text = re.sub(r"(?<=.)X(?=\d)", "x", text)
        if not re.match(r"~?[A-Za-z]", text) or re.fullmatch(_MOVE, text) is None:
            raise RecordsError(ErrorText("%(text)s is not a pit", text=token.text))
        move = Move.parse(text)
        if move.kind is Kind.IRREGULAR:
            raise MoveSyntaxError(ErrorText("%(text)s: leave out the ~, and play irregular turns on the page of the "
                                            "game", text=token.text))  # fmt: skip
        mover = self.positions[-1].to_move
        if self.is_cased or move.kind is not Kind.SOW:
            return move
        pit = move.pit.lower() if mover is Side.SOUTH else move.pit.upper()
        special = move.special
        tries = [special] if special is None else [special, special.lower(), special.upper()]
        for letters in tries:
            move = replace(move, pit=pit, special=letters)
            if special is None or self.rules.is_legal(self.positions[-1], move):
                break
        return move

    def _add_ply(self, at: int, move: Move) -> None:
        previous = self.plies[-1].move if self.plies else None
        turn = self.rules.play(self.positions[-1], move, previous, self._budget)
        self.plies.append(Ply(turn.move))
        self.positions.append(turn.position)
        self._legal = None
        if at >= 0:
            self.tokens[at] = replace(self.tokens[at], meaning="move", move=str(turn.move), ply=len(self.plies))

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

    def _refuse(self, at: int, why: str) -> None:
        legal = self.legal()
        self.wrong = self.tokens[at] = replace(self.tokens[at], meaning="wrong", note=why, legal=legal)

    def _annotate(self, at: int) -> None:
        nag = GLYPHS.get(self.tokens[at].text)
        if self.plies and nag is not None:
            self.plies[-1] = self.plies[-1]._replace(nags=(*self.plies[-1].nags, nag))

    def _comment(self, text: str) -> None:
        words = as_words(" ".join(text.strip("{}();~ ").replace("}", ")").replace("{", "(").split()))
        if not words:
            return
        if self.plies:
            self.plies[-1] = self.plies[-1]._replace(comments=(*self.plies[-1].comments, words))
        else:
            self.comments.append(words)

    def sheet(self, given: Mapping[str, str]) -> PaperSheet:
        tags = {**self.layout.tags, **given}
        if self.wrong is None:
            tags |= self._end_tags(given)
        game = Game(tags, tuple(self.plies), tuple(self.comments))
        legal = () if self.wrong else self.legal()
        return PaperSheet(tuple(self.tokens), game, tuple(self.positions), legal, self.wrong)

    def _end_tags(self, given: Mapping[str, str]) -> dict[str, str]:
        """The result and its reason: what is given, what the rules say, what the sheet says."""
        try:
            outcome = self.rules.outcome(self.positions[-1], self._budget)
        except RecordsError:
            outcome = None
        found = self.layout.end
        if outcome is not None:
            return {"Result": given.get("Result", found.result or outcome.result)}
        result, reason = given.get("Result", found.result), given.get("Termination", found.termination)
        if not result:
            allowed = RESULTS_BY_TERMINATION.get(reason, ())
            result = "1/2-1/2" if reason == "agreement" else "*"
            reason = reason if result in allowed or "Termination" in given else ""
        return {"Result": result, **({"Termination": reason} if reason else {})}
