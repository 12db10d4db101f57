"""What a service should answer, computed from the lines of its feed, the plans that were accepted, and what was said
about persons: one plain computation for each answer."""

from __future__ import annotations

import base64
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
SIDES = ("South", "North")
WINNERS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
UNPLAYED = ("bye", "unplayed", "forfeit")
COUNTS = ("won", "drawn", "lost", "open")


def key_of(name: str) -> str:
    """The form of a name that is compared, as far as the names here need it."""
    key = " ".join(name.lower().split())
    return "" if key == "?" else key


def id_of(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


@dataclass
class Game:
    """A game as its events leave it."""

    id: str
    game: str
    options: Json
    tags: dict[str, str]
    match: str | None
    setup: str | None
    created: str
    updated: str
    positions: list[str]
    moves: list[str] = field(default_factory=list)
    end: Json | None = None
    waits: str | None = None
    seq: int = 1

    @property
    def event(self) -> str:
        return key_of(self.tags.get("Event", ""))

    @property
    def result(self) -> str:
        return self.end["result"] if self.end else "*"

    @property
    def is_unplayed(self) -> bool:
        return self.end is not None and not self.moves and self.end["termination"] in UNPLAYED

    def item(self) -> Json:
        """The game in a list."""
        end, position = self.end or dict.fromkeys(("score", "termination", "winner")), self.positions[-1]
        return {
            "id": self.id,
            "game": self.game,
            "options": self.options,
            "tags": self.tags,
            "state": "ended" if self.end else "live",
            "ply": len(self.moves),
            "result": self.result,
            "seq": self.seq,
            "position": position,
            "to_move": None if self.end else {"s": "South", "n": "North"}[position.split()[2]],
            "score": end["score"],
            "termination": end["termination"],
            "winner": end["winner"],
            "created": self.created,
            "updated": self.updated,
            "match": self.match,
            "dispute": self.waits,
        }


def game_of(events: Sequence[Json]) -> Game:
    """A game by its events."""
    first = events[0]
    data = first["data"]
    game = Game(
        first["game_id"],
        data["game"],
        data["options"],
        dict(data["tags"]),
        data.get("match", {}).get("id"),
        data["setup"],
        first["time"],
        first["time"],
        [data["position"]],
    )
    for event in events[1:]:
        data, game.seq, game.updated = event["data"], event["seq"], event["time"]
        match event["kind"]:
            case "turn":
                game.moves.append(data["turn"]["move"])
                game.positions.append(data["position"])
            case "retraction":
                game.moves.pop()
                game.positions.pop()
                game.end = None
            case "tags":
                tags = {**game.tags, **data["tags"]}
                game.tags = {name: value for name, value in tags.items() if value is not None}
            case "ended" | "correction":
                game.end = data
            case "reopening":
                game.end = None
            case "dispute":
                game.waits = f"{game.id}-{event['seq']}"
            case "appeal":
                game.waits = f"{game.id}-{data['dispute']}"
            case "ruling":
                game.waits = None
    return game


@dataclass
class Plan:
    """A planned event: the names and teams of its players, and for each round its tables."""

    name: str
    format: str
    legs: int
    players: dict[int, Json]
    rounds: list[list[Json]] = field(default_factory=list)

    @property
    def pairings(self) -> dict[str, Json]:
        return {one["game"]: one for tables in self.rounds for one in tables}


@dataclass
class Persons:
    """Whose a name is, and how a person is written, if somebody said so; by keys."""

    owners: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def owner(self, name: str) -> str:
        return self.owners.get(key_of(name), key_of(name))

    def of(self, person: str) -> set[str]:
        """All keys of a person."""
        return {person, *(key for key, owner in self.owners.items() if owner == person)}

    def move(self, person: str, into: str, name: str) -> None:
        """Have a person with all their names be another, who is written so."""
        keys = self.of(person) | self.of(into)
        self.names.pop(person, None)
        self.names[into] = name
        self.owners = {key: owner for key, owner in self.owners.items() if key not in keys}
        self.owners |= dict.fromkeys(keys - {into}, into)


class Facts:
    def __init__(self, games: list[Game], persons: Persons, plans: dict[str, Plan], lost: set[str]) -> None:
        """`games` in the order they were stored; `lost`: those that do not count in their matches."""
        self.games = games
        self.by_id = {game.id: game for game in games}
        self.persons = persons
        self.plans = plans
        self.lost = lost

    def players(self, game: Game) -> list[str]:
        """The persons South and North, empty if they are not named."""
        return [self.persons.owner(game.tags.get(side, "")) for side in SIDES]

    def shown(self, person: str, plan: Plan | None = None) -> str:
        """How a person is written everywhere; who has no game yet, in an event as its plan writes it."""
        if person in self.persons.names:
            return self.persons.names[person]
        for game in self.games:
            if person in self.players(game):
                written = [" ".join(game.tags.get(side, "").split()) for side in SIDES]
                return next((name for name in written if key_of(name) == person), person)
        names = (one["name"] for own in ([plan] if plan else self.plans.values()) for one in own.players.values())
        return next(name for name in names if self.persons.owner(name) == person)

    def all_players(self) -> list[str]:
        return sorted({key for game in self.games for key in self.players(game) if key})

    def player(self, person: str) -> Json:
        """What a player's page counts."""
        records: dict[str, Counter[str]] = defaultdict(Counter)
        theirs = [game for game in self.games if person in self.players(game)]
        for game in theirs:
            records[game.game][self._score(game, self.players(game), person)] += 1
        kinds = ("won", "drawn", "lost", "live", "unfinished", "both")
        return {
            "id": id_of(person),
            "name": self.shown(person),
            "joined": sorted(self.persons.of(person) - {person}),
            "games": len(theirs),
            "matches": sum(game.match == game.id for game in theirs),
            "records": [
                {"game": game, "rules": None, **{k: found[k] for k in kinds}} for game, found in sorted(records.items())
            ],
        }

    @staticmethod
    def _score(game: Game, players: list[str], person: str) -> str:
        points = WINNERS.get(game.result)
        if game.end is None:
            return "live"
        if points is None or game.end["termination"] == "bye":
            return "unfinished"
        if players == [person, person]:
            return "both"
        return {1.0: "won", 0.5: "drawn", 0.0: "lost"}[points[players.index(person)]]

    def all_events(self) -> list[str]:
        return sorted({game.event for game in self.games if game.event} | self.plans.keys())

    def matches(self, games: Sequence[Game]) -> dict[str, list[Game]]:
        found: dict[str, list[Game]] = defaultdict(list)
        for game in games:
            found[game.match or game.id].append(game)
        return found

    def is_casual(self, game: Game) -> bool:
        """Whether a game counts for nothing in the event whose name it has, here or where it was copied from."""
        plan = self.plans.get(game.event)
        if not game.event or (plan and (game.match or game.id) in plan.pairings):
            return False
        return "Casual" in game.tags or (plan is not None and plan.format != "free")

    def counting(self, event: str) -> list[Game]:
        """The games that count in an event."""
        plan = self.plans.get(event)
        paired = plan.pairings if plan else {}
        of_event = [
            game
            for game in self.games
            if (game.match or game.id) in paired or (game.event == event and not self.is_casual(game))
        ]
        return [game for game in of_event if game.id not in self.lost]

    def result(self, pairing: Json, games: Sequence[Game]) -> tuple[str, tuple[float, float] | None]:
        """Why nothing was played at a table, if so, and the points of both sides."""
        if not games or (pairing["north"] is None and games[0].end is None):
            return "", None
        end = games[0].end or {}
        if pairing["north"] is None:
            points = {"1-0": 1.0, "1/2-1/2": 0.5}.get(end["result"], 0.0)
            return {1.0: "bye", 0.5: "half", 0.0: "zero"}[points], (points, 0.0)
        ends = {(game.end["termination"], game.end["result"]) if game.end else None for game in games}
        if len(ends) == 1 and all(game.is_unplayed for game in games):
            kind = {"1-0": "south", "0-1": "north"}.get(end["result"], "none")
            return kind, WINNERS.get(end["result"], (0.0, 0.0))
        if games[0].match is None and ("unplayed", "*") in ends:
            return "", (0.0, 0.0)
        return "", WINNERS.get(self.decision(games) or "")

    def decision(self, games: Sequence[Game]) -> str | None:
        """A result, ``open``, or None if it came to nothing."""
        if games[0].match is None:
            result = games[0].result if games[0].end else "open"
            return None if result == "*" else result
        title = games[0].tags.get("Match", "").split(",")[0].split()
        played = [game.result for game in self.up_to_live(games) if game.end]
        if len(title) < 2 or len(played) < int(title[1]):
            return "open"
        difference = played.count("1-0") - played.count("0-1")
        return "1-0" if difference > 0 else "0-1" if difference else "1/2-1/2"

    @staticmethod
    def up_to_live(games: Sequence[Game]) -> list[Game]:
        """The games of a match up to the first that goes on."""
        with_result = [game for game in games if game.end is None or game.result != "*"]
        live = next((at for at, game in enumerate(with_result) if game.end is None), len(with_result))
        return with_result[: live + 1]

    def standings(self, event: str) -> dict[str, Json]:
        """Points, byes, matches and games of each player of an event."""
        plan = self.plans.get(event)
        paired = plan.pairings if plan else {}
        names = {id: self.persons.owner(one["name"]) for id, one in plan.players.items()} if plan else {}
        found: dict[str, Json] = {}

        def of(person: str) -> Json:
            new = {"byes": 0.0, "matches": Counter(), "tally": Counter()}
            return found.setdefault(person, new)

        def count(kind: str, players: Sequence[str], result: str | None) -> None:
            if result is None or result == "*" or players[0] == players[1]:
                return
            points = WINNERS.get(result, (None, None))
            for person, scored in zip(players, points, strict=True):
                if person:
                    of(person)[kind][{1.0: "won", 0.5: "drawn", 0.0: "lost", None: "open"}[scored]] += 1

        for person in names.values():
            of(person)
        for id, games in self.matches(self.counting(event)).items():
            pairing = paired.get(id)
            if pairing is None:
                players = self.players(games[0])
            elif pairing["north"] is None:
                _, points = self.result(pairing, games)
                of(names[pairing["south"]])["byes"] += points[0] if points else 0.0
                continue
            else:
                players = [names[pairing[side]] for side in ("south", "north")]
                kind, points = self.result(pairing, games)
                if kind:
                    for person, scored in zip(players, points or (), strict=True):
                        of(person)["matches"]["won" if scored else "lost"] += 1
                    continue
            for person in filter(None, players):
                of(person)
            going = {game.id for game in self.up_to_live(games)}
            for game in games:
                stands_still = game.match is not None and game.result != "*" and game.id not in going
                if pairing is None or not game.is_unplayed:
                    count("tally", players, "open" if game.end is None or stands_still else game.result)
            count("matches", players, self.decision(games))
        return {person: {"points": self._points(one), **one} for person, one in found.items()}

    @staticmethod
    def _points(one: Json) -> float:
        return float(one["matches"]["won"] + one["matches"]["drawn"] / 2 + one["byes"])

    def continuations(self, game: str, options: Json, place: tuple[str, str]) -> dict[str, Counter[str]]:
        """What came after these pits and side, with the results, in the games with these rules, however set up."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for one in self.games:
            if one.game != game or {**one.options, "setup": ""} != {**options, "setup": ""}:
                continue
            for before, after in zip(one.positions, one.positions[1:], strict=False):
                if place_of(before) == place:
                    found[" ".join(place_of(after))].update(("times", one.result if one.end else "open"))
        return found


def place_of(position: str) -> tuple[str, str]:
    """The pits and the side to move."""
    pits, _, side, _ = position.split()
    return pits, side


def pages(client: Any, path: str, **query: Any) -> Iterator[Json]:
    """All items of a list."""
    cursor = None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        answer = client.get(f"/api/v1/{path}", query_string={**query, **more}).json
        yield from answer["items"]
        cursor = answer["next"]
        if cursor is None:
            return
