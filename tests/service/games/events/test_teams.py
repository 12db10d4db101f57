import pytest

from inkeek.service.games.events.plan import EventPlan, EventPlayer, Pairing, Round
from inkeek.service.games.events.results import ENDS
from inkeek.service.games.events.standings import is_finished, team_standings
from tests.service.games.events.rows import ended

TEAMS = {"A": (1, 2), "B": (3, 4), "C": (5, 6)}
PLAYERS = tuple(EventPlayer(id, f"P{id}", team) for team, ids in TEAMS.items() for id in ids)


def plan(*rounds, players=PLAYERS, **more):
    """An event of teams. Each round is a text of pairings: ``1-3:south`` or ``5:bye``."""
    teams = {player.id: player.team for player in players}
    made = []
    for number, text in enumerate(rounds, 1):
        pairings = []
        for table, one in enumerate(text.split(), 1):
            seats, _, result = one.partition(":")
            south, _, north = seats.partition("-")
            ids = [int(id) for id in (south, north) if id]
            north = ids[1] if north else None
            pairings.append(
                Pairing(table, ids[0], north, f"{result}:{number}-{table}", teams=tuple(teams[id] for id in ids))
            )
        made.append(Round(number, tuple(pairings)))
    return EventPlan(**{"name": "Cup", "players": players, "format": "teams", "rounds": tuple(made), **more})


def matches(event):
    games = {one.game: one.game.partition(":")[0] for one in event.pairings} if event else {}
    return {game: [ended(*ENDS[result])] for game, result in games.items() if result}


def found(event):
    return [
        (
            one.rank,
            one.name,
            one.points,
            one.boards,
            (one.matches.won, one.matches.drawn, one.matches.lost, one.matches.open),
        )
        for one in team_standings(event, matches(event))
    ]


def test_a_match_won_is_two_points_and_board_points_decide_among_equals():
    rounds = ("1-3:south 4-2:north 5:bye 6:bye", "1-5:south 6-2:south 3:bye 4:bye", "3-5:south 6-4:north 1:bye 2:bye")
    assert found(plan(*rounds)) == [
        (1, "A", 5, 5, (1, 1, 0, 0)),
        (2, "B", 4, 4, (1, 0, 1, 0)),
        (3, "C", 3, 3, (0, 1, 1, 0)),
    ]
    assert found(plan("1-3:south 4-2:south", "5-3:south 6-4:south"))[:2] == [
        (1, "C", 2, 2, (1, 0, 0, 0)),
        (2, "A", 1, 1, (0, 1, 0, 0)),
    ]


def test_a_match_is_open_until_its_last_board_is():
    assert found(plan("1-3:south 4-2")) == [
        (1, "A", 0, 1, (0, 0, 0, 1)),
        (2, "B", 0, 0, (0, 0, 0, 1)),
        (2, "C", 0, 0, (0, 0, 0, 0)),
    ]


def test_a_player_too_many_wins_the_board_for_the_team():
    alone = (*PLAYERS[:2], PLAYERS[2])
    assert found(plan("1-3:north 2:bye", players=alone)) == [(1, "A", 1, 1, (0, 1, 0, 0)), (1, "B", 1, 1, (0, 1, 0, 0))]


def test_who_has_met_decides_after_the_boards_and_players_of_a_team_may_meet():
    four = tuple(EventPlayer(id, f"P{id}", team) for id, team in enumerate("ABCC", 1))
    first = ("2-1:north", "1-3:north", "2-3:south", "4:zero", "3-4:south")
    assert [one[:4] for one in found(plan(*first, players=four))] == [(1, "C", 2, 2), (2, "A", 2, 1), (3, "B", 2, 1)]


def test_events_of_other_formats_have_no_teams():
    assert found(plan(format="free")) == []


@pytest.mark.parametrize(
    ("event", "finished"),
    [
        (plan(), False),
        (plan("1-3:south"), False),
        (plan("1-3:south", planned_rounds=1), True),
        (plan("1-3", planned_rounds=1), False),
        (plan("1-3:south", state="over"), True),
        (plan(*["1-3:south"] * 3), True),
        (plan(*["1-3:south"] * 4, format="all"), False),
        (plan(*["1-3:south"] * 5, format="all"), True),
        (plan(*["1-3:south"] * 5, format="swiss"), False),
        (None, False),
    ],
)
def test_an_event_is_finished_when_its_last_round_is(event, finished):
    assert is_finished(event, matches(event)) is finished
