"""The boards that play nothing now, and what they can play: one tap begins a game or joins one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inkeek.records import Position
from inkeek.service.boards.status import read_status
from inkeek.service.http.context import all_rulesets
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.games.set_ups import SetUp, set_ups
from inkeek.service.storage import BoardRow, GameRow, PluggedRow
from inkeek.service.storage.rows import FAR

from .view_models import BoardCard, board_name

OFFERED = 5  # games that go on, for each board


@dataclass(frozen=True, slots=True)
class FreeBoard:
    """A board that is plugged in, or whose game is over. `id`: of the binding to that game."""

    url: str
    driver: str
    serial: str | None
    row: int
    stores: bool
    id: str | None = None

    @classmethod
    def of_port(cls, port: PluggedRow) -> FreeBoard:
        return cls(port.url, "inkeek", port.serial, port.row or 0, bool(port.stores))

    @classmethod
    def of_card(cls, card: BoardCard) -> FreeBoard | None:
        """The board of a card; None if it plays, is not connected, or hangs on another machine."""
        device = card.status.device
        if card.game.state != "ended" or not card.view.connected or device is None or card.row.driver == FAR:
            return None
        return cls(card.row.url, card.row.driver, card.row.serial, device.row, device.stores, card.id)

    @property
    def name(self) -> str:
        return board_name(self.serial, self.url)

    @property
    def size(self) -> str:
        stores = gettext("stores weighed") if self.stores else gettext("stores not weighed")
        return f"2×{self.row}, {stores}"

    @property
    def rules(self) -> list[tuple[str, str]]:
        """Id and name of the rules that fit it."""
        return [(info.id, info.name) for info in all_rulesets() if info.id in fitting_set_ups(self.row)]

    def games_that_fit(self, games: Iterable[GameRow]) -> list[tuple[str, str]]:
        """Id and players of those of the games that it can go on with."""
        fitting = [row for row in games if Position.parse(row.position).row == self.row][:OFFERED]
        return [(row.id, " – ".join(labels.player_names(row.tags))) for row in fitting]


def fitting_set_ups(row: int) -> dict[str, SetUp]:
    """The set-up of each rule set on a board of so many pits a row, by its id."""
    fitting = (
        (info.id, next((one for one in set_ups(info) if one.position.row == row), None)) for info in all_rulesets()
    )
    return {id: set_up for id, set_up in fitting if set_up is not None}


def free_ports(ports: Iterable[PluggedRow], boards: Iterable[BoardRow]) -> list[PluggedRow]:
    """The ports at which none of the open boards is: the desk may not have looked since one was bound."""
    used = {name for board in boards for name in (board.url, read_status(board.status).port, board.serial) if name}
    return [port for port in ports if port.url not in used and port.serial not in used]
