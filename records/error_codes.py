"""The codes of what is wrong with a record: for each its kind, its severity, and when it is found."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

ErrorKind: TypeAlias = Literal["syntax", "tag", "turn", "result", "people"]
Severity: TypeAlias = Literal["error", "warning"]


class ErrorCode(NamedTuple):
    """What a code means. A `warning` is an error only for a strict reader."""

    kind: ErrorKind
    says: str
    severity: Severity = "error"


ERROR_CODES = {
    "not-utf-8": ErrorCode("syntax", "a line is not UTF-8"),
    "too-long": ErrorCode("syntax", "a line or the record is too long, or it has too many plies"),
    "bad-tag": ErrorCode("syntax", "a line among the tags cannot be read, or gives a tag again"),
    "not-a-move": ErrorCode("syntax", "a word stands where a move should stand"),
    "bad-movetext": ErrorCode("syntax", "anything else in the movetext cannot be read"),
    "bad-command": ErrorCode("syntax", "a command in a comment is wrong"),
    "bad-json": ErrorCode("syntax", "a line of JSON is not a record"),
    "wrong-tag": ErrorCode("tag", "a tag contradicts the rules or another tag, or a required one is missing"),
    # The reasons of `IllegalMove`.
    "not-your-pit": ErrorCode("turn", "the pit is the other side's"),
    "no-such-pit": ErrorCode("turn", "the row is shorter"),
    "empty-pit": ErrorCode("turn", "the pit is empty"),
    "special-pit": ErrorCode("turn", "the pit is a bull or uur"),
    "closed-pit": ErrorCode("turn", "the pit is closed"),
    "first-move": ErrorCode("turn", "the first turn must start from the far right-hand pit"),
    "must-feed": ErrorCode("turn", "the opponent has no seeds, and the turn gives none (Oware)"),
    "game-over": ErrorCode("turn", "the game has ended, though there are seeds to sow"),
    "endless-sowing": ErrorCode("turn", "the turn never ends"),
    "no-such-choice": ErrorCode("turn", "more choices of direction than the turn offers"),
    "must-move": ErrorCode("turn", "a pass despite a legal turn, or in a game without passes"),
    "rearrangement": ErrorCode("turn", "the rules do not allow this rearrangement"),
    "false-claim": ErrorCode("turn", "the turn does not do what is written"),
    "irregular": ErrorCode("turn", "an irregular turn outside a record, or without a right position after it"),
    "too-much-sowing": ErrorCode("turn", "to check the record takes too many laps of sowing"),
    "wrong-result": ErrorCode("result", "`Result`, `Score` or `Termination` contradict the game or each other"),
    "goes-on": ErrorCode("result", "the game goes on after an `end`"),
    "missing-result": ErrorCode("result", "`Result` is missing or `*`, but follows from the game", "warning"),
    "missing-race": ErrorCode("tag", "the options ask for a race, but there is no `Race`", "warning"),
    "other-version": ErrorCode("tag", "`Version` is not one that the reader knows", "warning"),
    "unusual-date": ErrorCode("tag", "`Date` is not a day", "warning"),
    "people": ErrorCode("people", "commands about people contradict each other", "warning"),
}
