"""The tables of a round, what waits for the organizer, and the sensor boards at the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from inkeek.service.boards.event_tables import check_new_boards
from inkeek.service.boards.identity import NAMELESS
from inkeek.service.boards.ports import known_ports
from inkeek.service.boards.status import read_status
from inkeek.service.boards.view_models import board_view
from inkeek.service.errors import Invalid
from inkeek.service.games.events.pairing import planned_length
from inkeek.service.games.events.plan import EventPlan, Pairing, Round, TableBoard
from inkeek.service.games.events.results import is_unrecorded, matches_of, result_of, seen_of
from inkeek.service.games.events.tie_breaks import Points
from inkeek.service.games.validation import is_within
from inkeek.service.games.view_models import GameCard
from inkeek.service.http.access import allows
from inkeek.service.http.access.invitations import KEEPER, Guest
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.http.language import gettext
from inkeek.service.http.names import shown_plan
from inkeek.service.http.web.labels import isolate, player_names
from inkeek.service.storage import BoardRow, GameRow
from inkeek.service.storage.rows import FAR
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


AWAITED = ("waiting", "opening")  # states of a board that is being connected
MISSING = ("gone", "failed")  # of one that does not answer
FIELD = "board."  # prefix of the fields that say which board stands at a table
OTHER, OTHER_PORT = "other", "port."  # such a field says that another one has the port


@dataclass(frozen=True, slots=True)
class BoardAtTable:
    """What the page says of the board of a table. `kind`: ``good``, ``bad``, or empty while it is awaited. `game`: the
    id of another game, which it plays. `may_retry`: a person may try again to take it for the game."""

    name: str
    says: str | Markup
    kind: str = "bad"
    game: str = ""
    may_retry: bool = False


def follows_boards() -> bool:
    """Whether the caller's pages follow all boards: they change with every seed, so only those do who can answer."""
    return current_limit() is None and allows(current_caller().scopes, "record")


def board_choices(plan: EventPlan) -> dict[str, tuple[str, TableBoard]]:
    """The boards that can stand at a table, by port, each with a title: those that are connected or were, those of the
    plan, and ports where nobody has seen a board."""
    services, limit = current_services(), current_limit()
    found: dict[str, tuple[str, TableBoard]] = {}
    names: set[str] = set()
    for row in [*services.boards.open(limit), *services.boards.closed(limit)]:
        name = _name(row.serial, row.url)
        if row.driver == FAR or row.url in found or name in names:
            continue
        names.add(name)
        connected = row.wanted == "open" and read_status(row.status).state == "connected"
        title = gettext("%(board)s, connected", board=name) if connected else name
        found[row.url] = title, TableBoard(0, row.url, row.driver, row.serial, row.buttons)
    for one in plan.boards:
        found.setdefault(one.port, (_name(one.serial, one.port), one))
    for port in known_ports() if limit is None else ():
        title = gettext("New board at %(port)s (%(title)s)", port=port.url, title=port.title)
        found.setdefault(port.url, (title, TableBoard(0, port.url)))
    return found


def table_numbers(plan: EventPlan) -> range:
    """The tables at which a board may stand."""
    used = [one.table for round in plan.rounds[-1:] for one in round.pairings if one.north is not None]
    return range(1, max([plan.tables, (len(plan.players) + 1) // 2, *used, *(one.table for one in plan.boards)]) + 1)


def read_boards(form: Mapping[str, str], plan: EventPlan) -> tuple[TableBoard, ...]:
    """The boards that the form chooses; those of the plan if it has no fields for them.

    :raises Invalid: a board is not known any more. :raises Forbidden, OutsideLimit: see `check_new_boards`.
    """
    chosen = {table: form[f"{FIELD}{table}"] for table in table_numbers(plan) if f"{FIELD}{table}" in form}
    if not chosen:
        return plan.boards
    choices, found = board_choices(plan), []
    for table, port in chosen.items():
        if port == OTHER:
            port = form.get(f"{OTHER_PORT}{table}", "").strip()
            choices.setdefault(port, ("", TableBoard(table, port)))
        if port and port not in choices:
            raise Invalid("The board at %(port)r is not known any more. Choose another one.", port=port[:80])
        if port:
            known = choices[port][1]
            found.append(TableBoard(table, port, known.driver, known.serial, known.buttons))
    kept = {(one.table, one.port): one for one in plan.boards}  # what it is by now known by changes nothing
    boards = tuple(kept.get((one.table, one.port), one) for one in found)
    check_new_boards(plan.boards, boards)
    return boards


def boards_at_tables(evening: Evening) -> dict[int, BoardAtTable]:
    """What to say of the boards at the tables where a game goes on in the last round."""
    if not evening.plan.boards or not evening.is_last:
        return {}
    rows = current_services().boards.open()
    by_game, by_port = ({getattr(row, name): row for row in rows} for name in ("game", "url"))
    found = {}
    for one in evening.boards:
        planned = evening.plan.board_at(one.pairing.table)
        if planned is not None and one.game is not None and one.game.row.state == "live":
            row = by_game.get(one.game.id)
            missing = _elsewhere(planned, by_port.get(planned.port))
            found[one.pairing.table] = missing if row is None else _here(row, one.game)
    return found


def _elsewhere(planned: TableBoard, row: BoardRow | None) -> BoardAtTable:
    """What to say of a board that does not play the game of its table; `row`: where it is."""
    name = _name(planned.serial or (None if row is None else row.serial), planned.port)
    game = None if row is None else current_services().games.row(row.game)
    if game is None or game.state != "live":
        return BoardAtTable(name, gettext("This board could not be taken for the game."), may_retry=True)
    if not is_within(current_limit(), game):
        return BoardAtTable(name, gettext("This board still plays another game. It comes here when that is over."))
    names = " – ".join(player_names(game.tags))
    says = gettext("This board still plays %(names)s. It comes here when that game is over.", names=names)
    return BoardAtTable(name, says, game=game.id)


def _here(row: BoardRow, game: GameCard) -> BoardAtTable:
    """What to say of a board that plays the game of its table."""
    status, view = read_status(row.status), board_view(row, game.position)
    name, device = _name(row.serial, row.url), status.device
    if status.state in AWAITED:
        return BoardAtTable(name, gettext("is being connected"), kind="")
    if status.state in MISSING:
        return BoardAtTable(
            name,
            gettext("This board does not answer. Check its cable and its power; until then keep the score on a phone."),
        )
    if device is not None and device.row != game.position.row:
        return BoardAtTable(
            name,
            gettext(
                "This board has %(pits)s pits in a row, and the game has %(row)s. Choose another board in “Players and "
                "settings”, or keep the score on a phone.",
                pits=device.row,
                row=game.position.row,
            ),
        )
    if view.connected and not view.wrong:
        return BoardAtTable(name, gettext("connected"), kind="good")
    return BoardAtTable(name, view.refusal if view.wrong else view.message)


def _name(serial: str | None, port: str) -> str:
    if serial is None or serial in NAMELESS:
        return gettext("Board at %(port)s", port=port)
    return gettext("Board %(serial)s", serial=serial)
