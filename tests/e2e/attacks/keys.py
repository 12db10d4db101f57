"""Attacks with keys: old secrets, limited keys, sessions, guesses, forged boards and proofs."""

import json
import secrets
import time

import httpx

from inkeek.service.errors import ServiceError
from inkeek.service.http.access.guard import CSRF_HEADER
from inkeek.service.proofs.check import check_proof

from .target import API, STRANGER, Target, bearer

HIDDEN = "Hidden Cup"
SHOWN = "Open Cup"


def old_secret(target: Target) -> None:
    """The old secret of a token, within its grace, rotates the token, or revokes it."""
    while not target.is_over:
        made = target.new_token("record")
        path = f"{API}/tokens/{made['id']}"
        new = target.made("POST", f"{path}/rotation", target.key, {"grace": 3600})["token"]
        old = bearer(made["token"])
        target.expect("the old secret reads", target.ask("GET", f"{API}/tokens/current", old), 200)
        target.expect("the old secret rotates its token", target.ask("POST", f"{path}/rotation", old, {}), 401, 403)
        target.expect("the old secret revokes its token", target.ask("DELETE", path, old), 401, 403)
        target.expect("the new secret reads", target.ask("GET", f"{API}/tokens/current", bearer(new)), 200)


def limited_key(target: Target) -> None:
    """A key for one game writes into another event, and looks for what is hidden from it."""
    own, hidden = target.new_game(Event=SHOWN, South="Own"), target.new_game(Event=HIDDEN, South="Nobody Else")
    port = f"far:bench-{hidden}"
    board = target.made("POST", f"{API}/boards", target.key, {"port": port, "driver": "far", "game": hidden})["id"]
    job = target.made("POST", f"{API}/games/{hidden}/analysis", target.key, {"depth": 1})["id"]
    limit = {"kind": "game", "value": own}
    key = {**STRANGER, **bearer(target.new_token("record", "attach", "arbiter", limit=limit)["token"])}
    moved = target.ask("PATCH", f"{API}/games/{own}", key, {"tags": {"Event": HIDDEN}})
    target.expect("a key for a game moves it into another event", moved, 403, 404, 422)
    probes = [
        target.ask("GET", f"{API}/games/{hidden}", key),
        target.ask("GET", f"{API}/feed?format=ndjson&board={board}&game_id={own}", key),
        target.ask("GET", f"{API}/feed?format=ndjson&game_id={hidden}", key),
        target.ask("POST", f"{API}/boards", key, {"port": port, "driver": "far", "game": own}),
        target.ask("POST", f"{API}/boards/{board}/report", key, {"id": "0" * 32, "after": 0}),
        target.ask("GET", f"{API}/boards/{board}/log", key),
        target.ask("GET", f"{API}/jobs/{job}", key),
        target.ask("DELETE", f"{API}/jobs/{job}", key),
        target.ask("POST", f"{API}/jobs", key, {"games": [own, hidden], "depth": 1}),
        target.ask("GET", f"{API}/games/export.ndjson", key),
        target.ask("GET", f"{API}/feed?format=ndjson", key),
        target.ask("GET", "/games", key),
    ]
    for answer in probes:
        asked = str(answer.request.url)
        found = [text for text in (hidden, HIDDEN, "Nobody Else") if text in answer.text and text not in asked]
        if found and not (answer.request.content and found == [hidden] and hidden.encode() in answer.request.content):
            target.fault(f"{answer.request.method} {asked}: {answer.status_code} names {found}: {answer.text[:200]}")


def forged_board(target: Target) -> None:
    """A token for a remote board of one game reports for another, and what no board says."""
    own, other = target.new_game(), target.new_game()
    boards = [
        target.made("POST", f"{API}/boards", target.key, {"port": f"far:{game}", "driver": "far", "game": game})["id"]
        for game in (own, other)
    ]
    key = bearer(target.new_token("attach", limit={"kind": "game", "value": own})["token"])
    sign = {"id": "a" * 32, "after": 0}
    for method, path, body in (("POST", "report", sign), ("GET", "news", None)):
        answer = target.ask(method, f"{API}/boards/{boards[1]}/{path}", key, body)
        target.expect(f"a forged {path}", answer, 403, 404)
    target.made("POST", f"{API}/boards/{boards[0]}/report", key, {**sign, "serial": "B-1"})
    source, turn = "board:B-1:0a:1", {"ply": 1, "turn": {}, "position": ""}
    for number, change in enumerate(
        (
            {"kind": "turn", "source": source, "follows": "x", "data": turn},
            {"kind": "turn", "source": "page:x:1", "follows": "x", "data": {}},
            {"kind": "created", "source": source, "follows": "x", "data": {}},
            {"kind": "ended", "source": source, "follows": "x", "data": {"result": "1-0"}},
            {"kind": "ruling", "source": source, "follows": "x", "data": {"dispute": 1, "withdrawn": True}},
        )
    ):
        body = {"id": f"{number:032x}", "after": 0, "serial": "B-1", "changes": [change]}
        answer = target.ask("POST", f"{API}/boards/{boards[0]}/report", key, body)
        target.expect(f"the change {change}", answer, 409, 412, 422)
    if (seq := target.ask("GET", f"{API}/games/{own}", target.key).json()["seq"]) != 1:
        target.fault(f"what no board says made events of the game, up to {seq}")
    target.expect("the game of the other board", target.ask("GET", f"{API}/games/{other}", target.key), 200)


def replayed_proof(target: Target) -> None:
    """The signature of one proof stands under another, and lines of one in the other."""
    proofs = []
    for _ in range(2):
        game = target.new_game()
        target.made("POST", f"{API}/games/{game}/turns", target.key, {"move": "a"})
        answer = target.ask("GET", f"{API}/games/{game}/proof", target.key)
        if answer.status_code == 409:
            target.fault("the service has no key to sign with")
            return
        proofs.append(answer.content)
    first, second = (proof.splitlines(keepends=True) for proof in proofs)
    public = json.loads(first[-1])["key"]
    forged = [b"".join([*first[:-1], second[-1]])]
    forged += [b"".join([*first[:at], line, *first[at + 1 :]]) for at, line in enumerate(second) if at < len(first) - 1]
    for proof in proofs:
        if not _holds(proof, public):
            target.fault("a true proof does not hold")
    for at, proof in enumerate(forged):
        target.count("forged proofs")
        if proof not in proofs and _holds(proof, public):
            target.fault(f"forged proof number {at} holds")


def _holds(proof: bytes, public: str) -> bool:
    try:
        return check_proof(proof, [public]).ok
    except ServiceError:
        return False


def stolen_session(target: Target) -> None:
    """A cookie without its CSRF token, from another site, after signing out; and a session as a token."""
    link = target.made("POST", f"{API}/tokens", target.key, {"name": "one", "scopes": ["record"]})
    target.expect("a token as a cookie", _browse(target, "GET", f"{API}/tokens/current", link["token"]), 401)
    for _ in range(20):
        if target.is_over:
            break
        guess = "ink_s_" + secrets.token_urlsafe(32)
        target.expect("a guessed session", _browse(target, "GET", f"{API}/tokens/current", guess), 401)
        for more in ({}, {"Origin": "https://evil.example"}, {CSRF_HEADER: "0" * 43}):
            answer = _browse(target, "POST", f"{API}/games", guess, **more)
            target.expect("a write with a guessed session", answer, 401, 403)


def _browse(target: Target, method: str, path: str, secret: str, **headers: str) -> httpx.Response:
    cookie = {"Cookie": f"inkeek_{target.port}={secret}"}
    body = {"game": "oware"} if method == "POST" else None
    return target.ask(method, path, {**STRANGER, **cookie, **headers}, body)


def guessed_tokens(target: Target) -> None:
    """Strangers try tokens, as fast as they can."""

    def guess(_: int) -> None:
        secret = "ink_t_" + secrets.token_urlsafe(32)
        answer = target.ask("GET", f"{API}/games", {**STRANGER, **bearer(secret)})
        target.expect("a guessed token", answer, 401, 429)
        if answer.status_code == 429:
            time.sleep(0.05)

    target.at_once(8, guess)
