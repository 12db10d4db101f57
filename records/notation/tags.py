"""Tags: their order, and what they say about the rules and the start of a game."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import NamedTuple

from inkeek.records.errors import (
    ErrorText,
    OptionError,
    PositionError,
    RecordsError,
    either,
    joined_texts,
    message_of,
    position_text,
)
from inkeek.records.position import ORDINARY, Position, Side
from inkeek.records.rules.play import Rules
from inkeek.records.rules.ruleset import (
    OTHER_ID,
    RuleSet,
    Value,
    format_value,
    load_ruleset,
    read_ruleset_json,
    rules_key,
    ruleset_ids,
    write_ruleset_json,
)
from inkeek.records.setups import MATCH_KINDS, match_kind, racing_pits, setup_faults
from inkeek.records.text import barred_in_line

from .dates import read_day, read_span

# Finding the tag pairs at the beginning of a record.

TAG = re.compile(r'\[[^\S\n]*([^\s"\]]+)[^\S\n]+"((?:[^"\\\n]|\\.)*)"[^\S\n]*\][^\S\n]*')
TAG_NAME = r"[A-Za-z][A-Za-z0-9_]*+"
OPENING = re.compile(rf'\[[^\S\n]*{TAG_NAME}[^\S\n]+"')  # what a tag begins with: its name and a quote
_NEXT = re.compile(r"(?:\s++|(?m:^)%[^\n]*+)*+")  # white space and escapes


def find_tags(text: str, at: int = 0) -> Iterator[tuple[int, re.Match[str] | None]]:
    """Every tag from `at` on with its offset; None for a line that begins as one and is none. At the end comes the
    offset of what follows, with None."""
    while True:
        space = _NEXT.match(text, at)
        at = space.end() if space else at
        if not text.startswith("[", at):
            yield at, None
            return
        tag = TAG.match(text, at)
        yield at, tag
        if tag is not None:
            at = tag.end()
        else:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end + 1


# How games end: the one list of results and terminations, with plain words, and with what players write on paper.


class Ending(NamedTuple):
    """A value of the tag `Termination`.

    `results` are those that it allows in a game that is not over on the board. `says` is what it means. `written`: how
    the words begin with which sheets say so, in several languages; `by_loser`: whose name stands beside them lost.
    """

    name: str
    results: tuple[str, ...]
    says: ErrorText
    written: tuple[str, ...] = ()
    by_loser: bool = False


RESULT_TEXTS = {
    "1-0": ErrorText("South won"),
    "0-1": ErrorText("North won"),
    "1/2-1/2": ErrorText("a draw"),
    "*": ErrorText("no result"),
}
ENDINGS = (
    Ending("normal", ("*",), ErrorText("the rules ended the game, or it goes on")),
    Ending(
        "repetition",
        ("1-0", "0-1", "1/2-1/2"),
        ErrorText("the same position came again too often"),
        ("repetition", "repeated", "kurudia", "marudio"),
    ),
    Ending(
        "agreement",
        ("1-0", "0-1", "1/2-1/2"),
        ErrorText("both sides agreed"),
        ("agree", "shook hands", "shake hands", "makubaliano", "walikubaliana", "wamekubaliana"),
    ),
    Ending(
        "resignation",
        ("1-0", "0-1"),
        ErrorText("a side gave up"),
        (
            "resign",
            "gave up",
            "gives up",
            "amejiuzulu",
            "alijiuzulu",
            "kujiuzulu",
            "amekata tamaa",
            "alikata tamaa",
            "give up",
            "concede",
            "abandonne",
            "abandona",
            "se rind",
            "si arrend",
            "abbandona",
            "gibt auf",
            "geben auf",
            "gab auf",
            "gaben auf",
            "geeft op",
            "gaf op",
            "desist",
        ),
        by_loser=True,
    ),
    Ending(
        "forfeit",
        ("1-0", "0-1"),
        ErrorText("a side did not come, or was ruled to have lost"),
        ("forfeit", "no show", "walkover", "did not come", "hakufika", "hakuja"),
        by_loser=True,
    ),
    Ending("time", ("1-0", "0-1"), ErrorText("a side ran out of time"), ("time", "flag", "muda", "saa"), by_loser=True),
    Ending(
        "abandoned",
        ("*",),
        ErrorText("the game was given up without a result"),
        ("abandoned", "broken off", "imeachwa", "iliachwa"),
    ),
    Ending("bye", ("1-0", "1/2-1/2"), ErrorText("South had no opponent")),
    Ending("unplayed", ("*",), ErrorText("nobody gets a point: nobody came, or South had no opponent")),
    Ending("unrecorded", tuple(RESULT_TEXTS), ErrorText("how it ended is not recorded")),
    Ending("adjudication", tuple(RESULT_TEXTS), ErrorText("an arbiter decided"), ("adjudicat", "arbiter", "mwamuzi")),
)


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag and where it stands.

    `unknown` is its value in a record that does not say it, for tags that every record has. `label` is its name on
    pages, forms and sheets, none for a tag that they do not show; `field` its name in forms, if it differs. `copied`:
    the next game of a match has the same value. `holds`: its value is the name of a ``person`` or an ``event``, or the
    names in a ``team``. `provenance`: it says where a record is from, or what may be done with it. `column` is what
    its column in tables of games says; empty if it has none.
    """

    name: str
    unknown: str | None = None
    label: str = ""
    field: str = ""
    copied: bool = False
    holds: str = ""
    provenance: bool = False
    column: str = ""


TAGS = (  # with a meaning, in their canonical order
    Tag("Event", unknown="?", label="Event", copied=True, holds="event", column="the tag Event"),
    Tag("Site", unknown="?", label="Place", copied=True, column="the tag Site"),
    Tag(
        "Date",
        unknown="????.??.??",
        label="Date",
        column="the tag Date; ?? stands for a month or day that is not known",
    ),
    Tag("Round", unknown="?", label="Round", copied=True, column="the tag Round"),
    Tag(
        "South",
        unknown="?",
        label="South",
        field="South’s player",
        copied=True,
        holds="person",
        column="South's name",
    ),
    Tag(
        "North",
        unknown="?",
        label="North",
        field="North’s player",
        copied=True,
        holds="person",
        column="North's name",
    ),
    Tag("Result", unknown="*"),
    Tag("Version"),
    Tag("Game"),
    Tag("Options"),
    Tag("Rules"),
    Tag("Score"),
    Tag("First"),
    Tag("Setup"),
    Tag("Race"),
    Tag("RacePosition"),
    Tag("Match"),
    Tag("MatchGame"),
    Tag("SouthTeam", copied=True, holds="team"),
    Tag("NorthTeam", copied=True, holds="team"),
    Tag("Termination"),
    Tag("TimeControl", copied=True),
    Tag("Board", label="Table", field="Board, by its number", copied=True),
    Tag("Recorder", label="Written down by", copied=True, holds="person", provenance=True),
    Tag("Arbiter", copied=True, holds="person"),
    Tag("Transcriber", label="Entered by", copied=True, holds="person", provenance=True),
    Tag("Source", label="Source", field="Source, with the page", copied=True, provenance=True),
    Tag("License", label="License", copied=True, provenance=True),
    Tag("Consent", label="Consent", field="Consent: pseudonyms, none, or in words", copied=True, provenance=True),
)
COPIED = tuple(tag.name for tag in TAGS if tag.copied)
SHOWN_TAGS = tuple(sorted((tag for tag in TAGS if tag.label), key=lambda tag: tag.name not in ("South", "North")))
PERSON_TAGS, EVENT_TAGS, TEAM_TAGS = (
    tuple(tag.name for tag in TAGS if tag.holds == kind) for kind in ("person", "event", "team")
)
VERSION = "1"  # of the notation: what a record without the tag `Version` has
GAPS_VERSION = "1.1"  # has turns that nobody saw, games of which it is not recorded how they ended, and `Rules`
ROSTER = {tag.name: tag.unknown for tag in TAGS if tag.unknown is not None}
ORDER = tuple(tag.name for tag in TAGS)
# The rules and the start follow from these.
RULES_TAGS = ("Version", "Game", "Options", "Rules", "First", "Setup", "Race", "RacePosition", "Match", "MatchGame")
RESULTS = tuple(RESULT_TEXTS)
# The results that a game can have that is not over on the board.
RESULTS_BY_TERMINATION = {ending.name: ending.results for ending in ENDINGS}
TERMINATIONS = tuple(RESULTS_BY_TERMINATION)
MAX_VALUE = 2000  # characters in the value of a tag
MAX_RULES = 40_000  # characters in the value of the tag `Rules`
MAX_GAMES = 1000  # games in a match

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
CONSENTS = ("pseudonyms", "none")  # what the tag `Consent` can want: no names, or no publication
# What programs understand in `Consent`, in any case: names may be published, only pseudonyms, or nothing. In English,
# Swahili and Somali, as sheets of paper are read.
CONSENT_WORDS: Mapping[str, tuple[str, ...]] = {
    "names": (
        *("yes", "given", "granted", "agreed", "allowed", "permitted", "all", "full", "names", "names allowed"),
        *("with names", "consent given", "permission given", "ndiyo", "ndio", "imetolewa", "wamekubali", "amekubali"),
        *(
            "inaruhusiwa",
            "majina yanaruhusiwa",
            "haa",
            "waa la oggolaaday",
            "waa la ogolaaday",
            "magacyo la oggol yahay",
        ),
    ),
    "pseudonyms": (
        *("pseudonyms", "pseudonym", "pseudonyms only", "anonymous", "anonymous only", "anonymized", "anonymised"),
        *("no names", "without names", "bila majina", "bila jina", "magac la'aan"),
    ),
    "none": (
        *("none", "no", "refused", "denied", "declined", "withdrawn", "revoked", "not given", "not granted"),
        *("no consent", "no permission", "do not publish", "not for publication", "private", "confidential"),
        *(
            "hapana",
            "imekataliwa",
            "wamekataa",
            "amekataa",
            "imeondolewa",
            "usichapishe",
            "siri",
            "maya",
            "waa la diiday",
        ),
        "ha daabicin",
    ),
}
_CONSENT = {word: wanted for wanted, words in CONSENT_WORDS.items() for word in words}
# A refusal among other words. Whether a word denies it is not asked: that would rather hide too little.
_REFUSAL = re.compile(
    r"\b(?:refus|den(?:y\b|ies\b|ied\b)|declin|withdr[ae]w|revok)|^(?:no|none)(?=[,.;:]| (?:way|thanks)\b| thank you)"
    r"|\b(?:not?|none) (?:consent|permission|given|granted)\b|\bwithout (?:consent|permission)\b"
    r"|\b(?:not|never|don't|cannot|can't|must ?n't|nor|no)(?: to)?(?: be)?(?: for)? (?:publish|publication|print|share)"
    r"|kataa|kataliw|usichapish|isichapish|diid|^(?:hapana|maya)\b"
)
_UNKNOWN_YEAR = re.compile(r"\?{4}\.([0-9]{2}|\?\?)\.([0-9]{2}|\?\?)")
_RACE = re.compile(r"([a-z]) ([A-Z]) (South|North)")
_SCORE = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")
_MATCH = re.compile(rf"({'|'.join(MATCH_KINDS)})(?: ([0-9]+))?(?![^ ,;:])")


class TagError(RecordsError):
    """A wrong tag, whose name is `tag`."""

    def __init__(self, tag: str, message: str) -> None:
        self.tag = tag
        self.field = f"tags.{tag}"
        super().__init__(message)


def value_fault(name: str, value: str) -> ErrorText | None:
    """Why the tag `name` cannot have this value: it is too long, or has a character that no line of text may hold.

    :raises TypeError: the value is no text.
    """
    if not isinstance(value, str):
        raise TypeError(f"the value of {name} is {value!r:.80}: expected a text")
    most = MAX_RULES if name == "Rules" else MAX_VALUE
    if len(value) > most:
        return ErrorText(
            "the value of %(name)s is too long: expected at most %(most)s characters", name=name, most=most
        )
    bad = barred_in_line(value)
    if bad is None:
        return None
    return ErrorText(
        "the value of %(name)s, %(value)r, has %(bad)r: expected one line without control characters",
        name=name,
        value=value[:40],
        bad=bad,
    )


def parse_options(text: str) -> dict[str, str]:
    """The ``key=value …`` of an `Options` tag.

    :raises TagError: a word is not of that form, or a key comes twice.
    """
    options: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise TagError("Options", ErrorText("the option %(word)r is not of the form key=value", word=word))
        if key in options:
            raise TagError("Options", ErrorText("the option %(key)s is given twice: remove one", key=key))
        options[key] = value
    return options


def format_options(options: Mapping[str, Value]) -> str:
    return " ".join(f"{name}={format_value(value)}" for name, value in options.items())


def described(info: RuleSet) -> dict[str, str]:
    """The tags that say which game is played: one of ours, or with its rules."""
    tags = {"Game": info.id}
    if info.is_known and info.id not in ruleset_ids():
        tags |= {"Version": GAPS_VERSION, "Rules": write_ruleset_json(info)}
    return tags


def carried_rules(tags: Mapping[str, str]) -> str | None:
    """The `rules_key` of the rules that a record carries; None if it carries none."""
    return rules_key(tags["Rules"]) if "Rules" in tags else None


def rules_of(tags: Mapping[str, str]) -> Rules:
    """The rules and the start that the tags of a record describe.

    :raises TagError: a tag is wrong; says what is expected.
    """
    return _rules_of(tuple((name, tags[name]) for name in RULES_TAGS if name in tags))


@lru_cache(256)  # the games of a file are mostly of one kind
def _rules_of(items: tuple[tuple[str, str], ...]) -> Rules:
    tags = dict(items)
    id = tags.get("Game")
    if id is None:
        known = ", ".join(ruleset_ids())
        raise TagError(
            "Game",
            ErrorText('there is no Game tag: expected one of %(known)s, such as [Game "oware"]', known=known),
        )
    info = _ruleset_of(id, tags)
    options: dict[str, Value] = {**parse_options(tags.get("Options", ""))}
    _match_option(tags, info, options)
    setup = setup_of(tags)
    if setup is None and not info.is_known:
        text = ErrorText(
            "the rules of %(game)s are not known: expected a Setup tag with the position before the first turn", game=id
        )
        raise TagError("Setup", text)
    if setup is not None and "pits" not in options:
        try:
            options["pits"] = info.option("pits").read(setup.row, id)
        except OptionError as error:
            why = message_of(error)
            text = ErrorText(
                "the set-up %(setup)s has %(row)s pits a row: %(why)s", setup=str(setup), row=setup.row, why=why
            )
            raise TagError("Setup", text) from error
    # In a match for the surplus the rows are measured by the standard set-up, so the option `setup` stays.
    measured = options.get("match") == "surplus"
    try:
        if setup is not None:
            if not measured:
                options.pop("setup", None)
            rules = Rules(info, info.resolve(options, laid_out=measured), setup)
            rules.starting_from(setup)
        else:
            rules = Rules(info, info.resolve(options))
        number = match_game(tags, rules)
        faults = [] if setup is None else setup_faults(rules, setup, number == 1)
    except OptionError as error:
        raise TagError("Options", message_of(error)) from error
    except PositionError as error:
        raise TagError("Setup", position_text(error)) from error
    if setup is not None and info.is_known:
        usual = info.seeds_on_board(rules.options)
        if setup.seeds > usual or (setup.seeds < usual and not measured):
            text = ErrorText(
                "the set-up %(setup)s has %(seeds)s seeds: %(game)s is played with %(usual)s",
                setup=str(setup),
                seeds=setup.seeds,
                game=id,
                usual=usual,
            )
            raise TagError("Setup", text)
    if faults:
        played = f"match={match_kind(rules)}" + (f" and setup={rules.options['setup']}" if measured else "")
        text = ErrorText(
            "Setup is %(setup)s, with %(played)s: %(faults)s",
            setup=str(setup),
            played=played,
            faults=joined_texts(faults, "; "),
        )
        raise TagError("Setup", text)
    if tags.get("Version", VERSION) != VERSION:
        rules = rules.with_gaps()
    return _with_start(rules, tags)


def _ruleset_of(id: str, tags: Mapping[str, str]) -> RuleSet:
    """The rule set with this id: one of ours, or that of the `Rules` tag, which version 1 does not know."""
    is_early = tags.get("Version", VERSION) == VERSION
    if "Rules" not in tags or (is_early and not OTHER_ID.fullmatch(id)):
        try:
            return load_ruleset(id)
        except OptionError as error:
            raise TagError("Game", message_of(error)) from error
    if is_early:
        raise TagError("Rules", ErrorText('only version 1.1 has this tag: expected the tag [Version "1.1"] too'))
    try:
        info = read_ruleset_json(tags["Rules"])
    except OptionError as error:
        raise TagError("Rules", message_of(error)) from error
    if info.id != id:
        text = ErrorText("Rules are those of %(id)s, but Game is %(game)s: expected the same", id=info.id, game=id)
        raise TagError("Rules", text)
    return info


def parse_match(text: str) -> tuple[str | None, int | None]:
    """The kind of match (one of `MATCH_KINDS`) and the agreed number of games, each None if the `Match` tag does not
    say. Any other text in the tag is the match's name.

    :raises TagError: an impossible number of games.
    """
    match = _MATCH.match(text)
    if match is None:
        return None, None
    if match[1] != "games" or match[2] is None:
        return match[1], None
    return "games", _count("Match", text, match[2])


def match_game(tags: Mapping[str, str], rules: Rules) -> int | None:
    """The number of the record's game in its match, from 1; None if there is no match, or no number.

    :raises TagError: it is not a number, or more than the agreed number of games.
    """
    if match_kind(rules) == "none" or "MatchGame" not in tags:
        return None
    number = _count("MatchGame", tags["MatchGame"], tags["MatchGame"])
    agreed = parse_match(tags.get("Match", ""))[1]
    if agreed is not None and number > agreed:
        text = ErrorText(
            "MatchGame is %(number)s, but the match has %(agreed)s games: expected at most that",
            number=number,
            agreed=agreed,
        )
        raise TagError("MatchGame", text)
    return number


def _count(tag: str, value: str, digits: str) -> int:
    if not (re.fullmatch(r"[1-9][0-9]{0,3}", digits) and int(digits) <= MAX_GAMES):
        text = ErrorText(
            "%(tag)s is %(value)r: expected a number from 1 to %(most)s", tag=tag, value=value, most=MAX_GAMES
        )
        raise TagError(tag, text)
    return int(digits)


def _match_option(tags: Mapping[str, str], info: RuleSet, options: dict[str, Value]) -> None:
    """Set the option `match` from the `Match` tag; if both name a kind, they must agree."""
    kind, _ = parse_match(tags.get("Match", ""))
    if kind is None:
        return
    option = format_value(options.setdefault("match", kind))
    if option != kind:
        text = ErrorText(
            "Match is %(value)r, but the options say match=%(option)s: expected the same",
            value=tags["Match"],
            option=option,
        )
        raise TagError("Match", text)
    try:
        info.option("match").read(kind, info.id)
    except OptionError as error:
        text = ErrorText("Match is %(value)r: %(why)s", value=tags["Match"], why=message_of(error))
        raise TagError("Match", text) from error


def setup_of(tags: Mapping[str, str]) -> Position | None:
    """The position in the `Setup` tag, if there is one.

    :raises TagError: it is not a position.
    """
    return _position(tags, "Setup")


def _with_start(rules: Rules, tags: Mapping[str, str]) -> Rules:
    """The rules from the position before the first turn, after a race and with the right side to move."""
    start = rules.start()
    first = tags.get("First")
    if first not in (None, "South", "North"):
        raise TagError("First", ErrorText("First is %(first)r: expected South or North", first=first))
    race = tags.get("Race")
    after = _position(tags, "RacePosition")
    if race is None and after is not None:
        raise TagError("RacePosition", ErrorText("there is a RacePosition tag but no Race tag: add the Race"))
    if race is not None:
        start = _after_race(rules, race, after)
    if first is None:
        return rules.starting_from(start)
    side = Side(("South", "North").index(first))
    if (race is not None or "Setup" in tags) and start.to_move is not side:
        raise TagError(
            "First",
            ErrorText(
                "First is %(first)s, but %(tag)s has %(side)s to move: expected the same",
                first=first,
                tag="Race" if race else "Setup",
                side=start.to_move,
            ),
        )
    return rules.starting_from(start.replaced(to_move=side))


def _after_race(rules: Rules, race: str, after: Position | None) -> Position:
    """The position after a recorded race. Both sides sow at once in a race, so its outcome can only be checked."""
    start = rules.start()
    if rules.options.get("race", "none") == "none":
        raise TagError(
            "Race",
            ErrorText(
                "there is a Race tag, but the options of %(game)s say race=none: remove the tag or set the option",
                game=rules.id,
            ),
        )
    match = _RACE.fullmatch(race)
    if match is None:
        text = ErrorText(
            "Race is %(race)r: expected South's pit, North's pit and the winner, such as 'h H North'", race=race
        )
        raise TagError("Race", text)
    for side, letter in zip(Side, (match[1], match[2]), strict=True):
        pits = [start.letter(pit) for pit in racing_pits(rules, start, side)]
        if letter not in pits:
            raise TagError(
                "Race",
                ErrorText(
                    "a race from %(pit)s is impossible with race=%(option)s and %(row)s pits: expected %(pits)s",
                    pit=letter,
                    option=rules.options["race"],
                    row=rules.row,
                    pits=reduce(either, pits),
                ),
            )
    winner = Side(("South", "North").index(match[3]))
    if not rules.options["race_keeps_position"]:
        return start.replaced(to_move=winner)
    if after is None:
        raise TagError(
            "RacePosition",
            ErrorText("there is a Race tag: expected a RacePosition tag with the position after the race"),
        )
    faults = []
    if after.row != start.row or after.seeds != start.seeds:
        faults.append(
            ErrorText(
                "it has %(seeds)s seeds in rows of %(row)s; the set-up had %(start_seeds)s in rows of %(start_row)s",
                seeds=after.seeds,
                row=after.row,
                start_seeds=start.seeds,
                start_row=start.row,
            )
        )
    if any(mark != ORDINARY for mark in after.marks):
        faults.append(ErrorText("it has special pits, which a race does not make"))
    if after.stores != start.stores:
        faults.append(ErrorText("its stores differ from the set-up, but a race captures nothing"))
    if after.to_move is not winner:
        faults.append(ErrorText("%(side)s won the race, so %(side)s is to move", side=winner))
    if faults:
        text = ErrorText("RacePosition is %(after)s: %(faults)s", after=str(after), faults=joined_texts(faults, "; "))
        raise TagError("RacePosition", text)
    return after


def _position(tags: Mapping[str, str], tag: str) -> Position | None:
    if tag not in tags:
        return None
    try:
        return Position.parse(tags[tag])
    except PositionError as error:
        raise TagError(tag, position_text(error)) from error


def parse_score(text: str) -> tuple[int, int]:
    """South's and North's seeds in a `Score` tag.

    :raises TagError: it is not two numbers.
    """
    match = _SCORE.fullmatch(text)
    if match is None:
        message = ErrorText("Score is %(text)r: expected South's and North's seeds, such as '26-22'", text=text)
        raise TagError("Score", message)
    return int(match[1]), int(match[2])


def consent_of(tags: Mapping[str, str]) -> str | None:
    """Which of `CONSENTS` the tag `Consent` wants; None: names may be published, or nothing is said.

    Words that are not in `CONSENT_WORDS` permit nothing: they are ``none`` if they speak of a refusal, and otherwise
    ``pseudonyms``, also where they deny that ("not anonymous"); `tag_warnings` says so.
    """
    if tags.get("Consent", "").strip() in ("", "?"):
        return None
    said = _consent_said(tags)
    wanted = _CONSENT.get(said) or ("none" if _REFUSAL.search(said) else "pseudonyms")
    return None if wanted == "names" else wanted


def _consent_said(tags: Mapping[str, str]) -> str:
    return " ".join(tags.get("Consent", "").casefold().replace("’", "'").split()).strip(".! \"'")


def tag_warnings(tags: Mapping[str, str], rules: Rules) -> dict[str, str]:
    """What the tags of a right record lack or say in an unusual form, by code: see `ERROR_CODES`."""
    found: dict[str, str] = {}
    if not rules.info.is_known:
        found["unknown-game"] = ErrorText("the rules of %(game)s are not known: no turn is checked", game=rules.id)
    version = tags.get("Version", VERSION)
    if version not in (VERSION, GAPS_VERSION):
        text = f"Version is {version[:80]!r}: the record is read as far as version {GAPS_VERSION} goes"
        found["other-version"] = text
    race = rules.options.get("race", "none")
    if race != "none" and "Race" not in tags and rules.start().ply == 0:
        text = f"the options say race={race}, but there is no Race tag: add it, or the option race=none"
        found["missing-race"] = text
    day = tags.get("Date", ROSTER["Date"])
    if not _is_date(day):
        text = f"Date is {day[:80]!r}: expected when it was, such as 2026.11.20, 1974.05.??, c. 1974 or 1974/1976"
        found["unusual-date"] = text
    wanted = consent_of(tags)
    if wanted is not None and _consent_said(tags) not in _CONSENT:
        text = (
            f"Consent is {tags['Consent'][:80]!r}: programs do not understand it and treat it as {wanted}. "
            "Write yes, pseudonyms or none"
        )
        found["unusual-consent"] = text
    return found


def _is_date(text: str) -> bool:
    if match := _UNKNOWN_YEAR.fullmatch(text):
        month, day = (part.replace("??", "01") for part in match.groups())
        return read_day(f"2000.{month}.{day}") is not None
    return text in ("", "?") or read_span(text) is not None


def canonical_tags(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags in their order, with the whole roster, and in `Options` only what differs from the defaults."""
    complete = {**ROSTER, **tags}
    if complete.get("Version") == VERSION:
        del complete["Version"]
    try:
        complete["Options"] = format_options(rules_of(tags).changed)
        if not complete["Options"]:
            del complete["Options"]
    except RecordsError:
        pass  # a wrong record is written as it is: the writer does not correct it
    return {name: complete[name] for name in dict.fromkeys((*ORDER, *complete)) if name in complete}


# The tags `SouthTeam` and `NorthTeam`: who is in the teams before the first turn.

MAX_TEAM = 5  # people in a team


def parse_team(tag: str, text: str) -> tuple[str, ...]:
    """The names in a team's tag, ``A; B; C``. An empty tag and ``?`` name nobody.

    :raises TagError: more than `MAX_TEAM` names, or one twice.
    """
    names = tuple(name for part in text.split(";") if (name := " ".join(part.split())) not in ("", "?"))
    if len(names) > MAX_TEAM:
        text = ErrorText(
            "%(tag)s names %(count)s people: at most %(most)s can be in a team at a time",
            tag=tag,
            count=len(names),
            most=MAX_TEAM,
        )
        raise TagError(tag, text)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TagError(tag, ErrorText("%(tag)s names %(name)r twice: remove one", tag=tag, name=twice))
    return names


def starting_teams(tags: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The teams of (South, North) before the first turn.

    :raises TagError: a tag is wrong, or somebody is in both teams.
    """
    if TEAM_TAGS[0] not in tags and TEAM_TAGS[1] not in tags:
        return (), ()
    south, north = (parse_team(tag, tags.get(tag, "")) for tag in TEAM_TAGS)
    both = next((name for name in north if name in south), None)
    if both is not None:
        text = ErrorText("NorthTeam names %(name)r, who is in SouthTeam: remove one", name=both)
        raise TagError(TEAM_TAGS[Side.NORTH], text)
    return south, north
