"""Measure the annotation of many games: ``python -m benchmarks.analysis.annotating --games 1000 --nodes 500``.

Games of Oware played at random are annotated as a job, by one and by two processes and by a Dask cluster of two
workers on this machine (if `distributed` is installed). As in the service, a process of its own runs the jobs.
Meanwhile games are recorded in this one: how long an append takes, without and with the workers busy. The time
includes the start of the workers.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from inkeek.records import Game, Ply, ruleset
from inkeek.service.games.library.transfer import import_records
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.access.keys import Keys
from inkeek.service.jobs.queue import Jobs
from inkeek.service.processes import child_process
from inkeek.service.processes.supervisor import JOBS_PROCESS
from inkeek.service.settings import read_settings
from inkeek.service.storage.clock import moment
from inkeek.service.storage.store import Store

PAUSE = 0.02  # seconds between two appends
LOOK_EVERY = 0.05  # seconds between two looks whether the job is done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--appends", type=int, default=300, help="in each run")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(read_settings({"INKEEK_DATA": folder}).database_url)
        store.upgrade()
        games = Games(store, max_plies=10_000)
        records = ((random_game(seed, arguments.turns), 0) for seed in range(arguments.games))
        found = import_records(games, records, arguments.games, Write("import"))
        ids = list(dict.fromkeys(str(one.id) for one in found if one.ok))
        print(f"{len(ids)} different games of at most {arguments.turns} turns, {arguments.nodes:,} positions a search")
        print(f"appends, nothing else runs: {shown(appends(games, arguments.appends))}", flush=True)
        for number, (name, environ) in enumerate(workers()):
            runner = child_process.start(JOBS_PROCESS, {"INKEEK_DATA": folder, **environ})
            try:
                # Another limit of time for each run makes it another analysis.
                run(name, store, games, ids, arguments.nodes, 100.0 + number, arguments.appends)
            finally:
                child_process.stop(runner)
        store.close()


def random_game(seed: int, turns: int) -> Game:
    """At most so many random turns of Oware, without the one that would end the game."""
    rules, chance, plies = ruleset("oware"), random.Random(seed), []
    position = rules.start()
    for _ in range(turns):
        turn = chance.choice(rules.turns(position))
        if rules.outcome(turn.position) is not None:
            break
        plies.append(Ply(turn.move))
        position = turn.position
    return Game({"Event": f"Random game {seed}", "Game": rules.id, "Result": "*"}, tuple(plies))


def workers() -> Iterator[tuple[str, dict[str, str]]]:
    """Names, and the settings of the process that runs jobs."""
    for count in (1, 2):
        yield f"pool of {count}", {"INKEEK_JOB_WORKERS": str(count)}
    if find_spec("distributed") is None:
        print("Dask is not installed")
        return
    with cluster(2) as address:
        yield "Dask, 2 workers", {"INKEEK_DASK": address}


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of the scheduler of a Dask cluster on this machine, in processes of its own: within this one, the
    scheduler would hold the lock of the interpreter that records."""
    with ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "scheduler.json"
        for arguments in (
            ("scheduler", "--host", "127.0.0.1", "--port", "0"),
            ("worker", "--nworkers", str(workers), "--nthreads", "1"),
        ):
            command = (sys.executable, "-m", "dask", *arguments, "--no-dashboard", "--scheduler-file", str(file))
            process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
            stack.callback(process.terminate)
            while not file.exists():
                time.sleep(LOOK_EVERY)
        yield json.loads(file.read_text())["address"]


def run(name: str, store: Store, games: Games, ids: list[str], nodes: int, limit: float, most: int) -> None:
    """Annotate the games, and play `most` turns meanwhile."""
    jobs = Jobs(store, games, 100)
    taken: list[float] = []
    recording = threading.Thread(target=lambda: taken.extend(appends(games, most)))
    owner, _ = Keys(store).create(TOKEN, "benchmark", ("record",), None)
    job = jobs.start(owner.id, ids, {"seconds": limit, "depth": None, "nodes": nodes})
    recording.start()
    recording.join()
    while (job := jobs.get(job.id)).is_active:  # not before: it would hold the lock of the interpreter that records
        time.sleep(LOOK_EVERY)
    assert job.state == "done", job
    seconds = (moment(job.updated) - moment(job.created)).total_seconds()
    positions = job.total
    print(
        f"{name}: {len(ids)} games, {positions} positions in {seconds:.1f} s, "
        f"{positions / seconds:.0f} positions a second; appends meanwhile: {shown(taken)}",
        flush=True,
    )


def appends(games: Games, most: int) -> list[float]:
    """Play so many turns of new games, and return the seconds that each took."""
    taken, rules, game_id = [], ruleset("oware"), ""
    for number in range(most):
        if number % 20 == 0:
            game_id = str(games.create("oware", {}, {}, Write("api")).id)
        move = rules.turns(games.load(game_id).position)[0].move
        began = time.perf_counter()
        games.play(game_id, move, Write("api"))
        taken.append(time.perf_counter() - began)
        time.sleep(PAUSE)
    return taken


def shown(taken: list[float]) -> str:
    ordered = sorted(taken)
    return f"median {1000 * ordered[len(ordered) // 2]:.1f} ms, p99 {1000 * ordered[len(ordered) * 99 // 100]:.1f} ms"


if __name__ == "__main__":
    main()
