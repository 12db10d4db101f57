"""Checks a proof a second time, from docs/proof.md, with the standard library and `cryptography` only.

It sows nothing and reads no notation itself: `successors` tells which positions the rules allow after one, and what the
record says is left to the first implementation.
"""

import base64
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ZEROS = "0" * 64
TAIL = f',"hash":"{ZEROS}"}}'  # what follows the array in the line of an event


class Refused(Exception):
    """The file does not hold; the first argument says which step found it, the second where."""


def second_check(data, key, successors=None, kept=()):
    """Check a proof.

    :raises Refused: it does not hold.
    """
    lines, texts, offset = read_lines(data)
    events, entries, checkpoints = parts(lines, texts)
    check_signature(data[:offset], lines[-1], key)
    check_chain(lines[0], events)
    check_ledger(lines[0]["game"], events, entries, checkpoints, key, kept)
    try:
        check_content(lines[0], events, successors)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Refused("content", repr(error)) from error


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_lines(data):
    """The values of the lines, their texts, and where the last one begins."""
    if len(data) > 1 << 24 or not data.endswith(b"\n"):
        raise Refused("file", "its length or its end")
    lines, texts = [], []
    for number, line in enumerate(data[:-1].split(b"\n"), 1):
        fractions = []
        try:
            text = line.decode("utf-8")
            value = json.loads(text, parse_float=lambda word, found=fractions: found.append(word) or float(word))
            same = fractions or compact(value) == text
        except (ValueError, RecursionError) as error:
            raise Refused("file", f"line {number}") from error
        if not isinstance(value, dict) or not same or not plain(value):
            raise Refused("file", f"line {number}")
        lines.append(value)
        texts.append(text)
    return lines, texts, data.rindex(b"\n", 0, len(data) - 1) + 1 if len(lines) > 1 else 0


def plain(value):
    """Whether it is not nested too deeply, and has fractions only in the data of an event."""
    event = value.get("event")
    data = event[6] if isinstance(event, list) and len(event) > 6 else None
    waiting = [(value, 1, False)]
    while waiting:
        item, depth, fractions = waiting.pop()
        if isinstance(item, dict | list):
            if depth > 400:
                return False
            inner = item.values() if isinstance(item, dict) else item
            waiting += [(one, depth + 1, fractions or one is data) for one in inner]
        elif (isinstance(item, float) and not fractions) or (isinstance(item, int) and abs(item) > 2**53):
            return False
    return True


def has(value, *types):
    """Whether an array has values of exactly these types."""
    return isinstance(value, list) and [type(item) for item in value] == list(types)


def parts(lines, texts):
    """The events with the texts of their lines, the entries with their hashes, and the two checkpoints."""
    head = lines[0]
    if (
        list(head) != ["inkeek", "version", "game", "dispute", "time"]
        or (head["inkeek"], head["version"]) != ("proof", 1)
        or not has([head["version"], head["game"], head["time"]], int, str, str)
        or type(head["dispute"]) not in (int, type(None))
        or (head["dispute"] is not None and head["dispute"] < 0)
    ):
        raise Refused("file", "line 1")
    at = 1
    events, entries, checkpoints = [], [], []
    while at < len(lines) and list(lines[at]) == ["event", "hash"]:
        line = lines[at]
        if not has(line["event"], str, int, str, str, str, str, dict, str) or type(line["hash"]) is not str:
            raise Refused("file", f"line {at + 1}")
        events.append((line["event"], texts[at]))
        at += 1
    if at >= len(lines) or list(lines[at]) != ["record"] or type(lines[at]["record"]) is not str:
        raise Refused("file", f"line {at + 1}")
    at += 1
    for _ in range(2):
        while at < len(lines) and checkpoints and list(lines[at]) == ["entry", "hash"]:
            line = lines[at]
            if not has(line["entry"], int, str, int, int, int, str) or type(line["hash"]) is not str:
                raise Refused("file", f"line {at + 1}")
            entries.append((line["entry"], line["hash"]))
            at += 1
        if at >= len(lines) or list(lines[at]) != ["checkpoint"] or type(lines[at]["checkpoint"]) is not dict:
            raise Refused("file", f"line {at + 1}")
        checkpoints.append(lines[at]["checkpoint"])
        at += 1
    if list(lines[-1]) != ["inkeek", "version", "sha256", "key", "signature"]:
        raise Refused("file", "the last line")
    if at != len(lines) - 1 or not 1 <= len(events) <= 20_000 or len(entries) > 10_000:
        raise Refused("file", f"line {at + 1}")
    return events, entries, checkpoints


def decoded(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(data).decode().rstrip("=") != text:
        raise ValueError(text)
    return data


def check_signed(step, where, document, key):
    if document.get("key") != key:
        raise Refused(step, where)
    unsigned = {name: document[name] for name in sorted(document) if name != "signature"}
    try:
        public = Ed25519PublicKey.from_public_bytes(decoded(key.removeprefix("ed25519:")))
        public.verify(decoded(document["signature"]), compact(unsigned).encode())
    except (InvalidSignature, LookupError, ValueError, TypeError, AttributeError) as error:
        raise Refused(step, where) from error


def check_signature(body, last, key):
    expected = {"inkeek": "proof", "version": 1, "sha256": hashlib.sha256(body).hexdigest()}
    if {name: value for name, value in last.items() if name not in ("key", "signature")} != expected:
        raise Refused("signature", "the last line")
    check_signed("signature", "the last line", last, key)


def digest(value):
    return hashlib.sha256(compact(value).encode()).hexdigest()


def check_chain(head, events):
    before = ZEROS
    for number, (event, line) in enumerate(events, 1):
        array, rest = line[len('{"event":') : -len(TAIL)], line[-len(TAIL) :]
        hash_ = hashlib.sha256(array.encode()).hexdigest()
        if rest != TAIL.replace(ZEROS, hash_) or event[0] != head["game"] or event[1] != number or event[7] != before:
            raise Refused("chain", f"event {number}")
        before = hash_


def check_ledger(game, events, entries, checkpoints, key, kept):
    for where, checkpoint in zip(("the first checkpoint", "the second checkpoint"), checkpoints, strict=True):
        check_signed("checkpoints", where, checkpoint, key)
        names = {"inkeek", "version", "position", "hash", "games", "events", "time", "key", "signature"}
        if (
            checkpoint.keys() != names
            or (checkpoint["inkeek"], checkpoint["version"]) != ("checkpoint", 1)
            or type(checkpoint["position"]) is not int
            or checkpoint["position"] < 0
            or type(checkpoint["hash"]) is not str
            or type(checkpoint["time"]) is not str
            or any(type(checkpoint[name]) not in (int, type(None)) for name in ("games", "events"))
            or any((checkpoint[name] or 0) < 0 for name in ("games", "events"))
        ):
            raise Refused("checkpoints", where)
    start, end = ((checkpoint["position"], checkpoint["hash"]) for checkpoint in checkpoints)
    if start[0] == 0 and start[1] != ZEROS:
        raise Refused("checkpoints", "the first checkpoint")
    head, heads = start, {start[0]: start[1]}
    last = number = None
    for entry, hash_ in entries:
        position, name, game_number, first, seq, newest = entry
        if position != head[0] + 1 or digest([*entry, head[1]]) != hash_:
            raise Refused("ledger", f"entry {position}")
        head = (position, hash_)
        heads[position] = hash_
        if name != game:
            continue
        if last is None:
            last = first - 1 if start[0] else 0
            number = game_number
        if (
            first != last + 1
            or not first <= seq <= len(events)
            or not events[seq - 1][1].endswith(TAIL.replace(ZEROS, newest))
            or number != game_number
        ):
            raise Refused("ledger", f"entry {position}")
        last = seq
    if last != len(events):
        raise Refused("ledger", f"event {len(events)}")
    if head != end:
        raise Refused("checkpoints", "the second checkpoint")
    for position, hash_ in kept:
        if heads.get(position) != hash_:
            raise Refused("checkpoints", f"entry {position}")


def check_content(head, events, successors):
    kinds = [event[5] for event, _ in events]
    if kinds[0] != "created":
        raise Refused("content", "event 1")
    line = [(0, None, events[0][0][6]["position"])]  # the turns that stand: event, move, position after it
    end = None  # the event that says how the game ended: its number, its source, its data
    disputes, ruled, offers = {}, set(), {}
    first, outcomes = {}, {}  # of each dispute: the game before the first ruling, and what was ruled last
    for number, (event, _) in enumerate(events, 1):
        kind, data = event[5], event[6]
        ply = len(line) - 1
        where = ("content", f"event {number}")
        if kind == "turn":
            if data["ply"] != ply + 1:
                raise Refused(*where)
            move = data["turn"]["move"]
            regular = move[0] != "~"  # no rule says how an irregular turn was sown
            if successors is not None and regular and data["position"] not in successors(line[-1][2], move):
                raise Refused("rules", f"event {number}")
            line.append((number, data["turn"]["move"], data["position"]))
        elif kind == "retraction":
            if ply == 0 or (data["ply"], data["move"], data["position"]) != (ply, line[-1][1], line[-2][2]):
                raise Refused(*where)
            line.pop()
            end = None
        elif kind in ("ended", "correction"):
            end = (number, event[4], data)
        elif kind == "reopening":
            end = None
        elif kind == "dispute":
            disputes[number] = (data.get("about", "turn"), data["turn"], data["ply"])
            if not stands(disputes[number], line, end, number):
                raise Refused("rulings", f"event {number}")
        elif kind in ("claim", "proposal", "response"):
            if data["dispute"] not in disputes:
                raise Refused("rulings", f"event {number}")
            if kind == "proposal":
                offers[number] = data
        elif kind == "appeal":
            if data["dispute"] not in ruled:
                raise Refused("rulings", f"event {number}")
            ruled.remove(data["dispute"])
        elif kind == "ruling":
            seq = data["dispute"]
            if seq not in disputes or seq in ruled:
                raise Refused("rulings", f"event {number}")
            ruled.add(seq)
            before = events[number - 2][0]
            if before[5] == "response" and before[6]["accepts"]:
                offer = offers[before[6]["proposal"]]
                if data["by"] != "South and North" or any(offer.get(name) != data.get(name) for name in TERMS):
                    raise Refused("rulings", f"event {number}")
            now = (list(line), end)
            base = disputed_line(seq, disputes[seq], now, first.get(seq), outcomes.get(seq), data["outcome"])
            follow(number, events, disputes[seq], data, now, base, successors)
            first.setdefault(seq, now)
            outcomes[seq] = data["outcome"]
    number = head["dispute"]
    if number is not None and (number < 1 or kinds[number - 1 : number] != ["dispute"]):
        raise Refused("rulings", "line 1")


TERMS = ("outcome", "note", "move", "position", "end", "to", "keeps", "penalties", "clocks")
OUTCOMES = {"turn": ("stands", "retracted", "corrected", "ended"), "end": ("stands", "corrected", "reopened")}


def disputed_line(seq, dispute, now, first, last, outcome):
    """The turns and the end that a ruling is about: as they stand, or as they stood before the first ruling."""
    if first is None:
        return now
    if dispute[0] == "end":
        if outcome == "reopened" and now[1] is None:
            return now[0], None
        return now if last == "stands" else first
    if now[0][: len(first[0])] != first[0]:
        return first
    end = now[1]
    return now[0], first[1] if end is not None and end[2].get("dispute") == seq else end


def by_hand(end):
    return end if end is not None and end[1] != "rules" else None


def choice(move):
    return move.split("x")[0].split("=")[0]


def follow(number, events, dispute, ruling, now, base, successors):
    """Check that what a ruling orders follows it: back to where both lines part, on with the other, then its end."""
    about, turn, ply = dispute
    outcome, (line, end), (other, before) = ruling["outcome"], now, base
    where = ("rulings", f"event {number}")
    found = base[0] if about == "turn" else [before] if before else []
    known = [item[0] for item in found] + [ruling["dispute"]] * (about == "turn")  # itself: a turn not recorded
    if outcome not in OUTCOMES[about] or (outcome != "stands" and turn not in known):
        raise Refused(*where)
    given = [name for name in ("move", "position") if name in ruling]
    corrects = about == "turn" and outcome == "corrected"
    ends = outcome == "ended" or (about == "end" and outcome == "corrected")
    if outcome == "corrected" and not given and "end" not in ruling and not corrects:
        following = next((event[6] for event, _ in events[number:] if event[5] == "correction"), None)
        ruling = {**ruling, "end": following}  # as early versions wrote it
    if bool(given) > corrects or (ruling.get("end") is not None) is not ends:
        raise Refused(*where)
    if ("to" in ruling and outcome != "retracted") or (ruling.get("keeps") and not corrects):
        raise Refused(*where)
    target = other
    if outcome == "retracted":
        to = ruling.get("to", ply - 1)
        if not 0 <= to < ply:
            raise Refused(*where)
        target = other[: to + 1]
    elif corrects:
        target = other[:ply]
    same = 1
    while same < min(len(line), len(target)) and line[same] == target[same]:
        same += 1
    back, restored = len(line) - same, target[same:]
    goal = None if outcome in ("retracted", "reopened") or corrects else by_hand(before) and before[2]
    goal = ruling["end"] if ends else goal
    if ends and before is not None and before[1] == "rules":
        raise Refused(*where)
    at = number

    def next_event(kind, **expected):
        nonlocal at
        at += 1
        event = events[at - 1][0] if at <= len(events) else None
        if event is None or event[5] != kind or any(event[6].get(name) != value for name, value in expected.items()):
            raise Refused("rulings", f"event {at}")
        return event[6]

    def ended_by_rules():
        nonlocal at
        event = events[at][0] if at < len(events) else None
        ended = event is not None and event[5] == "ended" and event[4] == "rules"
        at += ended
        return event[6] if ended else None

    # Whether all later turns are kept, with the end, shows only once they are played.
    kept = other[ply + 1 :] if corrects and ruling.get("keeps") else []
    keeps_end = corrects and by_hand(before) is not None and len(kept) == len(other) - ply - 1
    standing = end and end[2]
    if by_hand(end) and (back or restored or corrects or goal is None):
        next_event("reopening", dispute=ruling["dispute"], reason=ruling["note"])
        standing = None
    for _ in range(back):
        reason = "agreement" if ruling["by"] == "South and North" else "ruling"
        if reason == "ruling" and at < len(events) and events[at][0][6].get("reason") == "objection":
            reason = "objection"  # as early versions wrote
        next_event("retraction", reason=reason)
        standing = None
    for _, move, position in restored:
        data = next_event("turn", position=position)
        if data["turn"]["move"] != move:
            raise Refused("rulings", f"event {at}")
        standing = ended_by_rules()
    if corrects:
        data = next_event("turn", ply=ply)
        move = data["turn"]["move"]
        if "position" in ruling and data["position"] != ruling["position"]:
            raise Refused("rulings", f"event {at}")
        if "move" in ruling and choice(move) != choice(ruling["move"]):
            raise Refused("rulings", f"event {at}")
        standing = ended_by_rules()
        for _, move, _ in kept:
            legal = successors is None or (move[0] != "~" and successors(data["position"], choice(move)))
            if standing or not legal:
                keeps_end = False
                break
            data = next_event("turn")
            if choice(data["turn"]["move"]) != choice(move):
                raise Refused("rulings", f"event {at}")
            standing = ended_by_rules()
        goal = before[2] if keeps_end else None
    names = ("termination", "result", "score")
    if goal is not None and (standing is None or any(standing.get(name) != goal.get(name) for name in names)):
        kind = "ended" if standing is None else "correction"
        said = {name: goal[name] for name in ("termination", "result", "winner")}
        if goal["score"] is not None:  # else the repetition gives it
            said["score"] = goal["score"]
        next_event(kind, dispute=ruling["dispute"], **said)


def stands(dispute, line, end, number):
    about, turn, ply = dispute
    if about == "turn" and turn == number:  # a turn that lay on the board and was not recorded
        return ply == len(line)
    if about == "end":
        return end is not None and turn == end[0]
    return 1 <= ply < len(line) and line[ply][0] == turn
