"""Rules and records: tables of options, lessons, sources, ends and commands; boards, races and matches as blocks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

from inkeek.records import NORTH, SOUTH, Outcome, Rules, ruleset, ruleset_ids
from inkeek.records.kernel import codes
from inkeek.records.language import Term, load_language
from inkeek.records.matches import Match, Played
from inkeek.records.notation.commands import FORMS
from inkeek.records.notation.tags import CONSENT_WORDS, ENDINGS, format_options
from inkeek.records.rules.lessons import load_lessons
from inkeek.records.rules.ruleset import Option, Value, format_value, load_ruleset
from inkeek.records.setups import run_race
from inkeek.service.reference.tables import table

TRADITIONAL = tuple(id for id in ruleset_ids() if load_ruleset(id).text)


def games_list(_: str) -> str:
    """Links to all games: those with a text of a source, then the others."""
    games = [f"[`{id}`](#{id})" for id in sorted(ruleset_ids(), key=lambda id: id not in TRADITIONAL)]
    return f"Games: {', '.join(games)}.\n"


def options_table(id: str) -> str:
    """The options of a game that not all games have just so."""
    return _options_table(id, [option for option in load_ruleset(id).options if option not in common_options()])


def common_options() -> list[Option]:
    """The options that most games have, as they have them."""
    options = load_ruleset("anywoli").options
    return [option for option in options if option.name in ("skip_origin", "repetition", "match", "starter")]


def _options_table(id: str, options: list[Option]) -> str:
    base = load_ruleset(load_ruleset(id).family) if id else None
    known = {option.name: (option.says, option.needs) for option in base.options} if base and base.id != id else {}
    rows = []
    for option in options:
        what = option.says + "".join(
            "; only with " + " or ".join(f"`{name}={format_value(value)}`" for value in values)
            for name, values in option.needs.items()
        )
        if base and known.get(option.name) == (option.says, option.needs):
            what = f"as in {base.name}"
        if option.decided:
            what += f". *Decided:* {option.decided}"
        default, attested, others = f"`{format_value(option.default)}`", option.attested, option.others
        rows.append((f"`{option.name}`", default, values_text(attested), values_text(others), what))
    return table(("option", "default", "attested", "decided", "what"), rows)


def values_text(values: Iterable[Value]) -> str:
    return " ".join(f"`{format_value(value)}`" for value in values)


def terms_table(_: str) -> str:
    """What players of each game call things."""
    rows = []
    for id in ruleset_ids():
        words = ", ".join(f"{word}: *{name}*" for word, name in load_ruleset(id).terms.items())
        if words:
            rows.append((f"`{id}`", words))
    return table(("rule set", "words"), rows)


def sources_list(_: str) -> str:
    lines = [f"* `{id}`: {'; '.join(load_ruleset(id).sources)}." for id in ruleset_ids()]
    return "\n".join(lines) + "\n"


def clauses_table(id: str) -> str:
    """The sentences of a game's source, how they are read, the options about them, and the tests of the readings."""
    info = load_ruleset(id)
    rows = []
    for clause in info.clauses:
        options = [f"`{name}={format_value(value)}`" for name, values in clause.options.items() for value in values]
        options += [f"`{name}`" for name, values in clause.options.items() if not values]
        test = f"`{clause.test}`" if clause.test else ""
        rows.append((clause.quote, clause.reading, clause.mark, " ".join(options), test))
    return table((f"{info.name}: `{info.text}.txt`", "read here", "mark", "options", "test"), rows)


def lessons_table(id: str) -> str:
    """The lessons of a game that the one it extends has not."""
    family = load_ruleset(id).family
    known = load_lessons(family) if family != id else {}
    rows = []
    for lesson in load_lessons(id).values():
        turns = [
            turn.move + (f" with `{format_options(turn.options)}`" if len(lesson.turns) > 1 else "")
            for turn in lesson.turns
        ]
        if lesson.id not in known or known[lesson.id].turns != lesson.turns:
            rows.append((lesson.says, f"`{lesson.position}`", ", ".join(turns)))
    return table(("lesson", "position", "turn"), rows)


def rules_of(words: list[str]) -> Rules:
    """A game's id, then options as key=value."""
    return ruleset(words[0], **dict(word.split("=") for word in words[1:]))


def board(setting: str) -> str:
    """The set-up of a game as a diagram, North on the far side; `setting` is its id and options."""
    position = rules_of(setting.split()).start()
    north = list(position.pits_of(NORTH))[::-1]
    south = list(position.pits_of(SOUTH))
    lines = [
        [position.letter(pit) for pit in north],
        [str(position.pits[pit]) for pit in north],
        [str(position.pits[pit]) for pit in south],
        [position.letter(pit) for pit in south],
    ]
    return "".join(" " + " ".join(line) + "\n" for line in lines)


def race(title: str) -> str:
    """A race in lock step; `title` is a game and options, then a colon and the pits of South and North."""
    setting, pits = title.split(" : ")
    south, north = pits.split()
    ran = run_race(rules_of(setting.split()), south, north)
    lines = [f"{name}: {value}" for name, value in ran.tags.items()]
    return "\n".join([*lines, f"beats: {ran.beats}"]) + "\n"


def match_lines(setting: str) -> str:
    """A match, game by game: `setting` is the game with its options, the title in brackets if it has one, and after
    each colon a game: who began, the score, the pits closed for the next."""
    words, *games = setting.split(" : ")
    title = re.search(r" \[(.*)\]$", words)
    match = Match(rules_of(words.split(" [")[0].split()), title[1] if title else "")
    closed = ""
    lines = []
    for number, game in enumerate([*games, ""], 1):
        if match.outcome is not None:
            winner = f"{match.outcome.winner} won" if match.outcome.winner is not None else "a draw"
            lines.append(f"over: {winner}, {match.outcome.reason}")
            break
        coming = match.next_game(closed)
        first = coming.first if coming.first is not None else "anybody"
        lines.append(f"game {number}: {first} begins from {coming.start}")
        if not game:
            break
        begins, score, *rest = game.split()
        south, north = (int(part) for part in score.split("-"))
        outcome = Outcome.of("normal", (south, north))
        closed = next((word.removeprefix("close=") for word in rest if word.startswith("close=")), "")
        match = match.add(Played({"South": SOUTH, "North": NORTH}[begins], outcome))
        left = f", {match.removed} gone" if match.kind == "surplus" else ""
        tally = match.tally
        lines.append(
            f"        {score}: South {tally.south}, North {tally.north}, drawn {tally.drawn}"
            + (f"; seeds {match.seeds[SOUTH]} and {match.seeds[NORTH]}{left}" if match.kind != "games" else "")
        )
    return "\n".join(lines) + "\n"


def endings_table(_: str) -> str:
    """How games end: their tags."""
    rows = []
    for ending in ENDINGS:
        name = f"{'none, ' if ending.name == 'normal' else ''}`{ending.name}`"
        rows.append((name, " ".join(f"`{result}`" for result in ending.results), ending.says))
    return table(("`Termination`", "`Result`", "meaning"), rows)


def reasons_table(_: str) -> str:
    """Why a turn ends, each reason with a sentence."""
    fields: dict[str, object] = {"mover": SOUTH, "other": NORTH, "pit": "d", "count": 3, "special": Term("bull")}
    reasons = filter(None, codes.REASONS)
    rows = [(f"`{reason}`", load_language("en").text(f"ends.{reason}", **fields)) for reason in reasons]
    return table(("reason", "sentence"), rows)


def commands_table(_: str) -> str:
    """The commands of comments with their arguments; ``*`` is before one that may be missing."""
    rows = []
    for name, form in FORMS.items():
        if name == form.name:
            arguments = [f"{'*' * one.optional}`{one.usage}`" for one in form.arguments if one.usage]
            written = " ".join(arguments) or f"`{form.usage}`"
            meaning = (inspect.getdoc(form.kind) or "").partition("\n\n")[0]
            rows.append((f"`{name}`", written.replace("|", "\\|"), meaning.replace("``", "`").replace("\n", " ")))
    return table(("command", "arguments", "meaning"), rows)


def consent_table(_: str) -> str:
    """The words that programs understand in the tag `Consent`."""
    wants = {
        "names": "the game may be published with names",
        "pseudonyms": "it may be published without names",
        "none": "it may not be published",
    }
    rows = [(" ".join(f"`{word}`" for word in words), wants[wanted]) for wanted, words in CONSENT_WORDS.items()]
    return table(("`Consent`", "what programs do"), rows)


PARTS = {
    "consent": consent_table,
    "reasons": reasons_table,
    "record-commands": commands_table,
    "games": games_list,
    "endings": endings_table,
    "options": options_table,
    "common-options": lambda _: _options_table("", common_options()),
    "terms": terms_table,
    "sources": sources_list,
    "lessons": lessons_table,
    "clauses": clauses_table,
}
BLOCKS = {"board": board, "match": match_lines, "race": race}
