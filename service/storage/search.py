"""What games are searched by: the filter of a list, and the keys under which games are found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from struct import unpack
from types import MappingProxyType

from inkeek.records.notation.dates import read_day, read_span
from inkeek.records.notation.tags import carried_rules
from inkeek.records.text import ALPHABETS, alphabet_of, read_instant
from inkeek.service.errors import Invalid

from .clock import stamp
from .rows import Days, GamePlace, GameRow, Limit, PlayerKey, SearchKeys

GAME_STATES = ("live", "ended")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
OneOrMore = str | tuple[str, ...] | None
ANY_OF = ("game", "player", "event", "result", "state")  # filters that may have several values
SORTS = ("created", "-created")
NAMELESS = ("", "?")  # what stands in a tag whose value nobody knows
MAX_KEY = 200  # characters of a name that are compared
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_UNKNOWN, _LAST = "-00-00", "-12-31"
OPEN = "0000-00-00"  # the first day of what is open at its beginning
# Marks that a name is written with or without: Arabic vowel signs and the stretching stroke, the selectors of glyphs.
_LEFT_OUT = re.compile("[\0\u034f\u0640\u064b-\u0652\u0670\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# Letters of other scripts with the Latin ones that they look like, at least in capitals.
_ALIKE = (
    ("АВЕЅІЈКМНОРСТУХҮЬԚԜԌаеѕіјорсухүһԛԝԁӏкмтвнпгь", "ABESIJKMHOPCTYXYbQWGaesijopcyxyhqwdlkmtbhnrb"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβγεηικνορτυχω", "ABEZHIKMNOPTYXabyenikvoptuxw"),
    ("օսհոցյɑɡı", "ouhngjagi"),
)
_RARELY_ALIKE = (  # small capitals, Cherokee, Lisu, Coptic: in no name by which games are searched
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɩƖʊǀ|∣⏐", "abcdefghijklmnoprstuvwyziiullll"),
    ("ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᎾᏀᏃᏎᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ", "DRTiAJEWMHYOGZ4RWSVSLCPKdGB"),
    ("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓥꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU"),
    ("ⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲁⲃⲉⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭ", "ABEHIKMNOPCTYXabehikmnopctyx"),
)
_LOOKS = {
    ord(letter): latin
    for letters, latins in (*_ALIKE, *_RARELY_ALIKE)
    for letter, latin in zip(letters, latins, strict=True)
}
_OTHER_SCRIPTS = [dict(zip(map(ord, latins), letters, strict=True)) for letters, latins in _ALIKE]
_ONE_LOOK = {0x115F: None, 0x1160: None, ord("i"): "l", ord("1"): "l", ord("0"): "o"}
_WON = {"1-0": ("won", "lost"), "0-1": ("lost", "won"), "1/2-1/2": ("drawn", "drawn"), "*": ("none", "none")}


def first_moment(name: str, text: str | None) -> str | None:
    """A time as it is stored, of a time or a day, whose first moment counts. `name` is for the error.

    :raises Invalid: the text is neither.
    """
    return _moment(name, text, "T00:00:00Z")


def last_moment(name: str, text: str | None) -> str | None:
    """As `first_moment`, with the last moment of a day."""
    return _moment(name, text, "T23:59:59.999999Z")


def _moment(name: str, text: str | None, of_day: str) -> str | None:
    if text is None:
        return None
    full = text + of_day if _DAY.fullmatch(text) else text
    try:
        return stamp(read_instant(full))
    except (ValueError, OverflowError) as error:
        raise Invalid(
            f"{name} is {text[:80]!r}: expected a day, as 2026-11-20, or a time, as 2026-11-20T18:30:00Z. "
            "Write + as %2B in a URL.",
            field=name,
        ) from error


def values_of(given: OneOrMore) -> tuple[str, ...]:
    """The values of a filter, of which each matches; none if it is not given."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else given


@dataclass(frozen=True, slots=True)
class GameFilter:
    """Which games to list, and in which order; None matches anything. Of several values of one filter, each matches.

    `game`: a rule set's id. `player`: the South or North tag, `event`: the Event tag, both compared whole, by
    `name_key`. `since` and `until`: days, months or years, both included, between which it may have been played, by the
    Date tag (`days_of`). `result`: as in the Result tag. `state`: ``live`` or ``ended``. `position`: the text of a
    position that came up in the game, whatever the stores and the ply; needs `game`. `created_since` and
    `created_until`: days or times, both included, between which the game was stored. `updated_since`: a day or a time
    since which it changed; the list has an order of its own (`game_list`).
    `first_of_match`: only the first games of matches. `sort`: one of `SORTS`; None: see `game_list`. `within`: only
    games that this limit covers, and with `first_of_match` only of matches that it covers.

    :raises Invalid: an impossible day, time, result, state or order; a position without a game.
    """

    game: OneOrMore = None
    player: OneOrMore = None
    event: OneOrMore = None
    since: str | None = None
    until: str | None = None
    result: OneOrMore = None
    state: OneOrMore = None
    position: str | None = None
    created_since: str | None = None
    created_until: str | None = None
    updated_since: str | None = None
    first_of_match: bool = False
    sort: str | None = None
    within: Limit | None = None

    def __post_init__(self) -> None:
        for game in self.values("game"):
            if not game.isprintable():
                raise Invalid(f"game is {game[:80]!r}: expected the id of a rule set", field="game")
        for name, allowed in (("result", RESULTS), ("state", GAME_STATES), ("sort", SORTS)):
            for value in self.values(name):
                if value not in allowed:
                    raise Invalid(f"{name} is {value[:80]!r}: expected one of {', '.join(allowed)}", field=name)
        for name in ("since", "until"):
            day = getattr(self, name)
            if day is not None and read_day(day) != day:
                raise Invalid(f"{name} is {day[:80]!r}: expected a day, as 2026-11-20, a month, or a year", field=name)
        if self.position is not None and self.game is None:
            raise Invalid(
                f"position is {self.position[:80]!r}: give game too, it is looked up in those of one rule set",
                field="position",
            )
        first_moment("created_since", self.created_since)
        last_moment("created_until", self.created_until)
        first_moment("updated_since", self.updated_since)
        if self.updated_since is not None and self.sort is not None:
            raise Invalid(
                f"sort is {self.sort!r} with updated_since, whose list has the oldest change first so that its cursors "
                "stay right: give one of the two",
                field="sort",
            )

    def values(self, name: str) -> tuple[str, ...]:
        """The values of a filter of which a game must have one; none if all match."""
        return values_of(getattr(self, name))

    @property
    def days(self) -> Days | None:
        """The days that `since` and `until` ask for; None: any."""
        return _stored(self.since, self.until) if self.since or self.until else None


EVERYTHING = GameFilter()


@lru_cache(maxsize=10_000)
def name_key(name: str) -> str:
    """The form in which names of players and events are compared. It is its own key.

    Case, runs of spaces, compatibility forms (full-width and Arabic presentation forms, ligatures), the order and
    composition of marks, invisible format characters and `_LEFT_OUT` make no difference; accents and letters do.
    """
    if name.isascii():
        key = name.replace("\0", "").lower()
    else:
        key = ""
        while key != name:  # each round undoes what the one before composed; in practice there are two or three
            key, name = name, _fold(name)
    return " ".join(key.split())[:MAX_KEY].rstrip()


def _fold(name: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", _LEFT_OUT.sub("", plain).casefold())


def look_key(name: str) -> str:
    """The form of a name by which people tell it from others: as `name_key`, and accents, spaces, punctuation, and
    the script of letters that look alike make no difference."""
    key = name_key(unicodedata.normalize("NFKC", name).translate(_LOOKS))
    return "".join(_looks(unicodedata.normalize("NFD", key))).translate(_ONE_LOOK) or key


def _looks(name: str) -> Iterator[str]:
    """The letters and digits of a name, with the marks of scripts in which these are letters."""
    is_plain = True
    for character in name:
        kind = unicodedata.category(character)
        if kind[0] in "LN":
            is_plain = kind[0] == "N" or alphabet_of(character) in ALPHABETS
            yield str(unicodedata.digit(character)) if kind == "Nd" else character
        elif kind[0] == "M" and not is_plain:
            yield character


def alike_keys(key: str) -> set[str]:
    """The keys that look like this one, all in the letters of another script."""
    latin = key.translate(_LOOKS)
    return {latin, *(latin.translate(letters) for letters in _OTHER_SCRIPTS)} - {key}


def key_after_all(prefix: str) -> str | None:
    """The first text, by code points, after all that begin with `prefix`; None if there is none."""
    for end in range(len(prefix), 0, -1):
        code = ord(prefix[end - 1]) + 1
        if code <= 0x10FFFF:
            return prefix[: end - 1] + chr(0xE000 if code == 0xD800 else code)
    return None


def players_of(tags: Mapping[str, str], owners: Mapping[str, str] = MappingProxyType({})) -> tuple[str, str]:
    """The keys of South and North, empty if they are not named. `owners`: the persons that names were joined to."""
    south, north = (name_key(tags.get(side, "")) for side in ("South", "North"))
    south, north = owners.get(south, south), owners.get(north, north)
    return "" if south in NAMELESS else south, "" if north in NAMELESS else north


def game_key(game: str, tags: Mapping[str, str]) -> str:
    """The game as it was played: the id of its rule set, and the key of the rules that the record carries, since local
    games of one id need not have the same rules. No id has a ``#``."""
    rules = carried_rules(tags)
    return game if rules is None else f"{game}#{rules}"


def player_keys(
    game: str, tags: Mapping[str, str], state: str, result: str, *, opens_match: bool
) -> frozenset[PlayerKey]:
    """Who plays in a game, with what it is to each of them."""
    south, north = players_of(tags)
    scores = ("live", "live") if state == "live" else _WON[result]
    if south == north and state != "live" and result != "*":
        scores = ("both", "both")
    named = [(name, score) for name, score in zip((south, north), scores, strict=True) if name]
    played = game_key(game, tags)
    return frozenset(PlayerKey(name, played, score, opens_match) for name, score in named)


def joined_keys(keys: Iterable[PlayerKey], owners: Mapping[str, str]) -> frozenset[PlayerKey]:
    """The keys of a game, with the persons that names were joined to."""
    found: dict[str, PlayerKey] = {}
    for key in keys:
        name = owners.get(key.name, key.name)
        score = "both" if name in found and key.score in ("won", "drawn", "lost") else key.score
        found[name] = key._replace(name=name, score=score)
    return frozenset(found.values())


def initials(key: str) -> str:
    """The initials of a name: ``K. L.``."""
    return " ".join(f"{word[0].upper()}." for word in key.split())


def player_keys_of(row: GameRow) -> frozenset[PlayerKey]:
    """Who plays in a stored game. Who had no opponent has won against nobody."""
    result = "*" if row.termination == "bye" else row.result
    return player_keys(row.game, row.tags, row.state, result, opens_match=row.match_id == row.id)


def event_of(tags: Mapping[str, str]) -> str | None:
    """The key of the event, if it is named."""
    key = name_key(tags.get("Event", ""))
    return None if key in NAMELESS else key


def table_of(tags: Mapping[str, str]) -> str:
    """The key of the table at which a game is played, its `Board` tag; empty if it is not named."""
    key = name_key(tags.get("Board", ""))
    return "" if key in NAMELESS else key


def table_limit(event: str, table: str) -> Limit:
    """The limit to a table of the event of that name."""
    return Limit("table", f"{table}:{event}")


def table_and_event(limit: Limit) -> tuple[str, str]:
    """The table and the event of a limit to a table."""
    table, _, event = limit.value.partition(":")
    return table, event


def reading(limit: Limit) -> Limit:
    """What a key with this limit may read: who writes at a table may look at all of its event."""
    return Limit("event", table_and_event(limit)[1]) if limit.kind == "table" else limit


def covers(limit: Limit, row: GameRow) -> bool:
    """Whether a limit covers a game."""
    return covers_place(limit, GamePlace(row.id, row.match_id, event_of(row.tags), table_of(row.tags)))


def covers_place(limit: Limit, place: GamePlace) -> bool:
    """Whether a limit covers the game that counts there."""
    if limit.kind == "event":
        return place.event == name_key(limit.value)
    if limit.kind == "table":
        table, event = table_and_event(limit)
        return place.event == name_key(event) and place.table == name_key(table)
    return limit.value == (place.game_id if limit.kind == "game" else place.match_id)


def days_of(tags: Mapping[str, str]) -> Days:
    """The first and the last day that the Date tag may mean (`read_span`)."""
    span = read_span(tags.get("Date", ""))
    return Days(None, None) if span is None else _stored(span.first, span.last)


def _stored(first: str | None, last: str | None) -> Days:
    """Two days, months or years as they are stored; what is not given is open."""
    return Days(first_of(first) if first else OPEN, last_of(last or "9999"))


def first_of(day: str) -> str:
    """A day, a month or a year (`read_day`) as it is stored: before all days of it."""
    return day + _UNKNOWN[len(day) - 4 :]


def last_of(day: str) -> str:
    """What comes after all days of a day, a month or a year, or is the last of them."""
    return day + _LAST[len(day) - 4 :]


def known_of(stored: str | None) -> str | None:
    """What is known of a stored day."""
    return stored and stored.replace("-00", "")


def position_key(game: str, position: str) -> int:
    """64 bits (signed) for the rule set, the pits with their marks and the side to move of a position's text.

    Two different positions share a key with a chance of 2^-64: among 40 million stored ones the chance that any two do
    is 1 in 20,000.
    """
    return position_keys(game, [position])[0]


def position_keys(game: str, texts: Sequence[str]) -> tuple[int, ...]:
    """The `position_key` of each of these positions."""
    digests = []
    for text in texts:
        pits, _stores, rest = text.split(" ", 2)
        digests.append(blake2b(f"{game} {pits} {rest[0]}".encode(), digest_size=8).digest())
    return unpack(f">{len(digests)}q", b"".join(digests))


def search_keys(row: GameRow, texts: Sequence[str]) -> SearchKeys:
    """The search keys of a game; `texts` are all its positions, from the start."""
    players, positions = player_keys_of(row), position_keys(row.game, texts)
    return SearchKeys(players, event_of(row.tags), days_of(row.tags), positions, carried_rules(row.tags))
