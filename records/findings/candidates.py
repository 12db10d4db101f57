"""The search for accounts: where a turn may have begun, and the boards that fit after it, with prior weights."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from inkeek.records.kernel.codes import CODE_NAMES, COUNT_LIMIT, Slipped
from inkeek.records.kernel.slips import COMPILED, SlipSearch
from inkeek.records.moves import PASS, Kind, Move, Turn
from inkeek.records.position import NORTH, OWNED, Position, Side
from inkeek.records.rules.play import Rules
from inkeek.records.rules.ruleset import Value
from inkeek.records.rules.table import Family

from .account_steps import BoardCounts, boards_during
from .drafts import Draft, Opening, Slip, SlipWeights, choice_bits, choice_text, log_sum
from .evidence import Evidence, log_likelihoods
from .kinds import (
    BEGUN,
    BEGUN_EARLY,
    CLAIM,
    CLEAN,
    KINDS,
    MISTAKES,
    NOTHING,
    PRESSED_FOR_NOTHING,
    PRESSED_WRONGLY,
)
from .sweeps import sweep_log

MAX_TURNS = 2000  # legal turns considered; random play on 2×8 has 6 a position, and 113 at most were seen
MAX_PAIRS = 40  # first turns of which the second ones are considered
SLOWNESS = 1 if COMPILED else 40  # of the search: bounds of work are bounds of time
ONE_SLIP_WORK = 2_000_000 // SLOWNESS  # laps and boards; about 40 ns each
TWO_SLIPS_WORK = 3_000_000 // SLOWNESS
BRIEF_WORK = 150_000 // SLOWNESS  # for two slips where one explains the board: what is missed then is unlikely
BROKEN_SHARE = 0.2  # of the work for two slips, at most, for turns that were not completed before the next one
MIN_WORK = 20_000 // SLOWNESS  # for one pit and one slip
WORK_OF_BOARD = 1_000 // SLOWNESS  # to sow a turn up to where it stops
WORK_OF_HIT = 300 // SLOWNESS  # to weigh a board that fits
CLAIMED_SHARE = 0.7  # of the work for two slips that is left, for each search from the pit that is claimed
MAX_OTHER_TURNS = 200  # turns of the side that is not to move
MAX_BEGUN = 10_000  # events of second turns that may only have begun
MAX_STOPS = 200  # laps after which the turn before may have stopped
LEAST = -40.0  # the log-likelihood from which an exact board fits: none of its places is wrong
HEAPS = {"end-move": "end-knock", "end-lose": "end-knock-off", "end-add": "end-put-back"}  # of several seeds at once
NOWHERE = 63  # the place of seeds that fell off the board
LEAST_OF_PLACE = -6.0  # added for each place that is weighed: no sensor of a board that is there reads worse
_CODES = {name: code for code, name in CODE_NAMES.items()}
_SWEEPS = {_CODES[name] for name in ("sweep", "sweep-early", "sweep-wrongly")}
CLAIMED_WRONG = 30.0  # factor for a turn that began where no turn may begin, if that is what the player says


class CandidateSearch:
    """The candidates for one `Evidence`; `complete` is False once a limit was reached."""

    def __init__(self, rules: Rules, evidence: Evidence, later: Sequence[Move] = ()) -> None:
        """`later`: turns that were played after this one, before the counts were taken."""
        self.rules, self.evidence = rules, evidence
        self.position = evidence.before
        self.turns = rules.turns(self.position, limit=MAX_TURNS)
        self.complete = self.turns.complete
        self.tables = [log_likelihoods(count) for count in evidence.counts]
        kept = self.tables if evidence.kept is None else [log_likelihoods(count) for count in evidence.kept]
        marks = evidence.comparable_marks()
        self._search = _searches_of(
            rules.family,
            rules.info.seeds_on_board(rules.options),
            tuple(rules.options.items()),
            rules.info.remaining_seeds,
        ).search
        self._search.follow_with([self._in_numbers(move) for move in later])
        self._later = bool(later)
        least = LEAST if evidence.exact else LEAST + LEAST_OF_PLACE * len(evidence.counts)
        self._search.look_for(
            kept, self.tables, log_likelihoods(evidence.hand), marks, least, evidence.whole, evidence.hand
        )
        self._stores_unknown = all(count is None for count in evidence.counts[-2:])
        size = 2 * rules.row
        self._full = sum(1 << pit for pit, logs in enumerate(self.tables[:size]) if logs[0] < max(logs))
        self.may_be_swept = 2 * self._full.bit_count() <= size
        self._work = self._least = 0
        self._brief = False
        self._tallies: dict[int, Sequence[int]] = {}  # by pit, how many slips of each code there are
        watch = evidence.watch
        self._kept = kept
        self._clean, self._nothing, self._back = CLEAN, NOTHING, NOTHING
        if watch is not None:  # that nothing was played is as likely as one turn
            self._clean = MISTAKES * (1 - watch.mistake) / watch.mistake
            self._nothing = 1 / (1 + len(self.turns))
            self._back = NOTHING * (1.0 if watch.pressed_by is None else PRESSED_WRONGLY)
        self._by_choice = {(turn.move.pit, turn.move.choices): turn for turn in self.turns}

    def one_slip(self, work: int | None = None) -> list[Draft]:
        """Every legal turn, and everything that one slip explains, as far as so much work finds it."""
        self._work, self._least = ONE_SLIP_WORK if work is None else work, MIN_WORK
        found: list[Draft] = []
        if self._later:
            for opening in self._legal_openings():
                found += self._sown(opening, 1 if self._is_claimed(opening) else 0)
            return found
        legal = self._legal_openings()
        for opening in legal:  # first, so that no limit hides a legal turn
            found += self._sown(opening, 0)
        for opening in legal:
            found += (one for one in self._sown(opening, 1) if one.turn is None)
        for opening in (*self._wrong_starts(), *self._other_sides()):
            found += self._sown(opening, 0)
        found += self._pairs(0)
        found += self._broken_off()
        found += self._unfinished_before(0)
        found += self._untouched(1)
        found += self._begun()
        return found

    def _is_claimed(self, opening: Opening) -> bool:
        claimed = self.evidence.claimed
        return claimed is not None and claimed.pit == self.position.letter(opening.pit)

    def _in_numbers(self, move: Move) -> tuple[int, int, int, int]:
        """A turn that followed, as the search takes it: the side, the pit, the choices as bits and their number."""
        return int(move.side is NORTH), move.pit_index(self.rules.row), *choice_bits(move.choices)

    def two_slips(self, work: int) -> list[Draft]:
        """What only two slips explain, or a part of that if it takes more than so much work."""
        self._work, self._least, self._brief = work, 0, work < TWO_SLIPS_WORK
        complete = self.complete
        found: list[Draft] = []
        openings = [(opening, 1) for opening in (*self._wrong_starts(), *self._other_sides())]
        openings += [(opening, 2) for opening in self._legal_openings()]
        for number, (opening, slips) in enumerate(openings):
            share = 4 * self._work // (len(openings) - number)
            if slips == 2 and self._is_claimed(opening):
                share = int(CLAIMED_SHARE * self._work)
            found += (one for one in self._sown(opening, slips, share) if one.wrongs == 2)
        found += (one for one in self._pairs(1) if one.wrongs == 2)
        found += (one for one in self._unfinished_before(1) if one.wrongs == 2)
        if self._brief:
            self.complete = complete
        untouched = self._as_is(Opening(self.position, -1, self._nothing), 2)
        return [*found, *(one for one in untouched if one.wrongs == 2)]

    def likeliest_two(self) -> float:
        """The logarithm of the weight that a turn with two slips can have at most; known after `one_slip`."""
        most = -math.inf
        for opening in self._legal_openings():
            if (tally := self._tallies.get(opening.pit)) is not None:
                most = max(most, math.log(opening.weight) + 2 * self._weights(tally, self.position).most())
        return most

    def replay(self, candidate: Draft, slips: Sequence[Slip], most: int) -> Slipped:
        """What `SlipSearch.replay` says of the turn of a candidate, with these of its slips."""
        opening = candidate.opening
        self._search.load(opening.position, opening.emptied)
        return self._search.replay(opening.pit, candidate.bits, candidate.choices, _in_codes(*slips), most)

    def replay_turn(self, turn: Turn, slip: Slip, most: int) -> Slipped:
        """A legal turn with this slip, recorded up to so many events."""
        self._search.load(turn.before)
        pit, choices = turn.move.pit_index(self.rules.row), choice_bits(turn.move.choices)
        return self._search.replay(pit, *choices, _in_codes(slip), most)

    # Where a turn may begin

    def _legal_openings(self) -> list[Opening]:
        """Every pit that the rules let the mover begin in, the claimed one first, then those with few laps."""
        laps = dict.fromkeys(self._startable(self.position), 0)
        for turn in self.turns:
            if turn.move != PASS:
                laps[turn.move.pit_index(self.rules.row)] += turn.laps
        claimed = self.evidence.claimed
        meant = claimed.pit_index(self.rules.row) if claimed is not None and claimed.pit.isalpha() else -1
        others = len(laps) - (meant in laps)
        openings = []
        for pit in sorted(laps, key=lambda pit: (pit != meant, laps[pit])):
            weight = 1 / len(laps)
            if meant in laps:
                weight = (CLAIM if others else 1.0) if pit == meant else (1 - CLAIM) / others
            openings.append(Opening(self.position, pit, weight))
        return openings

    def _wrong_starts(self) -> Iterator[Opening]:
        """Every pit with seeds that the rules do not let the mover begin in."""
        position = self.position
        legal = self._startable(position)
        wrong = [pit for pit, count in enumerate(position.pits) if count and pit not in legal]
        for pit in wrong:
            kind = "wrong-row" if position.side_of(pit) is not position.to_move else "wrong-start"
            if position.marks[pit] in OWNED:
                kind = "special-emptied"
            weight = KINDS[kind].rate / len(wrong) * self._claim_factor(position, pit)
            yield Opening(position, pit, weight, kind)

    def _other_sides(self) -> Iterator[Opening]:
        """Every pit in which the side that is not to move could begin."""
        turned = self.position.replaced(to_move=self.position.to_move.other)
        pits = self._startable(turned.replaced(ply=max(turned.ply, 2)))  # a rule of the first turn is not theirs
        for pit in pits:
            weight = KINDS["wrong-side"].rate / len(pits) * self._claim_factor(turned, pit)
            weight *= self._pressed_by(self.position.to_move)
            yield Opening(turned, pit, weight, "wrong-side")

    def _claim_factor(self, position: Position, pit: int) -> float:
        """How much likelier a turn that began where no turn may begin is because of what the player says."""
        claimed = self.evidence.claimed
        if claimed is None:
            return 1.0
        return CLAIMED_WRONG if claimed.pit == position.letter(pit) else 1 - CLAIM

    def _pairs(self, slips: int) -> Iterator[Draft]:
        """Each legal turn, and then one of either side."""
        mover = self.position.to_move
        for turn, share in self._firsts():
            for kind, side in (("moved-twice", mover), ("two-turns", mover.other)):
                if turn.position.to_move is mover:
                    kind = "moved-twice" if side is not mover else "two-turns"
                position = turn.position.replaced(to_move=side)
                pits = self._startable(position)
                weight = KINDS[kind].rate * share * (self._pressed_by(mover) if kind == "two-turns" else 1.0)
                if not slips:
                    self._search.load(position, turn.emptied)
                    for pit, log, _, bits, count, _ in self._search.ends():
                        opening = Opening(position, pit, weight / len(pits), kind, turn)
                        yield Draft(math.log(opening.weight) + log, log, opening, (), bits, count)
                    continue
                for pit in pits:
                    opening = Opening(position, pit, weight / len(pits), kind, turn)
                    yield from self._sown(opening, slips)

    def _firsts(self) -> Iterator[tuple[Turn, float]]:
        """The legal turns after which another may have been played, and how likely each is."""
        firsts = [turn for turn in self.turns if turn.move != PASS][:MAX_PAIRS]
        claimed = self.evidence.claimed
        meant = sum(claimed is not None and turn.move.pit == claimed.pit for turn in firsts)
        others = len(firsts) - meant
        for turn in firsts:
            share = 1 / len(firsts)
            if meant and claimed is not None:
                is_meant = turn.move.pit == claimed.pit
                share = (CLAIM if others else 1.0) / meant if is_meant else (1 - CLAIM) / others
            yield turn, share

    def _broken_off(self) -> Iterator[Draft]:
        """Each legal turn that was not completed, and then one of the other side, who did not notice."""
        begun, limit = self._work, (1 - BROKEN_SHARE) * self._work
        boards: dict[tuple[str, Position], tuple[float, Turn, Slip]] = {}  # turns with choices may begin alike
        for turn, share in self._firsts():
            if turn.position.to_move is self.position.to_move or 2 * self._work < begun + limit:
                continue
            left = list(self._boards_left_by(turn))
            self._work -= WORK_OF_BOARD * len(left)
            for slip, position in left:
                weight = share * KINDS["previous-unfinished"].rate / len(left)
                weight += boards.get((turn.move.pit, position), (0.0,))[0]
                boards[turn.move.pit, position] = weight, turn, slip
        for (_, position), (weight, turn, slip) in boards.items():
            if self._work < limit:
                self.complete = False
                return
            pits, worked = self._startable(position), self._search.laps_sown()
            self._search.load(position, turn.emptied)
            for pit, log, _, bits, count, _ in self._search.ends():
                prior = weight * self._pressed_by(self.position.to_move) / len(pits)
                opening = Opening(position, pit, prior, "two-turns", turn, slip)
                yield Draft(math.log(prior) + log, log, opening, (), bits, count)
            self._work -= self._search.laps_sown() - worked + WORK_OF_BOARD

    def _pressed_by(self, side: Side) -> float:
        """How likely something is that is not over when this side presses, or that it does not press for."""
        watch = self.evidence.watch
        return PRESSED_WRONGLY if watch is not None and watch.pressed_by is side else 1.0

    def _begun(self) -> Iterator[Draft]:
        """On a board that is watched, each legal turn with each that may follow it and has only begun."""
        firsts = [turn for turn in self.turns if turn.move != PASS] if self.evidence.watch is not None else []
        firsts.sort(key=lambda turn: -self._fit(BoardCounts((*turn.position.pits, *turn.position.stores))))
        rate, work = BEGUN * self._pressed_by(self.position.to_move.other), 0
        for first in firsts[:MAX_PAIRS]:
            seconds = self.rules.turns(first.position, limit=MAX_OTHER_TURNS)
            # A turn with choices begins like the one without.
            plain = [turn for turn in seconds if turn.move != PASS and not turn.move.choices]
            for second in plain:
                trace = self.rules.trace(first.position, second.move)
                work += len(trace.events)
                if work > MAX_BEGUN:
                    return
                boards = [(self._fit(board), board) for board in boards_during(trace, first.emptied)]
                if not boards:
                    continue
                fit, begun = max(boards, key=lambda one: one[0])
                weight = rate / len(firsts) / len(plain) / len(boards)
                opening = Opening(first.position, second.move.pit_index(self.rules.row), weight, BEGUN_EARLY, first)
                log = math.log(weight) + log_sum([one[0] for one in boards])
                yield Draft(log, fit, opening, (), begun=begun)

    def _fit(self, board: BoardCounts) -> float:
        """The log-likelihood of what lies there, if it is this board."""
        emptied = board.emptied or 0
        return sum(
            [
                (self.tables if emptied >> place & 1 else self._kept)[place][min(count, COUNT_LIMIT - 1)]
                for place, count in enumerate(board.counts)
            ]
        )

    def _unfinished_before(self, slips: int) -> Iterator[Draft]:
        """The turn before without its last laps or its captures, and then nothing or a turn.

        That turn begins where the rules let it begin on the board that really lay there, or on the recorded one.
        """
        previous = self.evidence.previous
        positions = [position for _, position in self._boards_left_by(previous)] if previous is not None else []
        if not positions:
            return
        recorded = self._startable(self.position)
        rate = KINDS["previous-unfinished"].rate / len(positions)
        for position in positions:
            opening = Opening(position, -1, rate / 2, "previous-unfinished", previous)
            yield from self._as_is(opening, 0)
            pits = sorted({*self._startable(position), *(pit for pit in recorded if position.pits[pit])})
            for pit in pits:
                opening = Opening(position, pit, rate / 2 / len(pits), "previous-unfinished", previous)
                yield from self._sown(opening, slips)

    def _boards_left_by(self, turn: Turn) -> Iterator[tuple[Slip, Position]]:
        """The slips with which a turn is not completed, and the boards that they leave, with the side to move that
        follows the turn.

        It stops after each lap but the last, or leaves a capture that ends it or that its last lap comes by.
        """
        if turn.move.kind is not Kind.SOW:
            return
        events = self.rules.trace(turn.before, turn.move).events
        laps = sum(event.kind == "lift" for event in events)
        last = max(at for at, event in enumerate(events) if event.kind == "lift")
        passing = [event for event in events[last:] if event.kind == "take" and event.reason == "four-in-passing"]
        slips = [Slip("stop", lap, 2, 0, 0) for lap in range(1, min(laps, MAX_STOPS))]
        slips += [Slip("take-not", laps, 1, nth, 0) for nth in range(1, len(passing) + 1)]
        slips.append(Slip("take-none", laps, 2, 1, 0))
        seen = {turn.position.pits}
        for slip in slips:
            sown = self.replay_turn(turn, slip, 1)
            if sown.pits not in seen:
                seen.add(sown.pits)
                position = turn.position.replaced(pits=sown.pits, marks=sown.marks, stores=sown.stores)
                yield slip, position

    def _untouched(self, slips: int) -> Iterator[Draft]:
        """The board as it was before the turn, or before earlier ones."""
        passing = next((turn for turn in self.turns if turn.move == PASS), None)
        for candidate in self._as_is(Opening(self.position, -1, self._clean if passing else self._nothing), slips):
            if passing is not None and not candidate.slips:
                candidate = replace(candidate, turn=passing)
            elif (watch := self.evidence.watch) is not None and not candidate.slips:
                pressed = PRESSED_FOR_NOTHING if watch.pressed_by is self.position.to_move else 1.0
                candidate = replace(candidate, log=candidate.log + math.log(self._clean * pressed))
            yield candidate
        for back, position in enumerate(reversed(self.evidence.earlier), 1):
            yield from self._as_is(Opening(position, -back - 1, self._back / 2**back), 0)

    # The boards after it

    def _sown(self, opening: Opening, slips: int, limit: int | None = None) -> Iterator[Draft]:
        """What fits after a turn that begins there, with up to so many slips."""
        search = self._search
        if self._work <= 0 and slips and not self._least:
            self.complete = self.complete and self._brief
            return
        search.load(opening.position, opening.emptied)
        before = search.laps_sown()
        limit = max(self._least, min(limit if limit is not None else self._work, self._work))
        hits, tally, complete = search.search(opening.pit, slips, limit)
        if slips == 2:  # which does not try every place
            tally = self._tallies.get(opening.pit, tally)
            hits = [hit for hit in hits if self._happens(opening, *hit)]
        elif slips:
            self._tallies[opening.pit] = tally
        self._work -= search.laps_sown() - before + WORK_OF_HIT * len(hits)
        self.complete = self.complete and complete
        yield from self._weighed(opening, hits, tally)

    def _happens(
        self, opening: Opening, log: float, slips: Sequence[tuple[int, ...]], bits: int, count: int, held: int
    ) -> bool:
        """Whether a turn leads to the board that was found from where a seed must have fallen: if the rest of the turn
        meets that seed, it does not."""
        in_turn = tuple([slip for slip in slips if slip[1]])
        if not any(CODE_NAMES[slip[0]] in ("instead", "also", "pick-up") for slip in in_turn):
            return True
        self._search.load(opening.position, opening.emptied)
        sown = self._search.replay(opening.pit, bits, count, in_turn, 1)
        if len(sown.slips) < len(in_turn) or sown.held != held or self._search.was_void():
            return False
        if len(in_turn) < len(slips):
            return True
        found = sum(
            table[min(n, COUNT_LIMIT - 1)] for table, n in zip(self.tables, (*sown.pits, *sown.stores), strict=True)
        )
        return bool(found > log + LEAST)

    def _as_is(self, opening: Opening, slips: int) -> Iterator[Draft]:
        self._search.load(opening.position, opening.emptied)
        yield from self._weighed(opening, self._search.fit_as_is(slips), [0] * 64)

    def _weighed(self, opening: Opening, hits: Sequence[Any], tally: Sequence[int]) -> Iterator[Draft]:
        """The boards that the search found, with their weights."""
        weigh = self._weights(tally, opening.position)
        base = math.log(opening.weight)
        for fit, found, bits, count, held in self._without_doubtful_sweeps(hits) if self._has_sweeps(hits) else hits:
            log = fit
            slips, swept = tuple([_slip(*one) for one in found]), 0
            if len(slips) == 2 and slips[0] == slips[1] and slips[0].code in ("reverse", "reverse-lap"):
                continue  # which sows in the right direction again
            if slips and (sweep := next((slip for slip in slips if slip.code == "sweep"), None)):
                swept, slips = sweep.place, tuple([slip for slip in slips if slip is not sweep])
                log += sweep_log(self.rules.row, swept, self._full)
            if slips or opening.kind is not None or opening.pit < 0:
                log += base + sum([weigh(slip, opening.position) for slip in slips])
                yield Draft(log, fit, opening, slips, bits, count, held, swept=swept)
            elif (turn := self._turn_of(opening, bits, count)) is not None:
                alike = sum(other.move.pit == turn.move.pit for other in self.turns)
                yield Draft(log + base + math.log(self._clean / alike), fit, opening, (), bits, count, 0, turn, swept)

    @staticmethod
    def _has_sweeps(hits: Sequence[Any]) -> bool:
        return any(found[-1][0] in _SWEEPS or found[-2:][0][0] in _SWEEPS for _, found, *_ in hits if found)

    def _without_doubtful_sweeps(self, hits: Sequence[Any]) -> Iterator[Any]:
        """The hits without sweeps that leave a board which another one tells better."""
        right = {one for _, found, *_ in hits if (one := _without_sweep(found, "sweep"))[0]}
        for hit in hits:
            wrong = _without_sweep(hit[1], "sweep-wrongly")
            if wrong[0] and wrong in right:
                continue  # all that is left belongs to the side that took it
            if wrong[0] and self.evidence.whole is not None:
                right.add(wrong)  # the same board, told in another way
            codes = [slip[0] for slip in hit[1]]
            if self._stores_unknown and codes != [_CODES["sweep"]] and any(code in _SWEEPS for code in codes):
                continue  # empty pits show nothing of what went wrong before
            yield hit

    def _weights(self, tally: Sequence[int], position: Position) -> SlipWeights:
        return SlipWeights(tally, len(position.pits), "relay" in self.rules.info.rules)

    def _turn_of(self, opening: Opening, bits: int, count: int) -> Turn | None:
        """The legal turn from a pit with these choices; None where it never ends, or where too many are legal."""
        choices = choice_text(bits, count, self.rules.step)
        return self._by_choice.get((self.position.letter(opening.pit), choices))

    def _startable(self, position: Position) -> list[int]:
        self._search.load(position)
        pits: list[int] = self._search.starts()
        return pits


def _without_sweep(slips: Sequence[tuple[int, ...]], code: str) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """The pits that a sweep of this code took, 0 without one, and the other slips."""
    pits = next((slip[4] for slip in slips if CODE_NAMES.get(slip[0]) == code), 0)
    return pits, tuple([slip for slip in slips if not pits or CODE_NAMES.get(slip[0]) != code])


def _in_codes(*slips: Slip) -> tuple[tuple[int, ...], ...]:
    """Slips as the search takes them."""
    return tuple([(_CODES[slip.code], *slip[1:]) for slip in slips])


def _slip(code: Any, lap: int, stage: int, at: int, place: int) -> Slip:
    """A slip that the search found: at the end, of one seed or of several at once."""
    name: str = CODE_NAMES.get(code, code)
    return Slip(HEAPS.get(name, name) if at >= 2 and not lap else name, lap, stage, at, place)


class _Searches(threading.local):
    """A search for each thread, all under the same rules."""

    def __init__(self, make: Callable[[], SlipSearch]) -> None:
        self.search = make()


@lru_cache(32)
def _searches_of(family: Family, seeds: int, options: tuple[tuple[str, Value], ...], rest: str) -> _Searches:
    return _Searches(lambda: SlipSearch(family, dict(options), seeds, rest))
