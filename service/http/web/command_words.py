"""The commands of comments, as sentences."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from records.notation import commands
from records.notation import dispute_commands as disputes
from records.notation.command_forms import Command
from records.notation.comments import RawCommand

RESULTS = {"1-0": "South wins", "0-1": "North wins", "1/2-1/2": "draw", "*": "no result"}
ENDED = {
    "repetition": "by repetition",
    "agreement": "by agreement",
    "resignation": "by resignation",
    "forfeit": "by forfeit",
    "time": "on time",
    "adjudication": "by adjudication",
}


def command_words(raw: RawCommand) -> str:
    """What a command says. One that is not known, or wrong, stays as it is written."""
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
            return f"clock {_time(seconds)}"
        case commands.Elapsed(seconds):
            return f"took {_time(seconds)}"
        case commands.Moment(at):
            return f"played {at:%Y-%m-%d %H:%M:%S %z}"
        case commands.Evaluation(seeds, result, depth):
            value = RESULTS[result] if result else f"{abs(seeds or 0)} for {'South' if (seeds or 0) >= 0 else 'North'}"
            return f"value: {value}" + (f", {depth} turns deep" if depth else "")
        case commands.By(name):
            return f"played by {name}"
        case commands.Join(side, name):
            return f"{name} joined {side}"
        case commands.Leave(side, name):
            return f"{name} left {side}"
        case commands.Trial(move, by):
            return f"{by or 'somebody'} tried {move}, which was not played"
        case commands.Retraction(move, side, reason, note):
            return f"{side} took back {move} ({reason})" + _after(note)
        case disputes.Dispute(side, claim, about, ply):
            turn = "the turn" if ply is None else f"turn {ply}"
            return f"{side} disputes {'how the game ended' if about else turn}" + _after(claim)
        case disputes.ChangedClaim(claim, by):
            return f"the claim{_by(by)} now" + _after(claim)
        case disputes.Proposal(side, outcome, move, position, after, result, termination, by, note):
            words = f"{side} proposes{_by(by)}: {outcome}"
            words += f" to turn {after}" if after is not None else ""
            words += f", {move} instead" if move else ""
            words += f", the board {position}" if position else ""
            return words + (f", {_end(result, termination, '')}" if result else "") + _after(note)
        case disputes.Response(side, answer, by):
            return f"{side} {answer} the proposal" + (f" ({by})" if by else "")
        case disputes.Ruling(outcome, by, note):
            return f"ruling{_by(by)}: {outcome}" + _after(note)
        case disputes.Penalty(side, kind, seeds, note):
            return f"penalty for {side}: {kind}" + (f" {seeds}" if seeds is not None else "") + _after(note)
        case disputes.ClockChange(side, to, add):
            return f"{side}'s clock " + (
                f"gets {_time(add)} more" if add is not None else f"is set to {_time(to or 0)}"
            )
        case disputes.Appeal(reason, side, by):
            return f"appeal{_by(by or str(side or ''))}" + _after(reason)
        case commands.End(result, termination, score, by):
            return f"the game had ended{_by(by)}: {_end(result, termination, score)}"
        case commands.Correction(result, termination, score, by, reason):
            return f"the end was corrected{_by(by)}: {_end(result, termination, score)}" + _after(reason)
        case commands.Reopening(by, reason):
            return f"the game was reopened{_by(by)}" + _after(reason)
        case commands.BoardEvent(serial, seq):
            return f"from board {serial}, event {seq}"
        case commands.After(position):
            return f"the board after it: {position}"
    return str(command)


def _by(name: str) -> str:
    return f" by {name}" if name else ""


def _after(text: str) -> str:
    return f": {text}" if text else ""


def _end(result: str, termination: str, score: str) -> str:
    parts = [" ".join(filter(None, (RESULTS.get(result, result), score.replace("-", "–"))))]
    if termination != "normal":
        parts.append(ENDED.get(termination, termination))
    return ", ".join(parts)


def _time(seconds: int | Decimal) -> str:
    """A time as it stands on a clock."""
    whole = int(seconds)
    fraction = str(Decimal(seconds) - whole)[1:] if seconds != whole else ""
    return f"{timedelta(seconds=whole)}{fraction}"
