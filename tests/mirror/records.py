"""Records of games, made of the lines of the feed and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

Json = dict[str, Any]
# Commands that stay in the record when their turn is taken back.
KEPT = (
    *("join", "leave", "trial", "retract", "end", "correction", "reopen", "dispute", "claim", "propose", "respond"),
    *("ruling", "penalty", "clock", "appeal"),
)
COMMAND = re.compile(r'\[%([a-z]+)(?:\s+(?:"(?:[^"\\]|\\.)*"|[^"\]])*)?\]')


MOVED = re.compile(r"\[%(?:trial|retract) ")
OF_A_TURN = re.compile(r'\[%(?:trial|retract) [^]]* ply=\d+\]|\[%retract [^]"]* reason=entry\b')


class Ply:
    """A turn, or the start, with what is said of it by key: the event that added it, and its number in that."""

    def __init__(self, seq: int, said: Json) -> None:
        self.seq = seq
        self.move = said.get("move")
        values = [(kind, value) for kind in ("nags", "comments", "variations") for value in said.get(kind, ())]
        self.notes = {f"{seq}-{number}": note for number, note in enumerate(values, 1)}

    def of(self, kind: str) -> list[Any]:
        return [value for found, value in self.notes.values() if found == kind]

    def record(self) -> Json:
        kinds = ("nags", "comments", "variations")
        return {"move": self.move, **{kind: self.of(kind) for kind in kinds}}


class Mirror:
    """All games of a feed. `lost` and `doubled` count events whose numbers do not follow each other."""

    def __init__(self) -> None:
        self.games: dict[str, list[Json]] = {}
        self.lost = 0
        self.doubled = 0

    def add(self, event: Json) -> None:
        """Take the next event of the feed."""
        events = self.games.setdefault(event["game_id"], [])
        expected = len(events) + 1
        if event["seq"] < expected:
            self.doubled += 1
            return
        self.lost += event["seq"] - expected
        events.append(event)

    def lines(self, games: Iterable[str]) -> Iterator[bytes]:
        """The records as the export writes them, but for its cursors."""
        for game in games:
            yield json.dumps(
                {"id": game, **record(self.games[game])}, ensure_ascii=False, separators=(",", ":")
            ).encode()


def record(events: list[Json]) -> Json:
    """The record of a game with these events."""
    start = events[0]["data"]
    tags, plies = start["tags"], [Ply(1, {"comments": start["comments"]})]
    end: Json | None = None
    unsaid: Json | None = None  # an end by hand: the record says it only if it is changed
    for event in events[1:]:
        kind, data = event["kind"], event["data"]
        said: list[str] = []
        if kind == "turn":
            plies.append(Ply(event["seq"], data["turn"]))
            continue
        if kind == "tags":
            tags = {name: value for name, value in {**tags, **data["tags"]}.items() if value is not None}
        elif kind == "annotations":
            annotate(plies, event)
        elif kind == "ended":
            end, unsaid = data, None if event["source"] == "rules" else data
            if "dispute" in data:
                said, unsaid = [end_command("end", data)], None
        elif kind in ("correction", "reopening"):
            said = [end_command("end", unsaid)] if unsaid else []
            end, unsaid = data if kind == "correction" else None, None
        elif kind == "retraction":
            end = None
            comments = plies.pop().of("comments")
            said = [found[0] for text in comments for found in COMMAND.finditer(text) if found[1] in KEPT]
            said = [of_turn(text, len(plies) + 1) for text in said]
        said += commands(kind, data)
        plies[-1].notes |= {f"{event['seq']}:{number}": ("comments", text) for number, text in enumerate(said)}
    begun, *turns = plies
    tags = {**tags, **rule_tags(start), **end_tags(end)}
    if any(OF_A_TURN.search(text) for ply in plies for text in ply.of("comments")):
        tags["Version"] = "1.1"
    return {
        "tags": tags,
        "comments": begun.of("comments"),
        "plies": [ply.record() for ply in turns],
        "ended": None,
    }


def of_turn(text: str, ply: int) -> str:
    """A trial or retraction that says of which turn it is, since that is not the next one any more."""
    return text if OF_A_TURN.search(text) or not MOVED.match(text) else f"{text[:-1]} ply={ply}]"


def annotate(plies: list[Ply], event: Json) -> None:
    """Add, change and remove annotations."""
    for number, change in enumerate(event["data"]["changes"], 1):
        notes = plies[change["ply"]].notes
        if "add" in change:
            notes[f"{event['seq']}-{number}"] = (change["add"] + "s", change["value"])
        elif "change" in change:
            notes[change["change"]] = (notes[change["change"]][0], change["value"])
        else:
            del notes[change["remove"]]


def rule_tags(start: Json) -> dict[str, str]:
    """The tags of the game, its options and its position."""
    options = (
        f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in start["options"].items()
    )
    setup = {} if start["setup"] is None else {"Setup": start["setup"]}
    return {"Game": start["game"], **({"Options": " ".join(options)} if start["options"] else {}), **setup}


def end_tags(end: Json | None) -> dict[str, str]:
    """The tags of the end."""
    if end is None:
        return {"Result": "*"}
    found = {"Result": end["result"]}
    if end["score"] is not None:
        found["Score"] = "{}-{}".format(*end["score"])
    return found if end["termination"] is None else {**found, "Termination": end["termination"]}


def commands(kind: str, data: Json) -> list[str]:
    """What the record says of an event, besides tags and turns."""
    by, side = {"by": text(data.get("by"))}, {"side": (data.get("side") or "").lower()}
    match kind:
        case "join" | "leave":
            return [command(kind, side["side"], text(data["name"]))]
        case "trial":
            return [command("trial", data["move"], **by)]
        case "retraction":
            return [command("retract", data["move"], **side, reason=data["reason"], note=text(data["note"]))]
        case "correction":
            return [end_command("correction", data)]
        case "reopening":
            return [command("reopen", **by, reason=text(data["reason"]))]
        case "dispute":
            about, ply = data.get("about", ""), data["ply"] if "last" in data else ""
            return [
                command("dispute", **side, claim=text(data["claim"]), about=about, ply=ply, seen=text(data["seen"]))
            ]
        case "claim":
            return [command("claim", text(data["claim"]), **by, seen=text(data["seen"]))]
        case "proposal":
            end = data.get("end", {})
            terms = {"outcome": data["outcome"], "move": data.get("move", ""), "position": text(data.get("position"))}
            terms |= {"after": data.get("to", ""), "result": end.get("result", "")}
            terms |= {"termination": end.get("termination", ""), **by, "note": text(data["note"])}
            return [command("propose", **side, **terms), *amends(data)]
        case "response":
            return [command("respond", **side, answer="accepted" if data["accepts"] else "refused", **by)]
        case "ruling":
            more = {"note": text(data["note"]), "withdrawn": "yes" if data.get("withdrawn") else ""}
            return [command("ruling", outcome=data["outcome"], **by, **more), *amends(data)]
        case "appeal":
            corrects = "yes" if data.get("corrects") else ""
            return [command("appeal", reason=text(data["reason"]), **side, **by, corrects=corrects)]
    return []  # of other kinds the record says nothing, or tags and turns say it


def end_command(name: str, data: Json) -> str:
    score = "" if data["score"] is None else "{}-{}".format(*data["score"])
    more = {"termination": data["termination"], "score": score, "by": text(" ".join(data["by"].split()))}
    return command(name, data["result"], **more, reason=text(data.get("reason")))


def amends(data: Json) -> list[str]:
    """The penalties and the clocks of a ruling or a proposal."""
    penalties = [
        command(
            "penalty",
            side=one["side"].lower(),
            kind=one["kind"],
            seeds=one.get("seeds", ""),
            note=text(one.get("note")),
        )
        for one in data.get("penalties", ())
    ]
    clocks = [
        command("clock", side=one["side"].lower(), to=time(one.get("to")), add=time(one.get("add")))
        for one in data.get("clocks", ())
    ]
    return penalties + clocks


def command(name: str, *plain: str, **keyed: object) -> str:
    """A command with those arguments that are not empty."""
    words = [*filter(None, plain), *(f"{key}={value}" for key, value in keyed.items() if value != "")]
    return f"[%{name} {' '.join(words)}]" if words else f"[%{name}]"


def text(value: str | None) -> str:
    """A text in quotes; empty if there is none."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if value else ""


def time(seconds: int | None) -> str:
    return "" if seconds is None else f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
