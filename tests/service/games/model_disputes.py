"""The rules of the model about disputes: from the claim to the last ruling."""

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from inkeek.records import Move, Position
from tests.service.games.model import CLIENTS, RULES, SIDES, Clients, Disputed, Line, Played

OUTCOMES = st.sampled_from(("stands", "retracted", "corrected", "ended", "reopened"))
END_OUTCOMES = ("stands", "corrected", "reopened")
LIVE_END = (None, "*", "", 0)


class DisputeRules(Clients):
    """Claims, proposals, rulings, appeals."""

    games = Clients.games

    @precondition(lambda self: any(game.moves for game in self.model.values()))
    @rule(client=CLIENTS, game=games, side=SIDES, back=st.integers(-1, 3))
    def object(self, client: int, game: str, side: str, back: int) -> None:
        """Dispute one of the last turns, or the one that lies on the board and is not recorded."""
        expected = self.model[game]
        ply = max(len(expected.moves) - back, 1)
        body = {"side": side, "claim": "it was not so", "disputed": ply}
        answer = self.ask(client, f"games/{game}/disputes", body)
        if ply > len(expected.moves) and not expected.live:
            assert answer.status_code == 422
        elif expected.waits or (ply <= len(expected.moves) and expected.is_settled(expected.turns[ply - 1])):
            assert answer.status_code == 409
        else:
            expected.seq += 1
            turn = expected.turns[ply - 1] if ply <= len(expected.moves) else expected.seq
            expected.dispute = Disputed(expected.seq, turn, "turn", ply)
            assert (answer.status_code, answer.json["id"]) == (201, f"{game}-{expected.seq}")

    @precondition(lambda self: any(not game.live for game in self.model.values()))
    @rule(client=CLIENTS, game=games)
    def object_to_the_end(self, client: int, game: str) -> None:
        expected = self.model[game]
        body = {"side": "South", "claim": "it ended otherwise", "about": "end"}
        answer = self.ask(client, f"games/{game}/disputes", body)
        if expected.live or expected.waits or expected.is_settled(expected.end):
            assert answer.status_code == 409
        else:
            expected.seq += 1
            expected.dispute = Disputed(expected.seq, expected.end, "end", len(expected.moves))
            assert (answer.status_code, answer.json["turn"]) == (201, expected.end)

    @precondition(lambda self: any(game.dispute for game in self.model.values()))
    @rule(client=CLIENTS, game=games, outcome=OUTCOMES, which=st.integers(0, 9), to=st.integers(0, 3))
    def decide(self, client: int, game: str, outcome: str, which: int, to: int) -> None:
        expected = self.model[game]
        dispute = expected.dispute
        if dispute is None:
            assert self.ask(client, f"disputes/{game}-1/ruling", {"outcome": "stands"}).status_code == 404
            return
        body = self._terms(expected, dispute, outcome, which, to)
        path = f"disputes/{game}-{dispute.seq}"
        possible, target = self._target(expected, dispute, body) if dispute.waits else (409, None)
        status = 409 if client in dispute.judges else possible  # a key rules once
        effects = self.ask(client, f"{path}/preview", body)
        answer = self.ask(client, f"{path}/ruling", {**body, "by": f"Judge {len(dispute.ruled)}"})
        assert answer.status_code == status, answer.json
        if dispute.waits:
            assert effects.status_code == (200 if possible == 201 else possible)
        if status == 201 and target is not None:
            dispute.judges.add(client)
            then = effects.json["then"]
            assert (then["ply"], then["position"]) == (len(target.moves), target.positions[-1])
            assert then["result"] == target.end[1]
            self._ruled(expected, dispute, outcome, target)

    def _terms(self, expected: Played, dispute: Disputed, outcome: str, which: int, to: int) -> dict:
        body: dict = {"outcome": outcome, "note": "so it was"}
        if outcome == "ended" or (dispute.kind == "end" and outcome == "corrected"):
            body.update(termination="time", winner="South")
        elif outcome == "corrected":
            line = self._disputed_line(expected, dispute)
            legal = RULES.legal_moves(Position.parse(line.positions[dispute.ply - 1]))
            body.update(move=str(legal[which % len(legal)].choice), keeps=bool(which % 2))
        elif outcome == "retracted" and to:
            body["to"] = max(dispute.ply - to, 0)
        return body

    def _disputed_line(self, expected: Played, dispute: Disputed) -> Line:
        """The line that a ruling is about."""
        line, before = expected.line, dispute.before
        if before is None:
            return line
        if dispute.kind == "end":
            return before if dispute.ruled[-1] != "stands" else line
        if line.turns[: len(before.turns)] != before.turns:
            return before
        return replace(line, end=before.end) if expected.ended and expected.cause == dispute.seq else line

    def _target(self, expected: Played, dispute: Disputed, body: dict) -> tuple[int, Line | None]:
        """The status of a ruling, and the line after it. The numbers of new turns and ends are 0."""
        outcome, ply = body["outcome"], dispute.ply
        line, time = self._disputed_line(expected, dispute), ("hand", "1-0", "time", 0)
        allowed = ("stands", "retracted", "corrected", "ended") if dispute.kind == "turn" else END_OUTCOMES
        if outcome not in allowed:
            return 422, None
        standing = line.turns if dispute.kind == "turn" else (line.end[3],) if line.end[0] else ()
        if outcome != "stands" and dispute.turn not in (*standing, dispute.seq):
            return 409, None
        if outcome == "stands":
            return 201, line
        if outcome == "retracted":
            to = body.get("to", ply - 1)
            return 201, Line(line.moves[:to], line.positions[: to + 1], line.turns[:to], LIVE_END)
        if dispute.kind == "turn" and outcome == "corrected":
            return 201, self._corrected_line(line, ply, body)
        if line.end[0] == "rules":
            return 409, None
        if outcome == "reopened":
            return 201, expected.line if expected.live and dispute.before else replace(line, end=LIVE_END)
        if dispute.kind == "end" and not expected.live and expected.line.end[1:3] == time[1:3]:
            return 422, None  # it ended so already
        return 201, replace(line, end=time)

    def _corrected_line(self, line: Line, ply: int, body: dict) -> Line:
        moves, positions = list(line.moves[: ply - 1]), list(line.positions[:ply])
        later = [move.split("x")[0].split("=")[0] for move in line.moves[ply:]] if body["keeps"] else []
        for move in (body["move"], *later):
            position = Position.parse(positions[-1])
            if RULES.outcome(position) is not None or not RULES.is_legal(position, Move.parse(move)):
                break
            turn = RULES.play(position, Move.parse(move))
            moves.append(str(turn.move))
            positions.append(str(turn.position))
        outcome = RULES.outcome(Position.parse(positions[-1]))
        end = LIVE_END if outcome is None else ("rules", outcome.result, outcome.termination, 0)
        if len(moves) == len(line.moves) and (body["keeps"] or ply == len(line.moves)) and line.end[0] == "hand":
            end = line.end
        return Line(tuple(moves), tuple(positions), (*line.turns[: ply - 1], *[0] * (len(moves) - ply + 1)), end)

    def _ruled(self, expected: Played, dispute: Disputed, outcome: str, target: Line) -> None:
        """The model after a ruling that leads to `target`."""
        before = expected.line
        dispute.before = dispute.before or before
        dispute.ruled.append(outcome)
        dispute.waits, dispute.offer = False, None
        expected.seq += 1
        same = [one == other for one, other in zip(before.turns, target.turns, strict=False)]
        keeps = same.index(False) if False in same else len(same)
        changes = keeps < len(before.turns) or keeps < len(target.turns)
        if expected.ended == "hand" and (changes or target.end[0] != "hand"):
            self._reopened(expected)
        while len(expected.moves) > keeps:
            self._taken_back(expected)
        for move, position in zip(target.moves[keeps:], target.positions[keeps + 1 :], strict=True):
            self._played(expected, move, Position.parse(position))
        if target.end[0] == "hand" and expected.live:
            self._ended(expected, target.end[2], target.end[1], dispute.seq)
        elif target.end[0] == "hand" and target.end[1:3] != (expected.result, expected.termination):
            self._corrected(expected, target.end[2], target.end[1])
            expected.cause = dispute.seq
        turn = expected.turns[dispute.ply - 1] if dispute.kind == "turn" and dispute.ply <= len(expected.turns) else 0
        settles_end = (dispute.kind == "end" or outcome == "ended") and not expected.live
        expected.settled[dispute.seq] = (turn, expected.end if settles_end else 0)

    @precondition(lambda self: any(game.waits for game in self.model.values()))
    @rule(client=CLIENTS, game=games, side=SIDES, outcome=OUTCOMES, which=st.integers(0, 9))
    def propose(self, client: int, game: str, side: str, outcome: str, which: int) -> None:
        expected = self.model[game]
        dispute = expected.dispute
        if dispute is None or not dispute.waits:
            return
        body = self._terms(expected, dispute, outcome, which, 0)
        status, _ = self._target(expected, dispute, body)
        answer = self.ask(client, f"disputes/{game}-{dispute.seq}/proposals", {**body, "side": side})
        assert answer.status_code == status, answer.json
        if status == 201:
            expected.seq += 1
            dispute.offer = (expected.seq, side, body)

    @precondition(lambda self: any(game.waits and game.dispute.offer for game in self.model.values()))
    @rule(client=CLIENTS, game=games, side=SIDES, accepts=st.booleans())
    def answer_a_proposal(self, client: int, game: str, side: str, accepts: bool) -> None:
        expected = self.model[game]
        dispute = expected.dispute
        if dispute is None or not dispute.waits:
            return
        number, proposer, body = dispute.offer or (1, "South", {})
        path = f"disputes/{game}-{dispute.seq}/proposals/{number}/answer"
        answer = self.ask(client, path, {"side": side, "accepts": accepts})
        if dispute.offer is None or proposer == side:
            assert answer.status_code == 409
            return
        assert answer.status_code == 201, answer.json
        expected.seq += 1
        dispute.offer = None
        if accepts:
            _, target = self._target(expected, dispute, body)
            assert target is not None
            self._ruled(expected, dispute, body["outcome"], target)

    @precondition(lambda self: any(game.dispute for game in self.model.values()))
    @rule(client=CLIENTS, game=games)
    def appeal(self, client: int, game: str) -> None:
        expected = self.model[game]
        dispute = expected.dispute
        if dispute is None:
            return
        answer = self.ask(client, f"disputes/{game}-{dispute.seq}/appeal", {"reason": "no"})
        assert answer.status_code == (409 if dispute.waits else 201)
        expected.seq += not dispute.waits
        dispute.waits = True

    @precondition(lambda self: any(game.waits for game in self.model.values()))
    @rule(client=CLIENTS, game=games)
    def say_more(self, client: int, game: str) -> None:
        expected = self.model[game]
        dispute = expected.dispute
        if dispute is not None:
            answer = self.ask(client, f"disputes/{game}-{dispute.seq}/claim", {"claim": "six, not five"})
            assert answer.status_code == (201 if dispute.waits else 409)
            expected.seq += dispute.waits
