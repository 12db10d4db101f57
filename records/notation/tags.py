"""Tags: their order, and what they say of the rules and the start of a game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from ..errors import OptionError, PositionError, RecordsError
from ..play import Rules
from ..position import ORDINARY, Position, Side
from ..ruleset import Value, format_value, load_ruleset, ruleset_ids

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "South": "?", "North": "?", "Result": "*"}
ORDER = (
    *ROSTER,
    *(
        "Game",
        "Options",
        "Score",
        "First",
        "Setup",
        "Race",
        "RacePosition",
        "Match",
        "MatchGame",
        "SouthTeam",
        "NorthTeam",
    ),
    *("Termination", "TimeControl", "Board", "Recorder", "Arbiter"),
)
RULING = (
    "Game",
    "Options",
    "First",
    "Setup",
    "Race",
    "RacePosition",
    "Match",
)  # what the rules and the start follow from
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
TERMINATIONS = ("normal", "repetition", "agreement", "resignation", "forfeit", "time", "abandoned", "adjudication")
MAX_VALUE = 2000  # characters in one tag's value

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_RACE = re.compile(r"([a-z]) ([A-Z]) (South|North)")
_SCORE = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")


class TagError(RecordsError):
    """A tag that cannot be; `tag` names it."""

    def __init__(self, tag: str, message: str) -> None:
        self.tag = tag
        super().__init__(message)


def is_value(text: str) -> bool:
    """Whether a tag can have this value: short enough, and one line."""
    return len(text) <= MAX_VALUE and text.splitlines() in ([], [text])


def parse_options(text: str) -> dict[str, str]:
    """The ``key=value …`` of an `Options` tag.

    :raises TagError: a word is not of that form, or a key comes twice.
    """
    options: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise TagError("Options", f"option {word!r} is not of the form key=value")
        if key in options:
            raise TagError("Options", f"option {key} is given twice")
        options[key] = value
    return options


def format_options(options: Mapping[str, Value]) -> str:
    return " ".join(f"{name}={format_value(value)}" for name, value in options.items())


def rules_of(tags: Mapping[str, str]) -> Rules:
    """The rules and the start that the tags of a record describe.

    :raises TagError: which tag is wrong, and what would be right.
    """
    return _rules_of(tuple((name, tags[name]) for name in RULING if name in tags))


@lru_cache(256)  # the games of a file are mostly of one kind
def _rules_of(told: tuple[tuple[str, str], ...]) -> Rules:
    tags = dict(told)
    id = tags.get("Game")
    if id is None:
        raise TagError("Game", f"there is no Game tag: expected one of {', '.join(ruleset_ids())}")
    try:
        info = load_ruleset(id)
    except OptionError as error:
        raise TagError("Game", str(error)) from error
    options: dict[str, Value] = {**parse_options(tags.get("Options", ""))}
    setup = _position(tags, "Setup")
    if setup is not None and "pits" not in options:
        try:
            options["pits"] = info.option("pits").read(setup.row, id)
        except OptionError as error:
            raise TagError("Setup", f"the set-up {setup} has {setup.row} pits a row: {error}") from error
    try:
        if setup is not None:
            options.pop("setup", None)
            rules = Rules(info, info.resolve(options, laid_out=False), setup)
            rules.starting_from(setup)
        else:
            rules = Rules(info, info.resolve(options))
    except OptionError as error:
        raise TagError("Options", str(error)) from error
    except PositionError as error:
        raise TagError("Setup", str(error)) from error
    if setup is not None:
        usual = info.seeds_on_board(rules.options)
        if setup.seeds > usual or (setup.seeds < usual and "surplus" not in tags.get("Match", "")):
            raise TagError("Setup", f"the set-up {setup} has {setup.seeds} seeds: {id} is played with {usual}")
    return _begun(rules, tags)


def _begun(rules: Rules, tags: Mapping[str, str]) -> Rules:
    """The rules from the position in which the first turn is played: who begins, and what a race left."""
    start = rules.start()
    first = tags.get("First")
    if first not in (None, "South", "North"):
        raise TagError("First", f"First is {first!r}: expected South or North")
    race = tags.get("Race")
    after = _position(tags, "RacePosition")
    if race is None and after is not None:
        raise TagError("RacePosition", "there is a RacePosition but no Race tag")
    if race is not None:
        start = _raced(rules, race, after)
    if first is None:
        return rules.starting_from(start)
    side = Side(("South", "North").index(first))
    if (race is not None or "Setup" in tags) and start.to_move is not side:
        raise TagError("First", f"First is {first}, but {'Race' if race else 'Setup'} has {start.to_move} to move")
    return rules.starting_from(start.replaced(to_move=side))


def _raced(rules: Rules, race: str, after: Position | None) -> Position:
    """The position after a recorded race. It was played by hands at once, so it can only be checked, not worked out."""
    start = rules.start()
    if rules.options.get("race", "none") == "none":
        raise TagError("Race", f"there is a Race, but the options of {rules.id} say race=none")
    match = _RACE.fullmatch(race)
    if match is None:
        raise TagError("Race", f"Race is {race!r}: expected South's pit, North's pit and the winner, as 'h H North'")
    for letter in (match[1], match[2]):
        pit = ord(letter.lower()) - ord("a")
        if pit >= rules.row or (rules.options["race"] == "right-hand" and pit != rules.row - 1):
            raise TagError(
                "Race", f"nobody can race from {letter} with race={rules.options['race']} and {rules.row} pits"
            )
    winner = Side(("South", "North").index(match[3]))
    if not rules.options["race_keeps_position"]:
        return start.replaced(to_move=winner)
    if after is None:
        raise TagError(
            "RacePosition", "there is a Race: expected a RacePosition tag with what lay on the board after it"
        )
    faults = []
    if after.row != start.row or after.seeds != start.seeds:
        faults.append(
            f"it has {after.seeds} seeds in rows of {after.row}; the set-up had {start.seeds} in rows of {start.row}"
        )
    if any(mark != ORDINARY for mark in after.marks):
        faults.append("a race makes no special pits")
    if after.stores != start.stores:
        faults.append("a race captures nothing")
    if after.to_move is not winner:
        faults.append(f"{winner} won the race, so {winner} is to move")
    if faults:
        raise TagError("RacePosition", f"RacePosition is {after}: " + "; ".join(faults))
    return after


def _position(tags: Mapping[str, str], tag: str) -> Position | None:
    if tag not in tags:
        return None
    try:
        return Position.parse(tags[tag])
    except PositionError as error:
        raise TagError(tag, str(error)) from error


def parse_score(text: str) -> tuple[int, int]:
    """:raises TagError: it is not two counts."""
    match = _SCORE.fullmatch(text)
    if match is None:
        raise TagError("Score", f"Score is {text!r}: expected South's and North's seeds, as '26-22'")
    return int(match[1]), int(match[2])


def canonical_tags(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags in their order, the roster complete, `Options` with just what differs from the defaults."""
    told = {**ROSTER, **tags}
    try:
        told["Options"] = format_options(rules_of(tags).changed)
    except RecordsError:
        told.setdefault("Options", "")  # a wrong record is written as it is: mending it is not the writer's business
    if not told["Options"]:
        del told["Options"]
    return {name: told[name] for name in (*(name for name in ORDER if name in told), *told) if name in told}
