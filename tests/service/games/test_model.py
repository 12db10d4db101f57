"""Random calls of several clients against the service and a plain model: same expected, same state, whole chains."""

import itertools
import json

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test

from inkeek.records import SOUTH, Game, read_games
from inkeek.records.game import ADDED
from inkeek.records.notation.commands import Correction, Reopening, remarks
from tests.databases import sqlite_database
from tests.service.games.model import CLIENTS, RULES, SIDES, Played
from tests.service.games.model_disputes import DisputeRules

NAMES = st.sampled_from("ABC")
SETUPS = st.sampled_from((None, "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10"))  # the second ends with the next turn
KEYS = st.sampled_from(("", "", "", "", "k1", "k2"))
SAID = st.one_of(
    st.tuples(st.just("nag"), st.integers(0, 255)), st.tuples(st.just("comment"), st.sampled_from(("so", "not so")))
)
SELDOM = st.sampled_from((False, False, False, True))


class Asked(DisputeRules):
    """All that clients do."""

    games = DisputeRules.games

    @initialize(target=games, setup=SETUPS)
    def first(self, setup: str | None) -> str:
        return self.begin(0, setup)

    @precondition(lambda self: len(self.model) < 2)
    @rule(target=games, client=CLIENTS, setup=SETUPS)
    def begin(self, client: int, setup: str | None) -> str:
        answer = self.ask(client, "games", {"game": "enkeshui", "options": {"pits": 8}, "setup": setup})
        assert answer.status_code == 201
        self.model[answer.json["id"]] = Played([answer.json["position"]])
        return str(answer.json["id"])

    @rule(client=CLIENTS, game=games, which=st.integers(0, 30), late=SELDOM, key=KEYS)
    def play(self, client: int, game: str, which: int, late: bool, key: str) -> None:
        expected = self.model[game]
        legal = RULES.legal_moves(expected.position)
        move = str(legal[which % len(legal)]) if legal else "c"
        body = {"move": move, "ply": len(expected.moves) + (0 if late and expected.moves else 1)}
        known = self.receipts.get((client, key)) if key else None
        asked = f"{game} {body}"
        answer = self.ask(client, f"games/{game}/turns", body, key)
        if known is not None:
            if known[0] == asked:
                assert (answer.status_code, answer.json) == (201, known[1])
            else:
                assert (answer.status_code, answer.json["type"]) == (422, "/problems/idempotency")
            return
        if body["ply"] != len(expected.moves) + 1:
            assert (answer.status_code, answer.json["current"]["ply"]) == (409, len(expected.moves))
        elif not expected.live:
            assert (answer.status_code, answer.json["type"]) == (409, "/problems/game-ended")
        elif expected.waits:
            assert (answer.status_code, answer.json["type"]) == (409, "/problems/disputed")
        else:
            assert answer.status_code == 201
            turn = RULES.play(expected.position, legal[which % len(legal)])
            assert answer.json["position"] == str(turn.position)
            self._played(expected, str(turn.move), turn.position)
            if key:
                self.receipts[client, key] = (asked, answer.json)

    @rule(game=games, moves=st.lists(st.tuples(CLIENTS, st.integers(0, 30)), min_size=1, max_size=6))
    def play_on(self, game: str, moves: list[tuple[int, int]]) -> None:
        for client, which in moves:
            self.play(client, game, which, False, "")

    @precondition(lambda self: any(game.moves for game in self.model.values()))
    @rule(client=CLIENTS, game=games, stale=SELDOM)
    def take_back(self, client: int, game: str, stale: bool) -> None:
        expected = self.model[game]
        answer = self.ask(client, f"games/{game}/retractions", {"reason": "agreement"}, seq=expected.seq - stale)
        if stale:
            assert (answer.status_code, answer.json["current"]["seq"]) == (412, expected.seq)
        elif expected.waits:
            assert (answer.status_code, answer.json["type"]) == (409, "/problems/disputed")
        elif not expected.moves:
            assert answer.status_code == 422
        elif expected.ended == "hand":
            assert (answer.status_code, answer.json["type"]) == (409, "/problems/game-ended")
        else:
            assert (answer.status_code, answer.json["move"]) == (201, expected.moves[-1])
            self._taken_back(expected)

    @rule(client=CLIENTS, game=games, side=SIDES, name=NAMES, joins=st.booleans())
    def come_or_go(self, client: int, game: str, side: str, name: str, joins: bool) -> None:
        expected = self.model[game]
        there = next((team for team, names in expected.teams.items() if name in names), None)
        body = {"action": "join" if joins else "leave", "side": side, "name": name}
        answer = self.ask(client, f"games/{game}/people", body)
        if (joins and there is not None) or (not joins and there != side):
            assert answer.status_code == 409
            return
        (expected.teams[side].append if joins else expected.teams[side].remove)(name)
        expected.seq += 1
        assert (answer.status_code, answer.json) == (201, expected.teams)

    @rule(lines=st.booleans())
    def import_the_export(self, lines: bool) -> None:
        path, kind = ("export.ndjson", "application/x-ndjson") if lines else ("export.pmn", "text/plain")
        exported = self.clients[0].get(f"/api/v1/games/{path}")
        answer = self.clients[0].post("/api/v1/games/import", data=exported.data, content_type=kind)
        results = [json.loads(line) for line in answer.text.splitlines()]
        assert [result.get("present") for result in results] == [True] * len(self.model), results
        assert {result["id"] for result in results} <= set(self.model)

    @rule(client=CLIENTS, game=games)
    def try_move(self, client: int, game: str) -> None:
        expected = self.model[game]
        letter = "c" if expected.position.to_move is SOUTH else "C"
        answer = self.ask(client, f"games/{game}/trials", {"move": letter})
        tried = expected.live and not expected.waits
        assert answer.status_code == (201 if tried else 409)
        expected.trials += tried
        expected.seq += tried

    @rule(client=CLIENTS, game=games, ply=st.integers(0, 6), said=st.lists(SAID, min_size=1, max_size=3), stale=SELDOM)
    def annotate(self, client: int, game: str, ply: int, said: list[tuple[str, object]], stale: bool) -> None:
        expected = self.model[game]
        body = {"add": [{"ply": ply, kind: value} for kind, value in said]}
        answer = self.ask(client, f"games/{game}/annotations", body, seq=expected.seq - stale)
        if stale:
            assert (answer.status_code, answer.json["current"]["seq"]) == (412, expected.seq)
        elif ply > len(expected.moves) or (ply == 0 and any(kind == "nag" for kind, _ in said)):
            assert answer.status_code == 422
        else:
            assert answer.status_code == 200
            expected.seq += 1
            turn = expected.turns[ply - 1] if ply else 1
            for number, (kind, value) in enumerate(said, 1):
                expected.annotations[f"{expected.seq}-{number}"] = (turn, kind, value)

    @precondition(lambda self: any(game.annotations for game in self.model.values()))
    @rule(client=CLIENTS, game=games, which=st.integers(0, 9), said=SAID, removes=st.booleans())
    def edit_annotation(self, client: int, game: str, which: int, said: tuple[str, object], removes: bool) -> None:
        expected = self.model[game]
        one = list(expected.annotations)[which % len(expected.annotations)] if expected.annotations else "2-1"
        turn, kind, value = expected.annotations.get(one, (0, "", None))
        body = {"remove": [{"id": one}]} if removes else {"change": [{"id": one, said[0]: said[1]}]}
        answer = self.ask(client, f"games/{game}/annotations", body)
        if not turn:
            assert answer.status_code == 404
        elif removes:
            assert answer.status_code == 200
            del expected.annotations[one]
            expected.seq += 1
        elif kind != said[0]:
            assert answer.status_code == 422
        else:
            assert (answer.status_code, answer.json["items"][0][kind]) == (200, said[1])
            expected.annotations[one] = (turn, kind, said[1])
            expected.seq += value != said[1]

    @rule(client=CLIENTS, game=games, really=SELDOM)
    def give_up(self, client: int, game: str, really: bool) -> None:
        expected = self.model[game]
        if not really:  # a game that has ended has little more to show
            return
        answer = self.ask(client, f"games/{game}/end", {"termination": "resignation", "winner": "North"})
        ends = expected.live and not expected.waits
        assert answer.status_code == (200 if ends else 409)
        if ends:
            self._ended(expected, "resignation", "0-1", 0)

    @precondition(lambda self: any(not game.live for game in self.model.values()))
    @rule(client=CLIENTS, game=games, termination=st.sampled_from(("time", "forfeit")), winner=SIDES, stale=SELDOM)
    def correct(self, client: int, game: str, termination: str, winner: str, stale: bool) -> None:
        expected = self.model[game]
        body = {"termination": termination, "winner": winner, "reason": "so it was"}
        answer = self.ask(client, f"games/{game}/end/correction", body, seq=expected.seq - stale)
        result = {"South": "1-0", "North": "0-1"}[winner]
        if stale:
            assert answer.status_code == 412
        elif expected.ended != "hand" or expected.waits or expected.is_settled(expected.end):
            assert answer.status_code == 409
        elif (expected.termination, expected.result) == (termination, result):
            assert answer.status_code == 422
        else:
            assert (answer.status_code, answer.json["result"]) == (200, result)
            self._corrected(expected, termination, result)

    @precondition(lambda self: any(not game.live for game in self.model.values()))
    @rule(client=CLIENTS, game=games)
    def reopen(self, client: int, game: str) -> None:
        expected = self.model[game]
        answer = self.ask(client, f"games/{game}/end/reopening", {"reason": "nobody gave up"})
        reopens = expected.ended == "hand" and not expected.waits and not expected.is_settled(expected.end)
        assert answer.status_code == (200 if reopens else 409)
        if reopens:
            self._reopened(expected)

    @rule(client=CLIENTS, game=games)
    def look(self, client: int, game: str) -> None:
        expected = self.model[game]
        answer = self.clients[client].get(f"/api/v1/games/{game}").json
        assert (answer["position"], answer["ply"], answer["seq"]) == (
            expected.positions[-1],
            len(expected.moves),
            expected.seq,
        )
        waits = f"{game}-{expected.dispute.seq}" if expected.waits else None
        assert answer["dispute"] == waits
        assert (answer["state"], answer["result"]) == ("live" if expected.live else "ended", expected.result)
        text = self.clients[client].get(f"/api/v1/games/{game}.pmn").text
        (record,) = read_games(text.splitlines(keepends=True))
        assert (record.errors, record.tags["Result"]) == ((), expected.result)
        said = [type(remark.command) for remark in remarks(record, Correction, Reopening)]
        assert (said.count(Correction), said.count(Reopening)) == (expected.corrections, expected.reopenings)
        people = self.clients[client].get(f"/api/v1/games/{game}/people").json
        assert (people["teams"], people["faults"]) == (expected.teams, [])
        for name, count in (("trials", expected.trials), ("retractions", expected.retractions)):
            assert len(self.clients[client].get(f"/api/v1/games/{game}/{name}").json["items"]) == count
        turns = self.clients[client].get(f"/api/v1/games/{game}/turns").json["items"]
        assert [turn["move"] for turn in turns] == expected.moves
        found = self.clients[client].get(f"/api/v1/games/{game}/annotations").json["items"]
        plies = {turn: ply for ply, turn in enumerate((1, *expected.turns))}
        assert {one["id"]: (one["ply"], one["nag"], one["comment"]) for one in found} == {
            name: (plies[turn], value if kind == "nag" else None, value if kind == "comment" else None)
            for name, (turn, kind, value) in expected.annotations.items()
        }
        for turn, written in zip(expected.turns, turns, strict=True):
            here = [(kind, value) for at, kind, value in expected.annotations.values() if at == turn]
            assert written["nags"] == [value for kind, value in here if kind == "nag"]
            words = [comment for comment in written["comments"] if not comment.startswith("[%")]
            assert words == [value for kind, value in here if kind == "comment"]

    @invariant()
    def the_list_is_the_models(self) -> None:
        found = self.clients[0].get("/api/v1/games?limit=200").json["items"]
        assert {game["id"]: game["seq"] for game in found} == {name: game.seq for name, game in self.model.items()}

    @invariant()
    def lines_of_an_export_are_the_json_of_records(self) -> None:
        for line in self.clients[0].get("/api/v1/games/export.ndjson").text.splitlines():
            record = {name: value for name, value in json.loads(line).items() if name not in ADDED}
            assert Game.from_json(record).to_json() == record


def test_the_service_does_what_the_model_does(database_kind, request, tmp_path):
    folders = (tmp_path / str(number) for number in itertools.count())

    def sqlite():
        folder = next(folders)
        folder.mkdir()
        return sqlite_database(folder, empty=False)

    def postgresql():
        return request.getfixturevalue("postgresql").database(empty=False)

    class Opened(Asked):
        opened = staticmethod({"sqlite": sqlite, "postgresql": postgresql}[database_kind])

    run_state_machine_as_test(
        Opened, settings=settings(max_examples=25, stateful_step_count=40, suppress_health_check=list(HealthCheck))
    )
