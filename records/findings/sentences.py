"""What happened, in sentences that an arbiter can read aloud. The words are in `records/messages`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from inkeek.records.explain import explain_board
from inkeek.records.kernel.codes import REASONS
from inkeek.records.language import Language, Message, Term
from inkeek.records.moves import Move, Turn
from inkeek.records.position import CLOSED, Position, Side
from inkeek.records.rules.play import Rules
from inkeek.records.rules.ruleset import format_value
from inkeek.records.rules.trace import TraceEvent

from .account_steps import AccountSteps, sown_place
from .candidates import NOWHERE
from .drafts import Draft, choice_text
from .evidence import Evidence
from .finding import Account, Finding
from .kinds import BEGUN_EARLY, LEGAL, TAKEN_BACK, UNKNOWN, UNPLAYED
from .replays import SEVERAL, Occurrence, SlipReplay
from .sweeps import SWEPT

# Slips that are told in the words of another.
_SAME_WORDS = {
    "instead-near": "instead",
    "astray-far": "astray",
    "other-pit-far": "other-pit",
    "pick-beside": "pick-up",
    "take-oddly": "take-wrongly",
}
COUNTED = (*SEVERAL, "leave-behind", "take-part")  # slips whose sentence says how many seeds
# Slips that another sentence (`findings.slips`) tells if they happen several times alike.
REPEATED = (
    "skip", "double", "also", "pick-up", "lose", "add", "lay", "end-move", "end-lose", "end-add", "jump", "jump-after",
)  # fmt: skip
SHARES = (  # the least probability for each word
    (0.99, "certain"),
    (0.90, "very-likely"),
    (0.66, "likely"),
    (0.33, "possible"),
    (0.05, "unlikely"),
    (0.0, "very-unlikely"),
)
MAX_PLACES_LISTED = 6  # nobody corrects more places than these from a list


def place_text(position: Position, place: int, language: Language) -> str:
    """``g``, or ``South's store``; places are indices of `Evidence.counts`."""
    pits = len(position.pits)
    if place < pits:
        return position.letter(place)
    return language.text("findings.store", owner=Side(place - pits))


def step_text(position: Position, event: TraceEvent, language: Language) -> str:
    """A step of an account, as a part of a sentence."""
    pit = place_text(position, event.pit, language) if event.pit >= 0 else ""
    if event.kind == "take" and event.reason == SWEPT:
        return language.text("findings.tell.swept", pit=pit, owner=Side(event.other))
    place = place_text(position, event.other, language) if event.kind == "shift" else ""
    return language.text(f"findings.tell.{event.kind}", pit=pit, place=place)


def what_happened(rules: Rules, replay: SlipReplay, language: Language) -> tuple[str, ...]:
    """Where the turn began, and what went wrong."""
    return (
        begin_sentence(rules, replay.candidate, language),
        *_slip_sentences(rules, replay, language),
        *swept_sentence(rules, replay.candidate, language),
    )


def round_sentence(rules: Rules, before: Position, events: Sequence[TraceEvent], language: Language) -> tuple[str, ...]:
    """What the rules say of the pit that a lap was lifted from, for the first lap of a legal turn that comes round to
    it."""
    places = sum(mark != CLOSED for mark in before.marks) + rules.family.banks
    lifts = [event for event in events if event.kind == "lift"]
    lap, lift = next(((lap, lift) for lap, lift in enumerate(lifts, 1) if lift.count >= places), (0, None))
    if lift is None:
        return ()
    key = "round-skipped" if rules.settings["skip_origin"] else "round-sown"
    option = f" (skip_origin={format_value(rules.options['skip_origin'])})" if "skip_origin" in rules.options else ""
    return (language.text(f"findings.{key}", lap=lap, pit=before.letter(lift.pit), option=option),)


def swept_sentence(rules: Rules, candidate: Draft, language: Language) -> tuple[str, ...]:
    """That the sides took what was left, if they did so when the game was over."""
    if not candidate.swept:
        return ()
    return (language.text(f"findings.swept{'-aside' if rules.info.remaining_seeds == 'nobody' else ''}"),)


def begin_sentence(rules: Rules, candidate: Draft, language: Language) -> str:
    """Where the turn began."""
    opening = candidate.opening
    position = opening.position
    if opening.pit < -1:
        return language.text("findings.taken-back", count=-opening.pit - 1)
    if opening.pit < 0 and opening.kind is None:
        return language.text("findings.untouched")
    key = opening.kind or "legal"
    earlier = None if opening.turn is None else opening.turn.before.to_move
    if opening.kind == "previous-unfinished" and opening.pit >= 0:
        key += "-then"
    elif opening.broken is not None:
        key = "two-turns-broken"
    elif opening.kind == "two-turns" and not candidate.slips:
        key = "both-legal" if earlier is not position.to_move else "both-legal-same"
    elif opening.kind == "moved-twice" and earlier is not position.to_move:
        key += "-other"
    elif opening.kind in ("two-turns", BEGUN_EARLY) and earlier is position.to_move:
        key += "-same"
    return language.text(
        f"findings.begin.{key}",
        mover=position.to_move,
        other=position.to_move.other,
        pit=position.letter(opening.pit) if opening.pit >= 0 else "",
        special=special_term(rules),
        by="" if earlier is None else earlier,
        first=opening.turn.move.choice if opening.turn is not None else "",
        move=move_of(rules, candidate),
    )


def move_of(rules: Rules, candidate: Draft) -> Move | None:
    """The move that began where the candidate says, with its choices."""
    opening = candidate.opening
    if opening.pit < 0:
        return None
    return Move(opening.position.letter(opening.pit), choice_text(candidate.bits, candidate.choices, rules.step))


def _slip_sentences(rules: Rules, replay: SlipReplay, language: Language) -> list[str]:
    """What went wrong, with one sentence for what happened several times alike."""
    alike: dict[str, list[Message]] = {}
    for scene in replay.scenes:
        message = _slip_message(rules, replay, scene, language)
        alike.setdefault(language.translate(message), []).append(message)
    sentences: list[str] = []
    for sentence, messages in alike.items():
        slip, fields = messages[0].key.rpartition(".")[2], messages[0].fields
        if len(messages) == 1 or slip not in (*COUNTED, *REPEATED):
            sentences += [sentence] * len(messages)
        elif slip in COUNTED:
            count = sum(int(str(message.fields["count"])) for message in messages)
            sentences.append(language.text(messages[0].key, **{**fields, "count": count}))
        else:
            sentences.append(language.text(f"findings.slips.{slip}", **{**fields, "count": len(messages)}))
    return sentences


def _slip_message(rules: Rules, replay: SlipReplay, scene: Occurrence, language: Language) -> Message:
    """What went wrong in one place."""
    slip, position = scene.slip, replay.candidate.opening.position
    if slip.code in ("take-forbidden", "take-on"):
        return _capture_message(replay, scene)
    if slip.code.startswith("sweep-"):
        return _sweep_message(replay, scene)
    key, place, due = _SAME_WORDS.get(slip.code, slip.code), slip.place, scene.last
    count, places = replay.held, list[int]()
    lap = slip.lap
    if slip.stage == 1 and not key.startswith("take"):
        last, due = _fallen_and_due(rules, replay, scene, position)
        if key == "skip":
            place = due
        elif key == "leave-behind":
            count = 1
        elif key == "double":
            place = sown_place(position, replay.events[replay.offset + scene.event])
        elif key == "break-off":
            place = last
    elif key in ("stop", "relay-on", "not-made"):
        place = scene.last
    elif key in ("take-none", "take-not", "take-elsewhere", "take-part", "take-other-store"):
        if key == "take-not" and slip.stage == 1:
            key = "take-none"
        places, due = _captures_due(rules, replay, scene, position)
        count = slip.place
        place = place if key == "take-elsewhere" else due
    elif key == "jump":
        key = "jump-after" if slip.stage == 2 else "jump"
    elif key in SEVERAL:
        count = slip.at
    start, to = divmod(place, 64) if key in SEVERAL or key.startswith(("jump", "end-move")) else (place, place)
    fields: dict[str, object] = {
        "lap": lap,
        "pit": place_text(position, scene.pit, language) if scene.pit >= 0 else "",
        "start": place_text(position, start, language) if start >= 0 else "",
        "place": place_text(position, to, language) if 0 <= to != NOWHERE else "",
        "places": [place_text(position, one, language) for one in places if one >= 0],
        "due": place_text(position, due, language) if due >= 0 else "",
        "count": count,
        "owner": _other_store(replay, scene, places),
        "special": special_term(rules),
    }
    return Message(f"findings.slip.{key}", fields)


def _capture_message(replay: SlipReplay, scene: Occurrence) -> Message:
    """That a capture was taken which a rule forbids as a whole, or behind the pit where it was over."""
    slip, position = scene.slip, replay.candidate.opening.position
    takes = [event for event in replay.events[replay.offset + scene.event :] if event.kind == "take"]
    takes = [event for event in takes if event.reason != SWEPT]
    key = REASONS[slip.at] if slip.code == "take-forbidden" else "take-on"
    due = 0
    if key == "four":  # its own four is captured rightly
        due = 1
    elif key == "take-on":
        due = len(replay.due_takes)
    fields: dict[str, object] = {
        "other": position.to_move.other,
        "lap": slip.lap,
        "places": [position.letter(event.pit) for event in takes[due:]],
        "last": position.letter(takes[due - 1].pit) if due else "",
    }
    return Message(f"findings.slip.{key if key == 'take-on' else 'forbidden-' + key}", fields)


def _sweep_message(replay: SlipReplay, scene: Occurrence) -> Message:
    """That what was left was taken although the game goes on, or did not go where it belongs."""
    taken = [event.pit for event in replay.events[replay.offset + scene.event :] if event.reason == SWEPT]
    position = replay.candidate.opening.position
    return Message(f"findings.slip.{scene.slip.code}", {"places": [*map(position.letter, dict.fromkeys(taken))]})


def mend_sentence(
    position: Position,
    steps: dict[int, int],
    target: Position,
    turn: Turn | None,
    language: Language,
    unmarked: Term | None = None,
) -> list[str]:
    """How to mend the board, if there is something to mend. `unmarked`: what the pits are that were to be marked."""
    marks = zip(position.marks, target.marks, strict=True)
    to_mark = [target.letter(pit) for pit, (was, mark) in enumerate(marks) if unmarked and mark != was]
    if not steps and not to_mark:
        return []
    parts: list[Message | str] = []
    for key, sign in (("take", -1), ("put", 1)):
        counts = sorted({abs(seeds) for seeds in steps.values() if seeds * sign > 0})
        for count in counts:
            places = [place_text(position, place, language) for place, seeds in steps.items() if seeds * sign == count]
            each = "-each" if len(places) > 1 else ""
            parts.append(Message(f"findings.mend.{key}{each}", {"count": count, "places": places}))
    if to_mark:
        key = "mark-each" if len(to_mark) > 1 else "mark"
        parts.append(Message(f"findings.mend.{key}", {"places": to_mark, "special": unmarked}))
    if len(steps) > MAX_PLACES_LISTED:
        parts = [Message("findings.mend.goal-many", {"count": len(steps), "board": explain_board(target, language)})]
    if turn is None:
        return [language.text("findings.mend.goal-before", steps=parts)]
    return [language.text("findings.mend.goal-turn", move=turn.move.choice, steps=parts)]


def special_term(rules: Rules) -> Term:
    """The game's own word for a special pit."""
    return Term(rules.info.terms.get("special", ""))


def _fallen_and_due(rules: Rules, replay: SlipReplay, scene: Occurrence, position: Position) -> tuple[int, int]:
    """Where the seed before the slip fell, and the place that comes next."""
    events = replay.events[replay.offset :]
    size, places = len(position.pits), 0
    last = due = scene.pit
    for event in events[: scene.event]:
        if event.kind == "lift":
            last, places = event.pit, 0
        elif event.kind in ("drop", "store", "lose"):
            places += 1
            last = last if event.kind == "lose" else sown_place(position, event)
    for one in _scenes_of_lap(replay, scene):
        if one is scene:
            break
        # A skipped place got no seed; a seed that fell besides, or was lost, was due in no place.
        places += (one.slip.code == "skip") - (one.slip.code in ("also", "double", "leave-behind", "lose"))
    for _ in range(places + 1):
        if rules.family.banks and due == _before_store(position, scene.direction):
            due = size + position.to_move
            continue
        due = _before_store(position, scene.direction) if due >= size else due
        while True:
            due = (due + scene.direction) % size
            if position.marks[due] != CLOSED and not (rules.settings["skip_origin"] and due == scene.pit):
                break
    return last, due


def _scenes_of_lap(replay: SlipReplay, scene: Occurrence) -> list[Occurrence]:
    """The slips in the lap of this one, in order."""
    return [one for one in replay.scenes if one.slip[1:3] == scene.slip[1:3]]


def _before_store(position: Position, direction: int) -> int:
    """The pit after which a hand comes to the mover's own store."""
    own = position.pits_of(position.to_move)
    return own[-1] if direction > 0 else (own[-1] + 1) % len(position.pits)


def _captures_due(rules: Rules, replay: SlipReplay, scene: Occurrence, position: Position) -> tuple[list[int], int]:
    """The pits of the captures that went wrong, and the first of them: from the same turn without the slip."""
    pits = [event.pit for event in replay.due_takes]
    nth = scene.slip.at
    if scene.slip.code == "take-none":
        chosen = pits[max(nth, 1) - 1 :]
    elif nth == 0:
        chosen = pits
    else:
        chosen = pits[nth - 1 : nth]
    return chosen, chosen[0] if chosen else -1


def _other_store(replay: SlipReplay, scene: Occurrence, pits: Sequence[int]) -> Side:
    """The side that got the seeds of these pits, which belong to the other."""
    later = replay.events[replay.offset + scene.event :]
    takes = [event for event in later if event.kind == "take" and event.pit in pits]
    return Side(takes[0].other) if takes else replay.candidate.opening.position.to_move.other


def verdict_sentence(finding: Finding, evidence: Evidence, language: Language, cited: Sequence[str] = ()) -> str:
    """Whether the turn was legal, in one sentence, and then whether special pits lost their marks.

    A pit that was cleared at the end has none. Of several turns, as they are `cited`: which agree with the board.
    """
    if finding.agreed is not None:
        return _agreement(finding, finding.agreed, cited, language)
    verdict = _legality(finding, evidence, language)
    changed = [evidence.before.letter(pit) for pit in evidence.changed_specials if evidence.known(pit) != 0]
    if not changed:
        return verdict
    return f"{verdict} {language.text('findings.verdict.changed-marks', places=changed, count=len(changed))}"


def _legality(finding: Finding, evidence: Evidence, language: Language) -> str:
    best = finding.accounts[0]
    if best.kind in (UNPLAYED, TAKEN_BACK):
        return best.sentences[0]
    if finding.legal:
        claimed = evidence.claimed
        if claimed is not None and best.move is not None and not _is_claimed(best.move, claimed):
            return language.text("findings.verdict.legal-other", move=best.move, claimed=claimed)
        return language.text(f"findings.verdict.{'legal' if best.kind == LEGAL else 'legal-next'}")
    if finding.legal is None:
        return language.text("findings.verdict.unsure")
    if best.kind == UNKNOWN:
        return language.text("findings.verdict.unexplained")
    return language.text(f"findings.verdict.{'illegal-seen' if evidence.seen else 'illegal'}")


def _agreement(finding: Finding, agreed: int, cited: Sequence[str], language: Language) -> str:
    best = finding.accounts[0]
    if agreed == len(cited):
        return language.text(f"findings.verdict.{'written' if best.kind == LEGAL else 'written-next'}")
    if best.ply is None:
        return language.text("findings.verdict.unknown-since")
    key = "agreed" if agreed else "agreed-none"
    return language.text(f"findings.verdict.{key}", agreed=agreed, turn=cited[agreed])


def share_words(probability: float, language: Language) -> str:
    """A probability in words."""
    return language.text(f"findings.share.{next(word for least, word in SHARES if probability >= least)}")


def percent(probability: float) -> str:
    """A probability as a number to read."""
    if probability >= 0.9995:
        return "> 99.9 %"
    return f"{100 * probability:.1f} %" if probability >= 0.001 else "< 0.1 %"


def _is_claimed(move: Move, claimed: Move) -> bool:
    """Whether a legal turn is the one that was claimed, as far as the claim goes."""
    if move.pit != claimed.pit or (claimed.choices and move.choices != claimed.choices):
        return False
    if claimed.special is not None and set(claimed.special) != set(move.special or ""):
        return False
    return claimed.captured is None or claimed.captured == (move.captured or (0, 0))


def with_distinctions(accounts: list[Account], evidence: Evidence, language: Language) -> list[Account]:
    """The accounts, each with what would tell it from the next."""
    pairs = pairwise(accounts)
    found = [replace(one, distinction=_distinction(one, other, evidence, language)) for one, other in pairs]
    return [*found, *accounts[-1:]]


def _distinction(account: Account, other: Account, evidence: Evidence, language: Language) -> str:
    if not account.board or not other.board:
        return ""  # something else happened: there is nothing to look for
    position = evidence.before
    for place, (count, theirs) in enumerate(zip(account.board, other.board, strict=True)):
        if count != theirs and evidence.known(place) is None:
            name = place_text(position, place, language)
            return language.text("findings.tell.count", place=name, count=count, other=theirs)
    if {account.kinds, other.kinds} == {("wrong-side",), ("wrong-row",)}:
        hands = position.to_move, position.to_move.other
        mover, theirs = hands if account.kind == "wrong-row" else reversed(hands)
        return language.text("findings.tell.who", mover=mover, other=theirs)
    both = [_visible_steps(one, position, language) for one in (account, other)]
    at = next((at for at, (one, two) in enumerate(zip(*both, strict=False)) if one[0] != two[0]), min(map(len, both)))
    if at == max(map(len, both)):
        return language.text("findings.tell.alike")
    is_second, number = min(steps[at][1:] for steps in both if at < len(steps))
    lap = Message(f"findings.tell.lap{'-second' if is_second else ''}", {"number": number})
    ends = [language.text(f"findings.tell.{'end' if steps else 'nothing'}") for steps in both]
    here, there = (steps[at][0] if at < len(steps) else end for steps, end in zip(both, ends, strict=True))
    return language.text("findings.tell.event", lap=lap, event=here, other=there)


def _visible_steps(account: Account, position: Position, language: Language) -> list[tuple[str, bool, int]]:
    """The steps that somebody can see, each with whether it is of the second turn, and its lap: a choice shows only in
    what is sown."""
    steps = AccountSteps(account, position)
    second = len(account.steps) if steps.second_turn is None else steps.second_turn
    return [
        (step_text(position, event, language), number >= second, max(1, lap))
        for number, (event, lap) in enumerate(zip(account.steps, steps.laps(), strict=True))
        if event.kind != "choose"
    ]
