"""Who plays whom in the next round, and who is South, which has the first turn. Pure.

Everybody against everybody goes by the Berger tables (FIDE Handbook C.05, annex 1), a Swiss tournament by the Dutch
system (C.04.3) of the library `py4swiss`, which reads the tournament as the lines of a TRF file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from inkeek.service.errors import Conflict, Invalid

from .plan import EventPlan, Pairing

Pair = tuple[int, int | None]
"""The numbers of South and North; None: a bye."""


def berger_round(players: Sequence[int], number: int) -> list[Pair]:
    """The pairs of round `number`, from 1, in the published order of tables; a free place is a bye.

    After the last round the tables begin again, with the sides exchanged.
    """
    places: list[int | None] = [*players, *([None] if len(players) % 2 else [])]
    size = len(places)
    cycle, round = divmod(number - 1, max(size - 1, 1))
    # The place that meets the last one, which alone does not go round: 1 in the first round, then half the size on.
    first = round * (size // 2) % (size - 1)
    pairs = [(first, size - 1) if round % 2 == 0 else (size - 1, first)]
    pairs += [((first + at) % (size - 1), (first - at) % (size - 1)) for at in range(1, size // 2)]
    return [_pair(*(places[at] for at in (pair if cycle % 2 == 0 else pair[::-1]))) for pair in pairs]


def _pair(south: int | None, north: int | None) -> Pair:
    if south is None:
        assert north is not None
        return north, None
    return south, north


def berger_length(count: int) -> int:
    """How many rounds it takes until everybody has met everybody."""
    return count - 1 + count % 2


def team_round(teams: Sequence[Sequence[int]], number: int) -> list[Pair]:
    """Each team meets another by the Berger tables, player by player in the order of the teams; the first team has
    South at the first table, then they take turns. Who has no opponent has a bye."""
    pairs: list[Pair] = []
    for home, away in berger_round(range(len(teams)), number):
        if away is None:
            pairs += [(player, None) for player in teams[home]]
            continue
        for table, (one, other) in enumerate(zip_longest(teams[home], teams[away])):
            pairs.append(_pair(one, other) if table % 2 == 0 or other is None else _pair(other, one))
    return sorted(pairs, key=lambda pair: pair[1] is None)


def swiss_round(trf: Sequence[str]) -> list[Pair]:
    """The pairs of the round after those in the lines of a TRF file, in which who is not paired has a result already.

    :raises Conflict: it cannot be paired without two meeting again, or the library is not installed.
    """
    try:
        from py4swiss.engines import DutchEngine  # not there for every machine, and slow to import
        from py4swiss.engines.common.exceptions import PairingError
        from py4swiss.trf import ParsedTrf
        from py4swiss.trf.sections import PlayerSection, XSection
        from py4swiss.trf.trf_line import TrfLine
    except ImportError as error:
        raise Conflict(
            "Swiss pairings need the Python package py4swiss, which is not installed. Pair the round by hand."
        ) from error
    read = ParsedTrf(
        player_sections=[PlayerSection.from_string(line) for line in trf if line.startswith("001")],
        x_section=XSection.from_lines([TrfLine(at, line) for at, line in enumerate(trf) if line.startswith("XX")]),
    )
    read.validate_contents()
    try:
        found = DutchEngine.generate_pairings(read)
    except PairingError as error:
        raise Conflict(
            "This round cannot be paired without two meeting again. Pair it by hand, or end the event."
        ) from error
    return [(pair.white or pair.black, (pair.black if pair.white else 0) or None) for pair in found]


def known_result(plan: EventPlan, pair: Pair) -> str:
    """What a pairing comes to without a game, one of `results.RESULTS`: who is not there has lost by forfeit. Empty: it
    is played."""
    south, north = pair
    players = plan.by_id
    there = [players[id].state != "out" for id in (south, north) if id is not None]
    if north is None:
        return "bye" if there[0] else "zero"
    return "" if all(there) else "south" if there[0] else "north" if there[1] else "none"


def check_pairs(plan: EventPlan, pairs: Sequence[Pair]) -> None:
    """:raises Invalid: a player is unknown, or there twice, or has no table where the format pairs all who play."""
    ids = [id for pair in pairs for id in pair if id is not None]
    for id in ids:
        if id not in plan.by_id:
            raise Invalid("pairings: there is no player %(id)s", field="pairings", id=id)
        if ids.count(id) > 1:
            raise Invalid("pairings: %(name)r is there twice", field="pairings", name=plan.by_id[id].name)
    left = [player.name for player in plan.here if player.id not in ids]
    if left and plan.format != "free":
        raise Invalid(
            "pairings: without a table: %(names)s. Give them one, alone for a bye, or choose 'is away' for them (state "
            "'out').",
            field="pairings",
            names=", ".join(left),
        )


def seated(
    plan: EventPlan, pairings: Mapping[int, Pairing], place: Pairing, wanted: Mapping[str, Any]
) -> dict[int, Pairing]:
    """The pairings of a round with other players at one table; those who sat there go where these came from. A table
    at which nobody is left is not among them."""
    south, north = wanted["south"], wanted["north"]
    for id in (south, north):
        if id is not None and id not in plan.by_id:
            raise Invalid("There is no player %(id)s in this event.", id=id)
    if south is None or south == north:
        raise Invalid("A table has two different players, or South alone.")
    leaving = [id for id in place.players if id not in (south, north)]
    coming = [id for id in (south, north) if id is not None and id not in place.players]
    moves = dict(zip(coming, leaving + [None] * len(coming), strict=False))
    found = {}
    for table, one in pairings.items():
        if table == place.table:
            found[table] = msgspec.structs.replace(one, south=south, north=north)
            continue
        left = [id for id in (moves.get(id, id) for id in one.players) if id is not None]
        if left:
            found[table] = msgspec.structs.replace(one, south=left[0], north=left[1] if len(left) > 1 else None)
    return found


def with_teams(plan: EventPlan, pairing: Pairing) -> Pairing:
    """The pairing with the teams for which its players play now, in an event of teams."""
    if plan.format != "teams":
        return pairing
    players = plan.by_id
    return msgspec.structs.replace(pairing, teams=tuple(players[id].team for id in pairing.players))


def planned_length(plan: EventPlan) -> int | None:
    """How many rounds an event has; None: that is not decided."""
    sizes = {"all": len(plan.players), "teams": len({player.team for player in plan.players})}
    return plan.planned_rounds or (berger_length(sizes[plan.format]) if plan.format in sizes else None)


def player_tags(plan: EventPlan, pairing: Pairing) -> dict[str, str | None]:
    """The names at a table, by side; None: nobody."""
    players = plan.by_id
    north = None if pairing.north is None else players[pairing.north].name
    return {"South": players[pairing.south].name, "North": north}
