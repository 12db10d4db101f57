import pytest

from .one_fact import run


@pytest.mark.parametrize("seed", [3, 105])
def test_all_answers_are_what_the_events_say(seed):
    machine, difference = run([seed * 1_000_000 + at for at in range(16)])
    assert difference == ""
    assert machine.comparisons > 50
