from hypothesis import given, strategies as st

from inkeek.service.games.events.tie_breaks import Meeting, Score, Standing, rank


def ranked(order, **results):
    """Ranks and values of players, given what each scored: ``"b1 c½ -1"``, against whom, or without an opponent.
    ``*``: the player stayed away."""
    worth = {"1": 1.0, "½": 0.5, "0": 0.0}
    players, meetings = [], {}
    for key, text in results.items():
        found = [
            Meeting(None, worth[one[1]], played=False, voluntary=one[0] == "*")
            if one[0] in "-*"
            else Meeting(one[0], worth[one[1]])
            for one in text.split()
        ]
        meetings[key] = found
        won, lost = (sum(one.played and one.points == points for one in found) for points in (1, 0))
        players.append(Standing(key, key, tally=Score(won, 0, lost), extra=sum(one.points for one in found)))
    return [(one.rank, one.key, *one.tie_breaks) for one in rank(players, order, meetings)]


def test_the_strength_of_opponents_decides():
    # a 2, b 1, c 1, d 0: b met c and a, c met b and d
    assert ranked(("buchholz",), a="d1 b1", b="c1 a0", c="b0 d1", d="a0 c0") == [
        (1, "a", 1.0),
        (2, "b", 3.0),
        (3, "c", 1.0),
        (4, "d", 3.0),
    ]
    assert ranked(("sonneborn-berger",), a="d1 b1", b="c1 a0", c="b0 d1", d="a0 c0")[1:3] == [
        (2, "b", 1.0),
        (3, "c", 0.0),
    ]


def test_direct_encounter_decides_only_if_all_have_met():
    assert ranked(("direct",), a="b1 c0", b="a0 d1", c="a1 d0", d="b0 c1") == [
        (1, "a", None),
        (1, "b", None),
        (1, "c", None),
        (1, "d", None),
    ]
    assert ranked(("direct",), a="b1 -0", b="a0 -1") == [(1, "a", 1.0), (2, "b", 0.0)]
    # The first tie-break leaves two, who have met.
    assert ranked(("sticks", "direct"), a="b1 c0 -1", b="a0 c1 -1", c="a1 b0 -0")[:2] == [
        (1, "a", 0, 1.0),
        (2, "b", 0, 0.0),
    ]


def test_a_round_without_an_opponent_counts_as_one_against_an_equal():
    assert ranked(("buchholz",), a="-1 b1", b="c1 a0", c="b0 -1")[0] == (1, "a", 2.0 + 1.0)


def test_rounds_after_leaving_count_half_for_those_who_met_the_player():
    # b stayed away twice at the end: for a it has 1 + ½ + ½ points.
    assert ranked(("buchholz",), a="b0 -1 -1", b="a1 *0 *0")[0] == (1, "a", 2.0 + 2.0 + 2.0)
    assert ranked(("buchholz",), a="b0 -1 -1", b="*0 *0 a1")[0] == (1, "a", 1.0 + 2.0 + 2.0)


def test_sticks_count_won_less_lost_then_won():
    order = ("sticks", "sticks-won")
    assert ranked(order, a="x1 y1 z0", b="x1 -1", x="*0") == [(1, "a", 1, 2), (2, "b", 1, 1), (3, "x", 0, 0)]


ORDERS = st.lists(st.sampled_from(["direct", "buchholz", "sonneborn-berger", "sticks", "sticks-won"]), unique=True)
ROUNDS = st.lists(
    st.tuples(st.permutations("abcde"), st.lists(st.sampled_from(["10", "01", "½½"]), min_size=2, max_size=2)),
    max_size=4,
)


@given(ORDERS, ROUNDS)
def test_ranks_follow_from_points_and_values_and_values_from_the_meetings(order, rounds):
    """Against plain sums; in each round two pairs meet, and the fifth player has no opponent."""
    worth, results = {"1": 1, "0": 0, "½": 0.5}, {key: [] for key in "abcde"}
    for (a, b, c, d, e), scores in rounds:
        for (one, other), (mine, theirs) in zip(((a, b), (c, d)), scores, strict=True):
            results[one].append(other + mine)
            results[other].append(one + theirs)
        results[e].append("-½")
    found = ranked(order, **{key: " ".join(said) for key, said in results.items()})
    points = {key: sum(worth[one[1]] for one in said) for key, said in results.items()}
    parting = [(points[key], *(value or 0 for value in values)) for _, key, *values in found]
    assert parting == sorted(parting, reverse=True)
    assert [rank for rank, *_ in found] == [1 + parting.index(one) for one in parting]
    for _, key, *values in found:
        value = dict(zip(order, values, strict=True))
        met = [(worth[one[1]], points[key if one[0] == "-" else one[0]]) for one in results[key]]
        assert value.get("buchholz") in (None, sum(strength for _, strength in met))
        assert value.get("sonneborn-berger") in (None, sum(scored * strength for scored, strength in met))
        won, lost = (sum(one[0] != "-" and one[1] == sign for one in results[key]) for sign in "10")
        assert value.get("sticks", won - lost) == won - lost
        assert value.get("sticks-won", won) == won
        if order[:1] == ["direct"]:
            equal = {other for other in points if points[other] == points[key]}
            have_met = all({one[0] for one in results[other]} >= equal - {other} for other in equal)
            among = sum(worth[one[1]] for one in results[key] if one[0] in equal)
            assert value["direct"] == (among if have_met and len(equal) > 1 else None)
