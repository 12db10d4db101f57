"""Which boards may go on when many keep the desk busy. Time is virtual, and so is what they use."""

import math

from service.boards.processor_shares import PART, WINDOW, ProcessorShares, fair_level

STEP = 0.1  # seconds


class Bench:
    def __init__(self):
        self.now = 0.0
        self.shares = ProcessorShares(lambda: self.now)

    def run(self, wanted, seconds):
        """What each board has used, given the part of a core that it wants, with pauses when it may not go on."""
        used = dict.fromkeys(wanted, 0.0)
        may_go_on = dict.fromkeys(wanted, True)
        waited = dict.fromkeys(wanted, 0)
        for _ in range(round(seconds / STEP)):
            self.now += STEP
            for board, part in wanted.items():
                cost = part * STEP if may_go_on[board] else 0.0
                used[board] += cost
                may_go_on[board] = self.shares.charge(board, cost)
                waited[board] += not may_go_on[board]
        return used, waited


def test_the_level_is_fair():
    assert fair_level([], 6) == math.inf
    assert fair_level([1, 2, 3], 6) == math.inf
    assert fair_level([1, 2, 9], 6) == 3
    assert fair_level([1, 9, 9], 6) == 2.5
    assert fair_level([9, 9, 9], 6) == 2


def test_a_board_alone_uses_what_it_likes_for_a_while_and_then_its_part():
    bench = Bench()
    _, waited = bench.run({"fast": 0.25}, 60)
    assert waited == {"fast": 0}
    used, waited = Bench().run({"flood": 1.0}, 60)
    assert waited["flood"]
    assert used["flood"] < PART * 60 + WINDOW


def test_forty_that_flood_leave_ten_that_play_alone():
    bench = Bench()
    floods = {f"flood {number}": 0.5 for number in range(40)}
    bench.run(floods, 60)
    players = {f"player {number}": 0.005 for number in range(10)}
    used, waited = bench.run(floods | players, 60)
    assert [waited[player] for player in players] == [0] * 10
    assert sum(used[flood] for flood in floods) < PART * 60 * 1.3


def test_what_was_used_is_forgotten():
    bench = Bench()
    bench.run({"flood": 1.0}, 60)
    bench.now += 5 * WINDOW
    assert bench.shares.charge("flood", 0.0)
    assert bench.shares.charge("flood", PART * WINDOW / 2)


def test_a_board_that_plays_a_turn_a_second_never_waits_for_those_that_flood():
    bench = Bench()
    floods = {f"flood {number}": 0.5 for number in range(40)}
    bench.run(floods, 60)
    for _ in range(60):
        assert bench.shares.charge("player", 0.03, has_played=True)
        bench.run(floods, 1)


def test_more_turns_than_people_play_count_against_the_share():
    bench = Bench()
    played = [bench.shares.charge("fast", 0.5, has_played=True) for _ in range(100) if bench.run({}, 0.1)]
    assert not all(played)
