"""What the page of an event with rounds shows: the tables of a round, and what waits for the organizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inkeek.service.games.events.pairing import planned_length
from inkeek.service.games.events.plan import EventPlan, Pairing, Round
from inkeek.service.games.events.results import is_unrecorded, matches_of, result_of, seen_of
from inkeek.service.games.events.tie_breaks import Points
from inkeek.service.games.validation import is_within
from inkeek.service.http.access import allows
from inkeek.service.http.access.invitations import Guest
from inkeek.service.http.access.roles import KEEPER
from inkeek.service.http.context import current_caller
from inkeek.service.http.names import shown_plan
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.http.web.labels import isolate
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import name_key


@dataclass(frozen=True, slots=True)
class TableCard:
    """A table of a round: its pairing, its players' keys and names, the game that is played, or the last one, what it
    came to (as in `PairingResult`), the text of `seen_of`, and who joined it."""

    pairing: Pairing
    keys: tuple[str, ...]
    names: tuple[str, ...]
    game: GameCard | None
    unplayed: str
    points: Points | None
    seen: str = ""
    guests: tuple[Guest, ...] = ()

    @property
    def keeper(self) -> Guest | None:
        """Who keeps the score."""
        return next((guest for guest in self.guests if guest.role == KEEPER), None)

    @property
    def asking(self) -> list[Guest]:
        """Who would keep it."""
        return [guest for guest in self.guests if guest.asks]

    @property
    def state(self) -> str:
        """``bye``, ``forfeit``, ``over``, ``disputed``, ``waiting`` (not begun), ``live``, ``next`` (the next game of
        its match has not begun) or ``open`` (no result)."""
        if self.game is not None and self.game.row.dispute is not None:
            return "disputed"
        if self.unplayed:
            return "bye" if self.pairing.north is None else "forfeit"
        if self.points is not None:
            return "over"
        if self.game is None or self.game.row.state != "live":
            return "open" if self.next_game is None else "next"
        return "live" if self.game.row.ply else "waiting"

    @property
    def next_game(self) -> int | None:
        """The number of the game that is to begin: the one at the table is over, and its match is not."""
        row = self.game and self.game.row
        if not row or row.match_id is None or row.state == "live" or self.points is not None:
            return None
        return (row.match_game or 1) + (row.result != "*")  # one without a result is played again

    @property
    def takes_result(self) -> bool:
        """Whether somebody may say what it came to: nobody recorded it to its end."""
        return self.game is not None and (self.game.row.state == "live" or is_unrecorded(self.game.row))

    @property
    def may_tap(self) -> bool:
        """Whether the caller says with one tap what came of it; an arbiter changes it otherwise."""
        caller = current_caller()
        if self.game is None or not allows(caller.scopes, "record") or not is_within(caller.limit, self.game.row):
            return False
        mends = self.state in ("over", "forfeit", "next") and self.takes_result and not allows(caller.scopes, "arbiter")
        return self.state == "waiting" or mends

    @property
    def may_change(self) -> bool:
        """Whether its players may change places: nobody has played."""
        return self.state in ("waiting", "bye")


@dataclass(frozen=True, slots=True)
class Evening:
    """A planned event with the tables of one of its rounds."""

    plan: EventPlan
    version: int
    round: Round | None
    tables: tuple[TableCard, ...]
    earlier: tuple[tuple[int, TableCard], ...] = ()
    """With the last round: the tables of those before it that are not over, each with the number of its round."""

    @property
    def boards(self) -> list[TableCard]:
        return [one for one in self.tables if one.pairing.north is not None and one.game is not None]

    @property
    def byes(self) -> list[TableCard]:
        return [one for one in self.tables if one.pairing.north is None or one.game is None]

    @property
    def without_table(self) -> list[str]:
        """The names of those who are here and play at no table of the round."""
        paired = {id for one in self.tables for id in one.pairing.players}
        here = (one for one in self.plan.players if one.state != "out" and one.id not in paired)
        return [isolate(one.name) for one in here if self.round]

    @property
    def is_last(self) -> bool:
        return self.round is None or self.round.number == len(self.plan.rounds)

    def count(self, *states: str) -> int:
        return sum(one.state in states for one in self.tables)

    @property
    def has_next(self) -> bool:
        """Whether a next round is to come."""
        planned = planned_length(self.plan)
        return self.plan.state != "over" and (planned is None or len(self.plan.rounds) < planned)


def evening_view(
    plan: EventPlan, version: int, rows: Sequence[GameRow], number: int | None, guests: Sequence[Guest] = ()
) -> Evening:
    """An event at its round `number`, or the last one, with the guests who joined its tables."""
    matches, players, shown_players = matches_of(rows), plan.by_id, shown_plan(plan)
    round = (plan.round(number) if number else None) or (plan.rounds[-1] if plan.rounds else None)

    def card(one: Pairing) -> TableCard:
        games = matches.get(one.game, [])
        keys = tuple(players[id].key for id in one.players)
        names = tuple(isolate(shown_players.by_id[id].name) for id in one.players)
        here = tuple(guest for guest in guests if guest.good and name_key(guest.table) == str(one.table))
        shown = next((GameCard(game) for game in games if game.state == "live"), GameCard(games[-1]) if games else None)
        return TableCard(one, keys, names, shown, *result_of(one, matches), seen_of(one, games), here)

    is_last = bool(plan.rounds) and round is plan.rounds[-1]
    earlier = tuple(
        (number, card(one))
        for number, one in (plan.places if is_last else ())
        if number < len(plan.rounds)
        if result_of(one, matches).points is None or any(game.dispute is not None for game in matches.get(one.game, ()))
    )
    return Evening(shown_players, version, round, tuple(map(card, round.pairings if round else ())), earlier)
