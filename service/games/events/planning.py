"""Events that exist before their games: made, changed, and paired round by round, each round with its games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

import msgspec

from service.errors import Conflict, Invalid, NotFound, Stale
from service.games.corrections import correct_end
from service.games.endings import CorrectedEnd
from service.games.event_data import SIDES
from service.games.repository import Games
from service.games.write import Write
from service.storage import Change, EventPlanRow, Store, Transaction
from service.storage.clock import Clock, stamp, utc_now
from service.storage.search import name_key

from .changes import changed_part, changed_parts
from .pairing import (
    Pair,
    berger_length,
    berger_round,
    check_pairs,
    new_pairing,
    player_tags,
    seated,
    swiss_round,
    team_round,
)
from .plan import (
    BYES,
    FORFEITS,
    MAX_ROUNDS,
    EventPlan,
    Pairing,
    Round,
    adopted_plan,
    check_plan,
    plan_of,
    renamed,
)
from .standings import games_of_pairing, is_unrecorded, load_rows, matches_of, points_of
from .trf import trf_lines

FOLLOWED = 20  # newest events in which a player's name is mended
ENDS = {"1-0": ("adjudication", "South"), "0-1": ("adjudication", "North"), "1/2-1/2": ("agreement", None)}
"""Results of a game that nobody recorded, with the end that the game gets."""


Follow = Callable[[Transaction, EventPlan, EventPlan], None]
"""Brings who joined to their tables, in the transaction of a change of a plan."""
MendedName = tuple[str, int, str, str]
"""The key of an event, the number of a player, and their name before and after."""

Seat = Callable[[EventPlan, EventPlan], None]
"""Brings the boards to their tables after a change of a plan, which is stored already."""


class Events:
    """The planned events in a store. `most`: games of an event whose results are read; `zone`: of the days."""

    def __init__(
        self,
        store: Store,
        games: Games,
        most: int,
        clock: Clock = utc_now,
        zone: tzinfo = UTC,
        seat: Seat = lambda before, after: None,
        follow: Follow = lambda transaction, before, after: None,
    ) -> None:
        self._store = store
        self._games = games
        self._most = most
        self._clock = clock
        self._zone = zone
        self._seat = seat
        self._follow = follow

    def load(self, key: str) -> EventPlanRow:
        """The plan of the event with that key.

        :raises NotFound: it has none.
        """
        with self._store.reading() as transaction:
            return _get(transaction, key)

    def row(self, key: str) -> EventPlanRow | None:
        """The plan of the event with that key, if it has one."""
        with self._store.reading() as transaction:
            return transaction.event_plans.get(key)

    def adopted(self, key: str) -> EventPlan:
        """What the tags of an event's games say for its plan.

        :raises NotFound: no game has it.
        """
        rows, *_ = load_rows(self._store, key, self._most)
        return adopted_plan(rows)

    def create(self, plan: EventPlan, write: Write) -> EventPlanRow:
        """Make an event. Games may have its tag already.

        :raises Conflict: there is one of that name. :raises Invalid, RecordsError: see `check_plan`.
        """
        plan = check_plan(plan)
        with self._store.writing() as transaction:
            if transaction.event_plans.get(name_key(plan.name)) is not None:
                raise Conflict("There is an event %(name)r already. Choose another name.", name=plan.name)
            return self._put(transaction, None, plan, 1, write)

    def change(
        self, key: str, version: int | None, edit: Callable[[EventPlan], EventPlan], write: Write
    ) -> EventPlanRow:
        """Change the plan by `edit`. The rounds stay; games that have not begun get the new names of their players.

        :raises Stale: `version` is not the plan's. :raises Invalid, RecordsError: see `check_plan`.
        """
        with self._games.together() as transaction:
            row = _get(transaction, key, lock=True)
            _check_version(row, version)
            before = plan_of(row)
            plan = check_plan(edit(before))
            if name_key(plan.name) != key:
                raise Invalid(
                    "name is %(name)r: expected %(before)r, also in other capitals. The games have it in their tags.",
                    name=plan.name[:80],
                    before=before.name,
                )
            if plan.rounds and plan.format != before.format:
                raise Invalid(
                    "format is %(format)r: it stays %(before)r after the first round",
                    format=plan.format,
                    before=before.format,
                )
            self._rename(transaction, before, plan, write)
            changed = self._put(transaction, before, plan, row.version + 1, write)
        self._seat(before, plan)
        return changed

    def rename_player(
        self, keys: Collection[str], name: str, write: Write, event: str | None = None
    ) -> list[MendedName]:
        """Write the player who has one of these keys otherwise, in the event with that key, or in the newest ones that
        are not over. Where another player has the name already, nothing changes. Return what changed."""

        def mend(plan: EventPlan) -> EventPlan:
            return plan if plan.state == "over" else renamed(plan, keys, name)

        return self._mend_names([event] if event else None, mend, write)

    def take_out(self, keys: Collection[str], name: str, write: Write) -> None:
        """Write `name` for the players who have one of these keys, in all events. It gets a number for the second."""

        def mend(plan: EventPlan) -> EventPlan:
            found = [player.key for player in plan.players if player.key in keys]
            for number, key in enumerate(found, 1):
                plan = renamed(plan, {key}, name if number == 1 else f"{name} {number}")
            return plan

        self._mend_names(None, mend, write, most=None)

    def lock_plans(self) -> None:
        """Keep others from changing the newest plans until the transaction of `Store.together` ends. Call it before
        names are locked: who changes a plan locks them after it."""
        with self._games.together() as transaction:
            for key in sorted(transaction.event_plans.newest(FOLLOWED)):
                transaction.event_plans.get(key, lock=True)

    def restore_names(self, mended: Sequence[MendedName], write: Write) -> list[MendedName]:
        """Undo what `rename_player` did, where the players are still written so."""

        def restore(plan: EventPlan) -> EventPlan:
            for event, id, before, after in mended:
                player = plan.by_id.get(id)
                if event == name_key(plan.name) and player is not None and player.name == after:
                    plan = renamed(plan, {player.key}, before)
            return plan

        return self._mend_names([event for event, *_ in mended], restore, write)

    def begin_round(
        self, key: str, version: int | None, write: Write, pairs: Sequence[Pair] | None = None, offered: int = 0
    ) -> EventPlanRow:
        """Pair the next round and create its games, all or nothing. `pairs`: who plays whom, instead of what the format
        says. `offered`: which of the games that the event offers is played.

        :raises Conflict: the round before is not over, or this one cannot be paired. :raises Stale: see `change`.
        :raises Invalid: the pairs are wrong, or there is no such game.
        """
        row = self.load(key)
        _check_version(row, version)
        plan = plan_of(row)
        if plan.state == "over" or len(plan.rounds) >= MAX_ROUNDS:
            raise Conflict("The event %(name)r is over: it has no next round.", name=plan.name)
        if not 0 <= offered < len(plan.games):
            raise Invalid(
                "The event offers %(games)s games: there is none with the number %(offered)s. Add one.",
                games=len(plan.games),
                offered=offered + 1,
            )
        round = self._pair(key, plan, pairs, offered)
        made = self._draft_games(plan, round, write)
        by_table = {table: new.row.id for table, new in made.items()}
        pairings = tuple(msgspec.structs.replace(one, game=by_table.get(one.table)) for one in round.pairings)
        players = tuple(msgspec.structs.replace(one, state="in") if one.state == "bye" else one for one in plan.players)
        after = msgspec.structs.replace(
            plan, rounds=(*plan.rounds, Round(round.number, pairings)), players=players, state="running"
        )
        with self._games.together() as transaction:
            _check_version(_get(transaction, key, lock=True), row.version)
            self._games.add_all(list(made.values()))
            changed_row = self._put(transaction, plan, after, row.version + 1, write)
        self._seat(plan, after)
        return changed_row

    def change_table(
        self, key: str, version: int | None, number: int, table: int, changes: Mapping[str, Any], write: Write
    ) -> EventPlanRow:
        """Change who plays at a table of a round, or set its result. `changes`: ``south``, ``north`` (None: nobody, a
        bye) and ``result``: a bye, a forfeit, one of `ENDS`, or empty. Who came from another table is exchanged.

        :raises NotFound: no such table. :raises Conflict: the game has begun. :raises Invalid: it does not fit.
        """
        with self._games.together() as transaction:
            row = _get(transaction, key, lock=True)
            _check_version(row, version)
            plan = plan_of(row)
            round = plan.round(number)
            place = next((one for one in round.pairings if one.table == table), None) if round else None
            if round is None or place is None:
                raise NotFound("There is no table %(table)s in round %(number)s.", table=table, number=number)
            pairings = {one.table: one for one in round.pairings}
            if {"south", "north"} & changes.keys():
                pairings = seated(plan, pairings, place, {"south": place.south, "north": place.north, **changes})
                for at, one in pairings.items():
                    before = next(old for old in round.pairings if old.table == at)
                    if before.players != one.players:
                        pairings[at] = self._reseat(transaction, plan, number, before, one, write)
            result = changes.get("result")
            if result is not None:
                pairings[table] = self._with_result(transaction, plan, pairings[table], result, write)
            changed = Round(number, tuple(pairings.values()))
            rounds = tuple(changed if one.number == number else one for one in plan.rounds)
            after = msgspec.structs.replace(plan, rounds=rounds)
            said = [changed_part("result", f"{number}/{table}", None, result)] if result in ENDS else []
            changed_row = self._put(transaction, plan, after, row.version + 1, write, said)
        self._seat(plan, after)
        return changed_row

    # Parts

    def _mend_names(
        self,
        events: Iterable[str] | None,
        mend: Callable[[EventPlan], EventPlan],
        write: Write,
        most: int | None = FOLLOWED,
    ) -> list[MendedName]:
        """Change the plans of these events, or of the newest `most`."""
        found: list[MendedName] = []
        with self._games.together() as transaction:
            keys = transaction.event_plans.newest(most) if events is None else set(events)
            rows = [transaction.event_plans.get(key, lock=True) for key in sorted(keys)]
            for row in filter(None, rows):
                before = plan_of(row)
                plan = mend(before)
                if plan != before:
                    self._rename(transaction, before, plan, write)
                    self._put(transaction, before, plan, row.version + 1, write)
                    new = plan.by_id
                    pairs = [(one, new[one.id].name) for one in before.players]
                    found += [(row.event, one.id, one.name, name) for one, name in pairs if one.name != name]
        return found

    def _put(
        self,
        transaction: Transaction,
        before: EventPlan | None,
        plan: EventPlan,
        version: int,
        write: Write,
        said: Sequence[dict[str, Any]] = (),
    ) -> EventPlanRow:
        """Store a plan, and who changed it. `said`: what the change was besides, which the plan does not show."""
        data, now = msgspec.to_builtins(plan), stamp(self._clock())
        row = EventPlanRow(name_key(plan.name), plan.name, version, data, now)
        transaction.event_plans.put(row)
        parts = {"parts": [*changed_parts(before, plan), *said]}
        kind = "created" if before is None else "plan"
        transaction.changes.note(Change(0, now, write.actor, write.source, "event", kind, row.event, parts))
        self._follow(transaction, before or plan, plan)
        return row

    def _rename(self, transaction: Transaction, before: EventPlan, plan: EventPlan, write: Write) -> None:
        """Give the games that have not begun the names that the plan has now."""
        old, new = before.by_id, plan.by_id
        for one in (one for round in plan.rounds for one in round.pairings if one.game is not None):
            sides = zip(SIDES, one.players, strict=False)
            names = {side: new[id].name for side, id in sides if old[id].name != new[id].name}
            games = games_of_pairing(transaction, one.game or "") if names else []
            if any(game.ply == 0 and game.state == "live" for game in games):
                self._games.retag(games[0].id, names, write, in_match=True)

    def _pair(self, key: str, plan: EventPlan, pairs: Sequence[Pair] | None, offered: int) -> Round:
        """The next round without its games. Pairing takes long: it holds up no writer."""
        number = len(plan.rounds) + 1
        if pairs is not None:
            check_pairs(plan, pairs)
            made = [new_pairing(plan, pair) for pair in pairs]
        elif plan.format == "free":
            raise Invalid("pairings is missing. In a free event you say who plays whom.")
        elif plan.format == "teams":
            teams: dict[str, list[int]] = {}
            for player in plan.here:
                teams.setdefault(player.team, []).append(player.id)
            if len(teams) < 2:
                raise Conflict("There are no two teams. Give the players their teams.")
            made = [new_pairing(plan, pair) for pair in team_round(list(teams.values()), number)]
        else:
            made = self._pair_players(key, plan, number)
        made += [
            Pairing(0, player.id, result="half")
            for player in plan.players
            if player.state == "bye" and pairs is None and plan.format == "swiss"
        ]
        if not made:
            raise Conflict("Nobody is there to play. Add players.")
        made.sort(key=lambda one: one.north is None)
        return Round(
            number,
            tuple(msgspec.structs.replace(one, table=table, offered=offered) for table, one in enumerate(made, 1)),
        )

    def _pair_players(self, key: str, plan: EventPlan, number: int) -> list[Pairing]:
        ids = [player.id for player in plan.players]
        if len(plan.here) < 2:
            raise Conflict("Fewer than two players are there. Add players, or set them to 'in'.")
        began = {id for round in plan.rounds[:1] for one in round.pairings for id in one.players}
        if plan.format == "all" and not began ^ ({*ids} if plan.rounds else set()):
            if number > berger_length(len(ids)):
                raise Conflict("Everybody has met everybody. End the event, or pair a round by hand.")
            return [new_pairing(plan, pair) for pair in berger_round(ids, number)]
        # Also for everybody against everybody when somebody has come later: nobody meets twice.
        rows, *_ = load_rows(self._store, key, self._most)
        matches = matches_of(rows)
        last = plan.rounds[-1] if plan.rounds else None
        waiting = [one.table for one in last.pairings if points_of(one, matches) is None] if last else []
        if waiting:
            raise Conflict(
                "Round %(number)s is not over: no result at table %(tables)s.",
                number=number - 1,
                tables=", ".join(map(str, waiting)),
            )
        lines = trf_lines(plan, matches, next_round=True)
        return [
            new_pairing(plan, (ids[south - 1], None if north is None else ids[north - 1]))
            for south, north in swiss_round(lines)
        ]

    def _draft_games(self, plan: EventPlan, round: Round, write: Write) -> dict[int, Any]:
        """The new games of a round, by table."""
        return {
            one.table: self._draft(plan, round.number, one, write)
            for one in round.pairings
            if one.north is not None and not one.result
        }

    def _draft(self, plan: EventPlan, number: int, pairing: Pairing, write: Write) -> Any:
        offered = plan.games[pairing.offered]
        tags = {
            "Event": plan.name,
            "Date": self._clock().astimezone(self._zone).strftime("%Y.%m.%d"),  # as people at the tables write it
            "Round": str(number),
            "Board": str(pairing.table),
            **player_tags(plan, pairing),
        }
        if plan.place:
            tags["Site"] = plan.place
        if offered.time_control:
            tags["TimeControl"] = offered.time_control
        if plan.legs == 1:
            return self._games.draft(offered.game, offered.options, tags, write)
        tags |= {"Match": f"games {plan.legs}", "MatchGame": "1"}
        return self._games.draft(offered.game, offered.options, tags, write, match=("", 1))

    def _reseat(
        self, transaction: Transaction, plan: EventPlan, number: int, before: Pairing, after: Pairing, write: Write
    ) -> Pairing:
        """The pairing with its game changed, created or given up."""
        if before.game is not None:
            game = transaction.games.get(before.game, lock=True)
            if game is None or game.ply or game.state != "live":
                raise Conflict("The game at table %(table)s has begun. Its players stay.", table=before.table)
            if after.north is not None:
                self._games.retag(before.game, player_tags(plan, after), write, in_match=True)
                return after
            self._games.end(before.game, "abandoned", None, write)
        if after.north is None:
            return msgspec.structs.replace(after, game=None, result=after.result or "bye")
        new = self._draft(plan, number, after, write)
        self._games.add_all([new])
        return msgspec.structs.replace(after, game=new.row.id, result="")

    def _with_result(
        self, transaction: Transaction, plan: EventPlan, pairing: Pairing, result: str, write: Write
    ) -> Pairing:
        """The pairing with a result; its game ends accordingly."""
        fits = BYES if pairing.north is None else {**FORFEITS, **ENDS, "": None}
        if result not in fits:
            raise Invalid(
                "result is %(result)r: expected one of %(allowed)s",
                result=result[:40],
                allowed=", ".join(filter(None, fits)),
            )
        if pairing.game is not None and result:
            winner = {"south": "South", "north": "North"}.get(result)
            termination, winner = ENDS.get(result, ("forfeit" if winner else "abandoned", winner))
            games = games_of_pairing(transaction, pairing.game)
            live = [one for one in games if one.state == "live"]
            if result in ENDS and len(games) == 1 and is_unrecorded(games[0]):
                reason = f"result corrected at table {pairing.table}"
                correct_end(self._games, games[0].id, CorrectedEnd(termination, winner), reason, write)
            elif not live and result in ENDS:
                raise Conflict(
                    "The game at table %(table)s is over. Correct its end on the page of the game.", table=pairing.table
                )
            for one in live:
                self._games.end(one.id, termination, winner, write)
        return msgspec.structs.replace(pairing, result="" if result in ENDS else result)


def _get(transaction: Transaction, key: str, *, lock: bool = False) -> EventPlanRow:
    row = transaction.event_plans.get(key, lock=lock)
    if row is None:
        raise NotFound("The event %(key)r has no plan. Make it an event with rounds first.", key=key[:80])
    return row


def _check_version(row: EventPlanRow, version: int | None) -> None:
    if version is not None and version != row.version:
        raise Stale(
            "The event was changed meanwhile: it has version %(now)s, and you know %(version)s. Look at it again.",
            now=row.version,
            version=version,
        )
