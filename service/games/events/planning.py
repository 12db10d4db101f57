"""Events that exist before their games: made, changed, and paired round by round, each round with its games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

import msgspec

from inkeek.service.errors import Conflict, Forbidden, Invalid, NotFound, OutsideLimit, Stale
from inkeek.service.games.corrections import correct_end, reopen
from inkeek.service.games.endings import CorrectedEnd
from inkeek.service.games.event_data import EndedData
from inkeek.service.games.matches.games import LaterGames, judge_later
from inkeek.service.games.new_game import NewGame
from inkeek.service.games.repository import Games
from inkeek.service.games.state import ending_of, game_state
from inkeek.service.games.write import Write, key_of
from inkeek.service.storage import Change, EventPlanRow, GameRow, Limit
from inkeek.service.storage.clock import Clock, stamp, utc_now
from inkeek.service.storage.search import alike_keys, name_key, table_limit
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

from .pairing import (
    Pair,
    berger_length,
    berger_round,
    check_pairs,
    known_result,
    player_tags,
    seated,
    swiss_round,
    team_round,
    with_teams,
)
from .plan import (
    MAX_ROUNDS,
    EventPlan,
    Pairing,
    Round,
    adopted_plan,
    changed_part,
    changed_parts,
    check_plan,
    names_in,
    plan_of,
    renamed,
    with_parts_in_play,
)
from .results import (
    BYES,
    ENDS,
    FORFEITS,
    TAPPED,
    games_of_pairing,
    is_unplayed,
    is_unrecorded,
    matches_of,
    result_of,
    said,
    seen_of,
)
from .standings import as_written, load_rows
from .trf import trf_lines

FOLLOWED = 20  # newest events in which a player's name is mended

Expected = int | Callable[[EventPlanRow], None] | None
"""What a plan is before it is changed: its version, or what checks the row that is changed, and raises `Stale`."""

Follow = Callable[[Transaction, EventPlan, EventPlan], None]
"""Brings who joined to their tables, in the transaction of a change of a plan."""
MendedName = tuple[str, str, str, str]
"""The key of an event, the place of a person in its plan, and their name before and after."""

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

    def moved(self, key: str) -> str:
        """The name now of an event that had the name with that key; empty: one has it still, or none ever had it."""
        name, passed = "", {key}
        with self._store.reading() as transaction:
            while transaction.event_plans.get(key) is None and transaction.names.event(key) is None:
                changes = transaction.changes.newest("event", [key], 1)
                parts = (changes[0].data or {}).get("parts", ()) if changes else ()
                name = next((part["after"] for part in parts if part["field"] == "name" and part["before"]), "")
                key = name_key(name)
                if key in passed | {""}:
                    return ""
                passed.add(key)
        return name

    def adopted(self, key: str) -> EventPlan:
        """What the tags of the games that count in an event say for its plan.

        :raises NotFound: there is none.
        """
        rows, _, persons = load_rows(self._store, key, self._most)
        if not rows:
            raise NotFound("no game has the event %(key)r", key=key[:80])
        return adopted_plan(rows, persons.owner)

    def create(self, plan: EventPlan, write: Write) -> EventPlanRow:
        """Make an event. Games may have its tag already.

        :raises Conflict: there is one of that name. :raises Invalid, RecordsError: see `check_plan`.
        """
        plan = check_plan(plan)
        with self._store.writing() as transaction:
            _check_new_name(transaction, plan.name)
            _check_persons(transaction, plan)
            return self._put(transaction, None, plan, 1, write)

    def change(self, key: str, version: Expected, edit: Callable[[EventPlan], EventPlan], write: Write) -> EventPlanRow:
        """Change the plan by `edit`. The rounds stay; games without turns get the new names of their players.

        :raises Stale: `version` is not the plan's. :raises Invalid, RecordsError: see `check_plan`.
        """
        with self._games.together() as transaction:
            row = _get(transaction, key, lock=True)
            check_expected(row, version)
            before = as_written(transaction, plan_of(row))
            plan = check_plan(with_parts_in_play(before, edit(before)))
            if plan == before:
                return row
            if plan.by_id != before.by_id:
                _check_persons(transaction, plan)
            if name_key(plan.name) != key:
                self._move(transaction, before, plan, write)
            if plan.rounds and plan.format != before.format:
                raise Invalid(
                    "format is %(format)r: it stays %(before)r after the first round",
                    field="format",
                    format=plan.format,
                    before=before.format,
                )
            self._rename(transaction, before, plan, write)
            changed = self._put(transaction, before, plan, row.version + 1, write)
        self._seat(before, plan)
        return changed

    def rename_player(self, keys: Collection[str], name: str, write: Write) -> list[MendedName]:
        """Write the person who has one of these keys otherwise, in the newest events that are not over. Where another
        player has the name already, nothing changes. Return what changed."""

        def mend(plan: EventPlan) -> EventPlan:
            if plan.state == "over":
                return plan
            return renamed(plan, lambda _, now: name if name_key(now) in keys else now)

        return self._mend_names(None, mend, write)

    def take_out(self, keys: Collection[str], name: str, write: Write) -> None:
        """Write `name` for the persons who have one of these keys, in all events. It gets a number for the second."""

        def mend(plan: EventPlan) -> EventPlan:
            found = dict.fromkeys(key for key in map(name_key, names_in(plan).values()) if key in keys)
            names = {key: name if number == 1 else f"{name} {number}" for number, key in enumerate(found, 1)}
            return renamed(plan, lambda _, now: names.get(name_key(now), now))

        self._mend_names(None, mend, write, most=None)

    def lock_plans(self) -> None:
        """Keep others from changing the newest plans until the transaction of `Store.together` ends. Call it before
        names are locked: who changes a plan locks them after it."""
        with self._games.together() as transaction:
            for key in sorted(transaction.event_plans.newest(FOLLOWED)):
                transaction.event_plans.get(key, lock=True)

    def with_both(self, keys: Collection[str], others: Collection[str]) -> str | None:
        """The name of an event in which somebody with one of these keys plays, and somebody with one of the others."""
        with self._store.reading() as transaction:
            for event in transaction.event_plans.newest(None):
                row = transaction.event_plans.get(event)
                players = {player.key for player in plan_of(row).players} if row is not None else set()
                if row is not None and players & {*keys} and players & {*others}:
                    return row.name
        return None

    def restore_names(self, mended: Sequence[MendedName], write: Write) -> list[MendedName]:
        """Undo what `rename_player` did, where the persons are still written so."""
        # Earlier changes have the number of a player as the place.
        names = {
            (event, f"players.{at}.name" if isinstance(at, int) else at, now): was for event, at, was, now in mended
        }

        def restore(plan: EventPlan) -> EventPlan:
            return renamed(plan, lambda place, now: names.get((name_key(plan.name), place, now), now))

        return self._mend_names([event for event, *_ in mended], restore, write, restores=True)

    def begin_round(
        self, key: str, version: Expected, write: Write, pairs: Sequence[Pair] | None = None, offered: int = 0
    ) -> EventPlanRow:
        """Pair the next round and create its games, all or nothing. `pairs`: who plays whom, instead of what the format
        says. `offered`: which of the games that the event offers is played.

        :raises Conflict: the round before is not over, or this one cannot be paired. :raises Stale: see `change`.
        :raises Invalid: the pairs are wrong, or there is no such game.
        """
        with self._store.reading() as transaction:
            row = _get(transaction, key)
            plan = as_written(transaction, plan_of(row))
        check_expected(row, version)
        if plan.state == "over" or len(plan.rounds) >= MAX_ROUNDS:
            raise Conflict("The event %(name)r is over: it has no next round.", name=plan.name)
        if not 0 <= offered < len(plan.games):
            raise Invalid(
                "The event offers %(games)s games: there is none with the number %(offered)s. Add one.",
                games=len(plan.games),
                offered=offered + 1,
            )
        number = len(plan.rounds) + 1
        pairings, made = [], []
        for table, (pair, result) in enumerate(self._pair(key, plan, number, pairs), 1):
            one = with_teams(plan, Pairing(table, *pair, offered=offered))
            made.append(self._draft(plan, number, one, write, result))
            pairings.append(msgspec.structs.replace(one, game=made[-1].row.id))
        players = tuple(msgspec.structs.replace(one, state="in") if one.state == "bye" else one for one in plan.players)
        after = msgspec.structs.replace(
            plan, rounds=(*plan.rounds, Round(number, tuple(pairings))), players=players, state="running"
        )
        if plan.planned_rounds is not None:
            after = msgspec.structs.replace(after, planned_rounds=max(plan.planned_rounds, number))
        with self._games.together() as transaction:
            locked = _get(transaction, key, lock=True)
            check_expected(locked, row.version)
            check_expected(locked, version)
            _check_undisputed(transaction, plan)
            self._games.add_all(made)
            changed_row = self._put(transaction, plan, after, row.version + 1, write)
        self._seat(plan, after)
        return changed_row

    def change_table(
        self,
        key: str,
        version: Expected,
        number: int,
        table: int,
        changes: Mapping[str, Any],
        write: Write,
        *,
        is_arbiter: bool = True,
        keeps: bool = False,
    ) -> EventPlanRow:
        """Change who plays at a table of a round, or say what came of it. `changes`: ``south``, ``north`` (None:
        nobody): who came from another table is exchanged; ``result``: one of `ENDS`, or empty if the game goes on;
        ``turns``: those that the game has, by default none; ``game``: which game of a match the result is of; ``seen``:
        what `seen_of` said of the table when whoever asks looked at it.

        `is_arbiter`: whoever asks may do all of that; else say the result of a game that goes on, and until the next
        round change what they said themselves, or what anybody said if they `keep` the score of the table.

        :raises NotFound: no such table. :raises Invalid: it does not fit. :raises Conflict: the game has begun, or has
            other turns, or the table is not as it was `seen`. :raises Forbidden: see `is_arbiter`.
        :raises Disputed: the game waits for a ruling.
        """
        with self._games.together() as transaction:
            row = _get(transaction, key, lock=True)
            check_expected(row, version)
            plan = after = as_written(transaction, plan_of(row))
            _, place = _place(plan, number, table)
            now, seen = seen_of(place, games_of_pairing(transaction, place.game)), changes.get("seen")
            if seen is not None:
                _check_seen(transaction, plan, place, seen, now, is_arbiter=is_arbiter)
            if {"south", "north"} & changes.keys():
                if not is_arbiter:
                    raise Forbidden("Only an arbiter changes who plays at a table.")
                after = self._seated(transaction, plan, number, place, changes, write)
                if after != plan:
                    row = self._put(transaction, plan, after, row.version + 1, write)
            result = changes.get("result")
            if result is not None:
                _, place = _place(after, number, table)
                game = _game_of_result(transaction, after, place, result, changes.get("game"))
                _check_turns(place, game, changes.get("turns", 0))
                if not is_arbiter:
                    _check_may_say(transaction, after, number, place, game, write, keeps=keeps)
                before = said(game)
                if before != result:
                    if seen not in (None, now):
                        raise Conflict(
                            "The result at table %(table)s is %(result)s, which you did not see yet. Nothing was "
                            "changed: look at it again.",
                            table=table,
                            result=" ".join(now.split(" ")[1:]),
                            current=game,
                        )
                    self._say(game, result, f"result changed at table {table}", write)
                    _check_later(transaction, game, table)
                    part = changed_part("result", f"{number}/{table}", before or None, result or None)
                    self._note(transaction, row, "plan", [part], write)
        self._seat(plan, after)
        return row

    # Parts

    def _mend_names(
        self,
        events: Iterable[str] | None,
        mend: Callable[[EventPlan], EventPlan],
        write: Write,
        most: int | None = FOLLOWED,
        *,
        restores: bool = False,
    ) -> list[MendedName]:
        """Change the plans of these events, or of the newest `most`. `restores`: see `_rename`."""
        found: list[MendedName] = []
        with self._games.together() as transaction:
            keys = transaction.event_plans.newest(most) if events is None else set(events)
            rows = [transaction.event_plans.get(key, lock=True) for key in sorted(keys)]
            for row in filter(None, rows):
                before = plan_of(row)
                plan = mend(before)
                if plan != before:
                    self._rename(transaction, before, plan, write, restores=restores)
                    self._put(transaction, before, plan, row.version + 1, write)
                    new = names_in(plan)
                    found += [(row.event, at, was, new[at]) for at, was in names_in(before).items() if new[at] != was]
        return found

    def _put(
        self, transaction: Transaction, before: EventPlan | None, plan: EventPlan, version: int, write: Write
    ) -> EventPlanRow:
        row = EventPlanRow(name_key(plan.name), plan.name, version, msgspec.to_builtins(plan), stamp(self._clock()))
        transaction.event_plans.put(row)
        kind = "created" if before is None else "plan"
        self._note(transaction, row, kind, changed_parts(before, plan), write)
        self._follow(transaction, before or plan, plan)
        return row

    def _note(
        self, transaction: Transaction, row: EventPlanRow, kind: str, parts: Sequence[dict[str, Any]], write: Write
    ) -> None:
        now = stamp(self._clock())
        transaction.changes.note(
            Change(0, now, write.actor, write.source, "event", kind, row.event, {"parts": [*parts]})
        )

    def _move(self, transaction: Transaction, before: EventPlan, plan: EventPlan, write: Write) -> None:
        """Have an event that has no games have another name, with its rules and its guests.

        :raises Invalid: it has games. :raises Conflict: there is an event of that name. :raises OutsideLimit: the
            writer's limit is the old name.
        """
        old, new = name_key(before.name), name_key(plan.name)
        if plan.rounds or transaction.games.event_exceeds(old, 0):
            raise Invalid(
                "name is %(name)r: expected %(before)r, also in other capitals: its games have it in their tags. For "
                "another name make a new event like this one; the games that were played stay here.",
                field="name",
                name=plan.name[:80],
                before=before.name,
            )
        if write.limit is not None:
            raise OutsideLimit("The key is limited to %(limit)s, and cannot rename it.", limit=write.limit)
        _check_new_name(transaction, plan.name, but=old)
        moved = changed_part("name", "", before.name, plan.name)
        self._note(transaction, _get(transaction, old), "plan", [moved], write)  # so that the old address leads here
        transaction.event_plans.remove(old)
        rules = transaction.event_rules.get(old)
        if rules is not None:
            transaction.event_rules.remove(old)
            transaction.event_rules.put(new, rules)
        for key in (*transaction.keys.guests(old), *transaction.keys.invitations(old)):
            limit = table_limit(plan.name, key.table) if key.table else Limit("event", plan.name)
            transaction.keys.put(key._replace(limit=limit))

    def _rename(
        self, transaction: Transaction, before: EventPlan, plan: EventPlan, write: Write, *, restores: bool = False
    ) -> None:
        """Give the games without turns the names that the plan has now. `restores`: also those that have begun, if a
        name of theirs is somebody else's again, as it was joined meanwhile."""
        old, new, plan = before.by_id, plan.by_id, as_written(transaction, plan)
        owner = transaction.persons.owner
        for one in plan.pairings:
            if any(old[id].name != new[id].name for id in one.players):
                games, tags = games_of_pairing(transaction, one.game), player_tags(plan, one)
                is_another = restores and any(
                    owner(game.tags.get(side, "")) != owner(name or "") for game in games for side, name in tags.items()
                )
                if games and (is_another or all(game.ply == 0 for game in games)):
                    self._games.retag(one.game, tags, write, in_match=True, of_event=True)

    def _pair(self, key: str, plan: EventPlan, number: int, pairs: Sequence[Pair] | None) -> list[tuple[Pair, str]]:
        """The pairs of the next round in the order of their tables, with what is known of them (`known_result`).
        Pairing takes long: it holds up no writer."""
        if pairs is not None:
            check_pairs(plan, pairs)
            made = pairs
        elif plan.format == "free":
            raise Invalid("pairings is missing. In a free event you say who plays whom.", field="pairings")
        elif plan.format == "teams":
            teams = {player.team: [one.id for one in plan.here if one.team == player.team] for player in plan.players}
            if sum(map(bool, teams.values())) < 2:
                raise Conflict("There are no two teams. Give the players their teams.")
            if number > max(berger_length(len(teams)), plan.planned_rounds or 0):
                raise Conflict("Every team has met every other. End the event, plan more rounds, or pair one by hand.")
            made = team_round(list(teams.values()), number)
        else:
            made = self._pair_players(key, plan, number)
        found = [(pair, known_result(plan, pair)) for pair in made]
        paired = {id for pair in made for id in pair}
        found += [((one.id, None), "half") for one in plan.players if one.state == "bye" and one.id not in paired]
        if not found:
            raise Conflict("Nobody is there to play. Add players.")
        return sorted(found, key=lambda one: one[0][1] is None)

    def _pair_players(self, key: str, plan: EventPlan, number: int) -> list[Pair]:
        ids = [player.id for player in plan.players]
        if len(plan.here) < 2:
            raise Conflict("Fewer than two players are there. Add players, or choose 'plays' for them (state 'in').")
        began = {id for round in plan.rounds[:1] for one in round.pairings for id in one.players}
        if plan.format == "all" and not began ^ ({*ids} if plan.rounds else set()):
            if number > berger_length(len(ids)):
                raise Conflict("Everybody has met everybody. End the event, or pair a round by hand.")
            return berger_round(ids, number)
        # Also for everybody against everybody when somebody has come later: nobody meets twice.
        rows, *_ = load_rows(self._store, key, self._most)
        matches = matches_of(rows)
        for round in plan.rounds:
            waiting = [one.table for one in round.pairings if result_of(one, matches).points is None]
            if waiting:
                raise Conflict(
                    "Round %(number)s is not over: no result at table %(tables)s.",
                    number=round.number,
                    tables=", ".join(map(str, waiting)),
                )
        lines = trf_lines(plan, matches, next_round=True)
        return [(ids[south - 1], None if north is None else ids[north - 1]) for south, north in swiss_round(lines)]

    def _draft(self, plan: EventPlan, number: int, pairing: Pairing, write: Write, result: str) -> NewGame:
        """The new game of a pairing; with a result, one of `ENDS`, it has ended."""
        offered = plan.games[pairing.offered]
        names = player_tags(plan, pairing)
        tags = {
            "Event": plan.name,
            "Date": self._clock().astimezone(self._zone).strftime("%Y.%m.%d"),  # as people at the tables write it
            "Round": str(number),
            "Board": str(pairing.table),
            **{side: name for side, name in names.items() if name is not None},
        }
        if plan.place:
            tags["Site"] = plan.place
        if offered.time_control:
            tags["TimeControl"] = offered.time_control
        match = None
        if plan.legs > 1:
            tags |= {"Match": f"games {plan.legs}", "MatchGame": "1"}
            match = ("", 1)
        end = EndedData(**ending_of(*ENDS[result], write.actor)) if result else None
        return self._games.draft(offered.game, offered.options, tags, write, match=match, end=end)

    def _seated(
        self,
        transaction: Transaction,
        plan: EventPlan,
        number: int,
        place: Pairing,
        seats: Mapping[str, Any],
        write: Write,
    ) -> EventPlan:
        """The plan with other players at a table; the games of all tables that this changes are theirs."""
        round, _ = _place(plan, number, place.table)
        wanted = {"south": place.south, "north": place.north, **seats}
        pairings = seated(plan, {one.table: one for one in round.pairings}, place, wanted)
        for one in round.pairings:
            after = pairings.get(one.table)
            if after is None or after.players != one.players:
                self._reseat(transaction, plan, one, after, write)
        changed = Round(number, tuple(with_teams(plan, one) for one in pairings.values()))
        rounds = tuple(changed if one.number == number else one for one in plan.rounds)
        return msgspec.structs.replace(plan, rounds=rounds)

    def _reseat(
        self, transaction: Transaction, plan: EventPlan, before: Pairing, after: Pairing | None, write: Write
    ) -> None:
        """Have the game of a pairing be that of other players; None: of nobody."""
        game = transaction.games.get(before.game, lock=True)
        was_bye = before.north is None
        if game is None or game.ply or not (game.state == "live" or was_bye):
            if game is not None and is_unrecorded(game):
                raise Conflict(
                    "The game at table %(table)s has a result (%(result)s), so its players stay. To exchange them, "
                    "clear it first: choose 'the game decides after all' (result '').",
                    table=before.table,
                    result=game.result,
                    current=game,
                )
            raise Conflict("The game at table %(table)s has begun. Its players stay.", table=before.table, current=game)
        reason = f"players changed at table {before.table}"
        if after is None:
            self._end(game, ("abandoned", "*"), reason, write)
            return
        self._games.retag(game.id, player_tags(plan, after), write, in_match=True, of_event=True)
        if was_bye != (after.north is None):
            self._say(transaction.games.get(game.id) or game, "" if was_bye else "bye", reason, write)

    def _say(self, game: GameRow, result: str, reason: str, write: Write) -> None:
        """Have a game end as a result says, or go on without one."""
        if result:
            self._end(game, ENDS[result], reason, write)
        elif game.state == "ended":
            reopen(self._games, game.id, reason, write, confirm=True)

    def _end(self, game: GameRow, end: tuple[str, str], reason: str, write: Write) -> None:
        termination, winner = end[0], ending_of(*end, "")["winner"]
        if game.state == "live":
            self._games.end(game.id, termination, winner, write)
        else:
            correct_end(self._games, game.id, CorrectedEnd(termination, winner), reason, write, confirm=True)


def have_played(transaction: Transaction, plan: EventPlan) -> set[int]:
    """The numbers of the players of whom the event has a game that was played, recorded or not."""
    games = ((one.players, games_of_pairing(transaction, one.game)) for one in plan.pairings)
    played = (
        ids for ids, rows in games if any(row.ply or (row.state != "live" and not is_unplayed(row)) for row in rows)
    )
    return {id for ids in played for id in ids}


def _check_new_name(transaction: Transaction, name: str, but: str = "") -> None:
    """:raises Conflict: there is an event of that name, or of one that looks like it, `but` the one with this key."""
    new = name_key(name)
    for key in {new, *alike_keys(new)} - {but}:
        if (row := transaction.event_plans.get(key)) is not None:
            raise Conflict("There is an event %(name)r already. Choose another name.", name=row.name)


def _check_persons(transaction: Transaction, plan: EventPlan) -> None:
    """:raises Invalid: two players are one person."""
    owners = transaction.persons.owners({player.key for player in plan.players})
    found: dict[str, str] = {}
    for player in plan.players:
        other = found.setdefault(owners.get(player.key, player.key), player.name)
        if other != player.name:
            raise Invalid(
                "players: %(name)r and %(other)r are names of one person; leave one of them out",
                field="players",
                name=player.name,
                other=other,
            )


def _check_undisputed(transaction: Transaction, plan: EventPlan) -> None:
    """:raises Conflict: how a game of a round ended is disputed."""
    for number, one in plan.places:
        for game in games_of_pairing(transaction, one.game):
            if game.dispute is not None and game.state == "ended":
                raise Conflict(
                    "The end of the game at table %(table)s of round %(round)s is disputed. Rule on dispute "
                    "%(dispute)s, or have it withdrawn, before the next round.",
                    table=one.table,
                    round=number,
                    dispute=game.dispute_id,
                    current=game,
                )


def _place(plan: EventPlan, number: int, table: int) -> tuple[Round, Pairing]:
    """:raises NotFound: there is no such table in that round."""
    round = plan.round(number)
    place = next((one for one in round.pairings if one.table == table), None) if round else None
    if round is None or place is None:
        raise NotFound("There is no table %(table)s in round %(number)s.", table=table, number=number)
    return round, place


def _get(transaction: Transaction, key: str, *, lock: bool = False) -> EventPlanRow:
    row = transaction.event_plans.get(key, lock=lock)
    if row is None:
        raise NotFound("The event %(key)r has no plan. Make it an event with rounds first.", key=key[:80])
    return row


def check_expected(row: EventPlanRow, version: Expected) -> None:
    """:raises Stale: the plan is not as it was expected."""
    if callable(version):
        version(row)
    elif version is not None and version != row.version:
        raise Stale(
            "The event was changed meanwhile, and nothing was stored. Look at it, then send it again.",
        )


def _game_of_result(
    transaction: Transaction, plan: EventPlan, place: Pairing, result: str, game: str | None
) -> GameRow:
    """The game that a result is said of: the one with the id `game`; without it the only one at the table, unless it
    has ended and another one follows.

    :raises Invalid: the result does not fit, or `game` does not, or is missing.
    """
    fits = BYES if place.north is None else {**FORFEITS, **TAPPED, "": None}
    if result not in fits:
        raise Invalid(
            "result is %(result)r: expected one of %(allowed)s",
            field="result",
            result=result[:40],
            allowed=", ".join(filter(None, fits)),
        )
    games = games_of_pairing(transaction, place.game)
    chosen = [one for one in games if one.id == game]
    if game is None and len(games) == 1 and (games[0].match_id is None or result in BYES or games[0].state == "live"):
        chosen = games
    if not chosen:
        raise Invalid(
            "game is %(game)r: several games are played at table %(table)s; say of which the result is: %(games)s",
            field="game",
            game=(game or "")[:40],
            table=place.table,
            games=", ".join(f"{one.id} ({one.match_game or 1}: {one.result})" for one in games),
        )
    return chosen[0]


def _check_seen(
    transaction: Transaction, plan: EventPlan, place: Pairing, seen: str, now: str, *, is_arbiter: bool
) -> None:
    """:raises Conflict: others sit at the table than the text `seen` says."""
    if seen.split(" ")[0] != now.split(" ")[0]:
        hidden = {} if is_arbiter else transaction.persons.hidden()
        players = [plan.by_id[id] for id in place.players]
        raise Conflict(
            "Others sit at table %(table)s than you saw: %(players)s. Nothing was changed: look at it again.",
            table=place.table,
            players=" – ".join(hidden.get(one.key, one.name) for one in players),
        )


def _check_later(transaction: Transaction, before: GameRow, table: int) -> None:
    """:raises Conflict: a game that was begun from the result of this one would not count."""
    now = transaction.games.get(before.id)
    later = LaterGames() if now is None or before.state == "live" else judge_later(transaction, now)
    if later.lost:
        raise Conflict(
            "Game %(later)s at table %(table)s was begun from the result of game %(number)s, and would not count. "
            "Nothing was changed. On the page of game %(number)s you can correct its end all the same.",
            later=later.lost[0].match_game,
            table=table,
            number=before.match_game,
            current=before,
        )


def _check_turns(place: Pairing, game: GameRow, turns: int) -> None:
    """:raises Conflict: the game has other turns, or ended otherwise than by what somebody said at its table."""
    if game.ply == turns and game.state == "ended" and not is_unrecorded(game):
        raise Conflict(
            "The game at table %(table)s is recorded (turns: %(turns)s) and has ended (%(result)s): its result is not "
            "changed or cleared here. Correct its end, or have the game go on, on the page of the game.",
            table=place.table,
            turns=turns,
            result=game.result,
            current=game,
        )
    if game.ply != turns:
        raise Conflict(
            "The game at table %(table)s has other turns (%(turns)s) than you know of (%(known)s): nothing was "
            "changed. Look at it again, or end it on the page of the game.",
            table=place.table,
            turns=game.ply,
            known=turns,
            current=game,
        )


def _check_may_say(
    transaction: Transaction,
    plan: EventPlan,
    number: int,
    place: Pairing,
    game: GameRow,
    write: Write,
    *,
    keeps: bool,
) -> None:
    """Check that somebody who is no arbiter may say what a game came to.

    :raises Forbidden: it is a bye, the round is closed, or others said it before.
    """
    closed = plan.state == "over" or number < len(plan.rounds)
    end = game_state(transaction.games.events(game.id)).end
    is_own = keeps or (end is not None and key_of(end.source) == key_of(write.source) != "")
    if place.north is None or (end is not None and (closed or not is_own)):
        raise Forbidden(
            "Only an arbiter can change this result: who gave it, or keeps the score of table %(table)s, can until the "
            "next round begins.",
            table=place.table,
        )
