"""Searches on the workers of a Dask cluster: the same analysis, also when a worker is killed."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from inkeek.service.errors import SettingError
from inkeek.service.jobs.executors import open_executor
from inkeek.service.jobs.queue import Jobs
from inkeek.service.jobs.runner import Runner

from .test_runner import LIMITS, Inline, add_keys, make_runner, new_game, work

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as made:
        yield made


@pytest.mark.parametrize("kill", [False, True])
def test_a_cluster_finds_the_same_and_survives_the_death_of_a_worker(services, cluster, kill):
    add_keys(services)
    jobs = Jobs(services.store, services.games, 5)
    games = [new_game(services, turns=8) for _ in range(3)]
    job = jobs.start("me", games, LIMITS)
    runner = Runner(services.store, services.games, lambda: open_executor(1, cluster.scheduler_address), 4)
    try:
        runner.step()
        if kill:
            with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        work(runner, jobs, job.id, seconds=120)
    finally:
        runner.close()
    found = [jobs.game_analysis(game_id).found for game_id in games]
    again = jobs.start("me", games, {**LIMITS, "seconds": 9.0})
    work(make_runner(services, Inline()), jobs, again.id)
    assert [jobs.game_analysis(game_id).found for game_id in games] == found


def test_an_address_without_a_scheduler_is_an_error_of_the_setting():
    with pytest.raises(SettingError) as caught:
        open_executor(1, "tcp://127.0.0.1:9")
    assert "tcp://127.0.0.1:9" in str(caught.value)
