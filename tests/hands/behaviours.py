"""What people do at a board, as functions that write the actions of a scene, and the tables at which they do it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from inkeek.records import Position, RecordsError, Rules, Side, Turn, ruleset

from .play import MOST_ALIKE, Scene, Table, motions_of, parse_game, partial_counts

GAMES: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = (
    ("bof", ()),
    ("kalah", ()),
    ("oware", ()),
    ("layli-goobalay", (("pits", 6),)),
    ("layli-goobalay", ()),
    ("anywoli", (("pits", 7),)),
    ("anywoli", ()),
    ("enkeshui", (("pits", 8), ("setup", "fours-right"))),
    ("enkeshui", (("pits", 8), ("setup", "fours-right"), ("direction_choice", "each-relay"))),
    ("enkeshui", ()),
    ("enkeshui-wikipedia", (("pits", 8), ("setup", "fours-right"))),
)
MOST_TURNS = 60  # legal turns that are looked at
LONGEST_GAME = 300
GAMES_EACH = 40  # random games of each rule set


class Unfit(Exception):
    """The behaviour is not possible at this table."""


@lru_cache(maxsize=4096)
def turns_of(rules: Rules, position: Position) -> tuple[Turn, ...]:
    try:
        return tuple(rules.turns(position, MOST_TURNS))
    except RecordsError as error:
        raise Unfit from error


def observed(position: Position, stores: bool) -> tuple[int, ...]:
    """What ideal sensors read."""
    return (*position.pits, *position.stores) if stores else position.pits


def courses(rules: Rules, position: Position, longest: int, most: int = 100_000) -> Iterator[tuple[Turn, ...]]:
    """All series of at most `longest` legal turns, the short ones first. :raises Unfit: there are more than `most`."""
    last: list[tuple[Turn, ...]] = [()]
    found = 0
    for _ in range(longest):
        longer = []
        for series in last:
            turns = rules.turns(series[-1].position if series else position, MOST_ALIKE)
            found += len(turns)
            if found > most or not turns.complete:
                raise Unfit
            for turn in turns:
                yield (*series, turn)
                longer.append((*series, turn))
        last = longer


def explanations(rules: Rules, position: Position, after: Position, stores: bool, longest: int) -> int:
    """How many series of turns leave what the sensors read; 0 if there are too many to look at."""
    wanted = observed(after, stores)
    try:
        return sum(observed(series[-1].position, stores) == wanted for series in courses(rules, position, longest))
    except Unfit:
        return 0


def distance(one: Position, other: Position) -> int:
    """How many seeds lie in another pit."""
    return sum(max(0, a - b) for a, b in zip(one.pits, other.pits, strict=True))


@dataclass
class Draft:
    """A scene that is being written; `position` is what the hands think of the board."""

    table: Table
    rng: random.Random
    actions: list[str] = field(default_factory=list)
    position: Position = field(init=False)
    turns: list[Turn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rules = self.table.rules
        self.position = self.rules.start()

    def do(self, *actions: str) -> None:
        self.actions += actions

    @property
    def mover(self) -> Side:
        return self.position.to_move

    @property
    def side(self) -> str:
        return self.position.to_move.letter

    @property
    def other(self) -> str:
        return self.position.to_move.other.letter

    def legal(self, side: Side | None = None) -> tuple[Turn, ...]:
        position = self.position if side is None else self.position.replaced(to_move=side)
        turns = tuple(turn for turn in turns_of(self.rules, position) if turn.move.pit)
        if not turns:
            raise Unfit
        return turns

    def choose(self, side: Side | None = None) -> Turn:
        return self.rng.choice(self.legal(side))

    def note(self, turn: Turn) -> str:
        """The hands know of a turn; the letter of who made it."""
        self.turns.append(turn)
        self.position = turn.position
        return turn.before.to_move.letter

    def play(self, turn: Turn | None = None, side: Side | None = None) -> str:
        """A turn without a press; the letter of who made it."""
        turn = turn or self.choose(side)
        letter = self.note(turn)
        self.do(f"play {letter} {turn.move.choice_text}")
        return letter

    def turn(self, turn: Turn | None = None) -> str:
        """A turn with its own press."""
        letter = self.play(turn)
        self.do(f"press {letter}")
        return letter

    def begin(self, turn: Turn | None = None, least: int = 1) -> tuple[str, int]:
        """A turn that is begun and not finished; who, and how many motions it has in all."""
        turn = turn or self.choose()
        motions = len(motions_of(self.rules, turn.before, turn.move))
        done = self.rng.randint(least, max(least, motions - 2))
        letter = self.note(turn)
        self.do(f"begin {letter} {turn.move.choice_text} {done}")
        return letter, motions

    def slip(self, most: int = 1) -> None:
        """Seeds jump to a pit beside theirs."""
        pits = list(self.position.pits)
        full = [pit for pit, count in enumerate(pits) if count]
        if not full:
            raise Unfit
        source = self.rng.choice(full)
        target = (source + self.rng.choice((-1, 1))) % len(pits)
        count = self.rng.randint(1, min(most, pits[source]))
        self.move(source, target, count)

    def move(self, source: int, target: int, count: int = 1) -> None:
        pits = list(self.position.pits)
        pits[source] -= count
        pits[target] += count
        if any(self.position.marks[pit] and pits[pit] < 2 for pit in (source, target)):
            raise Unfit
        self.position = self.position.replaced(pits=tuple(pits))
        self.do(f"slip {self.position.letter(source)} {self.position.letter(target)} {count}")

    def pit(self) -> str:
        """A pit with seeds."""
        full = [pit for pit, count in enumerate(self.position.pits) if count]
        if not full:
            raise Unfit
        return self.position.letter(self.rng.choice(full))

    def some(self, *sides: str) -> str:
        return self.rng.choice(sides or ("s", "n"))

    def ambiguous(self) -> Turn:
        """A turn that another one equals on the sensors."""
        by_counts: dict[tuple[int, ...], list[Turn]] = {}
        for turn in self.legal():
            by_counts.setdefault(observed(turn.position, self.table.stores), []).append(turn)
        alike = [turns for turns in by_counts.values() if len(turns) > 1]
        if not alike:
            raise Unfit
        return self.rng.choice(self.rng.choice(alike))

    def to_ambiguous(self, press: bool = True) -> Turn:
        """Play a turn after which one is possible that another one equals; that one."""
        turns = list(self.legal())
        self.rng.shuffle(turns)
        for turn in turns:
            after = Draft(self.table, self.rng)
            after.position = turn.position
            try:
                alike = after.ambiguous()
            except Unfit:
                continue
            self.turn(turn) if press else self.play(turn)
            return alike
        raise Unfit

    def elsewhere(self, move: str, then: str) -> None:
        """The last turn is taken back on the page and another entered, while the desk runs, starts again or is dead."""
        changes = ["retract", f"enter {move}", then]
        if self.rng.random() < 0.6:
            changes = ["desk-down", *changes]
            changes.insert(self.rng.randint(3, 4), "desk")
        else:
            changes.insert(self.rng.randint(0, 2), self.rng.choice(("desk", "unplug", "plug", "wait 3")))
        self.do(*changes)

    def to_pass(self) -> Turn:
        """A turn after which the other side must pass."""
        turns = [turn for turn in self.legal() if [one.move.pit for one in turns_of(self.rules, turn.position)] == [""]]
        if not turns:
            raise Unfit
        return self.rng.choice(turns)

    def pass_turn(self) -> None:
        turn = turns_of(self.rules, self.position)[0]
        self.do(f"play {self.note(turn)} {turn.move.choice_text}")

    def lay(self, position: Position) -> None:
        """Seeds jump until they lie as in a position."""
        here = list(self.position.pits)
        while here != list(position.pits):
            source = next(pit for pit, count in enumerate(here) if count > position.pits[pit])
            target = next(pit for pit, count in enumerate(here) if count < position.pits[pit])
            here[source] -= 1
            here[target] += 1
            self.do(f"slip {position.letter(source)} {position.letter(target)} 1")
        self.position = self.position.replaced(pits=position.pits)

    def extra(self, length: int) -> list[str]:
        """A chain of turns of one side, without a press."""
        side = self.mover
        for number in range(length):
            last = number == length - 1
            turns = [one for one in self.legal() if last or one.position.to_move is side]
            if not turns or (number and self.mover is not side):
                raise Unfit
            self.play(self.rng.choice(turns))
        return [side.letter]

    def goes_on(self, turns: int) -> None:
        """Play goes on, each turn with its own press."""
        for _ in range(turns):
            self.turn()


Make = Callable[[Draft], None]
BEHAVIOURS: dict[str, Make] = {}


def behaviour(make: Make) -> Make:
    BEHAVIOURS[make.__name__.replace("_", " ")] = make
    return make


# Who presses, and when


@behaviour
def clean_single_turn(draft: Draft) -> None:
    draft.turn()


@behaviour
def clean_turns(draft: Draft) -> None:
    draft.goes_on(draft.rng.randint(2, 4))


@behaviour
def pressed_twice(draft: Draft) -> None:
    side = draft.turn()
    draft.do(*[f"press {side}"] * draft.rng.randint(1, 3))
    draft.goes_on(1)


@behaviour
def both_press_after_each_turn(draft: Draft) -> None:
    for _ in range(draft.rng.randint(1, 3)):
        sides = [draft.play(), "n"]
        sides[1] = "sn".replace(sides[0], "")
        draft.rng.shuffle(sides)
        draft.do(*[f"press {side}" for side in sides])


@behaviour
def only_the_other_side_presses(draft: Draft) -> None:
    for _ in range(draft.rng.randint(1, 3)):
        side = draft.play()
        draft.do("press " + "sn".replace(side, ""))


@behaviour
def a_press_before_the_turn(draft: Draft) -> None:
    draft.do(f"press {draft.some()}")
    if draft.rng.random() < 0.5:
        draft.do(f"hold {draft.some()}")
    draft.turn()


@behaviour
def a_press_in_the_middle_of_sowing(draft: Draft) -> None:
    side, _ = draft.begin()
    draft.do(f"press {draft.some()}", "finish")
    if draft.rng.random() < 0.6:
        draft.do(f"press {side}")
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def a_press_instead_of_a_move(draft: Draft) -> None:
    """North presses as if to pass; South plays again."""
    side = draft.turn()
    draft.do("press " + "sn".replace(side, ""))
    draft.play(side=draft.position.to_move.other)
    draft.do(f"press {side}")


# More turns than presses


def _one_press(draft: Draft, turns: int, presser: Callable[[list[str]], str]) -> None:
    sides = [draft.play() for _ in range(turns)]
    draft.do(f"press {presser(sides)}")
    if draft.rng.random() < 0.5:
        draft.goes_on(1)


@behaviour
def two_turns_one_press_by_the_second(draft: Draft) -> None:
    _one_press(draft, 2, lambda sides: sides[-1])


@behaviour
def two_turns_one_press_by_the_first(draft: Draft) -> None:
    _one_press(draft, 2, lambda sides: sides[0])


@behaviour
def three_turns_one_press(draft: Draft) -> None:
    _one_press(draft, 3, lambda sides: sides[draft.rng.choice((-1, -1, 0))])


@behaviour
def four_turns_one_press(draft: Draft) -> None:
    _one_press(draft, 4, lambda sides: sides[draft.rng.choice((-1, -1, 0))])


@behaviour
def five_or_six_turns_one_press(draft: Draft) -> None:
    _one_press(draft, draft.rng.randint(5, 6), lambda sides: sides[-1])


@behaviour
def every_second_press_is_forgotten(draft: Draft) -> None:
    for number in range(draft.rng.randint(3, 6)):
        side = draft.play()
        if number % 2:
            draft.do(f"press {side}")


@behaviour
def only_one_player_ever_presses(draft: Draft) -> None:
    presser = draft.some()
    for _ in range(draft.rng.randint(3, 6)):
        if (side := draft.play()) == presser:
            draft.do(f"press {side}")


@behaviour
def a_chain_of_one_side_and_one_press(draft: Draft) -> None:
    (side,) = draft.extra(draft.rng.randint(2, 4))
    draft.do(f"press {side}")


@behaviour
def a_chain_and_the_answer_with_one_press(draft: Draft) -> None:
    draft.extra(draft.rng.randint(2, 3))
    side = draft.play()
    draft.do(f"press {side}")


@behaviour
def a_chain_with_one_press_left_out(draft: Draft) -> None:
    side = draft.side
    length = draft.rng.randint(3, 4)
    draft.extra(length)
    plays = draft.actions[-length:]
    del draft.actions[-length:]
    forgotten = draft.rng.randrange(length - 1)
    for number, play in enumerate(plays):
        draft.do(play, *([] if number == forgotten else [f"press {side}"]))


@behaviour
def a_chain_stopped_in_the_middle(draft: Draft) -> None:
    """An extra move was earned, and the other side plays instead of it."""
    side = draft.mover
    turns = [one for one in draft.legal() if one.position.to_move is side]
    if not turns:
        raise Unfit
    draft.play(draft.rng.choice(turns))
    if draft.rng.random() < 0.5:
        draft.do(f"press {side.letter}")
    draft.play(side=side.other)
    draft.do(f"press {side.other.letter}")
    if draft.rng.random() < 0.5:
        draft.play(side=side)
        draft.do(f"press {side.letter}")


# Who moves


@behaviour
def one_side_plays_twice(draft: Draft) -> None:
    side = draft.play()
    if draft.rng.random() < 0.7:
        draft.do(f"press {side}")
    mover = draft.position.to_move.other
    draft.play(side=mover)
    if draft.rng.random() < 0.7:
        draft.do(f"press {side}")
    for _ in range(draft.rng.randint(1, 2)):
        draft.turn()


@behaviour
def the_wrong_side_begins(draft: Draft) -> None:
    wrong = draft.mover.other
    draft.play(side=wrong)
    if draft.rng.random() < 0.7:
        draft.do(f"press {wrong.letter}")
    draft.goes_on(draft.rng.randint(0, 3))


@behaviour
def the_players_have_swapped_seats(draft: Draft) -> None:
    """Each plays the other's pits, and presses at their own place."""
    for _ in range(draft.rng.randint(1, 3)):
        draft.play(side=draft.mover)
        draft.do(f"press {draft.side}")


@behaviour
def turns_are_played_in_the_wrong_order(draft: Draft) -> None:
    """Both sow at once: the second player was quicker with seeds and button."""
    first = draft.choose()
    draft.play(side=draft.mover.other)
    draft.do(f"press {draft.turns[-1].before.to_move.letter}")
    again = [one for one in draft.legal(first.before.to_move) if one.move.pit == first.move.pit]
    if not again:
        raise Unfit
    draft.play(draft.rng.choice(again))
    draft.do(f"press {first.before.to_move.letter}")


# Refusals that are left open


@behaviour
def a_slip_is_refused_and_play_goes_on(draft: Draft) -> None:
    side = draft.play()
    draft.slip(2)
    draft.do(f"press {side}")
    draft.goes_on(draft.rng.randint(1, 3))


@behaviour
def a_slip_is_refused_and_mended_without_a_press(draft: Draft) -> None:
    side = draft.play()
    draft.slip()
    *_, slip = draft.actions
    _, source, target, count = slip.split()
    draft.do(f"press {side}", f"slip {target} {source} {count}")
    draft.position = draft.turns[-1].position
    draft.goes_on(draft.rng.randint(1, 3))


@behaviour
def a_wrong_button_is_refused_and_play_goes_on(draft: Draft) -> None:
    side = draft.play()
    draft.do("press " + "sn".replace(side, ""))
    draft.goes_on(draft.rng.randint(1, 3))


@behaviour
def a_refusal_is_answered_by_pressing_again(draft: Draft) -> None:
    side = draft.play()
    draft.slip()
    draft.do(*[f"press {side}"] * 3, f"hold {side}", f"press {draft.some()}")
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def illegal_turn_refused_and_play_goes_on(draft: Draft) -> None:
    """The mover takes a pit of the other row."""
    side = draft.side
    draft.play(side=draft.mover.other)
    draft.do(f"press {side}")
    draft.position = draft.position.replaced(to_move=draft.turns[-1].before.to_move)
    draft.goes_on(draft.rng.randint(1, 3))


# Questions


@behaviour
def a_question_left_open_and_play_goes_on(draft: Draft) -> None:
    draft.turn(draft.ambiguous())
    draft.goes_on(draft.rng.randint(1, 3))


@behaviour
def an_ambiguous_turn_without_its_press(draft: Draft) -> None:
    draft.play(draft.ambiguous())
    draft.goes_on(draft.rng.randint(1, 2))


@behaviour
def an_ambiguous_turn_after_one_without_a_press(draft: Draft) -> None:
    draft.turn(draft.to_ambiguous(press=False))


@behaviour
def a_question_answered_late(draft: Draft) -> None:
    turn = draft.ambiguous()
    draft.turn(turn)
    draft.do("note")
    for _ in range(draft.rng.randint(0, 2)):
        side = draft.play()
        if draft.rng.random() < 0.5:
            draft.do(f"press {side}")
    draft.do(f"answer {turn.move.choice_text}")


@behaviour
def a_question_answered_twice(draft: Draft) -> None:
    turn = draft.ambiguous()
    draft.turn(turn)
    answer = f"answer {turn.move.choice_text}"
    draft.do("note", answer, answer)
    if draft.rng.random() < 0.5:
        draft.do("desk")
    draft.play()
    draft.do(answer, f"press {draft.turns[-1].before.to_move.letter}", answer)


@behaviour
def a_question_answered_on_phone_and_board_at_once(draft: Draft) -> None:
    turn = draft.ambiguous()
    side = draft.turn(turn)
    draft.do("note", f"answer {turn.move.choice_text}", f"reply {side}", f"hold {side}")
    draft.goes_on(1)


@behaviour
def a_question_answered_with_a_long_press(draft: Draft) -> None:
    side = draft.turn(draft.ambiguous())
    draft.do(f"reply {side}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def a_question_outlives_a_change_of_the_record(draft: Draft) -> None:
    """A turn is recorded, the next one asked about; then the first is taken back on the page, and another entered."""
    turns = draft.legal()
    turn = draft.to_ambiguous()
    others = [one for one in turns if one.move != draft.turns[-1].move]
    side = draft.turn(turn)
    draft.do("note")
    if not others:
        raise Unfit
    answer = draft.rng.choice((f"answer {turn.move.choice_text}", f"hold {side}", f"press {side}"))
    draft.elsewhere(draft.rng.choice(others).move.choice_text, answer)
    if draft.rng.random() < 0.5:
        draft.do(f"hold {side}")


@behaviour
def a_refusal_outlives_a_change_of_the_record(draft: Draft) -> None:
    first = draft.choose()
    others = [one for one in draft.legal() if one.move != first.move]
    draft.turn(first)
    side = draft.play()
    draft.slip()
    draft.do(f"press {side}", "note")
    if not others:
        raise Unfit
    draft.elsewhere(draft.rng.choice(others).move.choice_text, f"answer {draft.turns[-1].move.choice_text}")
    draft.do(f"hold {side}", f"press {side}")


@behaviour
def dismissed_and_play_goes_on(draft: Draft) -> None:
    side = draft.play()
    draft.do("press " + "sn".replace(side, ""), "dismiss")
    draft.goes_on(2)


# Undo


@behaviour
def undo_properly(draft: Draft) -> None:
    side = draft.turn()
    before = draft.turns[-1].before
    draft.do(*draft.rng.choice((("putback", f"undo {side}"), (f"undo {side}", "putback", "wait 1"))))
    draft.position = before
    draft.turn()


@behaviour
def undo_begun_and_not_finished(draft: Draft) -> None:
    side = draft.turn()
    draft.do(f"undo {side}")
    if draft.rng.random() < 0.4:
        draft.do("desk")
    draft.goes_on(draft.rng.randint(1, 3))
    if draft.rng.random() < 0.5:
        draft.do("putback", "wait 1")


@behaviour
def put_back_without_the_button(draft: Draft) -> None:
    draft.turn()
    before = draft.turns[-1].before
    draft.do("putback", *draft.rng.choice(((), ("wait 3",))))
    draft.position = before
    draft.turn()
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def two_turns_put_back(draft: Draft) -> None:
    before = draft.position
    first = draft.turn()
    second = draft.turn()
    draft.do("putback", f"undo {second}", "putback", f"undo {first}")
    draft.position = before
    draft.turn()


@behaviour
def two_turns_put_back_with_one_button(draft: Draft) -> None:
    before = draft.position
    draft.turn()
    second = draft.turn()
    draft.do("putback", "putback", f"undo {draft.some(second, 'sn'.replace(second, ''))}")
    draft.position = before
    draft.turn()


@behaviour
def undo_by_the_other_side(draft: Draft) -> None:
    side = draft.turn()
    other = "sn".replace(side, "")
    draft.do(f"undo {other}")
    if draft.rng.random() < 0.5:
        draft.do("putback", "wait 1")
        draft.position = draft.turns[-1].before
    draft.turn()


@behaviour
def undo_outlives_later_turns(draft: Draft) -> None:
    """Undo is pressed and forgotten; later the board happens to lie as before the turn that it meant."""
    before = draft.position
    side = draft.turn()
    draft.do(f"undo {side}")
    draft.elsewhere(draft.turns[-1].move.choice_text, "wait 1")
    draft.goes_on(draft.rng.randint(0, 1))
    draft.do(f"lay {before}", "wait 1", f"press {draft.some()}")


@behaviour
def undo_that_nobody_hears_until_another_turn_is_recorded(draft: Draft) -> None:
    before, others = draft.position, draft.legal()
    side = draft.turn()
    begin, end = draft.rng.choice(AWAY)
    undo = [f"undo {side}", *draft.rng.choice(([], ["putback"]))]
    draft.rng.shuffle(undo)
    draft.do(begin, *undo, "retract", f"enter {draft.rng.choice(others).move.choice_text}", end, "wait 1")
    draft.do(f"lay {before}", draft.rng.choice(("wait 1", f"press {draft.some()}", f"undo {draft.some()}")))


@behaviour
def undo_of_a_turn_that_is_not_recorded(draft: Draft) -> None:
    before = draft.position
    side = draft.play()
    draft.do(f"undo {side}", *draft.rng.choice(((), ("putback",))))
    if draft.actions[-1] == "putback":
        draft.position = before
    draft.turn()


# Put away


@behaviour
def given_up_and_put_away(draft: Draft) -> None:
    if draft.rng.random() < 0.5:
        draft.play()
    how = draft.rng.choice(("clear all", "clear everything", "clear half", "clear s", "clear n", "collect"))
    draft.do(how, draft.rng.choice((f"press {draft.some()}", f"hold {draft.some()}", "wait 5", f"undo {draft.some()}")))
    draft.do(draft.rng.choice((f"press {draft.some()}", "wait 3", "desk")))


@behaviour
def put_away_in_two_steps_with_presses(draft: Draft) -> None:
    if draft.rng.random() < 0.3:
        draft.turn()
    for how in ("clear s", "clear n"):
        draft.do(how, f"press {draft.some()}")


@behaviour
def laid_out_for_a_new_game(draft: Draft) -> None:
    if draft.rng.random() < 0.5:
        draft.play()
    start = ruleset(draft.table.game, **dict(draft.table.options)).start()
    draft.do(f"lay {start}", draft.rng.choice((f"press {draft.some()}", "wait 3")))
    draft.position = start
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def resigned_on_the_page_and_played_on(draft: Draft) -> None:
    draft.turn()
    draft.do(f"resign {draft.some()}")
    draft.goes_on(1)


# Slips and hands


@behaviour
def a_forgotten_button_and_then_a_slip(draft: Draft) -> None:
    draft.play()
    if draft.rng.random() < 0.5:
        draft.slip()
        side = draft.play()
    else:
        side = draft.play()
        draft.slip()
    draft.do(f"press {side}")


@behaviour
def a_slip_and_a_press_without_a_turn(draft: Draft) -> None:
    draft.slip(draft.rng.randint(1, 4))
    draft.do(f"press {draft.some()}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def a_slip_while_the_other_side_thinks(draft: Draft) -> None:
    draft.turn()
    draft.slip()
    draft.goes_on(draft.rng.randint(1, 2))


@behaviour
def the_board_is_knocked(draft: Draft) -> None:
    side = draft.play()
    for _ in range(draft.rng.randint(2, 4)):
        draft.slip(3)
    draft.do(f"press {side}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def a_slip_to_the_pit_opposite(draft: Draft) -> None:
    side = draft.play()
    full = [pit for pit, count in enumerate(draft.position.pits) if count and not draft.position.marks[pit]]
    if not full:
        raise Unfit
    pit = draft.rng.choice(full)
    draft.move(pit, draft.position.opposite(pit))
    draft.do(f"press {side}")


@behaviour
def seeds_are_held_in_the_hand(draft: Draft) -> None:
    side, _ = draft.begin()
    draft.do(f"press {side}", "wait 4", f"press {side}", "finish", f"press {side}")


@behaviour
def the_other_side_begins_before_the_button(draft: Draft) -> None:
    side = draft.play()
    other, _ = draft.begin()
    draft.do(f"press {side}", "finish", f"press {other}")


@behaviour
def touched_and_put_back(draft: Draft) -> None:
    pit = draft.pit()
    draft.do(f"hand {pit}", draft.rng.choice((f"press {draft.some()}", "wait 1", "wait 4")), f"back {pit}")
    draft.turn()


@behaviour
def begun_and_put_back(draft: Draft) -> None:
    before = draft.position
    draft.begin()
    draft.do("abandon")
    if draft.rng.random() < 0.5:
        draft.do(f"press {draft.some()}")
    draft.position = before
    draft.turn()


@behaviour
def somebody_lifts_a_pit_while_the_button_is_pressed(draft: Draft) -> None:
    side = draft.play()
    pit = draft.pit()
    draft.do(f"hand {pit}", f"press {side}", f"back {pit}", "wait 1", f"press {side}")


@behaviour
def stopped_early(draft: Draft) -> None:
    """A lap, a capture or the last seeds are forgotten."""
    side, _ = draft.begin(least=2)
    draft.do(f"press {side}", "wait 4", f"press {'sn'.replace(side, '')}")


@behaviour
def a_long_pause_in_the_turn(draft: Draft) -> None:
    side, _ = draft.begin()
    draft.do("wait 5", "finish", "wait 4", f"press {side}")


@behaviour
def seeds_of_the_stores_are_mixed(draft: Draft) -> None:
    side = draft.play()
    stores = draft.position.stores
    full = [one for one in (0, 1) if stores[one]]
    if not full:
        raise Unfit
    source = draft.rng.choice(full)
    moved = draft.rng.randint(1, stores[source])
    draft.do(f"slip @{'sn'[source]} @{'sn'[1 - source]} {moved}", f"press {side}")


@behaviour
def captured_into_the_wrong_store(draft: Draft) -> None:
    turns = [one for one in draft.legal() if max(one.captured)]
    if not turns:
        raise Unfit
    turn = draft.rng.choice(turns)
    side = draft.play(turn)
    draft.do(f"slip @{side} @{'sn'.replace(side, '')} {turn.captured['sn'.index(side)] or 1}", f"press {side}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def captured_seeds_left_in_their_pit(draft: Draft) -> None:
    turns = [one for one in draft.legal() if max(one.captured)]
    if not turns:
        raise Unfit
    turn = draft.rng.choice(turns)
    events = motions_of(draft.rules, turn.before, turn.move)
    motions = next(number for number, event in enumerate(events) if event.kind == "take")
    draft.do(f"begin {draft.note(turn)} {turn.move.choice_text} {motions}")
    side = turn.before.to_move.letter
    draft.do(f"press {side}", f"press {'sn'.replace(side, '')}", "finish", f"press {side}")


# The board as a thing


@behaviour
def the_board_is_turned_before_a_turn(draft: Draft) -> None:
    draft.do("turn180", *draft.rng.choice(((), ("wait 4",))))
    draft.goes_on(draft.rng.randint(1, 3))


@behaviour
def the_board_is_turned_after_a_turn_before_its_button(draft: Draft) -> None:
    side = draft.play()
    draft.do("turn180", f"press {side}")
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def the_board_lies_turned_from_the_start(draft: Draft) -> None:
    draft.do("sits-turned")
    draft.goes_on(draft.rng.randint(1, 3))
    if draft.rng.random() < 0.6:
        draft.do(draft.rng.choice(("turned", "upright", "dismiss")))
        draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def said_to_be_turned_and_is_not(draft: Draft) -> None:
    draft.do("turned")
    draft.goes_on(draft.rng.randint(1, 2))


@behaviour
def unplugged_in_the_middle_of_a_turn(draft: Draft) -> None:
    side, _ = draft.begin()
    draft.do("unplug", "finish", draft.rng.choice(("plug", "reboot")), f"press {side}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def unplugged_while_turns_are_played(draft: Draft) -> None:
    if draft.rng.random() < 0.4:
        draft.play()
    draft.do("unplug")
    for _ in range(draft.rng.randint(1, 3)):
        side = draft.play()
        if draft.rng.random() < 0.7:
            draft.do(f"{draft.rng.choice(('press', 'press', 'hold'))} {side}")
    draft.do(draft.rng.choice(("plug", "plug", "reboot")))
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def unplugged_pressed_twice_and_held(draft: Draft) -> None:
    """No light answers, so the button is pressed again, and held."""
    draft.do("unplug")
    side = draft.play(draft.ambiguous() if draft.rng.random() < 0.7 else None)
    draft.do(f"press {side}", f"hold {side}", draft.rng.choice(("plug", "desk")), "plug")


@behaviour
def restarted_after_the_press(draft: Draft) -> None:
    side = draft.turn()
    draft.do("reboot", f"press {side}")
    draft.goes_on(1)


# The page and the board at once


@behaviour
def entered_on_the_page_and_pressed_on_the_board(draft: Draft) -> None:
    side = draft.play()
    draft.do(f"enter {draft.turns[-1].move.choice_text}", f"press {side}")
    draft.goes_on(1)


@behaviour
def pressed_on_the_board_and_entered_on_the_page(draft: Draft) -> None:
    draft.turn()
    draft.do(f"enter {draft.turns[-1].move.choice_text}")
    draft.goes_on(1)


@behaviour
def another_turn_is_entered_on_the_page(draft: Draft) -> None:
    turns = draft.legal()
    side = draft.play(draft.rng.choice(turns))
    draft.do(f"enter {draft.rng.choice(turns).move.choice_text}", f"press {side}")
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def taken_back_on_the_page_and_left_on_the_board(draft: Draft) -> None:
    side = draft.turn()
    draft.do("retract", draft.rng.choice((f"press {side}", "wait 4", "desk")))
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def taken_back_on_the_page_while_the_next_is_sown(draft: Draft) -> None:
    draft.turn()
    side, _ = draft.begin()
    draft.do("retract", "finish", f"press {side}")


# Trials and disputes


@behaviour
def a_trial_that_becomes_play(draft: Draft) -> None:
    draft.do(f"trial {draft.some(draft.side, draft.side, draft.other)}")
    draft.goes_on(draft.rng.randint(1, 2))


@behaviour
def a_trial_left_open(draft: Draft) -> None:
    before = draft.position
    side = draft.side
    draft.do(f"trial {side}")
    draft.play()
    if draft.rng.random() < 0.5:
        draft.do("putback", "wait 1")
        draft.position = before
    draft.goes_on(draft.rng.randint(1, 2))


@behaviour
def a_dispute_and_play_goes_on(draft: Draft) -> None:
    side = draft.turn()
    draft.do(f"dispute {draft.some()}")
    draft.goes_on(draft.rng.randint(1, 2))
    if draft.rng.random() < 0.5:
        draft.do(f"dispute {side}")
        draft.goes_on(1)


# Long presses


@behaviour
def every_press_is_long(draft: Draft) -> None:
    for _ in range(draft.rng.randint(1, 4)):
        side = draft.play()
        if draft.rng.random() < 0.25:
            draft.slip()
        draft.do(f"hold {side}")


@behaviour
def two_turns_and_a_long_press(draft: Draft) -> None:
    first = draft.play(draft.ambiguous() if draft.rng.random() < 0.3 else None)
    second = draft.play()
    draft.do(f"hold {draft.some(first, second)}", f"hold {second}")


@behaviour
def a_long_press_of_the_wrong_side(draft: Draft) -> None:
    side = draft.play()
    other = "sn".replace(side, "")
    draft.do(f"hold {other}", f"hold {other}")


@behaviour
def a_slip_and_two_long_presses(draft: Draft) -> None:
    side = draft.play()
    draft.slip(2)
    draft.do(f"hold {side}", f"hold {side}")


@behaviour
def turns_with_one_press_and_a_long_press(draft: Draft) -> None:
    """Who played sees the pit blink in which they began."""
    sides = [draft.play() for _ in range(draft.rng.randint(2, 3))]
    draft.do(f"press {sides[-1]}", f"grip {sides[-1]}", f"grip {sides[0]}")


@behaviour
def an_ambiguous_turn_and_a_long_press(draft: Draft) -> None:
    side = draft.turn(draft.ambiguous())
    draft.do(f"grip {side}")


@behaviour
def the_wrong_side_plays_and_holds(draft: Draft) -> None:
    wrong = draft.mover.other
    draft.play(side=wrong)
    draft.do(f"press {wrong.letter}", f"grip {wrong.letter}")
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def put_away_and_held(draft: Draft) -> None:
    side = draft.some()
    draft.do(draft.rng.choice(("clear all", "collect")), f"press {side}", f"grip {side}")


# Rearrangements


@behaviour
def two_pits_laid_out_again_before_a_turn(draft: Draft) -> None:
    if not draft.table.game.startswith("enkeshui"):
        raise Unfit
    side = draft.mover
    pits = [pit for pit in draft.position.pits_of(side) if draft.position.pits[pit] and not draft.position.marks[pit]]
    if len(pits) < 2:
        raise Unfit
    first, second = sorted(draft.rng.sample(pits, 2))
    count = draft.rng.randint(1, draft.position.pits[first])
    draft.move(first, second, count)
    if draft.rng.random() < 0.5:
        draft.do(f"press {side.letter}")
    draft.goes_on(draft.rng.randint(1, 2))


# Passes


@behaviour
def a_pass_with_its_press(draft: Draft) -> None:
    draft.turn(draft.to_pass())
    draft.pass_turn()
    draft.do(f"press {draft.turns[-1].before.to_move.letter}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def a_pass_that_nobody_presses(draft: Draft) -> None:
    side = draft.play(draft.to_pass())
    if draft.rng.random() < 0.7:
        draft.do(f"press {side}")
    draft.pass_turn()
    draft.goes_on(draft.rng.randint(1, 2))


@behaviour
def a_pass_in_a_chain_with_one_press(draft: Draft) -> None:
    draft.play(draft.to_pass())
    draft.pass_turn()
    side = draft.play()
    draft.do(f"press {draft.some(side, side, draft.mover.letter)}")


# Courses that end on the same board


@behaviour
def a_slip_that_looks_like_another_turn_on_top(draft: Draft) -> None:
    """A turn, and slips after which the board is as after that turn and another one."""
    first = draft.choose()
    side = draft.play(first)
    second = min(draft.legal(), key=lambda turn: distance(turn.position, first.position))
    if distance(second.position, first.position) > 4 or second.position.stores != first.position.stores:
        raise Unfit
    draft.lay(second.position)
    draft.do(f"press {draft.some(side, second.before.to_move.letter)}")
    if draft.rng.random() < 0.5:
        draft.position = second.position
        draft.goes_on(1)


@behaviour
def stopped_where_another_turn_ends(draft: Draft) -> None:
    """Seeds are still in the hand, or a capture lies there, and the pits are as after another turn."""
    ends = {observed(turn.position, draft.table.stores): turn for turn in draft.legal()}
    for turn in draft.rng.sample(draft.legal(), len(draft.legal())):
        motions = motions_of(draft.rules, turn.before, turn.move)
        for done, counts in enumerate(partial_counts(turn.before, motions), 1):
            seen = tuple(counts if draft.table.stores else counts[: 2 * draft.position.row])
            if done < len(motions) and seen in ends and ends[seen].move != turn.move:
                side = draft.note(turn)
                draft.do(f"begin {side} {turn.move.choice_text} {done}")
                draft.do(draft.rng.choice((f"press {side}", "wait 4")), "finish", f"press {side}")
                return
    raise Unfit


@behaviour
def another_turn_from_the_same_pit(draft: Draft) -> None:
    """A choice of direction, played with its own press, on a table where pits alone must tell."""
    turns = [one for one in draft.legal() if one.move.choices]
    if not turns:
        raise Unfit
    draft.turn(draft.rng.choice(turns))
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def presses_of_both_after_two_turns(draft: Draft) -> None:
    sides = [draft.play(), draft.play()]
    if draft.rng.random() < 0.5:
        sides.reverse()
    draft.do(*[f"press {side}" for side in sides])
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def presses_of_both_after_four_turns(draft: Draft) -> None:
    sides = [draft.play() for _ in range(draft.rng.randint(3, 4))]
    draft.rng.shuffle(sides)
    draft.do(*[f"press {side}" for side in sides])


# More of what lies on a board


@behaviour
def a_seed_falls_off_the_board(draft: Draft) -> None:
    side = draft.play()
    pit = draft.pit()
    draft.do(f"pocket {pit} 1", f"press {side}")
    draft.play() if draft.rng.random() < 0.3 else None
    draft.do(f"press {draft.some()}")


@behaviour
def a_seed_too_many(draft: Draft) -> None:
    side = draft.play()
    draft.do(f"pocket {draft.pit()} -{draft.rng.randint(1, 2)}", f"press {side}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def a_hand_leans_on_the_board(draft: Draft) -> None:
    side = draft.play()
    pit = draft.pit()
    draft.do(f"lean {pit} {draft.rng.randint(1, 9)}", f"press {side}")
    if draft.rng.random() < 0.5:
        draft.do("wait 3")
    draft.do(f"lean {pit} 0", f"press {side}")


@behaviour
def sensors_have_failed(draft: Draft) -> None:
    """Up to half of the pits are no evidence; turns with their own presses, or two with one."""
    pits = draft.rng.sample(range(2 * draft.position.row), draft.rng.randint(1, draft.position.row))
    draft.do(*[f"fault {draft.position.letter(pit)} open" for pit in pits])
    for _ in range(draft.rng.randint(1, 3)):
        side = draft.play()
        if draft.rng.random() < 0.7:
            draft.do(f"press {side}")
    draft.do(f"press {side}")


@behaviour
def put_away_with_failed_sensors(draft: Draft) -> None:
    pits = draft.rng.sample(range(2 * draft.position.row), draft.rng.randint(1, draft.position.row))
    draft.do(*[f"fault {draft.position.letter(pit)} stuck" for pit in pits])
    draft.do(draft.rng.choice(("clear all", "clear s", "clear n", "collect")), f"press {draft.some()}", "wait 3")


@behaviour
def events_come_twice(draft: Draft) -> None:
    side = draft.turn()
    draft.do("resend", "resend")
    draft.play()
    draft.do("resend", f"press {draft.turns[-1].before.to_move.letter}", "resend", f"press {side}", "desk", "resend")


@behaviour
def another_turn_after_a_refusal(draft: Draft) -> None:
    """The seeds are put back after a refusal, and another pit is played."""
    before = draft.position
    side = draft.play()
    draft.slip()
    draft.do(f"press {side}", "putback")
    draft.position = before
    draft.turn()


@behaviour
def another_turn_after_a_question(draft: Draft) -> None:
    """The question stays open; the seeds are put back, another pit is played and pressed long."""
    before = draft.position
    side = draft.turn(draft.ambiguous())
    draft.do("note", "putback")
    draft.position = before
    draft.play()
    draft.do(f"{draft.rng.choice(('hold', 'press'))} {side}", f"answer {draft.turns[0].move.choice_text}")


@behaviour
def the_last_turn_and_the_next_game(draft: Draft) -> None:
    for _ in range(40):
        if draft.rules.outcome(draft.position) is not None:
            break
        draft.turn()
    else:
        raise Unfit
    start = ruleset(draft.table.game, **dict(draft.table.options)).start()
    draft.do(draft.rng.choice(("collect", "clear all")), f"press {draft.some()}", f"lay {start}", "press s")
    draft.position = start
    draft.goes_on(1)


@behaviour
def buttons_are_drummed_on(draft: Draft) -> None:
    for _ in range(draft.rng.randint(1, 3)):
        side, _ = draft.begin()
        draft.do(*[f"{draft.some('press', 'press', 'hold')} {draft.some()}" for _ in range(4)])
        draft.do("finish", *[f"press {draft.some()}" for _ in range(3)], f"press {side}")


@behaviour
def two_turns_are_taken_back_on_the_page_and_others_played(draft: Draft) -> None:
    before = draft.position
    draft.goes_on(2)
    draft.do("retract", "retract", f"lay {before}")
    draft.position = before
    draft.goes_on(draft.rng.randint(1, 2))


@behaviour
def entered_on_the_page_while_a_refusal_is_open(draft: Draft) -> None:
    side = draft.play()
    draft.slip()
    draft.do(f"press {side}", f"enter {draft.turns[-1].move.choice_text}", f"press {side}")
    draft.goes_on(draft.rng.randint(0, 1))


@behaviour
def two_behaviours_in_a_row(draft: Draft) -> None:
    _in_a_row(draft, 2)


@behaviour
def three_behaviours_in_a_row(draft: Draft) -> None:
    _in_a_row(draft, 3)


def _in_a_row(draft: Draft, number: int) -> None:
    names = [name for name in BEHAVIOURS if not name.startswith("clean") and "in a row" not in name]
    for name in draft.rng.sample(names, number):
        BEHAVIOURS[name](draft)


# Questions that are left open, answered late and twice


def _ask(draft: Draft) -> None:
    """Something after which the program asks, most often."""
    match draft.rng.randrange(10):
        case 0:
            draft.turn(draft.ambiguous())
        case 1:
            draft.turn(draft.to_ambiguous(press=False))
        case 2:
            side = draft.play()
            draft.slip(2)
            draft.do(f"press {side}")
        case 3:
            draft.do("press " + "sn".replace(draft.play(), ""))
        case 4:
            draft.do(f"press {draft.play(side=draft.mover.other)}")
        case 5:
            draft.do(f"press {draft.rng.choice([draft.play(), draft.play()])}")
        case 6:
            draft.do("sits-turned", f"press {draft.play()}")
        case 7:
            draft.turn()
            draft.position = draft.turns[-1].before
            draft.do("putback", "wait 3")
        case 8:
            pit = draft.pit()
            draft.do(f"trial {draft.side}", f"hand {pit}", f"back {pit}", "wait 1")
        case 9:
            draft.begin()
            draft.do(f"press {draft.some()}")


def _meanwhile(draft: Draft) -> None:
    """What happens while something is open."""
    begin, end = draft.rng.choice(AWAY)
    match draft.rng.randrange(9):
        case 0 | 1:
            draft.turn()
        case 2:
            draft.play()
        case 3:
            draft.do(begin, f"{draft.some('press', 'hold', 'undo')} {draft.turn()}", end)
        case 4:
            draft.do("putback", draft.rng.choice(("wait 3", f"press {draft.some()}", f"undo {draft.some()}")))
        case 5:
            draft.elsewhere(draft.choose().move.choice_text, "wait 1")
        case 6:
            draft.do(f"enter {draft.choose().move.choice_text}")
        case 7:
            draft.slip()
        case 8:
            draft.do(begin, *draft.rng.choice((("wait 8",), ("turn180",), ("note",), ("finish",))), end)


def _leave_open(draft: Draft) -> None:
    """Something is asked, play goes on, and then it is answered: once, twice, by several people, or never."""
    for _ in range(draft.rng.randint(1, 2)):
        _ask(draft)
        if draft.rng.random() < 0.8:
            draft.do("note")
        moves = " ".join(turn.move.choice_text for turn in draft.turns[-2:][draft.rng.randint(0, 1) :])
        sides = draft.side, draft.other
        for _ in range(draft.rng.randint(0, 3)):
            _meanwhile(draft)
        answers = [f"answer {moves}", "dismiss", "agree", "turned", "upright", "lay true", "lay record", "undo s"]
        answers += [f"{word} {side}" for word in ("press", "hold", "grip", "reply") for side in sides]
        chosen = draft.rng.choices((*answers, answers[0], answers[0]), k=draft.rng.randint(0, 3))
        draft.do(*[one for one in chosen for _ in range(draft.rng.randint(1, 2))])
    draft.goes_on(draft.rng.randint(0, 2))


@behaviour
def questions_pile_up(draft: Draft) -> None:
    _leave_open(draft)


@behaviour
def refusals_pile_up(draft: Draft) -> None:
    _leave_open(draft)


# Everything at random


@behaviour
def anything(draft: Draft) -> None:
    """Motions and presses without any sense."""
    for _ in range(draft.rng.randint(4, 10)):
        kind = draft.rng.randrange(16)
        match kind:
            case 0 | 1 | 2 | 3 | 4:
                draft.play()
            case 5:
                draft.play(side=draft.mover.other)
            case 6 | 7 | 8:
                draft.do(f"press {draft.some()}")
            case 9:
                draft.do(f"hold {draft.some()}")
            case 10:
                draft.slip(2)
            case 11:
                draft.do(draft.rng.choice(("desk", "reboot", "wait 4", "unplug", "plug")))
            case 12:
                draft.do(f"undo {draft.some()}")
            case 13 if draft.turns:
                draft.do("note", f"answer {draft.turns[-1].move.choice_text}")
            case 14:
                draft.do(draft.rng.choice(("retract", "dismiss", "turn180", f"trial {draft.some()}")))
            case 15 if draft.turns:
                draft.do(f"enter {draft.turns[-1].move.choice_text}")


# Tables

AWAY = (  # how the desk does not hear a board for a while, and hears it again
    *(("desk-down", "desk"), ("unplug", "plug"), ("unplug", "desk"), ("pause", "resume"), ("pause", "desk")),
    *((f"absent {days}", "plug") for days in (0.2, 24.9, 26, 49.71, 60)),
)


@lru_cache(maxsize=1)
def alike_tables() -> tuple[tuple[str, tuple[tuple[str, Any], ...], str, str], ...]:
    """Positions with turns that leave equal counts, each with the one before it: they are rare in random games."""
    lines = [line.split(" | ") for line in (Path(__file__).parent / "alike.txt").read_text().splitlines()]
    return tuple((*parse_game(game), before, position) for game, before, position in lines)


@lru_cache(maxsize=1)
def tables_of_passes() -> tuple[tuple[str, tuple[tuple[str, Any], ...], str], ...]:
    """Positions before a turn after which the other side must pass."""
    found = []
    for name, options in GAMES:
        if name != "anywoli":
            continue
        rules = ruleset(name, **dict(options))
        for number in range(GAMES_EACH):
            for before, after in pairwise(random_game(name, options, number)):
                if [turn.move.pit for turn in turns_of(rules, after)] == [""]:
                    found.append((name, options, str(before)))
    return tuple(found[::7])


@lru_cache(maxsize=1024)
def random_game(name: str, options: tuple[tuple[str, Any], ...], number: int) -> tuple[Position, ...]:
    """The positions of a game of random turns, without that in which it is over."""
    rng, rules = random.Random(number), ruleset(name, **dict(options))
    line = [rules.start()]
    while len(line) < LONGEST_GAME and (turns := rules.turns(line[-1], MOST_TURNS)):
        line.append(rng.choice(turns).position)
    return tuple(line)


def random_table(rng: random.Random, game: str | None = None) -> Table:
    """A game in an early, middle or late position, with some equipment."""
    name, options = rng.choice([one for one in GAMES if game is None or one[0] == game])
    line = random_game(name, options, rng.randrange(GAMES_EACH))
    phase = rng.random()
    last = len(line) - 2
    if phase < 0.3:
        number = rng.randint(0, min(4, last))
    elif phase < 0.6:
        number = rng.randint(min(4, last), max(4, last // 2)) if last > 4 else last
    else:
        number = max(0, last - rng.randint(0, 12))
    return equipped(rng, name, options, str(line[min(number, last)]))


def equipped(rng: random.Random, name: str, options: tuple[tuple[str, Any], ...], position: str) -> Table:
    buttons = rng.random() < 0.75
    reports = rng.choice(("lifts", "lifts", "pits", "none")) if buttons else rng.choice(("lifts", "pits"))
    stores, searches, noise = rng.random() < 0.5, rng.random() < 0.1, rng.random() < 0.3
    uptime = rng.choice((0, rng.randrange(2**32), 2**31, 2**32)) + rng.randint(-120_000, 120_000)
    return Table(name, options, position, stores, buttons, searches, reports, noise, uptime % 2**32)


def without_buttons(actions: list[str]) -> list[str]:
    """On a board without buttons who would press waits."""
    kept = []
    for action in actions:
        word = action.split()[0]
        if word in ("press", "hold", "reply", "grip"):
            kept.append("wait 3")
        elif word not in ("undo", "trial", "dispute"):
            kept.append(action)
    return kept


def disturbed(actions: list[str], rng: random.Random) -> list[str]:
    """The desk starts again, or is dead for a while, or the cable is pulled, between two steps."""
    first, last = sorted(rng.randint(0, len(actions)) for _ in range(2))
    what = rng.choice(("desk", "desk", "unplug; plug", "wait 3", "apart", "apart"))
    if what == "apart":
        begin, end = rng.choice(AWAY)
        return [*actions[:first], begin, *actions[first:last], end, *actions[last:]]
    return [*actions[:first], *what.split("; "), *actions[first:]]


def make_scene(name: str, rng: random.Random, tries: int = 1000) -> Scene | None:
    """A scene of a behaviour at a table that fits; None: none was found."""
    make = BEHAVIOURS[name]
    game = "kalah" if "chain" in name else None
    for _ in range(tries):
        table = random_table(rng, game)
        if "question" in name or "ambiguous" in name:
            game_name, options, before, position = rng.choice(alike_tables())
            second = "after one" in name or "outlives" in name
            table = equipped(rng, game_name, options, before if second else position)
        elif "pass" in name:
            table = equipped(rng, *rng.choice(tables_of_passes()))
        if name.startswith("clean") or "chain of one" in name:
            table = replace(table, buttons=True)
        draft = Draft(table, rng)
        try:
            make(draft)
        except (Unfit, RecordsError):
            continue
        actions = draft.actions if table.buttons else without_buttons(draft.actions)
        if rng.random() < 0.25 and not name.startswith("clean"):
            actions = disturbed(actions, rng)
        return Scene(name, table, tuple(actions))
    return None
