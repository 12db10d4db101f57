"""What is planned for an event: dates, place, games, tables, players, format, and the rounds with their pairings. Pure.

Players have numbers of their own, so that a name can be mended while the pairings stay. What came of a pairing follows
from its games alone (`results`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import msgspec

from inkeek.records.notation.dates import read_day, read_span
from inkeek.records.rules.ruleset import load_ruleset
from inkeek.records.structs import convert
from inkeek.service.errors import Invalid, about
from inkeek.service.games.record_check import CASUAL_TAG, check_tags, tags_from
from inkeek.service.storage import EventPlanRow, GameRow, event_of
from inkeek.service.storage.search import NAMELESS, alike_keys, first_of, last_of, name_key

FORMATS = ("free", "all", "swiss", "teams")
TIE_BREAKS = ("direct", "sonneborn-berger", "buchholz", "sticks", "sticks-won")
BY_FORMAT = {  # what decides among equal points, unless the event says otherwise
    "free": ("sticks", "sticks-won"),
    "all": ("direct", "sonneborn-berger", "sticks"),
    "swiss": ("direct", "buchholz", "sonneborn-berger"),
    "teams": ("sticks", "sticks-won"),
}
PLAYER_STATES = ("in", "bye", "out")
EVENT_STATES = ("planned", "running", "over")
MAX_PLAYERS, MAX_ROUNDS, MAX_GAMES, MAX_TABLES, MAX_LEGS = 128, 127, 8, 99, 2
MAX_NAME = 100  # characters of a name of a player, a team or a place
MAX_PORT, MAX_DRIVER = 300, 64  # characters
_ITEM = re.compile(r"\s*(?:\(?[0-9]{1,3}(?:\s*[.):]|\t)|[-*•–]\s)\s*")  # before an item of a list


PersonName = Annotated[str, "person"]
"""The name of a person. A field of a plan with this type is hidden, renamed and taken out with the person."""


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a plan."""


P = TypeVar("P", bound=Part)


class OfferedGame(Part, frozen=True):
    """A game that is played at the event: the rule set with its options, and the tag `TimeControl`."""

    game: str
    options: dict[str, Any] = {}
    time_control: str = ""


class EventPlayer(Part, frozen=True):
    """A player. `state`: ``in``, ``bye`` (half a point instead of the next round), ``out`` (not paired until back)."""

    id: int
    name: PersonName
    team: str = ""
    state: str = "in"

    @property
    def key(self) -> str:
        return name_key(self.name)


class Pairing(Part, frozen=True):
    """A table of a round: the numbers of its players (North None: nobody), the id of its game or of the match with that
    first game, which of the offered games it is, and in an event of teams for which teams its players played."""

    table: int
    south: int
    north: int | None = None
    game: str = ""
    offered: int = 0
    teams: tuple[str, ...] = ()

    @property
    def players(self) -> tuple[int, ...]:
        return (self.south,) if self.north is None else (self.south, self.north)


class Round(Part, frozen=True):
    number: int
    pairings: tuple[Pairing, ...]


class TableBoard(Part, frozen=True):
    """The sensor board that stands at a table: what `inkeek.service.boards.bindings.Boards.bind` takes."""

    table: int
    port: str
    driver: str = "inkeek"
    serial: str | None = None
    buttons: bool = True


class EventPlan(Part, frozen=True):
    """A whole plan. `legs`: games of a pairing; two make a match in which each side begins once. `planned_rounds`: how
    many there shall be; None: as many as the format has, or not decided. `tie_breaks`: None means those of the
    format. `boards`: at most one a table; each plays the games of its table."""

    name: str
    first_date: str = ""
    last_date: str = ""
    place: str = ""
    games: tuple[OfferedGame, ...] = ()
    tables: int = 0
    boards: tuple[TableBoard, ...] = ()
    players: tuple[EventPlayer, ...] = ()
    format: str = "free"
    legs: int = 1
    planned_rounds: int | None = None
    tie_breaks: tuple[str, ...] | None = None
    state: str = "planned"
    rounds: tuple[Round, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """The tie-breaks in the order in which they decide."""
        return BY_FORMAT[self.format] if self.tie_breaks is None else self.tie_breaks

    @property
    def here(self) -> list[EventPlayer]:
        """The players that the next round pairs."""
        return [player for player in self.players if player.state == "in"]

    @property
    def counts_all(self) -> bool:
        """Whether games with the event's name count that are in no pairing."""
        return self.format == "free"

    @property
    def pairings(self) -> list[Pairing]:
        """Those of all rounds."""
        return [pairing for _, pairing in self.places]

    @property
    def paired(self) -> set[str]:
        """The ids of the games of all pairings, or of the matches that they began."""
        return {pairing.game for pairing in self.pairings}

    @property
    def places(self) -> list[tuple[int, Pairing]]:
        """Those of all rounds, each with the number of its round."""
        return [(round.number, pairing) for round in self.rounds for pairing in round.pairings]

    def at_tables(self, rows: Iterable[GameRow]) -> list[GameRow]:
        """The games that are played at the event's tables: those of pairings; before a free event has any, all
        that count."""
        if self.counts_all and not self.rounds:
            return [*filter(counts_in(self), rows)]
        paired = self.paired
        return [row for row in rows if (row.match_id or row.id) in paired]

    @property
    def by_id(self) -> dict[int, EventPlayer]:
        return {player.id: player for player in self.players}

    def board_at(self, table: int) -> TableBoard | None:
        return next((one for one in self.boards if one.table == table), None)

    def round(self, number: int) -> Round | None:
        return next((one for one in self.rounds if one.number == number), None)


def counts_in(plan: EventPlan | None) -> Callable[[GameRow], bool]:
    """Tells of a game with the name of an event whether it counts there: that of a pairing does; unless the event has
    rounds, any other too that was not casual where it was copied from."""
    paired, others_count = (set(), True) if plan is None else (plan.paired, plan.counts_all)
    return lambda row: (row.match_id or row.id) in paired or (others_count and CASUAL_TAG not in row.tags)


@cache
def _with_persons(part: type[Part]) -> dict[str, type[Part] | None]:
    """The fields that hold a name of a person (None), or parts of a type that does."""
    found: dict[str, type[Part] | None] = {}
    for field, hint in get_type_hints(part, include_extras=True).items():
        if hint == PersonName:
            found[field] = None
        for one in get_args(hint):
            if isinstance(one, type) and issubclass(one, Part) and _with_persons(one):
                found[field] = one
    return found


def with_names(part: P, rewrite: Callable[[str, str], str], place: str = "") -> P:
    """The part with all names of persons as `rewrite` gives them for their place in the plan (``players.3.name``) and
    themselves."""
    changed: dict[str, Any] = {}
    for field, type_ in _with_persons(type(part)).items():
        value = getattr(part, field)
        if type_ is None:
            changed[field] = value and rewrite(place + field, value)
        else:
            changed[field] = tuple(with_names(one, rewrite, f"{field}.{one.id}.") for one in value)
    return msgspec.structs.replace(part, **changed)


def names_in(plan: EventPlan) -> dict[str, str]:
    """The names of persons in a plan by their places."""
    found: dict[str, str] = {}
    with_names(plan, lambda place, name: found.setdefault(place, name))
    return found


def plan_of(row: EventPlanRow) -> EventPlan:
    """The plan that is stored."""
    return convert(row.plan, EventPlan)


def check_plan(plan: EventPlan) -> EventPlan:
    """The plan with clean names.

    :raises Invalid: something in it is wrong. :raises RecordsError: a rule set or an option is.
    """
    name = " ".join(plan.name.split())
    with tags_from(Event="name", Site="place"):
        check_tags({"Event": name, "Site": plan.place})
    if event_of({"Event": name}) is None:
        raise Invalid("name is %(name)r: expected the name of an event", field="name", name=plan.name[:80])
    for field, value in (("first_date", plan.first_date), ("last_date", plan.last_date)):
        if value and read_day(value) != value:
            raise Invalid(
                "%(field)s is %(value)r: expected a day, as 2026-11-20, a month, or a year",
                field=field,
                value=value[:40],
            )
    if plan.last_date and last_of(plan.last_date) < first_of(plan.first_date or plan.last_date):
        raise Invalid(
            "last_date is %(last)s: expected %(first)s or a later day",
            field="last_date",
            last=plan.last_date,
            first=plan.first_date,
        )
    for field, value, allowed in (("format", plan.format, FORMATS), ("state", plan.state, EVENT_STATES)):
        if value not in allowed:
            raise Invalid(
                "%(field)s is %(value)r: expected one of %(allowed)s",
                field=field,
                value=value[:40],
                allowed=", ".join(allowed),
            )
    for field, count, least, most in (
        ("tables", plan.tables, 0, MAX_TABLES),
        ("legs", plan.legs, 1, MAX_LEGS),
        ("planned_rounds", plan.planned_rounds or 1, 1, MAX_ROUNDS),
        ("games", len(plan.games), 0, MAX_GAMES),
        ("players", len(plan.players), 0, MAX_PLAYERS),
        *(("boards: table", board.table, 1, MAX_TABLES) for board in plan.boards),
    ):
        if not least <= count <= most:
            raise Invalid(
                "%(field)s: %(count)s; expected %(least)s to %(most)s", field=field, count=count, least=least, most=most
            )
    if plan.planned_rounds is not None and plan.planned_rounds < len(plan.rounds):
        raise Invalid(
            "planned_rounds is %(planned)s: %(count)s rounds were begun already",
            field="planned_rounds",
            planned=plan.planned_rounds,
            count=len(plan.rounds),
        )
    asks = next((player.name for player in plan.players if player.state == "bye"), None)
    if plan.format == "all" and asks is not None:
        raise Invalid(
            "players: %(name)r has 'half a point instead of the next round' (state 'bye'), which does not exist where "
            "everybody meets everybody: a table waits for the game. Choose 'plays'.",
            field="players",
            name=asks,
        )
    _check_boards(plan.boards)
    breaks = plan.tie_breaks or ()
    if len(set(breaks)) < len(breaks) or not set(breaks) <= set(TIE_BREAKS):
        raise Invalid(
            "tie_breaks is %(breaks)s: expected some of %(allowed)s, each once",
            field="tie_breaks",
            breaks=" ".join(breaks)[:200],
            allowed=" ".join(TIE_BREAKS),
        )
    alone = next((player.name for player in plan.players if not player.team.strip()), None)
    if plan.format == "teams" and alone is not None:
        raise Invalid(
            "players: %(name)r has no team. Write it after a semicolon, as %(example)s, or choose another format.",
            field="players",
            name=alone[:80],
            example=f"{alone[:80].strip()}; Narok",
        )
    games = tuple(_checked_game(f"games[{number}]", offered) for number, offered in enumerate(plan.games))
    return msgspec.structs.replace(plan, name=name, games=games, players=_checked_players(plan.players))


def _check_boards(boards: Sequence[TableBoard]) -> None:
    for at, board in enumerate(boards):
        for name, text, most in (("port", board.port, MAX_PORT), ("driver", board.driver, MAX_DRIVER)):
            if not 1 <= len(text) <= most:
                raise Invalid(
                    "boards: %(name)s is %(text)r; expected 1 to %(most)s characters",
                    field="boards",
                    name=name,
                    text=text[:80],
                    most=most,
                )
        for other in boards[:at]:
            if other.table == board.table:
                raise Invalid("boards: table %(table)s has two boards; choose one", field="boards", table=board.table)
            if other.port == board.port:
                raise Invalid(
                    "boards: the board at %(port)s stands at the tables %(first)s and %(second)s; choose one of them",
                    field="boards",
                    port=board.port,
                    first=other.table,
                    second=board.table,
                )


def _checked_game(place: str, offered: OfferedGame) -> OfferedGame:
    with about(place):
        load_ruleset(offered.game).resolve(offered.options)
    with tags_from(TimeControl=f"{place}.time_control"):
        check_tags({"TimeControl": offered.time_control} if offered.time_control else {})
    return offered


def _checked_players(players: Sequence[EventPlayer]) -> tuple[EventPlayer, ...]:
    found: list[EventPlayer] = []
    keys: set[str] = set()
    teams: dict[str, str] = {}
    for at, player in enumerate(players):
        name, team = (" ".join(text.split()) for text in (player.name, player.team))
        with tags_from(South=f"players[{at}].name", North=f"players[{at}].team"):
            check_tags({"South": name, "North": team})
        key = name_key(name)
        if key in NAMELESS or max(len(name), len(team)) > MAX_NAME:
            raise Invalid(
                "players: %(name)r; expected a name of at most %(most)s characters",
                field="players",
                name=name[:80],
                most=MAX_NAME,
            )
        if key in keys or keys & alike_keys(key):
            raise Invalid("players: %(name)r is there twice; write one of them differently", field="players", name=name)
        if player.state not in PLAYER_STATES:
            raise Invalid(
                "players: the state of %(name)r is %(state)r; expected one of %(states)s",
                field="players",
                name=name,
                state=player.state[:40],
                states=", ".join(PLAYER_STATES),
            )
        keys.add(key)
        found.append(msgspec.structs.replace(player, name=name, team=teams.setdefault(name_key(team), team)))
    return tuple(found)


def read_player_list(text: str) -> list[tuple[str, str]]:
    """The names and teams of a list with a player a line, the team after a semicolon. Numbers and marks before the
    names of a list are none of them."""
    lines = [line for line in text.splitlines() if line.partition(";")[0].strip()]
    bare = [_ITEM.sub("", line) for line in lines]
    is_numbered = sum(one != line for one, line in zip(bare, lines, strict=True)) * 2 > len(lines)
    parts = [line.partition(";") for line in (bare if is_numbered else lines)]
    return [(name, team) for name, _, team in parts if name.strip()]


def with_players(plan: EventPlan, given: Sequence[Mapping[str, Any]]) -> EventPlan:
    """The plan with these players; one without an `id` is new. Who is in no pairing yet may be left out.

    :raises Invalid: an id is unknown, or comes twice, or a player who has been paired is missing.
    """
    known, taken, players = plan.by_id, set(), []
    number = max(known, default=0)
    for one in given:
        id = one.get("id")
        if id is None:
            number += 1
            id = number
        elif id not in known or id in taken:
            raise Invalid("players: there is no player %(id)s, or the number comes twice", field="players", id=id)
        taken.add(id)
        before = known.get(id, EventPlayer(id, ""))
        players.append(msgspec.structs.replace(before, **{**one, "id": id}))
    paired = {id for pairing in plan.pairings for id in pairing.players}
    for id in sorted(paired - taken):
        raise Invalid(
            "players: %(name)r is missing and has been paired; choose 'is away' instead (state 'out')",
            field="players",
            name=known[id].name,
        )
    return msgspec.structs.replace(plan, players=tuple(players))


def with_parts_in_play(before: EventPlan, plan: EventPlan) -> EventPlan:
    """A changed plan whose rounds stay as they were played: it still offers their games, and a team that is called
    otherwise now is so in them too."""
    games = list(plan.games)
    places: dict[int, int] = {}
    for at in sorted({pairing.offered for pairing in plan.pairings if pairing.offered < len(before.games)}):
        old = before.games[at]
        same = [place for place, new in enumerate(games) if new == old]
        alike = [place for place, new in enumerate(games) if new.game == old.game]
        if not same + alike:
            alike = [len(games)]
            games.append(old)
        places[at] = (same + alike)[0]
    names = _renamed_teams(before, plan)

    def kept(pairing: Pairing) -> Pairing:
        teams = tuple(names.get(team, team) for team in pairing.teams)
        return msgspec.structs.replace(pairing, offered=places.get(pairing.offered, 0), teams=teams)

    rounds = tuple(Round(one.number, tuple(map(kept, one.pairings))) for one in plan.rounds)
    return msgspec.structs.replace(plan, games=tuple(games), rounds=rounds)


def _renamed_teams(before: EventPlan, plan: EventPlan) -> dict[str, str]:
    """The new names of the teams all of whose players are in one team that there was not."""
    new, old = plan.by_id, {player.team for player in before.players}
    found: dict[str, set[str]] = {}
    for player in before.players:
        if player.id in new:
            found.setdefault(player.team, set()).add(new[player.id].team)
    return {team: min(names) for team, names in found.items() if len(names) == 1 and not names & old}


def renamed(plan: EventPlan, rewrite: Callable[[str, str], str]) -> EventPlan:
    """The plan with its persons as `rewrite` gives them (`with_names`); the same plan where two players would have one
    name, or a name is too long."""
    after = with_names(plan, rewrite)
    is_free = len({player.key for player in after.players}) == len(plan.players)
    return after if is_free and all(len(name) <= MAX_NAME for name in names_in(after).values()) else plan


def check_games(plan: EventPlan) -> None:
    """:raises Invalid: the event offers no game, so that no round could begin."""
    if not plan.games:
        raise Invalid("Which games are played is missing: choose at least one.")


def adopted_plan(rows: Sequence[GameRow], owner: Callable[[str], str]) -> EventPlan:
    """The plan that the tags of an event's games give, which are in the order they were stored. `owner`: the key of the
    person who has a name."""
    offered: dict[tuple[str, str], OfferedGame] = {}
    players: dict[str, str] = {}
    for row in rows:
        offered.setdefault((row.game, str(sorted(row.options.items()))), OfferedGame(row.game, dict(row.options)))
        for side in ("South", "North"):
            name = " ".join(row.tags.get(side, "").split())
            if name not in NAMELESS:
                players.setdefault(owner(name_key(name)), name)
    spans = [span for row in rows if (span := read_span(row.tags.get("Date", "")))]
    days = sorted(day for span in spans for day in (span.first, span.last) if day)
    return EventPlan(
        name=rows[-1].tags["Event"],
        first_date=days[0] if days else "",
        last_date=days[-1] if days else "",
        place=next((row.tags["Site"] for row in rows if row.tags.get("Site", "?") not in NAMELESS), ""),
        games=tuple(offered.values())[:MAX_GAMES],
        players=tuple(EventPlayer(id, player) for id, player in enumerate(list(players.values())[:MAX_PLAYERS], 1)),
    )


LISTS = ("players", "rounds")
FIELDS = tuple(name for name in EventPlan.__struct_fields__ if name not in LISTS)
PARTS = (*FIELDS, "player", "round", "table", "result", "keeper", "guest", "invitation")
CHANGE_KINDS = ("created", "plan", "people")


def changed_part(field: str, at: str, before: Any, after: Any) -> dict[str, Any]:
    """A part of a change: a field of the plan, None where it is as usual; the ``player``, the ``round`` or the
    ``table`` (``2/3``: table 3 of round 2) with the number `at`; the ``result`` that somebody said of the game at a
    table; the name of the ``keeper`` of the table `at`, or of a ``guest`` with that role; the table of an
    ``invitation`` with that role, empty for all.
    """
    return {"field": field, "at": at, "before": before, "after": after}


def changed_parts(before: EventPlan | None, after: EventPlan) -> list[dict[str, Any]]:
    """What differs between two plans; `before` is None for a new one."""
    return list(_parts(before, after))


def _parts(before: EventPlan | None, after: EventPlan) -> Iterator[dict[str, Any]]:
    # Values are compared, not what is stored of them: that leaves out some that are as usual.
    usual = EventPlan("")
    old = usual if before is None else before
    for name in FIELDS:
        values = [getattr(plan, name) for plan in (old, after)]
        if values[0] != values[1]:
            was, now = (None if one == getattr(usual, name) else msgspec.to_builtins(one) for one in values)
            yield changed_part(name, "", was, now)
    for id in dict.fromkeys(chain(old.by_id, after.by_id)):
        yield from _differing("player", str(id), old.by_id.get(id), after.by_id.get(id))
    for round in after.rounds:
        yield from _round_parts(old.round(round.number), round)


def _differing(field: str, at: str, before: Part | None, after: Part | None) -> Iterator[dict[str, Any]]:
    if before != after:
        yield changed_part(field, at, msgspec.to_builtins(before), msgspec.to_builtins(after))


def _round_parts(before: Round | None, after: Round) -> Iterator[dict[str, Any]]:
    if before is None:
        yield changed_part("round", str(after.number), None, msgspec.to_builtins(after.pairings))
        return
    places = [{one.table: one for one in round.pairings} for round in (before, after)]
    for table in dict.fromkeys(chain(*places)):
        yield from _differing("table", f"{after.number}/{table}", places[0].get(table), places[1].get(table))
