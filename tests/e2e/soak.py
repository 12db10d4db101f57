"""Game after game through the whole chain with troubles at random moments: ``python -m tests.e2e.soak``.

Every game must end as the hands played it, whatever happened. Exit status 1: a game did not; the command to repeat it
is printed. The moments of the kills depend on the clock, so it may take more than one try.
"""

import os
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from random import Random

import click

from inkeek.records import ruleset_ids
from tests.e2e.chain import Chain
from tests.e2e.kill_loop import KillLoop, Tally
from tests.e2e.processes import ENDS
from tests.e2e.troubles import Death, Troubles, draw
from tests.service.waiting import until


@dataclass(frozen=True)
class Report:
    """The result of a round; `wrong` says why it failed, None if it did not."""

    number: int
    troubles: Troubles
    seconds: float
    kinds: Counter[str]
    most: tuple[int, int]
    wrong: str | None


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=1000, show_default=True, help="How many games, at most.")
@click.option("--seed", type=int, default=1, show_default=True, help="For everything but the clock.")
@click.option("--only", type=click.IntRange(0), help="Play this round alone.")
@click.option("--jobs", type=click.IntRange(1, 16), default=2, show_default=True, help="Games at once.")
@click.option("--minutes", type=click.FloatRange(0.1), help="Start no round after this time.")
@click.option("--together", type=click.IntRange(1, 100), help="Play so many games at once on one service; see below.")
@click.option("--game", "games", multiple=True, type=click.Choice(ruleset_ids()), help="Of these rule sets.  [all]")
def main(
    rounds: int,
    seed: int,
    only: int | None,
    jobs: int,
    minutes: float | None,
    together: int | None,
    games: tuple[str, ...],
) -> None:
    """Play games with troubles through the whole chain, and sum up.

    With --together, the games have one service, whose processes are killed one after another for --minutes [10].
    A reader follows the stream of each game.
    """
    if together is not None:
        report_kill_loop(KillLoop(seed, together, 60 * (minutes or 10), games or ruleset_ids()).run())
        return
    began = time.monotonic()
    numbers = range(rounds) if only is None else [only]
    reports: list[Report] = []

    def play(number: int) -> Report | None:
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            return None
        return play_round(seed, number, games or ruleset_ids())

    with ThreadPoolExecutor(jobs) as pool:
        for future in as_completed([pool.submit(play, number) for number in numbers]):
            report = future.result()
            if report is not None:
                reports.append(report)
                tell(report)
    sum_up(reports, seed, time.monotonic() - began)
    if any(report.wrong for report in reports):
        raise SystemExit(1)


def report_kill_loop(tally: Tally) -> None:
    for text in tally.wrong:
        click.echo(text)
    click.echo(
        f"{tally.games} games right, {len(tally.wrong)} wrong, {tally.turns} turns; killed {tally.killed.total()}: "
        f"{dict(sorted(tally.killed.items()))}; the service was back after {tally.slowest:.1f} s at most; "
        f"streams resumed {tally.resumed} times; imported {tally.imported}, analyzed {tally.analyzed} games"
    )
    if tally.wrong:
        raise SystemExit(1)


def play_round(seed: int, number: int, games: tuple[str, ...]) -> Report:
    """Play one game with its troubles, in its own folder and with its own service."""
    random = Random(f"{seed}:{number}")
    began = time.monotonic()
    wrong = None
    kinds: Counter[str] = Counter()
    most = (0, 0)
    with tempfile.TemporaryDirectory(prefix="inkeek-soak-") as folder:
        record = Path(folder) / "game.pmn"
        troubles = draw(random, games, record)
        try:
            with Chain(Path(folder), record, *troubles.options, tcp=troubles.tcp, speed=troubles.speed) as chain:
                for death in troubles.deaths:
                    if chain.reached(death.ply):
                        _kill(chain, death)
                chain.finish()
                kinds = Counter(chain.kinds())
                most = _held(chain)
                assert kinds["gap"] <= troubles.restarts
        except Exception as error:  # noqa: BLE001 - every failure is a finding
            wrong = "".join(traceback.format_exception(error))
    return Report(number, troubles, time.monotonic() - began, kinds, most, wrong)


def _kill(chain: Chain, death: Death) -> None:
    time.sleep(death.after)
    if death.away and death.part in ENDS:
        chain.service.crash(death.part)
        time.sleep(death.away)
        chain.service.start()
    else:
        chain.service.kill(death.part)


def _held(chain: Chain) -> tuple[int, int]:
    """The number of the desk's open files and threads."""
    (desk,) = until(lambda: chain.service.pids()["desk"])  # it may just have been killed
    return len(os.listdir(f"/proc/{desk}/fd")), len(os.listdir(f"/proc/{desk}/task"))


def tell(report: Report) -> None:
    troubles = report.troubles
    dead = ",".join(death.part for death in troubles.deaths) or "-"
    click.echo(
        f"{report.number:>4}  {'wrong' if report.wrong else 'right'}  {report.seconds:5.1f} s  {troubles.title:<24} "
        f"{'tcp' if troubles.tcp else 'pty'} {troubles.speed:<4} mistakes {troubles.mistakes}  "
        f"unplugged {troubles.pulls}  restarted {troubles.restarts}  killed {dead}"
    )
    if report.wrong:
        click.echo(report.wrong)


def sum_up(reports: list[Report], seed: int, seconds: float) -> None:
    kinds = sum((report.kinds for report in reports), Counter())
    deaths = Counter(death.part for report in reports for death in report.troubles.deaths)
    wrong = sorted(report.number for report in reports if report.wrong)
    click.echo(
        f"\n{len(reports)} games in {seconds:.0f} s, {sum(report.troubles.plies for report in reports)} turns: "
        f"{len(reports) - len(wrong)} right, {len(wrong)} wrong\n"
        f"mistakes {sum(r.troubles.mistakes for r in reports)} (refused {kinds['refused']}, mended {kinds['mended']}), "
        f"unplugged {sum(r.troubles.pulls for r in reports)}, "
        f"board restarted {sum(r.troubles.restarts for r in reports)} (gaps reported {kinds['gap']}), "
        f"killed {dict(sorted(deaths.items()))}\n"
        f"at most, at the end, a desk held {max((r.most[0] for r in reports), default=0)} files, "
        f"{max((r.most[1] for r in reports), default=0)} threads"
    )
    for number in wrong:
        click.echo(f"again: python -m tests.e2e.soak --seed {seed} --only {number}")


if __name__ == "__main__":
    main()
