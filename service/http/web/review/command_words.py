"""The commands of comments, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import groupby

from inkeek.records.notation import commands
from inkeek.records.notation.commands import Command, RawCommand
from inkeek.records.position import NORTH, SOUTH
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.access.caller import person_name
from inkeek.service.http.language import gettext, side_names

PENALTIES = {
    "warning": later("a warning"),
    "time": later("time"),
    "seeds": later("seeds"),
    "turn": later("a lost turn"),
    "game": later("the game"),
    "expulsion": later("expulsion"),
}
OUTCOMES = {  # of rulings, in words of the laws
    "stands": later("play on"),
    "retracted": later("restore the position"),
    "corrected": later("replay or correct"),
    "ended": later("award or end the game"),
    "reopened": later("play on, the end does not count"),
}
TERMINATIONS = {
    "normal": "",
    "repetition": later("by repetition"),
    "agreement": later("by agreement"),
    "resignation": later("by resignation"),
    "forfeit": later("by forfeit"),
    "time": later("on time"),
    "abandoned": later("abandoned"),
    "bye": later("no opponent"),
    "unplayed": later("nobody gets a point"),
    "unrecorded": later("how it ended: not recorded"),
    "adjudication": later("by adjudication"),
}


def join_ruled_back(comments: Sequence[str]) -> Iterator[str]:
    """The comments; those of turns that one ruling took back as one comment."""
    for ruled_back, group in groupby(comments, _is_ruled_back):
        texts = list(group)
        yield from [" ".join(texts)] if ruled_back else texts


def _is_ruled_back(comment: str) -> bool:
    """Whether a comment says nothing but that a ruling took a turn back."""
    found = next(commands.commands_in([comment], commands.Retraction), None)
    return isinstance(found, commands.Retraction) and found.side is None and str(found) == comment


def all_command_words(found: Sequence[RawCommand]) -> tuple[str, ...]:
    """What the commands of a comment say, a sentence each; turns that a ruling took back have one for all."""
    texts = list(map(str, found))
    if len(texts) > 1 and all(map(_is_ruled_back, texts)):
        moves = [str(one.move) for one in commands.commands_in(reversed(texts)) if isinstance(one, commands.Retraction)]
        return (gettext("taken back by a ruling: %(moves)s", moves=" ".join(moves)),)
    return tuple(map(command_words, found))


def command_words(raw: RawCommand) -> str:
    """What a command says, in the language of the page. One that is not known, or wrong, stays as it is written."""
    try:
        command = commands.parse_command(raw)
    except commands.CommandError:
        command = raw
    if isinstance(command, RawCommand):
        return f"{raw.name} {raw.arguments}".strip()
    return _sentence(command)


def _sentence(command: Command) -> str:
    match command:
        case commands.Clock(seconds):
            return gettext("clock %(time)s", time=_time(seconds))
        case commands.Elapsed(seconds):
            return gettext("took %(time)s", time=_time(seconds))
        case commands.Moment(at):
            return gettext("played %(moment)s", moment=f"{at:%Y-%m-%d %H:%M:%S %z}")
        case commands.Entering(at, by):
            return _with_person(gettext("entered %(moment)s", moment=f"{at:%Y-%m-%d %H:%M:%S %z}"), by)
        case commands.Evaluation(seeds, result, depth):
            return _evaluation(seeds, result, depth)
        case commands.By(name):
            return gettext("played by %(name)s", name=name)
        case commands.Join(side, name):
            return gettext("%(name)s joined %(side)s", name=name, side=_side(side))
        case commands.Leave(side, name):
            return gettext("%(name)s left %(side)s", name=name, side=_side(side))
        case commands.Trial(move, by):
            who = person_name(by) or gettext("somebody")
            return gettext("%(name)s tried %(move)s, which was not played", name=who, move=move)
        case commands.Retraction(move, None):
            return gettext("taken back by a ruling: %(moves)s", moves=move)
        case commands.Retraction(move, _, commands.ENTRY, note):
            return gettext("%(move)s had been entered, which was not played", move=move) + _after(note)
        case commands.Retraction(move, side, reason, note):
            words = gettext("%(side)s took back %(move)s (%(reason)s)", side=_side(side), move=move, reason=reason)
            return words + _after(note)
        case commands.End(result, termination, score, by):
            return _with_person(gettext("the game had ended"), by) + _after(_end(result, termination, score))
        case commands.Correction(result, termination, score, by, reason):
            words = _with_person(gettext("the end was corrected"), by) + _after(_end(result, termination, score))
            return words + _after(reason)
        case commands.Reopening(by, reason):
            return _with_person(gettext("the game was reopened"), by) + _after(reason)
        case commands.BoardEvent(serial, seq):
            return gettext("from board %(serial)s, event %(number)s", serial=serial, number=seq)
        case commands.After(position):
            return gettext("the board after it: %(position)s", position=position)
    return _dispute_sentence(command)


def _dispute_sentence(command: Command) -> str:
    match command:
        case commands.Dispute(side, claim, about, ply, seen):
            if about:
                words = gettext("%(side)s disputes how the game ended", side=_side(side))
            elif ply is None:
                words = gettext("%(side)s disputes the turn", side=_side(side))
            else:
                words = gettext("%(side)s disputes turn %(ply)s", side=_side(side), ply=ply)
            return words + _after(claim) + _counted(seen)
        case commands.ChangedClaim(claim, by, seen):
            return _with_person(gettext("the claim now"), by) + _after(claim) + _counted(seen)
        case commands.Proposal(side, outcome, move, position, after, result, termination, by, note):
            parts = [
                _with_person(gettext("%(side)s proposes", side=_side(side)), by) + _after(gettext(OUTCOMES[outcome]))
            ]
            parts += [gettext("to turn %(ply)s", ply=after)] if after is not None else []
            parts += [gettext("%(move)s instead", move=move)] if move else []
            parts += [gettext("the board %(position)s", position=position)] if position else []
            parts += [_end(result, termination, "")] if result else []
            return ", ".join(parts) + _after(note)
        case commands.Response(side, answer, by):
            answers = {
                "accepted": gettext("%(side)s accepts the proposal", side=_side(side)),
                "refused": gettext("%(side)s refuses the proposal", side=_side(side)),
            }
            return _with_person(answers.get(str(answer), f"{_side(side)}: {answer}"), by)
        case commands.Ruling(_, by, note, "yes"):
            return _with_person(gettext("the dispute is withdrawn"), by) + _after(note)
        case commands.Ruling(outcome, by, note):
            return _with_person(gettext("ruling"), by) + _after(gettext(OUTCOMES[outcome])) + _after(note)
        case commands.Penalty(side, kind, seeds, note):
            words = gettext("penalty for %(side)s: %(kind)s", side=_side(side), kind=gettext(PENALTIES[kind]))
            return words + (f" {seeds}" if seeds is not None else "") + _after(note)
        case commands.ClockChange(side, to, add):
            if add is not None:
                return gettext("the clock of %(side)s gets %(time)s more", side=_side(side), time=_time(add))
            return gettext("the clock of %(side)s is set to %(time)s", side=_side(side), time=_time(to or 0))
        case commands.Appeal(reason, _, by, "yes"):
            return _with_person(gettext("the arbiter corrects their own ruling"), by) + _after(reason)
        case commands.Appeal(reason, side, by):
            return _with_person(gettext("appeal"), by or (_side(side) if side else "")) + _after(reason)
    return str(command)


def _evaluation(seeds: int | Decimal | None, result: str | None, depth: int | None) -> str:
    value = seeds or 0
    if result:
        words = gettext("value: %(value)s", value=_result(result))
    else:
        side = side_names()[SOUTH if value >= 0 else NORTH]
        words = gettext("value: %(seeds)s for %(side)s", seeds=abs(value), side=side)
    return words + ", " + gettext("%(depth)s turns deep", depth=depth) if depth else words


def _side(side: object) -> str:
    """What the language of the page calls a side."""
    return side_names()[SOUTH if str(side) == str(SOUTH) else NORTH]


def _with_person(text: str, name: str) -> str:
    who = person_name(name)
    return f"{text} ({who})" if who else text


def _after(text: str) -> str:
    return f": {text}" if text else ""


def _counted(position: str) -> str:
    return "; " + gettext("the board %(position)s", position=position) if position else ""


def _result(result: str) -> str:
    if result in ("1-0", "0-1"):
        return gettext("%(side)s wins", side=side_names()[SOUTH if result == "1-0" else NORTH])
    words = {"1/2-1/2": gettext("draw"), "*": gettext("no result")}
    return words.get(result, result)


def _end(result: str, termination: str, score: str) -> str:
    scored = " ".join(filter(None, (_result(result), score.replace("-", "–"))))
    return ", ".join(filter(None, (scored, termination_words(termination))))


def termination_words(termination: str) -> str:
    """How a game ended, in the language of the page."""
    words = TERMINATIONS.get(termination, termination)
    return gettext(words) if words else ""


def _time(seconds: int | Decimal) -> str:
    """A time as it stands on a clock."""
    whole = int(seconds)
    fraction = str(Decimal(seconds) - whole)[1:] if seconds != whole else ""
    return f"{timedelta(seconds=whole)}{fraction}"
