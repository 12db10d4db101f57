"""Runs the same script under CPython and MicroPython. As a command, with many random scripts:

python -m tests.firmware_sim.alike --scripts 200
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from tests.firmware_sim.micropython import MicroPython, find_micropython

from . import replayer, scripts

STEPS = 2500


def alike(micropython: MicroPython, script: scripts.Script) -> list[Any]:
    """Return the output.

    :raises AssertionError: the two outputs differ.
    """
    here = json.loads(json.dumps(replayer.main(script)))
    there = micropython.call(Path(replayer.__file__), script)
    assert len(there) == len(here)
    for number, (one, other) in enumerate(zip(here, there, strict=True)):
        assert one == other, f"item {number} of the output"
    return list(here)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scripts", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="of the first script")
    args = parser.parse_args()
    micropython = find_micropython(must=True)
    steps = items = 0
    for seed in range(args.first, args.first + args.scripts):
        script = scripts.random_script(seed, STEPS)
        try:
            items += len(alike(micropython, script))
        except AssertionError as error:
            raise SystemExit(f"seed {seed}: {error}") from error
        steps += len(script)
    print(f"{args.scripts} scripts, {steps:,} steps, {items:,} outputs: equal under both")


if __name__ == "__main__":
    main()
