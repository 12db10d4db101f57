"""Whose claim of a serial number counts: a number is what a board says, and what it may keep others from is limited.

A board that is bound with a limited key counts only at the games of that limit, and a far board only at its own game,
unless a person has bound it to its number. A board that has proved its number counts everywhere.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from service.errors import OutsideLimit
from service.storage import BoardRow, GameRow, Limit, Transaction, covers

from .identity import FAR

ALL_GAMES = "all"  # the reach of a board that was bound to its number with a key without a limit


def reach_text(limit: Limit | None) -> str:
    """A reach as it is stored with a board."""
    return ALL_GAMES if limit is None else f"{limit.kind}:{limit.value}"


def _reach(board: BoardRow, serial: str) -> Limit | None:
    """The games at which this board counts when it says that it has this serial number; None: all."""
    if board.driver == FAR and (board.serial != serial or board.reach is None):
        return Limit("game", board.game)
    if board.reach in (None, ALL_GAMES):
        return None
    kind, _, value = str(board.reach).partition(":")
    return Limit(kind, value)


@dataclass(frozen=True, slots=True)
class SerialClaim:
    """What a board of a game says. `place`: the port it is at."""

    board: BoardRow
    game: GameRow
    serial: str
    place: str = ""
    proved: bool = False

    def reaches(self, other: SerialClaim) -> bool:
        """Whether this one counts at the other's game."""
        reach = _reach(self.board, self.serial)
        return reach is None or covers(reach, other.game)

    def outranks(self, other: SerialClaim) -> bool:
        """Whether this one plays, and the other, which has the same number, must wait."""
        if self.proved is not other.proved:
            return self.proved
        if not self.reaches(other):
            return False
        return not other.reaches(self) or self._order < other._order

    @property
    def _order(self) -> tuple[bool, str, str]:
        """Who is bound to the number comes first, then who was bound earlier."""
        return self.board.serial != self.serial, self.board.created, self.board.id


class Presence:
    """The claims of the boards that are connected now, in this process. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._claims: dict[str, SerialClaim] = {}  # by the board's id

    def arrive(self, claim: SerialClaim) -> None:
        with self._lock:
            self._claims[claim.board.id] = claim

    def leave(self, board_id: str) -> None:
        with self._lock:
            self._claims.pop(board_id, None)

    def prove(self, board_id: str) -> None:
        """The board has proved its serial number."""
        with self._lock:
            if board_id in self._claims:
                self._claims[board_id] = replace(self._claims[board_id], proved=True)

    def get(self, board_id: str) -> SerialClaim | None:
        with self._lock:
            return self._claims.get(board_id)

    def rivals(self, board_id: str) -> tuple[SerialClaim | None, list[SerialClaim]]:
        """The claim of a board, and those of others with its serial number."""
        with self._lock:
            claim = self._claims.get(board_id)
            if claim is None:
                return None, []
            others = [other for key, other in self._claims.items() if key != board_id and other.serial == claim.serial]
        return claim, sorted(others, key=lambda other: other.place)


def find_blocking(transaction: Transaction, board: BoardRow, serial: str) -> BoardRow | None:
    """The open board that is bound to this serial number, and keeps `board` from being bound to it; None: there is
    none."""
    game = transaction.games.get(board.game)
    assert game is not None
    claim = SerialClaim(board, game, serial)
    for other in _bound_to(transaction, serial, board.id):
        if other.outranks(claim):
            return other.board
    return None


def check_claim(transaction: Transaction, serial: str, limit: Limit | None, but: str = "") -> None:
    """:raises OutsideLimit: a key with this limit cannot bind a board to the number: one outside of it has it."""
    for other in _bound_to(transaction, serial, but):
        if limit is not None and not covers(limit, other.game):
            raise OutsideLimit(
                "The key is limited to %(limit)s. A board outside of it has the serial number %(serial)s.",
                limit=limit,
                serial=serial,
            )


def _bound_to(transaction: Transaction, serial: str, but: str) -> list[SerialClaim]:
    """The claims of open boards of games that go on which are bound to this number."""
    claims = []
    for board in transaction.boards.open():
        if board.serial == serial and board.id != but:
            game = transaction.games.get(board.game)
            if game is not None and game.state != "ended":
                claims.append(SerialClaim(board, game, serial))
    return claims
