"""Attacks on a service, each beside a bystander: ``python -m tests.e2e.attack --seconds 9``.

Each attack is a program of its own (`tests/e2e/attacks/`), bounded in time and number, against a service that is
started for it with default settings on a free port. Meanwhile two players play and twenty followers follow a game. The
table has what their turns take, in milliseconds, before and during the attack, what of theirs was lost, doubled, ended
or not answered, and what the attacker saw. Exit status 1: a bound is broken. `docs/security.md` has a row for each.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.service.throughput import at
from inkeek.service.maintenance.signatures import new_key
from tests.e2e.attacks import connections, keys, texts, work
from tests.e2e.attacks.bystander import Bystander, shown
from tests.e2e.attacks.target import Target
from tests.e2e.processes import Service

ATTACKS: dict[str, Callable[[Target], None]] = {
    "unread-bodies": connections.unread_bodies,
    "streams-again": connections.streams_again,
    "streams-at-once": connections.streams_at_once,
    "all-streams": connections.all_streams,
    "slow-clients": connections.slow_clients,
    "unread-exports": connections.unread_exports,
    "all-analyses": work.all_analyses,
    "all-findings": work.all_findings,
    "all-imports": work.all_imports,
    **{name: work.flood(name) for name in work.FLOODS},
    "long-names": texts.long_names,
    "old-secret": keys.old_secret,
    "limited-key": keys.limited_key,
    "forged-board": keys.forged_board,
    "replayed-proof": keys.replayed_proof,
    "stolen-session": keys.stolen_session,
    "guessed-tokens": keys.guessed_tokens,
}
AIM = 250.0  # milliseconds, for 99 of 100 turns, on a machine that has nothing else to do
FACTOR = 8  # by which the aim, or what turns take before, may be exceeded: nobody knows what else the machine does
ENDS_WITHIN = 60.0  # seconds after its time, for an attacker to end


@dataclass(frozen=True)
class AttackResult:
    """What an attack did. `faults`: the bounds that it broke, in sentences."""

    row: str
    faults: list[str]


def run(name: str, seconds: float, seed: int) -> AttackResult:
    """Attack a new service for so long."""
    with tempfile.TemporaryDirectory(prefix="inkeek-attack-") as folder:
        new_key(Path(folder) / "key.pem")
        service = Service(Path(folder), log_level="warning")
        service.start()
        try:
            with Bystander(service) as bystander:
                before = bystander.play(min(2.0, seconds / 3))
                during, seen, faults = _attacked(service, bystander, name, seconds, seed)
                wrong = bystander.check()
        finally:
            service.stop()
        log = service.errors()
    faults += [f"{count} × {what}" for what, count in wrong.items() if count]
    most = FACTOR * max(AIM, at(before, 0.99))
    if not during or at(during, 0.99) > most:
        faults.append(f"the slowest of 100 turns took {shown(during)} ms, beyond {most:.0f}")
    faults += [f"the service's log: {line}" for line in log.splitlines() if "Traceback" in line or "ended by" in line]
    cells = (wrong["lost"], wrong["doubled"], wrong["ended"], wrong["no answer"] + wrong["refused"])
    counts = "  ".join(f"{cell:5}" for cell in cells)
    report = ", ".join(f"{count} × {what}" for what, count in sorted(seen.items()))
    return AttackResult(f"{name:17}  {shown(before)}  | {shown(during)}  | {counts}  {report}", faults)


def _attacked(
    service: Service, bystander: Bystander, name: str, seconds: float, seed: int
) -> tuple[list[float], dict[str, int], list[str]]:
    """The bystander's times during the attack, and what the attacker saw and found."""
    given = {"port": service.port, "token": service.token, "game": bystander.game, "seconds": seconds, "seed": seed}
    command = [sys.executable, "-m", "tests.e2e.attack", "--attacker", name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(given))
        process.stdin.close()
        process.stdout.readline()  # it begins
        times: list[float] = []
        deadline = time.monotonic() + seconds + ENDS_WITHIN
        while process.poll() is None and time.monotonic() < deadline:
            times += bystander.play(min(1.0, seconds / 6))
        if process.poll() is None:
            process.kill()
            return sorted(times), {}, ["the attacker did not end in time"]
        *_, last = ["", *process.stdout.read().splitlines()]
        if process.returncode:
            return sorted(times), {}, [f"the attacker failed: {last}"]
        report = json.loads(last)
        return sorted(times), report["seen"], report["faults"]


def _attack(name: str) -> None:
    """Be the attacker that standard input describes."""
    given = json.loads(sys.stdin.read())
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    chance = random.Random(given["seed"])
    print("begins", flush=True)
    target = Target(given["port"], given["token"], given["game"], given["seconds"], chance)
    ATTACKS[name](target)
    print(target.report(), flush=True)


@click.command()
@click.option("--seconds", type=click.FloatRange(0.5, 120), default=9.0, show_default=True, help="For each attack.")
@click.option("--only", multiple=True, help="Only attacks whose name has this in it; may be repeated.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of all random draws.")
@click.option("--attacker", hidden=True)
def main(seconds: float, only: tuple[str, ...], seed: int, attacker: str | None) -> None:
    """Attack services, and measure what a bystander notices."""
    if attacker:
        _attack(attacker)
        return
    click.echo(
        f"{'':17}  before: p50      p99      max  | during: p50      p99      max  |  lost  twice  ended  refused"
    )
    broken = 0
    for name in ATTACKS:
        if not only or any(part in name for part in only):
            outcome = run(name, seconds, seed)
            click.echo(outcome.row)
            for fault in outcome.faults:
                click.echo(f"    {fault}")
            broken += bool(outcome.faults)
    raise SystemExit(1 if broken else 0)


if __name__ == "__main__":
    main()
