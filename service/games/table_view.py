"""A game's table in sentences, with an example of each row: a turn in which that row decides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from inkeek.records import IllegalMove, Kind, Move, Position, Rules, Turn
from inkeek.records.errors import Budget, BudgetSpent
from inkeek.records.explain import explain_outcome, explain_refusal
from inkeek.records.language import Language, load_language
from inkeek.records.notation.tags import format_options
from inkeek.records.rules.lessons import Lesson, LessonTurn, load_lessons
from inkeek.records.rules.ruleset import RuleSet, Value, format_value, write_ruleset_json
from inkeek.records.rules.table import resolve_table
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.language import gettext, ngettext, page_language
from inkeek.service.http.shape import to_builtins

from .rules_answers import traced_turn_json


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn of a lesson. `title` tells it from the other turns of the lesson. `refusals` is JSON: by letter,
    why pits cannot be played. `trace` is JSON too, as the API answers it; empty: the API knows the rules."""

    title: str
    move: Move
    options: str
    position: Position
    sentences: Sequence[str]
    refusals: str
    trace: str


@dataclass(frozen=True, slots=True)
class ShownLesson:
    """A lesson with its turns; `options` are those that decide between them."""

    lesson: Lesson
    turns: Sequence[ShownTurn]
    options: Sequence[str]


@cache
def lessons_by_rule(game: str, language_id: str) -> Mapping[str, Sequence[ShownLesson]]:
    """The lessons of a game under the rules that they show. `language_id` is the language of the page."""
    found: dict[str, list[ShownLesson]] = {}
    for lesson in load_lessons(game).values():
        found.setdefault(lesson.rule, []).append(_shown(lesson, load_language(language_id)))
    return found


def _shown(lesson: Lesson, language: Language) -> ShownLesson:
    names = [name for turn in lesson.turns[:1] for name in turn.options if _differs(lesson, name)]
    return ShownLesson(lesson, [_turn(lesson, turn, names, language) for turn in lesson.turns], names)


def _value_words(value: Value) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return gettext(format_value(value))


def _differs(lesson: Lesson, name: str) -> bool:
    return len({turn.options.get(name) for turn in lesson.turns}) > 1


def _turn(lesson: Lesson, turn: LessonTurn, names: Sequence[str], language: Language) -> ShownTurn:
    rules, move = lesson.rules(turn), Move.parse(turn.move)
    values = [_value_words(turn.options[name]) for name in names]
    ways = [gettext("clockwise") if way == "<" else gettext("counter-clockwise") for way in move.choices]
    shown = shown_turn(rules, lesson.position, move, turn.position, language, format_options(turn.options))
    return replace(shown, title=", ".join([*values, *ways]))


def shown_turn(
    rules: Rules,
    before: Position,
    move: Move,
    after: Position,
    language: Language,
    options: str = "",
    *,
    traced: bool = False,
) -> ShownTurn:
    """A turn, with what it does in sentences. `traced`: with its trace."""
    sentences = rules.explain(before, move, language.id)
    outcome = rules.outcome(after)
    if move.kind is not Kind.SOW:  # all that may differ from another turn
        sentences.append(gettext("%(side)s is to move.", side=language.sides[after.to_move]))
    if outcome is not None:
        sentences.append(explain_outcome(outcome, language))
    refusals = json.dumps(_refusals(rules, before, language), ensure_ascii=False)
    trace = ""
    if traced:
        turn = rules.play(before, move)
        answer = traced_turn_json(after.ply, turn, rules.trace(before, turn.move), sentences)
        trace = json.dumps(answer, ensure_ascii=False, default=to_builtins)
    return ShownTurn("", move, options, after, sentences, refusals, trace)


def _refusals(rules: Rules, position: Position, language: Language) -> dict[str, str]:
    refusals = {}
    for pit in range(2 * position.row):
        letter = position.letter(pit)
        try:
            rules.play(position, letter)
        except IllegalMove as error:
            refusals[letter] = explain_refusal(error, language)[0]
    return refusals


POSITIONS = 400  # of random games that are searched for examples
MAX_TURNS = 20  # of a position that are looked at
MAX_FOUND = 100  # rule sets whose examples are remembered
GOOD = (2, False, 20)  # laps, whether a capture took nothing, events: such a turn is short enough to be read
SEARCHED_PLIES = 2000  # what the search may cost, as of a record with so many plies

PLACES = {
    "last": later("the last pit"),
    "opposite": later("the pit opposite"),
    "next": later("the next pit"),
    "beyond": later("the pit after the next"),
    "before": later("the pit of the seed before"),
}
OWNERS = {"own": later("an own pit"), "theirs": later("a pit of the opponent"), "store": later("the own store")}
MARKS = {
    "ordinary": later("no special pit"),
    "special": later("a special pit"),
    "mine": later("an own special pit"),
    "foes": later("a special pit of the opponent"),
}
COUNTS = {"even": later("with an even number of seeds"), "odd": later("with an odd number of seeds")}
THEN = {
    "stop": later("The turn is over."),
    "relay": later("All seeds of that pit are sown on."),
    "relay-next": later("The seeds of the next pit are sown on."),
    "relay-past": later("The seeds of the next pit behind that has any are sown on."),
    "again": later("The same side has another turn, if this one brought seeds into a store."),
}
WAYS = {
    "on": later("The capture goes on forwards, pit after pit, as long as it is %(pit)s."),
    "back": later("The capture goes on backwards, pit after pit, as long as it is %(pit)s."),
    "pairs": later("The capture goes on with every other pit, as long as it is %(pit)s."),
}
SETTINGS: dict[tuple[str, str, Value], str] = {
    ("start", "first", "right-end"): later("The first turn of the game is played from the right end."),
    ("start", "feed", "first-lap"): later(
        "If the opponent has no seeds, the first lap must reach that row: a side that cannot do that cannot play."
    ),
    ("start", "feed", "turn"): later(
        "If the opponent has no seeds, a turn must leave them some: a side that cannot do that cannot play."
    ),
    ("sow", "direction", "ccw"): later("Seeds are sown counter-clockwise."),
    ("sow", "direction", "cw"): later("Seeds are sown clockwise."),
    ("sow", "direction", "split"): later("The left half of a row is sown to the left, the right half to the right."),
    ("sow", "store", "own"): later("Seeds are also sown into the own store."),
    ("sow", "origin", "skipped"): later("A lap that goes round passes over the pit where it began."),
    ("sow", "origin", "first-stays"): later("The first of several seeds stays in the pit that they are lifted from."),
    ("sow", "special", "store"): later("A seed that falls in a special pit goes to the store of its owner."),
    ("end", "over", "row"): later("The game ends as soon as either row is empty."),
    ("end", "over", "mover"): later("The game ends when the side to move cannot play."),
    ("end", "over", "both"): later("The game ends when neither side can play."),
    ("end", "majority", True): later("More than half of the seeds in a store end the game."),
    ("end", "rest", "row-owner"): later("At the end each side gets the seeds that are left in its row."),
    ("end", "rest", "nobody"): later("At the end nobody gets the seeds that are left."),
    ("end", "rest", "opponent"): later("At the end the opponent of the side to move gets the seeds that are left."),
}


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row in words: when it decides, what then happens, the file's own sentence (empty: it has none); and a turn in
    which it decides, if one was found."""

    when: str
    does: Sequence[str]
    why: str
    example: ShownLesson | None


def pits_words(test: str, place: str = "") -> str:
    """A test of a table in words: what kind of pit it is, and with how many seeds."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for alternative in test.split(","):
        words = alternative.split()
        kind = tuple(word for word in words if word in OWNERS or word in MARKS)
        groups.setdefault(kind, []).extend(word for word in words if word not in kind)
    said = [_pit_words(kind, counts, place) for kind, counts in groups.items()]
    return gettext(" or ").join(said)


def _pit_words(kind: Sequence[str], counts: Sequence[str], place: str) -> str:
    kinds = [gettext({**OWNERS, **MARKS}[word]) for word in kind]
    if not kinds and place not in PLACES.keys() - {"last"}:
        kinds = [gettext("a pit")]
    words = [", ".join(kinds)] if kinds else []
    numbers = [count for count in counts if count.isdecimal()]
    if place == "last" and list(counts) == ["1"]:
        words.append(gettext("that was empty"))
    elif place == "last" and list(counts) == ["2+"]:
        words.append(gettext("that was not empty"))
    else:
        if numbers == ["0"]:
            words.append(gettext("without seeds"))
        elif numbers:
            text = gettext(" or ").join(numbers)
            words.append(ngettext("with %(counts)s seed", "with %(counts)s seeds", int(numbers[-1]), counts=text))
        for count in counts:
            if count in COUNTS:
                words.append(gettext(COUNTS[count]))
            elif count.endswith("+"):
                words.append(gettext("with %(count)s or more seeds", count=count[:-1]))
    return " ".join(words)


def _when(raw: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """When a row decides: `raw` as in the file, `row` with the values that it has under the options."""
    when = "; ".join(_conditions(raw, row)) or gettext("In all other cases")
    return when[:1].upper() + when[1:]


def _conditions(raw: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[str]:
    if "last" in raw:
        yield gettext("The last seed falls in %(pit)s", pit=pits_words(raw["last"], "last"))
    for place in ("opposite", "next", "beyond", "before"):
        if place in raw:
            yield gettext("%(place)s: %(pit)s", place=gettext(PLACES[place]), pit=pits_words(raw[place], place))
    if row["lap"] != "any":
        yield gettext("in the first lap") if row["lap"] == "first" else gettext("in a later lap")
    if row["turn"] == "later":
        yield gettext("it is not the first turn of the side")
    if row["max"]:
        few = gettext("the side has fewer than %(number)d special pits", number=row["max"])
        yield gettext("the side has no special pit") if row["max"] == 1 else few
    if row["not_pit"]:
        yield gettext("it is not pit %(number)d, counted from its owner’s left", number=row["not_pit"])
    if row["not_mirror"]:
        yield gettext("the own pit of the same number is no special pit of the opponent")
    for name, values in row["if"].items():
        told = gettext(" or ").join(gettext(format_value(value)) for value in values)
        yield gettext("with %(option)s: %(values)s", option=gettext(name.replace("_", " ")), values=told)


def _does(raw: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[str]:
    if taken := raw.get("take"):
        names = [
            gettext(PLACES[item]) if item in PLACES else gettext("all of this kind: %(pit)s", pit=pits_words(item))
            for item in taken
        ]
        yield gettext("Captured: %(pits)s.", pits=", ".join(names))
    if chain := raw.get("chain"):
        pit = pits_words(chain["pit"])
        if "opposite" in chain:
            pit += gettext(", and opposite lies %(pit)s", pit=pits_words(chain["opposite"]))
        way = WAYS[chain["way"]]
        yield gettext(way, pit=pit)
        if chain.get("take") == "opposite":
            yield gettext("Then the seeds opposite are captured.")
    if row["slam"] == "nothing":
        yield gettext("A capture of all seeds of the opponent captures nothing.")
    if row["shift"]:
        yield gettext("A seed moves from the pit opposite to the last pit.")
    if row["mark"]:
        yield gettext("Special from now on: %(pits)s.", pits=", ".join(gettext(PLACES[one]) for one in row["mark"]))
    then = THEN[row["then"]]
    yield gettext(then)


def _why(row: Mapping[str, Any]) -> str:
    return load_language(page_language()).text("turn.own", why=row["why"]) if row["why"] else ""


def setting_words(info: RuleSet, options: Mapping[str, Value]) -> list[str]:
    """How turns begin, how laps are sown, what is captured in passing and how the game ends, under these options."""
    assert info.table is not None
    found = {part: resolve_table(info.table[part], options) for part in ("start", "sow", "passing", "end")}
    said = []
    if (least := found["start"]["least"]) > 1:
        said.append(gettext("Only pits with %(least)d or more seeds are played.", least=least))
    said += [
        gettext(text) for (part, key, value), text in SETTINGS.items() if part != "end" and found[part][key] == value
    ]
    choices = found["sow"]["choices"]
    if choices == "start":
        said.append(gettext("Who plays chooses the direction, with halves only in the middle."))
    elif choices != "none":
        said.append(gettext("Who plays chooses the direction: %(when)s.", when=gettext(choices)))
    if skip := info.data.get("sow", {}).get("skip"):
        said.append(gettext("Passed over when sowing: %(pit)s.", pit=pits_words(skip)))
    if passing := info.data.get("passing"):
        pit = pits_words(passing["count"])
        said.append(
            gettext("A pit in which a seed falls that is not the last is captured by its owner: %(pit)s.", pit=pit)
            if found["passing"]["to"] == "owner"
            else gettext("A pit in which a seed falls that is not the last is captured by the mover: %(pit)s.", pit=pit)
        )
    said += [
        gettext(text) for (part, key, value), text in SETTINGS.items() if part == "end" and found[part][key] == value
    ]
    rows = [row for row in resolve_table(info.table, options)["last"] if row["take"]]
    if rows and all(row["slam"] == "takes" for row in rows):
        said.append(gettext("A capture may take all seeds that the opponent has."))
    if any(row["mark"] for row in info.table["last"]):
        said.append(
            gettext("Special pits are not played or captured, and the seeds left in them at the end are their owner’s.")
        )
    if last := found["end"]["last_seeds"]:
        said.append(gettext("The last %(count)d seeds go to whoever captured last.", count=last))
    return said


@dataclass(frozen=True, slots=True)
class TableView:
    """A game's table in words: its settings and its rows. `boards`: for each length of a row of pits, a position."""

    settings: Sequence[str]
    rows: Sequence[TableRow]
    boards: Mapping[int, Position]


def table_view(info: RuleSet, *, traced: bool = False) -> TableView:
    """A game's table in the language of the page. Games with lessons get no examples. `traced`: the examples bring
    their turns seed by seed, since the service does not know the rules."""
    assert info.table is not None
    examples = {} if info.family else find_examples(info)
    rules, language = Rules(info, info.resolve({})), load_language(page_language())
    rows = []
    for number, (raw, row) in enumerate(zip(info.data["last"], info.table["last"], strict=True)):
        resolved, turn = resolve_table(row, rules.options), examples.get(number)
        example = None
        if turn is not None:
            shown = shown_turn(rules, turn.before, turn.move, turn.position, language, traced=traced)
            example = ShownLesson(Lesson(f"row-{number + 1}", info.id, "", "", turn.before, (), {}), [shown], ())
        rows.append(TableRow(_when(raw, resolved), list(_does(raw, resolved)), _why(row), example))
    boards = {turn.before.row: turn.before for turn in examples.values()}
    return TableView(setting_words(info, rules.options), rows, boards)


def table_lines(rules: Rules) -> list[str]:
    """A game's table as one sentence for each setting and each row; none if the rules are not known."""
    if rules.info.table is None:
        return []
    rows = zip(rules.info.data["last"], rules.info.table["last"], strict=True)
    resolved = ((raw, resolve_table(row, rules.options)) for raw, row in rows)
    return [
        *setting_words(rules.info, rules.options),
        *(f"{_when(raw, row)}: {' '.join([*_does(raw, row), _why(row)])}".rstrip() for raw, row in resolved),
    ]


def only_there(*both: Rules) -> list[list[str]]:
    """For each of two games, the sentences of its table that the other's has not."""
    first, second = map(table_lines, both)
    return [[line for line in one if line not in other] for one, other in ((first, second), (second, first))]


_found: dict[str, Mapping[int, Turn]] = {}  # by the rule set's text


def find_examples(info: RuleSet) -> Mapping[int, Turn]:
    """For rows of a game's table, by their index, a turn of random games in which the row decides."""
    key = write_ruleset_json(info)
    if key not in _found:
        if len(_found) >= MAX_FOUND:
            _found.clear()
        _found[key] = _Search(info).run()
    return _found[key]


class _Search:
    """Plays random games, and looks which rows decide in their turns."""

    def __init__(self, info: RuleSet) -> None:
        assert info.table is not None
        self._rules = Rules(info, info.resolve({}))
        self._rows: Sequence[Mapping[str, Any]] = info.table["last"]
        self._best: dict[int, tuple[tuple[int, ...], Turn]] = {}

    def run(self) -> Mapping[int, Turn]:
        chance, budget, position = Random(0), Budget(SEARCHED_PLIES), self._rules.start()
        try:
            for _ in range(POSITIONS):
                turns = [turn for turn in self._rules.turns(position, MAX_TURNS, budget) if turn.move.kind is Kind.SOW]
                for turn in turns:
                    self._note(position, turn)
                if len(self._best) == len(self._rows) and all(rank <= GOOD for rank, _ in self._best.values()):
                    break
                over = not turns or self._rules.outcome(turns[0].position, budget) is not None
                position = self._rules.start() if over else chance.choice(turns).position
        except BudgetSpent:
            pass  # the rows that were reached have their examples
        return {number: turn for number, (_, turn) in self._best.items()}

    def _note(self, position: Position, turn: Turn) -> None:
        events = self._rules.trace(position, turn.move.choice).events
        decided = {event.other for event in events if event.kind == "lift"}
        decided |= {event.count for event in events if event.kind == "end"}
        for number in (row - 1 for row in decided if row):
            rank = (turn.laps, bool(self._rows[number]["take"]) and not any(turn.captured), len(events))
            if number not in self._best or rank < self._best[number][0]:
                self._best[number] = rank, turn
