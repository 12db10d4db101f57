"""A random machine over the whole API that compares each answer of a service with what its events say.

    python -m tests.mirror.one_fact --seconds 3600 --seed 7

Each run begins with an empty service. What a step does follows from its number alone, so that a run in which an answer
differs is made shorter by leaving steps out, and printed.
"""

from __future__ import annotations

import csv
import html
import io
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import click
from flask import Flask

from inkeek.service import create_app
from inkeek.service.http.context import services_of
from inkeek.service.maintenance import archive, verify
from inkeek.service.maintenance.signatures import new_key
from tests.databases import sqlite_database
from tests.service.clients import with_token

from .facts import COUNTS, WINNERS, Facts, Game, Json, Persons, Plan, game_of, id_of, key_of, pages, place_of
from .records import record

NAMES = ("Koinet", "koinet", "Koinett", "Nasieku", "Nasiekù", "Lemayian", "Naisula", "Saitoti", "Resiato", "Tom")
EVENTS = ("Open Cup", "open cup", "Evening")
RULES = (("kalah", {"pits": 2}), ("kalah", {"pits": 2, "seeds": 2}), ("kalah", {"pits": 3}), ("oware", {}))
SET_UPS = (
    ("kalah", {}, "4.4/4.4 0-0 s 0"),
    ("kalah", {"pits": 2}, "4.4/4.4 0-0 s 0"),
    ("enkeshui", {"pits": 8}, "4.4.4.4.4.4.0.0/4.4.4.4.4.4.0.0 0-0 s 0"),
    ("enkeshui", {"pits": 10}, "4.4.4.4.4.4.0.0.0.0/4.4.4.4.4.4.0.0.0.0 0-0 s 0"),
    ("enkeshui", {"pits": 8, "setup": "fours-left"}, None),
)
ENDS = ("resignation", "agreement", "forfeit", "time", "adjudication", "abandoned")
TAPS = ("1-0", "0-1", "1/2-1/2", "south", "north", "none", "", "")
BYES = ("bye", "half", "zero")
TRF = {"bye": "U", "half": "H", "zero": "Z"}
STEPS = 40  # of a run
COMPARED = 8  # steps after which all answers are compared


class Difference(AssertionError):
    """An answer is not what follows from the events."""


@contextmanager
def service() -> Iterator[Flask]:
    """An application on a new database."""
    with tempfile.TemporaryDirectory() as folder, sqlite_database(Path(folder), empty=False) as url:
        app = create_app({"data": folder, "database": url})
        new_key(Path(folder) / "key.pem")
        yield app
        services_of(app).close()


class Machine:
    """A service, and what is known to have been said to it."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client = with_token(app)
        self.persons = Persons()
        self.undoable: list[tuple[str, int, Persons, dict[str, Plan]]] = []
        self.plans: dict[str, Plan] = {}
        self.comparisons = 0
        self.seen: Counter[str] = Counter()
        self.log: list[str] = []

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """Send a request; what is refused answers None."""
        answer = self.client.open(f"/api/v1/{path}", method=method, json=body, **more)
        self.log.append(f"{method} {path} {json.dumps(body)} {answer.status_code}")
        if answer.status_code >= 500:
            raise Difference(f"{self.log[-1]}: {answer.text}")
        if answer.status_code >= 400:
            self.log[-1] += f" {(answer.json or {}).get('detail')}"
        return answer.json if answer.status_code < 300 else None

    def answered(self, path: str) -> Any:
        """The answer to a question that nothing may keep from being answered."""
        answer = self.client.get(f"/api/v1/{path}")
        if answer.status_code != 200:
            raise Difference(f"GET {path}: {answer.status_code} {answer.text}")
        return answer.json

    def facts(self) -> Facts:
        events: dict[str, list[Json]] = {}
        after = "0"
        while True:
            *lines, end = map(
                json.loads, self.client.get(f"/api/v1/feed?format=ndjson&after={after}").text.splitlines()
            )
            for line in lines:
                events.setdefault(line["game_id"], []).append(line)
            after = end["cursor"]
            if not end["more"]:
                break
        for one in events.values():
            self.equal("numbers of events", list(range(1, len(one) + 1)), [event["seq"] for event in one])
        self.events = events
        games = sorted(map(game_of, events.values()), key=lambda game: game.created)
        lost = {
            game["id"]
            for match in {game.match for game in games if game.match}
            for game in self.answered(f"matches/{match}")["games"]
            if game["lost"]
        }
        return Facts(games, self.persons, self.plans, lost)

    def equal(self, what: str, expected: object, found: object) -> None:
        self.comparisons += 1
        if expected != found:
            raise Difference(f"{what}\n  by the events: {expected}\n  answer:        {found}")

    # Steps

    def step(self, number: int) -> None:
        chance = random.Random(number)
        steps = [getattr(Machine, name) for name in WEIGHTS]
        chosen: Callable[..., None] = chance.choices(steps, list(WEIGHTS.values()))[0]
        self.seen[chosen.__name__] += 1
        chosen(self, chance)

    def game(self, chance: random.Random, **where: str) -> Json | None:
        """Some game, the newer ones more often."""
        games = self.client.get("/api/v1/games", query_string={"limit": 12, **where}).json["items"]
        return chance.choice(games) if games else None

    def planned(self, chance: random.Random) -> Plan | None:
        return self.plans[chance.choice(sorted(self.plans))] if self.plans else None

    def tags(self, chance: random.Random) -> dict[str, str]:
        tags = {side: chance.choice(NAMES) for side in ("South", "North") if chance.random() < 0.9}
        if chance.random() < 0.5:
            tags["Event"] = chance.choice(EVENTS)
        if chance.random() < 0.5:
            tags["Date"] = chance.choice(("2026.11.20", "2026.11.??", "2025.??.??", "2026.12.01"))
        return tags | ({"Round": "1", "Board": "1"} if chance.random() < 0.2 else {})

    def new_game(self, chance: random.Random) -> None:
        game, options, setup = chance.choice([*((*rules, None) for rules in RULES), *SET_UPS])
        self.ask("POST", "games", {"game": game, "options": options, "tags": self.tags(chance), "setup": setup})

    def new_match(self, chance: random.Random) -> None:
        game, options = RULES[0]
        title = chance.choice(("games", "games 2", "games 3, at the well"))
        self.ask("POST", "matches", {"game": game, "options": options, "tags": self.tags(chance), "title": title})

    def next_of_match(self, chance: random.Random) -> None:
        matches = self.client.get("/api/v1/matches").json["items"]
        if matches:
            self.ask("POST", f"matches/{chance.choice(matches)['id']}/games", {})

    def play(self, chance: random.Random) -> None:
        game = self.game(chance, state="live")
        for _ in range(chance.randint(1, 12) if game else 0):
            legal = self.client.get(f"/api/v1/games/{game['id']}").json["legal"]
            if not legal or self.ask("POST", f"games/{game['id']}/turns", {"move": chance.choice(legal)}) is None:
                break

    def retract(self, chance: random.Random) -> None:
        if game := self.game(chance):
            self.ask("POST", f"games/{game['id']}/retractions", {"reason": "agreement"})

    def end(self, chance: random.Random) -> None:
        if game := self.game(chance, state="live"):
            self.ask("POST", f"games/{game['id']}/end", self.ending(chance))

    def ending(self, chance: random.Random) -> Json:
        return {"termination": chance.choice(ENDS), "winner": chance.choice(("South", "North", None))}

    def correct(self, chance: random.Random) -> None:
        if game := self.game(chance, state="ended"):
            body = {**self.ending(chance), "reason": "seen", "confirm": chance.random() < 0.7}
            self.ask("POST", f"games/{game['id']}/end/correction", body)

    def reopen(self, chance: random.Random) -> None:
        if game := self.game(chance, state="ended"):
            body = {"reason": "too early", "confirm": chance.random() < 0.7}
            self.ask("POST", f"games/{game['id']}/end/reopening", body)

    def retag(self, chance: random.Random) -> None:
        if game := self.game(chance):
            tags = self.tags(chance)
            kept = {name: tags[name] for name in chance.sample(sorted(tags), min(len(tags), 2))}
            self.ask(
                "PATCH", f"games/{game['id']}", {"tags": kept | ({"Event": None} if chance.random() < 0.1 else {})}
            )

    def dispute(self, chance: random.Random) -> None:
        if game := self.game(chance):
            about = chance.choice(("turn", "end"))
            body = {"side": chance.choice(("South", "North")), "claim": "five were lifted", "about": about}
            self.ask("POST", f"games/{game['id']}/disputes", body)

    def rule(self, chance: random.Random) -> None:
        found = self.client.get("/api/v1/disputes?state=open&state=appealed").json["items"]
        if not found:
            return
        one = chance.choice(found)
        outcome = chance.choice(("stands", "retracted", "ended", "corrected", "reopened"))
        body: Json = {
            "outcome": outcome,
            "note": "seen by all",
            "by": chance.choice(("Nasieku", "Tom")),
            "confirm": True,
        }
        if outcome in ("ended", "corrected"):
            body |= self.ending(chance)
        if outcome == "corrected" and chance.random() < 0.5:
            body = {**body, "move": "a", "keeps": chance.random() < 0.5, "termination": None, "winner": None}
        if chance.random() < 0.2:
            self.ask("POST", f"disputes/{one['id']}/withdrawal", {"note": "a mistake"})
        else:
            self.ask("POST", f"disputes/{one['id']}/ruling", body)

    def appeal(self, chance: random.Random) -> None:
        found = self.client.get("/api/v1/disputes?state=ruled").json["items"]
        if found:
            self.ask("POST", f"disputes/{chance.choice(found)['id']}/appeal", {"reason": "not so", "side": "South"})

    def new_event(self, chance: random.Random) -> None:
        name, kind = chance.choice(EVENTS), chance.choice(("free", "all", "swiss", "teams"))
        people = [{"name": one} for one in chance.sample(NAMES, chance.randint(2, 6))]
        for at, one in enumerate(people):
            one["team"] = ("Hill", "River", "hill")[at % 3] if kind == "teams" else ""
        game, options = chance.choice(RULES[:3])
        body = {
            "name": name,
            "games": [{"game": game, "options": options}],
            "players": people,
            "format": kind,
            "legs": chance.choice((1, 1, 2)),
        }
        answer = self.ask("POST", "events", body)
        if answer is not None:
            players = {one["id"]: {"name": given["name"]} for one, given in zip(answer["players"], people, strict=True)}
            self.plans[key_of(name)] = Plan(name, kind, body["legs"], players)

    def next_round(self, chance: random.Random) -> None:
        plan = self.planned(chance)
        if plan is None:
            return
        pairings = None
        if plan.format == "free" or chance.random() < 0.1:
            ids = chance.sample(sorted(plan.players), len(plan.players))
            pairings = [{"south": south, "north": north} for south, north in zip(ids[::2], ids[1::2], strict=False)]
            if len(ids) % 2:
                pairings.append({"south": ids[-1], "north": None})
        answer = self.ask("POST", f"events/{id_of(key_of(plan.name))}/rounds", {"pairings": pairings})
        if answer is not None:
            self.take_tables(plan, answer)

    def take_tables(self, plan: Plan, answer: Json) -> None:
        """Know the tables, whose games have the names as they are written: so has the plan from now on."""
        facts = self.facts()
        plan.players = {
            id: {"name": facts.shown(self.persons.owner(one["name"]), plan)} for id, one in plan.players.items()
        }
        kept = ("table", "south", "north", "game")
        plan.rounds = [[{name: one[name] for name in kept} for one in round["pairings"]] for round in answer["rounds"]]

    def tap(self, chance: random.Random) -> None:
        plan = self.planned(chance)
        if plan is None or not plan.rounds:
            return
        number = chance.randint(max(1, len(plan.rounds) - 1), len(plan.rounds))
        one = chance.choice(plan.rounds[number - 1])
        body: Json = {"result": chance.choice(BYES if one["north"] is None else TAPS)}
        if chance.random() < 0.15:
            ids = chance.sample(sorted(plan.players), 2)
            body = {"south": ids[0], "north": chance.choice((ids[1], None))}
        if plan.legs > 1:
            body["game"] = one["game"]
        path = f"events/{id_of(key_of(plan.name))}/rounds/{number}/tables/{one['table']}"
        answer = self.ask("PATCH", path, body)
        if answer is not None and "south" in body:
            self.take_tables(plan, answer)

    def plan_names(self, chance: random.Random) -> None:
        """Change a name in the plan of an event, add a player, or exchange two names."""
        plan = self.planned(chance)
        if plan is None:
            return
        facts = self.facts()
        shown = {id: {"name": facts.shown(self.persons.owner(one["name"]), plan)} for id, one in plan.players.items()}
        players = deepcopy(shown)
        id = chance.choice(sorted(players))
        old = players[id]["name"]
        new = chance.choice((*NAMES, "Naserian", f"{old}o"))
        what = chance.random()
        if what < 0.2:
            new_player = [{"name": new}]
        elif what < 0.4:
            other = chance.choice(sorted(players))
            players[id]["name"], players[other]["name"], new_player = players[other]["name"], old, []
        else:
            players[id]["name"], new_player = new, []
        given = [{"id": id, "name": one["name"]} for id, one in players.items()] + new_player
        answer = self.ask("PATCH", f"events/{id_of(key_of(plan.name))}/plan", {"players": given})
        if answer is None:
            return
        names = [one["name"] for one in given]
        changed = [
            (before["name"], after["name"]) for before, after in zip(shown.values(), players.values(), strict=True)
        ]
        for before, after in changed:
            self.follow_plan(facts, before, after)
        ids = [one["id"] for one in answer["players"]]
        plan.players = {id: {"name": name} for id, name in zip(ids, names, strict=True)}

    def follow_plan(self, facts: Facts, before: str, after: str) -> None:
        """A person whose name a plan mends is written so everywhere, if it is theirs alone."""
        person, new = self.persons.owner(before), key_of(after)
        now = self.client.get(f"/api/v1/players/{id_of(new)}")
        if before != after and person in facts.all_players() and now.status_code == 200:
            follows = now.json["id"] == self.client.get(f"/api/v1/players/{id_of(person)}").json.get("id")
            if follows:
                self.said(person, new, after)

    def said(self, person: str, into: str, name: str) -> None:
        before = deepcopy(self.persons), deepcopy(self.plans)
        self.persons.move(person, into, name)
        changes = self.client.get(f"/api/v1/players/{id_of(into)}/changes").json["items"]
        self.undoable.append((into, changes[0]["number"], *before))

    def rename(self, chance: random.Random) -> None:
        people = self.facts().all_players()
        if people:
            person, name = chance.choice(people), chance.choice((*NAMES, "Naserian", "Sironka"))
            if self.ask("PATCH", f"players/{id_of(person)}", {"name": name}) is not None:
                self.said(self.persons.owner(person), key_of(name), name)

    def join(self, chance: random.Random) -> None:
        facts = self.facts()
        people = facts.all_players()
        if len(people) > 1:
            person, into = chance.sample(people, 2)
            shown = facts.shown(into)
            if self.ask("POST", f"players/{id_of(person)}/join", {"into": id_of(into)}) is not None:
                self.said(person, into, shown)

    def undo(self, chance: random.Random) -> None:
        if self.undoable:
            person, number, persons, plans = self.undoable[-1]
            if self.ask("POST", f"players/{id_of(person)}/changes/{number}/undo", {}) is not None:
                self.undoable.pop()
                for key, plan in plans.items():  # plans get the names again that the change had mended
                    for id, one in plan.players.items():
                        now = self.plans[key].players[id]
                        if self.persons.owner(now["name"]) == self.persons.owner(one["name"]):
                            now["name"] = one["name"]
                self.persons = persons

    def import_again(self, chance: random.Random) -> None:
        """Import what was exported: nothing is stored twice."""
        games = len(self.facts().games)
        exported = self.client.get("/api/v1/games/export.ndjson").data
        answer = self.client.post("/api/v1/games/import", data=exported, content_type="application/x-ndjson")
        lines = [json.loads(line) for line in answer.text.splitlines()]
        self.equal("games that an import does not take", [], [one for one in lines if not one["ok"]])
        self.equal("games after the import of an export", games, len(self.facts().games))

    # Comparisons

    def compare(self) -> None:
        facts = self.facts()
        self.compare_games(facts)
        self.compare_filters(facts)
        self.compare_players(facts)
        for event in facts.all_events():
            self.compare_event(facts, event)
        self.compare_explorer(facts)
        store = services_of(self.app).store
        self.equal("damage", [], [fault for report in verify.verify(store) for fault in report.faults])

    def compare_games(self, facts: Facts) -> None:
        items = [{name: value for name, value in one.items() if name != "url"} for one in pages(self.client, "games")]
        self.equal("games", [game.item() for game in reversed(facts.games)], items)
        for line in self.client.get("/api/v1/games/export").data.splitlines():
            found = json.loads(line)
            del found["cursor"]
            expected = {"id": found["id"], **record(self.events[found["id"]])}
            if facts.is_casual(facts.by_id[found["id"]]):
                expected["tags"]["Casual"] = "yes"
            self.equal("record", expected, found)
        for game in facts.games:
            one = self.client.get(f"/api/v1/games/{game.id}").json
            self.equal("game", game.item(), {name: one[name] for name in game.item()})
            self.equal("integrity", True, self.client.get(f"/api/v1/games/{game.id}/integrity").json["ok"])
            turns = self.client.get(f"/api/v1/games/{game.id}/turns").json["items"]
            self.equal(
                "turns",
                list(zip(game.moves, game.positions[1:], strict=True)),
                [(turn["move"], turn["position"]) for turn in turns],
            )
        self.compare_matches(facts)

    def compare_matches(self, facts: Facts) -> None:
        first = [game for game in reversed(facts.games) if game.match == game.id]
        self.equal("matches", [game.id for game in first], [one["id"] for one in pages(self.client, "matches")])
        for game in first:
            games = [one for one in facts.games if one.match == game.id]
            found = self.client.get(f"/api/v1/matches/{game.id}").json
            rows = [(one.id, one.result, (one.end or {}).get("score")) for one in games]
            self.equal("games of a match", rows, [(one["id"], one["result"], one["score"]) for one in found["games"]])
            played = Counter(
                one.result for one in facts.up_to_live([g for g in games if g.id not in facts.lost]) if one.end
            )
            tally = {"South": played["1-0"], "North": played["0-1"], "drawn": played["1/2-1/2"]}
            self.equal("tally of a match", tally, found["tally"])

    def compare_filters(self, facts: Facts) -> None:
        def ids(**query: Any) -> list[str]:
            return [one["id"] for one in pages(self.client, "games", **query)]

        def expected(holds: Callable[[Game], bool]) -> list[str]:
            return [game.id for game in reversed(facts.games) if holds(game)]

        for name in (*NAMES, "Naserian"):
            person = self.persons.owner(name)
            self.equal(f"games of {name}", expected(lambda game, p=person: p in facts.players(game)), ids(player=name))
        for event in EVENTS:
            of_event = [game.id for game in reversed(facts.games) if game.event == key_of(event)]
            self.equal(f"games of {event}", of_event, ids(event=event))
        for result in (*WINNERS, "*"):
            self.equal(f"games with {result}", expected(lambda game, r=result: game.result == r), ids(result=result))
        self.equal("live games", expected(lambda game: game.end is None), ids(state="live"))
        for game in facts.games[-3:]:
            for position in game.positions[:3]:
                of_rules = [one for one in reversed(facts.games) if one.game == game.game]
                reached = [one.id for one in of_rules if place_of(position) in map(place_of, one.positions)]
                self.equal(f"games with {position}", reached, ids(game=game.game, position=position))

    def compare_players(self, facts: Facts) -> None:
        people = facts.all_players()
        names = [(id_of(person), facts.shown(person)) for person in people]
        self.equal("players", names, [(one["id"], one["name"]) for one in pages(self.client, "players")])
        for person in people:
            expected = facts.player(person)
            for key in sorted(self.persons.of(person)):
                found = self.client.get(f"/api/v1/players/{id_of(key)}").json
                self.equal(f"player {key}", expected, {name: found.get(name) for name in expected})
            page = self.client.get(f"/players/{person}", follow_redirects=True)
            self.equal(f"page of {person}", (200, True), (page.status_code, html.escape(expected["name"]) in page.text))

    def compare_event(self, facts: Facts, event: str) -> None:
        path, plan = f"/api/v1/events/{id_of(event)}", facts.plans.get(event)
        found = self.client.get(path).json
        games = [game for game in facts.games if game.event == event]
        self.equal(
            f"games of the event {event}",
            (len(games), sum(game.match == game.id for game in games)),
            (found["games"], found["matches"]),
        )
        answer = self.client.get(f"{path}/standings").json
        standings = {
            id_of(person): {
                **one,
                "name": facts.shown(person, facts.plans.get(event)),
                **{k: {c: one[k][c] for c in COUNTS} for k in ("matches", "tally")},
            }
            for person, one in facts.standings(event).items()
        }
        got = {
            one["player"]["id"]: {
                **{name: one[name] for name in ("points", "byes", "matches", "tally")},
                "name": one["player"]["name"],
            }
            for one in answer["items"]
        }
        self.equal(f"standings of {event}", standings, got)
        rows = list(csv.DictReader(io.StringIO(self.client.get(f"{path}/standings.csv").text)))
        self.equal(
            f"standings.csv of {event}",
            [(one["player"]["name"], one["points"]) for one in answer["items"]],
            [(row["player"], float(row["points"])) for row in rows],
        )
        for page in ("", "/hall", "/wall"):
            found = self.client.get(f"/events/{event}{page}")
            self.equal(f"status of /events/{event}{page}", 200, found.status_code)
        if plan is not None:
            self.compare_plan(facts, event, plan)

    def compare_plan(self, facts: Facts, event: str, plan: Plan) -> None:
        path = f"/api/v1/events/{id_of(event)}"
        matches = facts.matches(facts.counting(event))
        shown = {id: facts.shown(self.persons.owner(one["name"]), plan) for id, one in plan.players.items()}
        found = self.client.get(f"{path}/plan").json
        self.equal(f"players of {event}", shown, {one["id"]: one["name"] for one in found["players"]})
        self.equal(f"one name each in {event}", len(shown), len({self.persons.owner(name) for name in shown.values()}))
        expected, table_rows = [], []
        for number, tables in enumerate(plan.rounds, 1):
            for one in tables:
                kind, points = facts.result(one, matches[one["game"]])
                expected.append((number, one["table"], one["game"], kind, None if points is None else list(points)))
                north = shown.get(one["north"], "")
                scores = ["", ""] if points is None else [str(points[0]), str(points[1]) if north else ""]
                table_rows.append(
                    [str(number), str(one["table"]), shown[one["south"]], north, *scores, kind, one["game"]]
                )
                for game in matches[one["game"]]:
                    for side, id in (("South", one["south"]), ("North", one["north"])):
                        person = self.persons.owner(plan.players[id]["name"]) if id else ""
                        self.equal(
                            f"{side} at table {one['table']} of round {number} of {event}",
                            person,
                            self.persons.owner(game.tags.get(side, "")),
                        )
        pairings = [
            (round["number"], one["table"], one["game"], one["result"], one["points"])
            for round in found["rounds"]
            for one in round["pairings"]
        ]
        self.equal(f"pairings of {event}", expected, pairings)
        _, *rows = csv.reader(io.StringIO(self.client.get(f"{path}/pairings.csv").text))
        self.equal(f"pairings.csv of {event}", table_rows, rows)
        self.compare_trf(facts, event, plan, shown)
        wall = html.unescape(self.client.get(f"/events/{event}/wall").text)
        said = re.search(r"Round (\d+)", wall)  # the newest, or an older one of which games still go on
        tables = plan.rounds[int(said[1]) - 1 if said else -1] if plan.rounds else []
        for name in {shown[id] for one in tables if one["north"] for id in (one["south"], one["north"])}:
            self.equal(f"{name} on the wall of {event}", True, name in wall)
        words = set(re.findall(r"\w+", re.sub("<[^>]*>", " ", wall)))
        mended = {
            name
            for game in facts.games
            if game.event == event
            for name in (game.tags.get(side) for side in ("South", "North"))
        }
        self.equal(
            f"former names on the wall of {event}",
            set(),
            (mended & words) - {facts.shown(one) for one in facts.all_players()} - set(shown.values()),
        )

    def compare_trf(self, facts: Facts, event: str, plan: Plan, shown: dict[int, str]) -> None:
        matches, numbers = facts.matches(facts.counting(event)), {id: n for n, id in enumerate(plan.players, 1)}
        lines = {id: [] for id in plan.players}
        for tables in plan.rounds:
            results = [(one, *facts.result(one, matches[one["game"]])) for one in tables]
            if any(points is None for *_, points in results):
                break
            here = dict.fromkeys(plan.players, "0000 - Z")
            for one, kind, points in results:
                if one["north"] is None:
                    here[one["south"]] = f"0000 - {TRF[kind]}"
                    continue
                codes = {1.0: "+", 0.0: "-"} if kind else {1.0: "1", 0.5: "=", 0.0: "0"}
                south, north = one["south"], one["north"]
                here[south] = f"{numbers[north]:>4} w {codes[points[0]]}"
                here[north] = f"{numbers[south]:>4} b {codes[points[1]]}"
            for id, text in here.items():
                lines[id].append(text)
        text = self.client.get(f"/api/v1/events/{id_of(event)}/tournament.trf").text
        found = [line for line in text.splitlines() if line.startswith("001")]
        self.equal(f"names of {event} in TRF", list(shown.values()), [line[14:47].strip() for line in found])
        self.equal(
            f"results of {event} in TRF",
            list(lines.values()),
            [re.findall(r"(?:[ \d]{4}) [-wb] .", line[89:]) for line in found],
        )

    def compare_explorer(self, facts: Facts) -> None:
        for game in facts.games[-4:]:
            for position in game.positions[:2]:
                options = " ".join(f"{name}={value}" for name, value in game.options.items())
                query = {"game": game.game, "options": options, "position": position}
                answer = self.client.get("/api/v1/explorer", query_string=query)
                self.equal(f"status of the explorer at {query}", 200, answer.status_code)
                expected = facts.continuations(game.game, game.options, place_of(position))
                names = {"south": "1-0", "north": "0-1", "drawn": "1/2-1/2"}
                counts = {
                    after: {"times": one["times"], **{name: one[result] for name, result in names.items()}}
                    for after, one in expected.items()
                }
                found = {
                    " ".join(place_of(one["position"])): {name: one[name] for name in ("times", *names)}
                    for one in answer.json["turns"]
                    if one["times"]
                }
                self.equal(f"the explorer at {query}", counts, found)

    def copied_plan(self, line: Json) -> Plan:
        """A plan with the names that an archive has, and the tables that are known."""
        plan, own = line["plan"], self.plans[line["event"]]
        players = {one["id"]: {"name": one["name"]} for one in plan.get("players", ())}
        return Plan(own.name, own.format, own.legs, players, own.rounds)

    def compare_copies(self) -> None:
        """What was exported and imported elsewhere says the same; proofs are given, and every name is found."""
        facts = self.facts()
        for game in facts.games:
            self.equal("a proof", 200, self.client.get(f"/api/v1/games/{game.id}/proof").status_code)
        for person in facts.all_players():
            for key in self.persons.of(person):
                found = html.unescape(self.client.get("/search", query_string={"q": key}, follow_redirects=True).text)
                self.equal(f"{key} is found as", True, facts.shown(person) in found)
        with service() as other:
            copy = Machine(other)
            lines = list(archive.export(services_of(self.app).store))
            archive.load(services_of(other).store, lines)
            planned = [line["event"] for line in map(json.loads, lines) if "event" in line]
            copy.plans = {one["event"]: self.copied_plan(one) for one in planned}
            copy.persons = self.persons
            self.equal("events in an archive", sorted(self.plans), sorted(copy.plans))
            self.equal(
                "games of an archive",
                [game.item() for game in facts.games],
                sorted((game.item() for game in copy.facts().games), key=lambda one: one["created"]),
            )
            copy.compare()
            self.comparisons += copy.comparisons
        with service() as other:
            copy = Machine(other)
            exported = self.client.get("/api/v1/games/export.ndjson").data
            answer = copy.client.post("/api/v1/games/import", data=exported, content_type="application/x-ndjson")
            bad = [line for line in map(json.loads, answer.text.splitlines()) if not line["ok"]]
            self.equal("games that another service does not take", [], bad)
            copy.compare()
            again = [json.loads(line) for line in copy.client.get("/api/v1/games/export.ndjson").data.splitlines()]
            for one in (*again, *(mine := [json.loads(line) for line in exported.splitlines()])):
                del one["id"], one["cursor"]
            content = lambda lines: Counter(json.dumps(line, sort_keys=True) for line in lines)  # noqa: E731
            self.equal("records in another service", set(content(mine)), set(content(again)))
            self.comparisons += copy.comparisons


WEIGHTS = {
    "new_game": 4,
    "new_match": 2,
    "next_of_match": 4,
    "play": 12,
    "retract": 2,
    "end": 5,
    "correct": 4,
    "reopen": 2,
    "retag": 3,
    "dispute": 4,
    "rule": 5,
    "appeal": 1,
    "new_event": 3,
    "next_round": 7,
    "tap": 12,
    "plan_names": 4,
    "rename": 3,
    "join": 2,
    "undo": 2,
    "import_again": 1,
}


def run(numbers: list[int], compared: int = COMPARED) -> tuple[Machine, str]:
    """Take these steps in a new service, and say what differs, if anything does."""
    with service() as app:
        machine = Machine(app)
        try:
            for at, number in enumerate(numbers, 1):
                machine.step(number)
                if at % compared == 0:
                    machine.compare()
            machine.compare()
            machine.compare_copies()
        except Difference as difference:
            return machine, str(difference)
    return machine, ""


def shorten(numbers: list[int], what: str) -> list[int]:
    """Leave out steps as long as something differs in the same answer."""
    kind, size = what.split("\n")[0][:12], len(numbers) // 2
    while size:
        for at in range(0, len(numbers), size):
            fewer = numbers[:at] + numbers[at + size :]
            if fewer and run(fewer)[1][:12] == kind:
                numbers = fewer
                break
        else:
            size //= 2
    return numbers


@click.command()
@click.option("--seconds", type=int, default=3600, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--keep-going", is_flag=True, help="Go on after a difference, and do not make it shorter.")
def main(seconds: int, seed: int, *, keep_going: bool) -> None:
    """Take random steps, and compare all answers of the service with its events."""
    until, steps, comparisons, differences = time.monotonic() + seconds, 0, 0, 0
    done: Counter[str] = Counter()
    while time.monotonic() < until:
        numbers = [seed * 1_000_000 + at for at in range(STEPS)]
        machine, what = run(numbers)
        steps, comparisons, done = (
            steps + sum(machine.seen.values()),
            comparisons + machine.comparisons,
            done + machine.seen,
        )
        if what:
            differences += 1
            if not keep_going:
                numbers = shorten(numbers, what)
                machine, what = run(numbers)
            click.echo(f"seed {seed}, steps {numbers}\n" + "\n".join(machine.log) + f"\n{what}\n")
            if not keep_going:
                break
        seed += 1
    click.echo(f"{steps} steps, {comparisons} comparisons, {differences} differences; next seed {seed}; {dict(done)}")
    raise SystemExit(differences > 0)


if __name__ == "__main__":
    main()
