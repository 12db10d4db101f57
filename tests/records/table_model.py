"""A second runner of games that are tables, from the words of their files, as plainly and slowly as possible.

It shares nothing with `records`: tests are words, a turn keeps every state it was in, and writes events as it goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STORE = "store"
BOTH_WAYS = ("after-opponent-row", "after-one-lap", "after-first-lap", "each-relay")


class TooLong(Exception):
    """The turn has more laps than the comparison has time for."""


@dataclass
class Result:
    """A turn: what happened, and how it came out: ``ended``, ``endless``, or ``few`` where it offered fewer choices."""

    status: str
    pits: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    stores: tuple[int, ...] = ()
    again: bool = False
    laps: int = 0
    cycle: int = 0
    events: list[tuple[Any, ...]] = field(default_factory=list)


class TableModel:
    """A game under options, from the tables of its file."""

    def __init__(self, data: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        self.options = options
        start, sow, end = (self.chosen(data.get(key, {})) for key in ("start", "sow", "end"))
        self.least, self.first, self.feed = start.get("least", 1), start.get("first", "any"), start.get("feed", "no")
        self.direction, self.stores_sown = sow.get("direction", "ccw"), sow.get("store") == "own"
        self.origin, self.choices = sow.get("origin", "sown"), sow.get("choices", "none")
        self.skip, self.skip_from = sow.get("skip"), sow.get("skip_from", "first")
        self.drains = sow.get("special") == "store"
        self.passing = self.chosen(data["passing"]) if "passing" in data else None
        self.last_seeds, self.over = end.get("last_seeds", 0), end.get("over", "mover")
        self.majority = end.get("majority", False)
        numbered = ({**row, "number": number} for number, row in enumerate(data["last"], 1))
        self.rows = [self.chosen(row) for row in numbered if self.applies(row.get("if", {}))]

    def chosen(self, table: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self.value(value) if key != "if" else value for key, value in table.items()}

    def value(self, value: Any) -> Any:
        if isinstance(value, dict) and "option" in value:
            option = self.options[value["option"]]
            text = str(option).lower() if isinstance(option, bool) else str(option)
            return value[text] if len(value) > 1 else option
        return value

    def applies(self, conditions: Mapping[str, Any]) -> bool:
        return all(
            self.options[name] in (wanted if isinstance(wanted, list) else [wanted])
            for name, wanted in conditions.items()
        )

    # A position is loaded into these, and a turn changes them.

    def load(self, position: Any) -> None:
        self.pits, self.marks, self.stores = list(position.pits), list(position.marks), list(position.stores)
        self.mover, self.ply, self.unsown = int(position.to_move), position.ply, position.unsown
        self.size, self.row = len(self.pits), len(self.pits) // 2
        self.own = range(self.row) if self.mover == 0 else range(self.row, self.size)
        self.theirs = range(self.row, self.size) if self.mover == 0 else range(self.row)
        self.events: list[tuple[Any, ...]] = []

    def first_turn(self) -> bool:
        return self.ply < 2 or bool(self.unsown >> self.mover & 1)

    def special(self, pit: int) -> bool:
        return self.marks[pit] in (1, 2)

    def step(self, pit: int, way: int) -> int:
        pit = (pit + way) % self.size
        return self.step(pit, way) if self.marks[pit] == 3 else pit

    def holds(self, test: str, place: Any) -> bool:
        return any(self.holds_words(words.split(), place) for words in test.split(","))

    def holds_words(self, words: list[str], place: Any) -> bool:
        if place is None:
            return False
        if place == STORE:
            return STORE in words and all(word == STORE for word in words)
        return self.marks[place] != 3 and all(self.holds_word(word, place) for word in words)

    def holds_word(self, word: str, pit: int) -> bool:
        count, mark = self.pits[pit], self.marks[pit]
        meanings = {
            "own": pit in self.own,
            "theirs": pit in self.theirs,
            "ordinary": mark == 0,
            "special": self.special(pit),
            "mine": mark == self.mover + 1,
            "foes": mark == 2 - self.mover,
            "even": count % 2 == 0,
            "odd": count % 2 == 1,
            STORE: False,
        }
        if word in meanings:
            return meanings[word]
        return count >= int(word[:-1]) if word.endswith("+") else count == int(word)

    # Where a turn may begin

    def starts(self, position: Any) -> list[int]:
        self.load(position)
        pits = [pit for pit in self.own if self.pits[pit] >= self.least and self.marks[pit] == 0]
        right = self.own[-1]
        if self.first == "right-end" and self.ply == 0 and self.pits[right] and self.marks[right] == 0:
            return [right]
        if self.majority and max(self.stores) > (sum(self.pits) + sum(self.stores)) // 2:
            return []
        if any(self.pits[pit] for pit in self.theirs):
            return pits
        if self.over == "row":
            return []
        if self.feed == "first-lap":
            return [pit for pit in pits if self.reaches(pit)]
        if self.feed == "turn":
            return [pit for pit in pits if self.feeds(position, pit)]
        return pits

    def reaches(self, pit: int) -> bool:
        """Whether the first lap from a pit comes to the opponent's row."""
        hand = self.pits[pit] - (self.origin == "first-stays")
        ways = (1, -1) if self.starts_either_way(pit) else (self.first_way(pit),)
        return any((pit + way * k) % self.size in self.theirs for way in ways for k in range(1, hand + 1))

    def feeds(self, position: Any, pit: int) -> bool:
        result = self.turn(position, pit)
        theirs = range(self.row, self.size) if position.to_move == 0 else range(self.row)
        return result.status == "ended" and any(result.pits[k] for k in theirs)

    def starts_either_way(self, pit: int) -> bool:
        return self.choices == "start" and (self.direction != "split" or 2 * (pit - self.own[0]) == self.row - 1)

    def first_way(self, pit: int) -> int:
        if self.direction == "split":
            from_left = pit - self.own[0]
            return -1 if from_left < self.row // 2 else 1
        return -1 if self.direction == "cw" else 1

    # A turn

    def turn(self, position: Any, start: int, choices: str = "", most_laps: int = 3000) -> Result:
        """Play a turn with these choices of direction.

        :raises TooLong: it has more laps.
        """
        self.load(position)
        self.laps = self.points = self.decided = 0
        self.stores_before = sum(self.stores)
        self.choices_left = list(choices)
        self.way = self.first_way(start)
        if self.starts_either_way(start):
            self.choose(start)
        sown: set[int] = set()
        states: dict[tuple[Any, ...], int] = {}  # before later laps: what the first one does need not come again
        pit = start
        while True:
            if self.laps >= most_laps:
                raise TooLong
            self.laps += 1
            once = self.choices in ("after-one-lap", "after-first-lap", "each-relay")
            if once and not (self.choices == "each-relay" and self.points):
                sown = set()
            dropped = self.lap(pit)
            if dropped is None:
                return self.result("ended", "last-four")
            sown |= {place for place in dropped if place != STORE}
            ended = self.after_lap(pit, dropped)
            if isinstance(ended, str):
                return self.result("ended" if not self.choices_left else "few", ended)
            if isinstance(ended, set):
                return self.result("ended" if not self.choices_left else "few", *ended)
            pit = ended
            state = (*self.pits, pit, self.way)
            if state in states:
                return Result("endless", laps=self.laps, cycle=self.laps - states[state])
            states[state] = self.laps
            if self.choices in BOTH_WAYS and sown >= set(self.theirs):
                if once and self.choices != "each-relay" and self.points:
                    continue
                if self.choices == "after-first-lap" and self.laps > 1:
                    continue
                if self.choices != "each-relay":
                    sown = set()
                self.choose(pit)

    def choose(self, pit: int) -> None:
        if self.choices_left:
            self.way = 1 if self.choices_left.pop(0) == ">" else -1
        self.points += 1
        self.events.append(("choose", pit, 0, self.way))

    def result(self, status: str, *whys: str) -> Result:
        """How the turn came out. `whys`: all reasons for its end that are true of it."""
        self.events.append(("end", self.last_pit, 0 if whys == ("last-four",) else self.decided, whys))
        board = tuple(self.pits), tuple(self.marks), tuple(self.stores)
        return Result(status, *board, self.again, self.laps, 0, self.events)

    def take(self, pit: int, side: int, *reasons: str) -> bool:
        """Take a pit, for all these reasons; True if that brings the last seeds too."""
        self.events.append(("take", pit, self.pits[pit], side, reasons))
        self.stores[side] += self.pits[pit]
        self.pits[pit] = 0
        if not self.last_seeds or sum(self.pits) + self.hand != self.last_seeds:
            return False
        for other in range(self.size):
            if self.pits[other]:
                self.events.append(("take", other, self.pits[other], side, ("last-four",)))
                self.stores[side] += self.pits[other]
                self.pits[other] = 0
        if self.hand:
            self.events.append(("take", -1, self.hand, side, ("last-four",)))
            self.stores[side] += self.hand
        return True

    def lap(self, start: int) -> list[Any] | None:
        """Sow a lap; where its seeds fell, or None if the last seeds of the game were taken on the way."""
        self.hand, self.pits[start] = self.pits[start], 0
        self.handful, self.again = self.hand, False
        self.events.append(("lift", start, self.hand, self.decided))
        dropped: list[Any] = []
        self.last_pit = pit = start
        if self.origin == "first-stays" and self.hand > 1:
            self.pits[start] = 1
            self.hand -= 1
            self.events.append(("drop", start, 1, 0))
            dropped.append(start)
        in_store, passed = False, 0
        right_of = self.own[0] - 1 if self.direction == "cw" else self.own[-1]  # the store lies right of this pit
        before_store = (right_of if self.way > 0 else right_of + 1) % self.size
        while self.hand:
            if self.stores_sown and pit == before_store and not in_store:
                self.hand -= 1
                self.stores[self.mover] += 1
                self.events.append(("store", -1, self.stores[self.mover], self.mover))
                dropped.append(STORE)
                in_store = True
                continue
            in_store = False
            self.last_pit = pit = (pit + self.way) % self.size
            if self.marks[pit] == 3 or (pit == start and self.origin == "skipped"):
                continue
            begun = {"first": True, "later": self.laps > 1, "second-turn": self.ply > 0}[self.skip_from]
            skips = self.skip and begun and self.holds(self.skip, pit)
            if skips and passed < self.size:
                passed += 1
                continue
            passed = 0
            self.hand -= 1
            self.pits[pit] += 1
            self.events.append(("drop", pit, self.pits[pit], 0))
            dropped.append(pit)
            if self.drains and self.special(pit):
                if self.take(pit, self.marks[pit] - 1, "in-passing"):
                    return None
            elif self.passing and self.hand and not self.special(pit) and self.holds(self.passing["count"], pit):
                owner = 0 if pit < self.row else 1
                side = owner if self.passing.get("to") == "owner" else self.mover
                if self.take(pit, side, "in-passing", *(["four-in-passing"] if self.pits[pit] == 4 else [])):
                    return None
        return dropped

    def after_lap(self, start: int, dropped: list[Any]) -> Any:
        """Do what the first fitting row says; the pit of the next lap, or why the turn ends: one reason, or all that
        are true."""
        stored = bool(dropped) and dropped[-1] == STORE
        pit = self.last_pit
        following = self.step(pit, self.way)
        pits_sown = [place for place in dropped if place != STORE]
        places = {
            "last": STORE if stored else pit,
            "opposite": None if stored else self.size - 1 - pit,
            "next": following,
            "beyond": self.step(following, self.way),
            "before": None if stored or self.handful < 2 else (pits_sown[-2] if len(pits_sown) > 1 else start),
        }
        row = next(row for row in self.rows if self.fits(row, places, pit))
        self.decided = row["number"]
        held = {name: 0 if place in (None, STORE) else self.pits[place] for name, place in places.items()}
        marked = {name: place not in (None, STORE) and self.special(place) for name, place in places.items()}
        taken = self.to_take(row, places)
        theirs = sum(self.pits[k] for k in self.theirs)
        if row.get("slam") == "nothing" and taken and theirs == sum(self.pits[k] for k in taken if k in self.theirs):
            self.again = False
            return "grand-slam"
        for place in taken:
            count, facing, is_last = self.pits[place], self.size - 1 - place, place == places["last"]
            reasons = {
                "last-seed": is_last and count == 1,
                "last-pit": is_last and count > 1,
                "opposite-empty": held["last"] == 1 if facing == places["last"] else self.pits[facing] == 0,
                "beyond-empty": place == places["beyond"] and self.pits[following] == 0,
                "four": is_last and count == 4,
                "two-or-three": count in (2, 3),
                "elsewhere": not is_last,
            }
            if self.take(place, self.mover, *(reason for reason, is_true in reasons.items() if is_true)):
                self.again = False
                return "last-four"
        made = False
        if not stored:
            opposite = self.size - 1 - pit
            if row.get("shift") and self.pits[opposite] and not self.special(opposite):
                self.pits[opposite] -= 1
                self.pits[pit] += 1
                self.events.append(("shift", opposite, 1, pit))
            for name in row.get("mark", []):
                place = places[name]
                if place is not None and not self.special(place):
                    made = True
                    self.marks[place] = self.mover + 1
                    self.events.append(("special", place, self.pits[place], self.mover))
        then = row.get("then", "stop")
        self.again = then == "again" and sum(self.stores) > self.stores_before
        past = self.step(places["beyond"], self.way)
        for _ in range(self.size):
            if not self.pits[past] or self.special(past):
                past = self.step(past, self.way)
        on = {"relay": places["last"], "relay-next": following, "relay-past": past}.get(then)
        if not stored and on is not None and self.pits[on] and not self.special(on):
            return on
        empty = held["last"] == 1 and not taken and not stored
        opposite_empty = held["opposite"] == 0 and not marked["opposite"]
        nothing_next = held["next"] == 0
        claims = {
            "stopped": True,
            "in-store": stored and self.again,
            "in-special": marked["last"] and not stored,
            "made-special": made,
            "captured": bool(taken) and not stored,
            "four": held["last"] == 4 and not stored,
            "empty": empty,
            "empty-theirs": empty and pit in self.theirs,
            "empty-nothing": empty and opposite_empty,
            "empty-special": empty and marked["opposite"],
            "no-capture-after-relay": empty and self.laps > 1,
            "took-beyond": taken == [places["beyond"]] and nothing_next,
            "nothing-beyond": nothing_next and held["beyond"] == 0 and not taken,
            "in-occupied": held["last"] > 1 and not taken and not stored,
        }
        return {claim for claim, is_true in claims.items() if is_true}

    def fits(self, row: Mapping[str, Any], places: Mapping[str, Any], pit: int) -> bool:
        if not all(self.holds(row[name], place) for name, place in places.items() if name in row):
            return False
        if row.get("lap", "any") != "any" and (row["lap"] == "first") != (self.laps == 1):
            return False
        if row.get("turn") == "later" and self.first_turn():
            return False
        if "max" in row and self.marks.count(self.mover + 1) >= row["max"]:
            return False
        if "not_pit" in row and pit % self.row == row["not_pit"] - 1:
            return False
        return not row.get("not_mirror") or self.marks[(pit + self.row) % self.size] != 2 - self.mover

    def to_take(self, row: Mapping[str, Any], places: Mapping[str, Any]) -> list[int]:
        taken: list[int] = []

        def add(place: Any) -> bool:
            if place in (None, STORE) or self.pits[place] == 0 or self.special(place) or place in taken:
                return False
            taken.append(place)
            return True

        for name in row.get("take", []):
            for place in [places[name]] if name in places else [k for k in range(self.size) if self.holds(name, k)]:
                add(place)
        chain = row.get("chain")
        if not chain or not taken or places["last"] == STORE:
            return taken
        at = places["beyond"] if chain["way"] == "pairs" else places["last"]
        for _ in range(self.size):
            at = self.step(at, -self.way if chain["way"] == "back" else self.way)
            if not self.holds(chain["pit"], at):
                break
            if chain["way"] == "pairs":
                at = self.step(at, self.way)
            if "opposite" in chain and not self.holds(chain["opposite"], self.size - 1 - at):
                break
            if not add(self.size - 1 - at if chain.get("take") == "opposite" else at):
                break
        return taken
