"""What the pages show of games, as plain values for the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any
from urllib.parse import quote, urlencode

from inkeek.records import SOUTH, IllegalMove, Kind, Move, Position, Rules, Side, Trace, Turn, ruleset, ruleset_ids
from inkeek.records.drawing.svg import Highlights, highlights_of
from inkeek.records.findings.evidence import board_text
from inkeek.records.language import load_language
from inkeek.records.notation.dates import read_day
from inkeek.records.position import UNKNOWN
from inkeek.records.rules.ruleset import RuleSet, load_ruleset
from inkeek.records.rules.trace import SownSeed, sown_seeds
from inkeek.service.boards.view_models import BoardReport, board_view
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.context import all_rulesets, current_services
from inkeek.service.http.language import date_text, gettext, local_time, shown_language
from inkeek.service.http.web import labels
from inkeek.service.http.web.drawing import BoardPicture
from inkeek.service.http.web.forms import OPTION
from inkeek.service.storage import DisputeRow, GameRow
from inkeek.service.storage.search import players_of

from .move_list import Annotated, ListedRemark, ListedTurn, MoveRow, list_turns
from .plies import BY_RULES
from .record_check import OTHER_TAG
from .snapshot import GameSnapshot, ruleset_of
from .state import CHANGES_END, ENDS, end_columns

BUTTON_LIMIT = 300  # legal moves with a button; any other can be typed
RECENT = 24  # turns listed on the live page


@dataclass(frozen=True, slots=True)
class MoveButton:
    """A legal move: the text that is played, the text on its button, the label for screen readers, what it does in a
    few words, and the position after it. `ways`: the choices of direction in it, each as the pit where it is made and
    its sign, also those that only go on as before (``5> 12<``)."""

    text: str
    shown: str
    label: str
    preview: str
    after: str
    ways: str = ""


@dataclass(frozen=True, slots=True)
class PitButtons:
    """The legal moves from one pit, or why there is none; pit -1 for a pass."""

    pit: int
    letter: str
    moves: tuple[MoveButton, ...]
    why: str = ""


@dataclass(frozen=True)
class GameCard:
    """A game in the list of games."""

    row: GameRow

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def is_unplayed(self) -> bool:
        """Whether only its result is known, so that its board says nothing."""
        return self.row.state == "ended" and not self.row.ply

    @property
    def title(self) -> str:
        return labels.rules_name(ruleset_of(self.row))

    @property
    def terms(self) -> Mapping[str, str]:
        return ruleset_of(self.row).terms

    @cached_property
    def position(self) -> Position:
        return Position.parse(self.row.position)

    @property
    def names(self) -> tuple[str, str]:
        return labels.player_names(self.row.tags)

    @property
    def event(self) -> str:
        return labels.tag_value(self.row.tags, "Event")

    @property
    def table(self) -> str:
        return labels.table_name(self.row.tags)

    @property
    def round(self) -> str:
        return labels.tag_value(self.row.tags, "Round")

    @property
    def date(self) -> str:
        return labels.tag_value(self.row.tags, "Date")

    @property
    def day(self) -> str:
        """What its Date tag says, as ``2026-11-20`` if it is a day; or else the day on which it was stored."""
        return read_day(self.date) or self.date or f"{local_time(self.row.created):%Y-%m-%d}"

    @property
    def heading(self) -> str:
        """The names; without any, the game and the day."""
        if any(players_of(self.row.tags)):
            return " – ".join(self.names)
        return f"{self.title}, {date_text(self.day)}"

    @property
    def score(self) -> tuple[int, int] | tuple[str, str]:
        """What South and North have: in the stores while the game goes on, then its score, if it has one."""
        stores = None if UNKNOWN in self.position.stores else self.position.stores
        return (stores if self.row.state == "live" else self.row.score) or ("", "")

    @property
    def result(self) -> str:
        return labels.result_words(self.names, self.row)

    @property
    def goes_on(self) -> str:
        return labels.goes_on_words(self.row)

    @property
    def is_live(self) -> bool:
        return labels.is_live(self.row)

    @property
    def rest(self) -> str:
        return labels.rest_words(self.row)


@dataclass(frozen=True)
class GamePage(GameCard):
    """A game on the live page or, after one of its turns, on the review page. `picture`: the board that is drawn,
    `last` the turn that led there."""

    snapshot: GameSnapshot
    ply: int
    plies: int
    picture: BoardPicture
    to_move: Side | None
    last: ListedTurn | None
    sentences: tuple[str, ...]
    rows: tuple[MoveRow, ...]
    opening_remarks: tuple[ListedRemark, ...]
    board: BoardReport | None
    buttons: tuple[PitButtons, ...]
    finding_url: str

    @property
    def api_url(self) -> str:
        return f"/api/v1/games/{self.id}"

    @property
    def record_url(self) -> str:
        return f"{self.api_url}.pmn"

    @property
    def ended(self) -> bool:
        return self.snapshot.ended

    @property
    def dispute(self) -> DisputeRow | None:
        """The one for whose ruling the game waits."""
        waiting = self.snapshot.state.waiting
        return None if waiting is None else waiting.row

    @property
    def other_version(self) -> str:
        """The id of the game that came with the same id and another content."""
        return self.row.tags.get(OTHER_TAG, "")

    @property
    def may_change_end(self) -> bool:
        end = self.snapshot.state.end
        return end is not None and end.source != BY_RULES

    @property
    def may_enter(self) -> bool:
        """Whether turns are entered on the page: the game goes on, and no board reports them."""
        return not self.ended and self.dispute is None and (self.board is None or self.board.allows_entry)

    @property
    def may_take_back(self) -> bool:
        """Whether the last turn can be taken back: nobody ended the game by hand, and no ruling is due."""
        return self.dispute is None and self.plies > 0 and not (self.ended and self.may_change_end)

    @property
    def turns(self) -> list[ListedTurn]:
        return [turn for row in self.rows for turn in row.turns if turn]

    @property
    def recent(self) -> tuple[MoveRow, ...]:
        """The last rows of the record, which the live page lists."""
        return self.rows[-RECENT // 2 :]

    def summary(self, turn: Turn) -> str:
        return labels.turn_summary(turn, self.terms)

    def disputable(self, chosen: int | None) -> list[ListedTurn]:
        """The turns that the form of a dispute offers: the recent ones, and the one that was chosen in the review."""
        return [turn for turn in self.turns if turn.ply > self.plies - RECENT or turn.ply == chosen]


def game_view(snapshot: GameSnapshot, ply: int | None = None, annotated: Annotated | None = None) -> GamePage:
    """The game after turn `ply` (brought within the game) with all its variations, or as it stands with its board."""
    rules, record = snapshot.rules, snapshot.record
    replay = record.replay()
    plies = len(replay.turns)
    at = plies if ply is None else min(max(ply, 0), plies)
    ended = snapshot.ended and at == plies
    position = replay.positions[at]
    turn = replay.turns[at - 1] if at else None
    board = board_view(snapshot.board, position) if ply is None and snapshot.board else None
    annotated = annotated or Annotated()
    rows = list_turns(record.plies, replay.turns, None if ply is None else rules, annotated)
    last = next((turn for row in rows for turn in row.turns if turn and turn.ply == at), None)
    sentences, path = turn_told(snapshot, turn)
    page = GamePage(
        row=snapshot.row,
        snapshot=snapshot,
        ply=at,
        plies=plies,
        picture=BoardPicture(position, labels.board_title(position, last.cited if last else "", ended=ended)),
        to_move=None if ended else position.to_move,
        last=last,
        sentences=sentences,
        rows=tuple(rows),
        opening_remarks=annotated.remarks(0, record.comments),
        board=board,
        buttons=(),
        finding_url=_finding_url(snapshot, replay.turns, at, board),
    )
    buttons = move_buttons(rules, position) if ply is None and page.may_enter else ()
    if board is not None and board.lying is not None:
        title = gettext("On the board now, not a turn yet")
        picture = BoardPicture(board.lying, title, Highlights(mend=board.mend))
    else:
        legal = tuple(button.pit for button in buttons if button.moves)
        picture = replace(page.picture, highlights=highlights_of(turn, position.row, legal), path=path)
    return replace(page, picture=picture, buttons=buttons)


def turn_told(snapshot: GameSnapshot, turn: Turn | None) -> tuple[tuple[str, ...], tuple[SownSeed, ...]]:
    """A turn in sentences, and where its seeds fell; nothing before the first."""
    if turn is None:
        return (), ()
    trace, sentences = snapshot.trace(turn, shown_language())
    return tuple(sentences), () if trace is None else sown_seeds(trace.events, len(turn.before.pits))


def _finding_url(snapshot: GameSnapshot, turns: Sequence[Turn], ply: int, board: BoardReport | None) -> str:
    """The page that asks whether turn `ply` was legal, or what lies on the board if that is no turn; "" before both."""
    rules, game = snapshot.rules, current_services().games.rulesets.name_of(snapshot.row)
    if board is not None and board.lying is not None and turns:
        turn, lying = turns[-1], board.lying
        query = {**rules_query(rules, game), "position": str(turn.position), **turn_before(turn, turn.position)}
        return finding_address({**query, "board": board_text((*lying.pits, *lying.stores), lying.marks)})
    if (
        ply == 0
        or not rules.info.is_known
        or not turns[ply - 1].before.is_known
        or turns[ply - 1].move.kind is Kind.GAP
    ):
        return ""
    return finding_address(turn_query(rules, turns[ply - 1], turns[ply - 2] if ply > 1 else None, game))


def finding_address(query: Mapping[str, str]) -> str:
    """The address of the page with this query."""
    return f"/finding?{urlencode(query, safe='/', quote_via=quote)}"


def turn_query(rules: Rules, turn: Turn, previous: Turn | None, game: str = "") -> dict[str, str]:
    """The query that asks whether a turn of a game was legal: its position, its move as the claim, the turn before."""
    query = {**rules_query(rules, game), "position": str(turn.before), "claimed": str(turn.move.choice)}
    if turn.move.kind is not Kind.SOW:
        del query["claimed"]
    return query | turn_before(previous, turn.before)


def turn_before(turn: Turn | None, position: Position) -> dict[str, str]:
    """The part of a query that tells the turn that led to the position."""
    if turn is None or turn.position != position:
        return {}
    return {"previous_position": str(turn.before), "previous_move": str(turn.move.choice)}


def rules_query(rules: Rules, game: str = "") -> dict[str, str]:
    """The part of a query that names the rules, by the name `game` that the service knows them by, or their id."""
    query = {"game": game or rules.id}
    for name, value in rules.changed.items():
        query[OPTION + name] = str(value).lower() if isinstance(value, bool) else str(value)
    if rules.seeds != rules.info.seeds_on_board(rules.options):
        query["seeds"] = str(rules.seeds)
    return query


def end_history(snapshot: GameSnapshot) -> tuple[str, ...]:
    """How the game had ended before, and what an arbiter changed and why; empty if nothing was changed."""
    sentences: list[str] = []
    ended = ""  # how it stood
    row, names = snapshot.row._replace(ply=0), labels.player_names(snapshot.row.tags)
    for event in snapshot.events:
        data = event.data
        if event.kind in ("turn", "retraction"):
            row = row._replace(ply=data["ply"] - (event.kind == "retraction"), position=data["position"])
        if event.kind in CHANGES_END:
            change = gettext("Corrected") if event.kind == "correction" else gettext("Reopened")
            sentences += [gettext("Before: %(end)s.", end=ended)] if ended else []
            sentences.append(f"{change}{' (' + data['by'] + ')' if data['by'] else ''}: {data['reason']}")
        if event.kind in ENDS:
            ended = labels.result_words(names, row._replace(**end_columns(data)))
        elif event.kind in ("reopening", "retraction"):
            ended = ""
    return tuple(sentences)


def _with_ways(rules: Rules, position: Position, moves: list[MoveButton]) -> list[MoveButton]:
    """Moves from one pit with their choices, where there are several to choose from."""
    if len(moves) < 2:
        return moves
    return [replace(move, ways=_ways(rules.trace(position, Move.parse(move.text)))) for move in moves]


def _ways(trace: Trace) -> str:
    return " ".join(f"{event.pit}{'>' if event.other > 0 else '<'}" for event in trace.events if event.kind == "choose")


def move_buttons(rules: Rules, position: Position) -> tuple[PitButtons, ...]:
    """The pits of the side to move in order, with their legal moves or why there is none; a pass, if that is legal."""
    by_pit: dict[int, list[MoveButton]] = {}
    for turn in rules.turns(position, BUTTON_LIMIT):
        pit = turn.move.pit_index(position.row) if turn.move.kind is Kind.SOW else -1
        by_pit.setdefault(pit, []).append(_button(turn, rules.info.terms))
    if not by_pit:
        return ()
    if -1 in by_pit:
        return (PitButtons(-1, gettext("Pass"), tuple(by_pit[-1])),)
    return tuple(
        PitButtons(pit, position.letter(pit), tuple(_with_ways(rules, position, by_pit[pit])))
        if pit in by_pit
        else PitButtons(pit, position.letter(pit), (), _why_not(rules, position, pit))
        for pit in position.pits_of(position.to_move)
    )


def _why_not(rules: Rules, position: Position, pit: int) -> str:
    try:
        rules.play(position, Move.from_pit(pit, position.row))
    except IllegalMove as error:
        return load_language(shown_language()).translate(error.why)
    return ""


def _button(turn: Turn, terms: Mapping[str, str]) -> MoveButton:
    move, preview, after = turn.move, labels.turn_preview(turn, terms), str(turn.position)
    if move.kind is not Kind.SOW:
        return MoveButton("--", gettext("pass"), gettext("Pass"), preview, after)
    parts = [move.pit]
    if move.choices:
        directions = {"<": gettext("clockwise"), ">": gettext("counter-clockwise")}
        parts.append(gettext(" then ").join(directions[sign] for sign in move.choices))
    return MoveButton(str(move.choice), str(move), f"{', '.join(parts)}: {preview}", preview, after)


def view_side(name: str | None) -> Side:
    """The side from which the board is seen, by the query's ``view``."""
    return Side.NORTH if name == "north" else SOUTH


SET_UPS = {
    "triples": later("three seeds in each pit, and every third pit empty"),
    "fours-right": later("four seeds in each pit, and the two pits at each player’s left empty"),
    "fours-left": later("four seeds in each pit, and the two pits at each player’s right empty"),
}
PICTURED = 4  # starts of a game that forms show as pictures


@dataclass(frozen=True, slots=True)
class SetUp:
    """A start: the `field` of the form for a new game, and its `value`, that give it; whether forms have a picture."""

    field: str
    value: str
    position: Position
    is_pictured: bool

    @property
    def title(self) -> str:
        """Its name, in the language of the page, and its size."""
        size = f"2×{self.position.row}"
        return size if self.field == "pits" else f"{gettext(self.value)}, {size}"

    @property
    def says(self) -> str:
        """Where its seeds lie, in the language of the page; empty where the size says all."""
        return gettext(SET_UPS[self.value]) if self.value in SET_UPS else ""


def default_set_ups() -> list[tuple[RuleSet, SetUp]]:
    """Every rule set with its default set-up."""
    return [(info, set_ups(info)[0]) for info in all_rulesets()]


def set_ups(info: RuleSet) -> tuple[SetUp, ...]:
    """The starts that the options of a game give, the default first; none if its rules are not known."""
    return _our_set_ups(info.id) if info.id in ruleset_ids() else _set_ups(info)


@cache
def _our_set_ups(id: str) -> tuple[SetUp, ...]:
    return _set_ups(load_ruleset(id))


def _set_ups(info: RuleSet) -> tuple[SetUp, ...]:
    if not info.is_known:
        return ()
    field: str
    values: list[Any]
    field, values = "pits", list(info.option("pits").allowed)
    if info.setups:
        field, values = "setup", [setup.name for setup in info.setups]
    default = info.option(field).default
    found = [(value, ruleset(info, **{field: value}).start()) for value in values]
    found.sort(key=lambda one: one[0] != default)
    return tuple(SetUp(field, str(value), start, at < PICTURED) for at, (value, start) in enumerate(found))
