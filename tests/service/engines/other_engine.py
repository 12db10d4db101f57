"""An engine written from docs/engine.md alone, which shares no code of the protocol. It takes the most seeds it can.

``python -m tests.service.engines.other_engine [FAULT]``, where the fault is one of those in `FAULTS`.
"""

import sys
import time

from inkeek.records import Move, Position, ruleset

FAULTS = (
    "mute",
    "busy",
    "leaves",
    "illegal",
    "deaf",
    "flood",
    "long-line",
    "nonsense",
    "brackets",
    "slow",
    "resigns",
    "error",
    "twice",
    "unread",
)


def say(*words: object) -> None:
    print(*words, flush=True)


def main(fault: str) -> None:
    rules = ruleset("kalah")
    position = rules.start()
    if fault == "unread":
        answer_unread()
    for line in sys.stdin:
        words = line.split()
        match words:
            case ["inkeek", _]:
                while fault == "mute":
                    time.sleep(60)
                say("id name Greedy", fault)
                say("option Depth 1 1 9")
                say("inkeekok 1")
            case ["rules", game, *options]:
                rules = ruleset(game, **dict(option.split("=") for option in options))
                position = rules.start()
            case ["position", *rest]:
                cut = rest.index("moves") if "moves" in rest else len(rest)
                text = " ".join(rest[:cut])
                position = rules.start() if text == "start" else Position.parse(text)
                for move in rest[cut + 1 :]:
                    position = rules.play(position, Move.parse(move)).position
            case ["isready"] if fault != "busy":
                say("readyok")
            case ["go", *_]:
                answer(rules, position, fault)
            case ["quit"]:
                return


def answer_unread() -> None:
    """Answers of an engine that never reads, at the pace of its host."""
    say("inkeekok 1")
    for _ in range(100_000):
        say("readyok")
        say("info depth 1")
    time.sleep(60)


def answer(rules, position, fault: str) -> None:
    turns = rules.turns(position)
    mover = position.to_move
    best = max(turns, key=lambda turn: turn.position.stores[mover] - turn.position.stores[1 - mover])
    if fault == "leaves":
        sys.exit(3)
    while fault == "deaf":
        time.sleep(60)
    while fault == "flood":
        say("info depth 1 value 0")
    if fault == "long-line":
        say("info " + "x" * 1_000_000)
    if fault == "nonsense":
        say("info depth many")
    if fault == "brackets":
        say("info [%eval 3] } \x1b[31m")
    if fault == "slow":
        time.sleep(1.5)
    if fault == "error":
        say("error it is raining")
    if fault == "resigns":
        say("bestmove none")
    elif fault == "illegal":
        say("bestmove Z")
    else:
        say("info depth 1 value", best.position.stores[mover] - best.position.stores[1 - mover])
        say("bestmove", best.move.choice)
        if fault == "twice":
            say("bestmove", best.move.choice)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
