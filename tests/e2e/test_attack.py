"""The attacks of `tests.e2e.attack`, each for a moment: their bounds hold, and a bystander loses nothing."""

import pytest

from tests.e2e.attack import ATTACKS, run

SECONDS = 1.5


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_harms_nobody(name):
    assert run(name, SECONDS, seed=1).faults == []
