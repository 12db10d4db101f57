"""The search for slips: every board that a turn with one or two slips leaves, compared with what lies there.

A turn is sown lap by lap by `records.kernel.sowing`; at each step the search also lets the hand slip, and goes on as
the rules say from the board that this leaves. `records.findings` gives the slips their names and their probabilities.
What lies there is a table: the log-likelihood of each number of seeds at each place (the pits, then the two stores).
"""

from __future__ import annotations

from collections.abc import Iterable

from inkeek.records.kernel.codes import Slipped
from inkeek.records.rules.table import Family

try:
    import cython
except ImportError:
    from . import _no_cython as cython

if not cython.compiled:
    from .codes import *
    from .sowing import Kernel


COMPILED = cython.compiled


@cython.final
@cython.cclass
class SlipSearch:
    """Searches one turn after the other; `inkeek.records.findings` holds one for each thread."""

    cython.declare(kernel=Kernel, logs=cython.double[2 * 34 * 96], held_logs=cython.double[96])
    cython.declare(wanted=cython.short[32], bare=cython.bint[2], played=cython.bint, swept=cython.uint)
    cython.declare(sweep=cython.int, to_whom=cython.int, right_way=cython.int, marks_known=cython.bint)
    cython.declare(least=cython.double, most=cython.int, emptied=cython.uint, depth=cython.int, floating=cython.int)
    cython.declare(turn_back=cython.bint, work=cython.longlong, limit=cython.longlong)
    cython.declare(cut=cython.bint, balanced=cython.bint, hand_known=cython.bint, whole=cython.int, need=cython.int)
    cython.declare(hits=list, later=list, taken=cython.ulonglong, points=cython.int, code=cython.int[4])
    cython.declare(lap=cython.int[4], stage=cython.int[4], at=cython.int[4], place=cython.int[4])
    cython.declare(tally=cython.longlong[64], level=cython.int, boards=cython.short[128 * 34])
    cython.declare(numbers=cython.longlong[128 * 16], stored=cython.int[2])

    def __init__(self, family: Family, options: dict, seeds: cython.int, rest: str) -> None:
        if not cython.compiled:
            self.logs = [0.0] * (2 * PLACES * COUNT_LIMIT)
            self.held_logs = [0.0] * COUNT_LIMIT
            self.wanted = [-1] * 32
            self.bare = [False] * 2
            self.code, self.lap, self.stage, self.at, self.place = ([0] * 4 for _ in range(5))
            self.tally = [0] * 64
            self.boards = [0] * (128 * BOARD)
            self.numbers = [0] * (128 * NUMBERS)
            self.stored = [0] * 2
        self.kernel = Kernel(family, options, seeds)
        self.right_way = TO_OPPONENT if rest == "opponent" else TO_NOBODY if rest == "nobody" else TO_OWNERS
        self.level = self.depth = self.most = self.limit = self.need = self.taken = self.points = 0
        self.hits = []
        self.later = []
        self.work = 0
        self.emptied = 0
        self.swept = 0
        self.sweep = 0
        self.to_whom = 0

    def load(self, position: Iterable, emptied: cython.uint = 0) -> None:
        """Take a position: the fields of `Position`; `emptied` are the pits that were emptied before, as bits."""
        pits, marks, stores, mover, ply, unsown = position
        self.kernel.load(pits, marks, stores, mover, ply, unsown)
        self.emptied = emptied

    @cython.cfunc
    def _begin(self, pit: cython.int) -> cython.void:
        """Prepare to sow a turn from this pit."""
        k = self.kernel
        k.laps = k.points = k.cycle = k.saved_at = k.banked = k.left = k.decided = 0
        k.sown = 0
        k.emptied = self.emptied
        k.taken = 0
        k.again = False
        k.direction = k._first_direction(pit)
        k.recording = 0
        k.given_count = 0
        k.slip_at = k.slip_take = k.next_at = k.held = 0
        k.void = k.doubled = False
        self.turn_back = False
        self.played = True
        self.stored[0], self.stored[1] = k.stores[0], k.stores[1]
        k.last = k.end = -1
        k.previous = k.handful = 0
        k.stored = k.stores[0] + k.stores[1]
        if k.rest_at:
            for i in range(k.size):
                k.left += k.pits[i]

    @cython.cfunc
    def _save(self) -> cython.int:
        k = self.kernel
        base: cython.Py_ssize_t = self.level * BOARD
        for i in range(32):
            self.boards[base + i] = k.pits[i]
        self.boards[base + 32] = k.stores[0]
        self.boards[base + 33] = k.stores[1]
        base = self.level * NUMBERS
        self.numbers[base] = k.laps
        self.numbers[base + 1] = k.points
        self.numbers[base + 2] = k.sown
        self.numbers[base + 3] = k.emptied
        self.numbers[base + 4] = k.direction
        self.numbers[base + 5] = k.banked
        self.numbers[base + 6] = k.left
        self.numbers[base + 7] = k.again
        self.numbers[base + 8] = k.last
        self.numbers[base + 9] = k.previous
        self.numbers[base + 10] = k.handful
        self.numbers[base + 11] = k.taken
        self.numbers[base + 12] = self.floating
        self.numbers[base + 13] = k.marked
        self.numbers[base + 14] = k.norths
        self.numbers[base + 15] = self.turn_back
        self.level += 1
        return self.level

    @cython.cfunc
    def _restore(self) -> cython.void:
        """Go back to what was saved last, and keep it saved."""
        k = self.kernel
        base: cython.Py_ssize_t = (self.level - 1) * BOARD
        for i in range(32):
            k.pits[i] = self.boards[base + i]
        k.stores[0] = self.boards[base + 32]
        k.stores[1] = self.boards[base + 33]
        base = (self.level - 1) * NUMBERS
        k.laps = self.numbers[base]
        k.points = self.numbers[base + 1]
        k.sown = self.numbers[base + 2]
        k.emptied = self.numbers[base + 3]
        k.direction = self.numbers[base + 4]
        k.banked = self.numbers[base + 5]
        k.left = self.numbers[base + 6]
        k.again = self.numbers[base + 7]
        k.last = self.numbers[base + 8]
        k.previous = self.numbers[base + 9]
        k.handful = self.numbers[base + 10]
        k.taken = self.numbers[base + 11]
        self.floating = self.numbers[base + 12]
        k.marked = self.numbers[base + 13]
        k.norths = self.numbers[base + 14]
        self.turn_back = self.numbers[base + 15]
        k.slip_at = k.slip_take = k.next_at = k.held = 0
        k.void = k.doubled = False

    @cython.cfunc
    def _sow_lap(self, pit: cython.int) -> cython.int:
        """Sow one lap; where the last seed fell, -1 if that ended the game."""
        k = self.kernel
        hand: cython.int = k.pits[pit]
        self.work += 1
        if self.work > self.limit and not k.recording:
            self.cut = True
        k.handful = hand
        k.emptied |= 1 << pit
        k.laps += 1
        if k.single_lap and (k.points == 0 or not k.each_relay):
            k.sown = 0
        if k.plain and not (k.closed or k.recording or k.slip_at or k.slip_take):
            i: cython.int = k._spread(pit, hand, k.in_passing)
            if k.choosing:
                k.sown |= k._arc(pit, hand)
        else:
            i = k._lap(pit, hand, k.banks, k.in_passing, True, k.tabled)
        if i >= 0:
            k.last = i
        if self.turn_back:
            k.direction = -k.direction
            self.turn_back = False
        return i

    @cython.cfunc
    def _disarm(self) -> cython.void:
        k = self.kernel
        k.slip_at = k.next_at = k.slip_take = k.took = 0

    @cython.cfunc
    def _arm(self, code: cython.int, at: cython.int, place: cython.int) -> cython.void:
        """Make the kernel slip in the lap, or in the captures, that follow: after what it was armed with before."""
        k = self.kernel
        if TAKE_NONE <= code <= TAKE_PART:
            k.slip_take, k.slip_nth, k.slip_place, k.took = code, at, place, 0
            return
        if code in (DOUBLE, LEAVE_BEHIND):
            code = ALSO
        elif code == LOSE_ONE:
            code, place = ALSO, -1
        elif code == LOSE_DUE:
            code, place = INSTEAD, -1
        elif code in (ASTRAY, ASTRAY_FAR, INSTEAD_NEAR):
            code = INSTEAD
        elif code == PICK_BESIDE:
            code = PICK_UP
        elif code == ADD_ONE:
            code, place = PICK_UP, -1
        if k.slip_at == 0:
            k.slip_at, k.slip_kind, k.slip_place = at, code, place
        else:
            k.next_at, k.next_kind, k.next_place = at, code, place

    # Searches, for callers

    def search(self, pit: cython.int, slips: cython.int, limit: cython.longlong) -> tuple:
        """Sow the turn from `pit` in every way with up to `slips` slips, and at most about `limit` laps.

        Of two slips, the place of a seed that fell elsewhere is found from the board that is left: this misses those
        that change the rest of the turn.

        Returns the boards that fit, as (log-likelihood, slips, choices as bits, their number, seeds in the hand), where
        a slip is (code, lap, stage, at, place); how many slips of each code were tried first; and whether all were.
        """
        self.most = slips
        self.limit = self.work + limit
        self.cut = False
        self.hits = []
        for k in range(64):
            self.tally[k] = 0
        self.depth = 0
        self.floating = 0
        self.level = 0
        self._begin(pit)
        self.need = self.whole - self.kernel.stores[0] - self.kernel.stores[1]
        for k in range(self.kernel.size):
            self.need -= self.kernel.pits[k]
        self._save()
        if self.kernel.choosing and self.kernel._starts_either_way(pit):
            self._choose(pit)
        self._turn(pit)
        self._restore()
        self.level = 0
        return self.hits, [self.tally[k] for k in range(SLIP_CODES)], not self.cut

    def follow_with(self, later: list) -> None:
        """Let all searches play these turns after each board, before it is compared.

        Each is the side, the pit, the choices as bits and their number. A board after which the rules do not let them
        be played does not fit.
        """
        self.later = later

    def laps_sown(self) -> int:
        """All laps of all searches."""
        return self.work

    def starts(self) -> list:
        """The pits that the rules let the side to move begin in, endless sowing apart."""
        return [i for i in range(self.kernel.size) if self.kernel.may_start(i)]

    def ends(self) -> list:
        """The boards that fit after a turn without slips from any pit, as `search` returns them, with the pit first."""
        k = self.kernel
        found: list = []
        for i in range(k.size):
            if k.may_start(i):
                found += [(i, *hit) for hit in self.search(i, 0, LAPS_WITHOUT_SLIP)[0]]
        return found

    def fit_as_is(self, slips: cython.int) -> list:
        """The board that was loaded, as `search` would return it if no turn had been played."""
        self.most = slips
        self.depth = 0
        self.hits = []
        self.floating = 0
        self.level = 0
        self._begin(0)
        self.played = False
        self._leaf(0)
        return self.hits

    def replay(
        self, pit: cython.int, bits: cython.ulonglong, count: cython.int, slips: tuple, most: cython.int
    ) -> Slipped:
        """Sow one turn with the slips that `search` returned, and record it."""
        k = self.kernel
        marked: list = []
        held: cython.int = 0
        at: cython.int = 0
        self._begin(pit)
        k.events = []
        k.recording = most
        k.given = bits
        k.given_count = count
        if k.choosing and k._starts_either_way(pit):
            k._choose(pit)
        while k.laps < LAPS_WITHOUT_SLIP:
            number: cython.int = k.laps + 1
            while at < len(slips) and slips[at][1] == number and slips[at][2] == BEFORE_LAP:
                marked.append((len(k.events), pit, k.last, k.direction))
                pit = self._slip_before(slips[at][0], pit, slips[at][4])
                at += 1
            first: cython.int = at
            while at < len(slips) and slips[at][1] == number and slips[at][2] == IN_LAP:
                at += 1
            self._arm_all(slips[first:at])
            before = len(k.events)
            direction: cython.int = k.direction
            end: cython.int = self._sow_lap(pit)
            since: cython.int = before
            for slip in slips[first:at]:
                where: cython.int = self._where(before, since, slip)
                marked.append((where, pit, -1, direction))
                if not TAKE_NONE <= slip[0] <= TAKE_PART:  # which may happen after the next one
                    since = where + (slip[0] != SKIP)  # what is skipped is no event
                if slip[0] in (ASTRAY, ASTRAY_FAR):
                    end = k.last = slip[4]
            k.slip_take = 0
            if k.held or end < 0:
                held = k.held
                k._note_end(k.last, GO_ON if held else LAST_FOUR)
                break
            first = at
            then: cython.int = BY_RULES
            while at < len(slips) and slips[at][1] == number and slips[at][2] == AFTER_LAP:
                marked.append((len(k.events), pit, end, k.direction))
                at += 1
            for code, _, _, nth, place in slips[first:at]:
                next_pit: cython.int = self._slip_after(code, end, nth, place)
                if next_pit != BY_RULES:
                    then = next_pit
            reason: cython.int = GO_ON
            if then == BY_RULES:
                self._arm_all(slips[first:at])
                reason = k._end(end, k.pits[end], k.family)
                k.slip_take = 0
                then = k.last if reason == GO_ON else OVER
                if then >= 0 and k.choosing:
                    self._offer(then)
            if then == OVER:
                k._note_end(end, reason)
                break
            pit = then
        k.recording = 0
        return Slipped(
            k.events,
            marked,
            tuple([k.pits[i] for i in range(k.size)]),
            tuple([k._mark(i) for i in range(k.size)]),
            (k.stores[0], k.stores[1]),
            held,
            bool(k.again),
        )

    def was_void(self) -> bool:
        """Whether a slip of the last `replay` did not happen: it changed nothing, or could not be."""
        return self.kernel.void or self.kernel.slip_at != 0 or self.kernel.next_at != 0

    def _where(self, before: cython.int, since: cython.int, slip: tuple) -> int:
        """The number of the event, from `since` on, at which a slip in the lap that begins at `before` happened."""
        events = self.kernel.events
        code, _, _, at, _ = slip
        seen: cython.int = 0
        for number in range(before, len(events)):
            kind, _, count, _ = events[number]
            if code >= TAKE_NONE and code <= TAKE_PART:
                if kind == TAKE:
                    seen += 1
                    if seen == at:
                        return number
            else:
                if kind == LIFT:
                    hand = count
                if hand == at and kind != LIFT and number >= since:
                    return number
                if kind in (DROP, STORE, LOSE):
                    hand -= 1
                elif kind in (ADD, PICK):
                    hand += 1
        return len(events)

    def _arm_all(self, slips: Iterable) -> None:
        self._disarm()
        for code, _, _, at, place in slips:
            self._arm(code, at, place)

    # The tree: a turn sown on, and at each step with every slip that is left

    @cython.cfunc
    def _turn(self, pit: cython.int) -> cython.void:
        """Sow on from `pit`, by the rules and with every slip that is left."""
        k = self.kernel
        most: cython.int = k.laps + LAPS_ON if self.depth else LAPS_WITHOUT_SLIP
        while k.laps < most and not self.cut:
            if k.pits[pit] == 0:
                return
            if self.depth < self.most:
                self._try_starts(pit)
                self._try_laps(pit)
            end: cython.int = self._sow_lap(pit)
            if end < 0:
                self._leaf(0)
                return
            if self.depth < self.most:
                self._try_end(end)
            pit = self._go_on(end)
            if pit < 0:
                return

    @cython.cfunc
    def _after_lap(self, end: cython.int) -> cython.void:
        """Go on after a lap with a slip."""
        if end < 0:
            self._leaf(0)
            return
        if self.depth < self.most:
            self._try_end(end)
        end = self._go_on(end)
        if end >= 0:
            self._turn(end)

    @cython.cfunc
    def _go_on(self, end: cython.int) -> cython.int:
        """Do what the rules say after a lap; the pit of the next lap, -1 if the turn is over."""
        k = self.kernel
        if k._end(end, k.pits[end], k.family) != GO_ON:
            self._leaf(0)
            return -1
        if k.choosing:
            self._offer(k.last)
        return k.last

    @cython.cfunc
    def _offer(self, pit: cython.int) -> cython.void:
        """Let the mover choose a direction if the rules do so after a lap."""
        k = self.kernel
        theirs: cython.uint = ((1 << k.row) - 1) << (k.row if k.mover == 0 else 0)
        if (k.sown & theirs) == theirs and not k.start_choice:
            self._choose(pit)

    @cython.cfunc
    def _choose(self, pit: cython.int) -> cython.void:
        """Let the mover choose a direction: first go on as before, then the other way."""
        k = self.kernel
        one: cython.ulonglong = 1
        points: cython.int = k.points
        if points >= MAX_POINTS:
            return
        k._choose(pit)
        if k.points == points or k.recording:
            return
        if self.level >= MAX_BOARDS:
            self.cut = True
            return
        self._save()
        self._turn(pit)
        self._restore()
        self.level -= 1
        k.direction = -k.direction
        if k.direction > 0:
            k.taken |= one << points
        else:
            k.taken &= ~(one << points)

    # Before a lap

    @cython.cfunc
    def _try_starts(self, pit: cython.int) -> cython.void:
        """What may go wrong before a lap.

        A seed that jumps, or falls in a pit, where it does not matter for the lap may as well do so after it.
        """
        k = self.kernel
        one: cython.uint = 1
        self._save()
        if k.laps > 0:
            for i in range(k.size):
                if i != pit and k.pits[i] > 0:
                    beside: cython.bint = (i == pit - 1 or i == pit + 1) and (i < k.row) == (pit < k.row)
                    self._try_start(OTHER_PIT if beside or i == k.size - 1 - pit else OTHER_PIT_FAR, pit, i)
        self._try_start(REVERSE, pit, pit)
        self._try_start(REVERSE_LAP, pit, pit)
        matter: cython.uint = one << pit
        if k.family == TABLE:
            matter = (one << k.size) - 1
        elif k.in_passing:
            matter |= k._arc(pit, k.pits[pit])
        for i in range(k.size):
            if i != pit and (matter >> i) & 1 and not (k.closed >> i) & 1:
                self._try_start(LAY, pit, i)
            if k.pits[i] > (1 if i == pit else 0):
                for to in (i - 1 if i else k.size - 1, (i + 1) % k.size):
                    if (matter >> i) & 1 or (matter >> to) & 1:
                        self._try_start(JUMP, pit, i * 64 + to)
        self.level -= 1

    @cython.cfunc
    def _try_start(self, code: cython.int, pit: cython.int, place: cython.int) -> cython.void:
        """Sow on from `pit` after this slip."""
        if self._push(code, BEFORE_LAP, 0, place):
            self._turn(self._slip_before(code, pit, place))
            self._pop()

    # In a lap

    @cython.cfunc
    def _try_laps(self, pit: cython.int) -> cython.void:
        """What may go wrong in a lap."""
        self._save()
        self._try_lap(pit, self.kernel.pits[pit], True, False)
        if self.kernel.in_passing:
            self._try_takes(pit)
        self.level -= 1

    @cython.cfunc
    def _try_lap(self, pit: cython.int, held: cython.int, at_start: cython.bint, second: cython.bint) -> cython.void:
        """What may go wrong in a lap while `held` seeds at most are in the hand; `at_start`: none has fallen when there
        are so many. `second`: besides the slip that was pushed last. Where none fell, no second one does."""
        k = self.kernel
        hand: cython.int = k.pits[pit]
        one: cython.bint = self.most == 1
        due: cython.int = pit
        at_pit: cython.bint = True
        again: cython.bint = not second or self.code[self.depth - 1] not in (SKIP, INSTEAD, INSTEAD_NEAR, LOSE_DUE)
        for at in range(held, 0, -1):
            self._try_drop(pit, SKIP, at, 0, False, second)
            if second or at < hand:
                self._try_drop(pit, BREAK_OFF, at, 0, False, second)
            if at < held or (again and not at_start):
                self._try_drop(pit, DOUBLE, at, LAST_SOWN, False, second)
            elif again and (second or hand > 1):  # before the first seed falls, a second one is one that is left there
                self._try_drop(pit, LEAVE_BEHIND, at, LAST_SOWN, False, second)
            self._try_losses(pit, at, hand, second)
            if second:
                continue
            at_pit = not (k.banks and at_pit and due == k._before_store())
            if at_pit:
                due = k._following(due)
                if k.skip_origin and due == pit:
                    due = k._following(due)
            for place in range(k.size + 2):
                beside: cython.bint = at_pit and (
                    place == due - k.direction or place == due + k.direction or place == k.size - 1 - due
                )
                if beside:
                    self._try_drop(pit, INSTEAD_NEAR, at, place, False, False)
                    if at == 1 and place < k.size and (hand == 1 or place != due - k.direction):
                        self._try_drop(pit, ASTRAY, at, place, False, False)
                else:
                    if one:
                        self._try_drop(pit, INSTEAD, at, place, False, False)
                    if at == 1 and place < k.size and (one or self.depth):
                        self._try_drop(pit, ASTRAY_FAR, at, place, False, False)
                if hand > 1 and one and not (at == hand and place == pit):  # that is left behind
                    self._try_drop(pit, ALSO, at, place, False, False)
                if place < k.size and place != pit:
                    beside = at == hand and (place == pit - 1 or place == pit + 1)
                    if beside:
                        self._try_drop(pit, PICK_BESIDE, at, place, False, False)
                    elif one:
                        self._try_drop(pit, PICK_UP, at, place, False, False)

    @cython.cfunc
    def _try_losses(self, pit: cython.int, at: cython.int, hand: cython.int, second: cython.bint) -> cython.void:
        """Let a seed be lost or added while `at` seeds are in the hand.

        Of two slips, one of these may have its place found from the board that is left: the seed fell there, or was
        picked up there.
        """
        floated: cython.bint = self.floating != 0
        code: cython.int
        for code in (LOSE_DUE, LOSE_ONE, ADD_ONE):
            if code == LOSE_ONE and hand == 1:
                continue  # the seed that falls besides is the one that is due
            if (self.most == 1 or floated) and not (code == LOSE_DUE and at == 1):
                self._try_drop(pit, code, at, -1, False, second)
            if self.most > 1 and (not floated or self._is_plain(self.floating - 1)):
                self._try_drop(pit, code, at, -1, True, second)

    @cython.cfunc
    def _try_drop(
        self,
        pit: cython.int,
        code: cython.int,
        at: cython.int,
        place: cython.int,
        floating: cython.bint,
        second: cython.bint,
    ) -> cython.void:
        """Sow the lap with a slip while `at` seeds are in the hand, and then with one more slip in it.

        `floating`: the place of this one follows from the board that is left. `second`: the slip that was pushed last
        is in this lap too.
        """
        hand: cython.int = self.kernel.pits[pit]
        floated: cython.int = self.floating
        falls_none: cython.bint = code in (SKIP, LEAVE_BEHIND, LOSE_ONE, PICK_UP, PICK_BESIDE, ADD_ONE)
        held: cython.int = at if code in (SKIP, PICK_UP, PICK_BESIDE, ADD_ONE) else at - 1  # after this slip
        if code in (PICK_UP, PICK_BESIDE, ADD_ONE):
            held += 1
        if self.cut or not self._push(code, IN_LAP, at, place, floating):
            return
        if not self._sow_slipping(pit, 2 if second else 1, code == ALSO):
            self.tally[code] -= 1 if self.depth == 1 else 0
        self._restore()
        if self.depth < self.most and code != BREAK_OFF:
            if floating:
                self.floating = self.depth
            if code in (INSTEAD, INSTEAD_NEAR) and at > 1:
                self._try_drop(pit, DOUBLE, held, place, False, True)
            self._try_lap(pit, held, at == hand and falls_none, True)
        self._pop()
        self.floating = floated

    @cython.cfunc
    def _sow_slipping(self, pit: cython.int, slips: cython.int, apart: cython.bint) -> cython.bint:
        """Sow the lap with the last one or two slips, and go on; whether they happened.

        `apart`: a seed that falls besides does so in another pit than the one before.
        """
        k = self.kernel
        last: cython.int = self.depth - 1
        if slips == 2:
            self._arm(self.code[last - 1], self.at[last - 1], self.place[last - 1])
        self._arm(self.code[last], self.at[last], self.place[last])
        end: cython.int = self._sow_lap(pit)
        if k.void or k.slip_at != 0 or k.next_at != 0 or (apart and k.doubled) or (k.slip_take and k.took < k.slip_nth):
            return False
        k.slip_take = 0
        if self.code[last] == BREAK_OFF:
            self._leaf(k.held)
            return True
        if self.code[last] in (ASTRAY, ASTRAY_FAR):
            end = k.last = self.place[last]
        self._after_lap(end)
        return True

    @cython.cfunc
    def _try_takes(self, pit: cython.int) -> cython.void:
        """What may go wrong with captures in passing."""
        k = self.kernel
        taken: cython.int = -k.stores[0] - k.stores[1]
        self._sow_lap(pit)
        taken += k.stores[0] + k.stores[1]
        self._restore()
        for nth in range(1, taken // 4 + 1):
            self._try_passing(pit, TAKE_NOT, nth, 0)
            self._try_passing(pit, TAKE_OTHER_STORE, nth, 0)
            for left in range(1, 4):
                self._try_passing(pit, TAKE_PART, nth, left)

    @cython.cfunc
    def _try_passing(self, pit: cython.int, code: cython.int, nth: cython.int, left: cython.int) -> cython.void:
        """Let the capture in passing of this number go wrong."""
        k = self.kernel
        if self._push(code, IN_LAP, nth, left):
            self._arm(code, nth, left)
            end: cython.int = self._sow_lap(pit)
            k.slip_take = 0
            self._after_lap(end)
            self._restore()
            if self.depth < self.most:
                self._try_lap(pit, k.pits[pit], True, True)
            self._pop()

    # After a lap

    @cython.cfunc
    def _try_end(self, end: cython.int) -> cython.void:
        """What may go wrong when a lap has ended in `end`."""
        k = self.kernel
        i: cython.int
        step: cython.int
        place: cython.int
        opposite: cython.int = k.size - 1 - end
        if self.cut:
            return
        self._save()
        stored: cython.int = k.stores[0] + k.stores[1]
        reason: cython.int = k._end(end, k.pits[end], k.family)
        captures: cython.bint = k.stores[0] + k.stores[1] > stored
        self._restore()
        if reason == GO_ON:
            self._try_after(end, STOP, 0, end)
            if self.marks_known and k.has_specials:
                self._try_after(end, MARK_WRONGLY, 0, end)
        else:
            if k.pits[end] > 0:
                self._try_after(end, RELAY_ON, reason, end)
            if reason == MADE_SPECIAL:
                if self.marks_known or k.opposite_specials:
                    self._try_after(end, NOT_MADE, 0, end)
                if self.marks_known and k.opposite_specials:
                    self._try_after(end, NOT_MARKED, 0, end)
        if captures:
            self._try_captures(end)
        forbidden: cython.bint = self._try_forbidden(end, reason)
        if reason != CAPTURED and reason != FOUR:
            if not (forbidden and (k.backward or reason == EMPTY_NOTHING)):
                self._try_wrong_take(end, end, ALONE)
            for i in range(opposite - 1, opposite + 2):
                if 0 <= i < k.size and i != end and k.pits[i] > 0:
                    self._try_wrong_take(end, i, ALONE)
                    if forbidden and i == opposite:
                        continue
                    self._try_wrong_take(
                        end, i, IN_PLACE_OF_SPECIAL if reason == MADE_SPECIAL and i == opposite else WITH_LAST
                    )
            if k.opposite_specials and reason != MADE_SPECIAL and k.pits[opposite] > 0 and not k._marked(end):
                self._try_after(end, MAKE_WRONGLY, 0, end)
        # If the turn goes on, only the last pit and those beside it matter: all other seeds may as well jump, or fall,
        # later. If it is over for certain, at the end.
        for i in range(k.size):
            before: cython.int = i - 1 if i else k.size - 1
            after: cython.int = (i + 1) % k.size
            if reason == GO_ON and k.family != TABLE and i != end and before != end and after != end:
                continue
            if not (k.closed >> i) & 1:
                self._try_after(end, LAY, 0, i)
            if k.pits[i] > 0:
                self._try_after(end, JUMP, 0, i * 64 + before)
                self._try_after(end, JUMP, 0, i * 64 + after)
        self.level -= 1

    # What may go wrong with the captures that end a turn

    @cython.cfunc
    def _try_after(self, end: cython.int, code: cython.int, at: cython.int, place: cython.int) -> cython.void:
        """Go on after a lap that ended in `end` and this slip."""
        if not self._push(code, AFTER_LAP, at, place):
            return
        pit: cython.int = self._slip_after(code, end, at, place)
        if pit == OVER:
            self._leaf(0)
        elif pit == BY_RULES and self.kernel.pits[end] > 0:
            self._after_lap(end)
        if pit >= 0:
            self._turn(pit)
        self._pop()

    @cython.cfunc
    def _try_captures(self, end: cython.int) -> cython.void:
        """What may go wrong with the captures that end a turn."""
        k = self.kernel
        place: cython.int
        step: cython.int
        k.recording = 1000
        k.events = []
        k._end(end, k.pits[end], k.family)
        taken: list = [event for event in k.events if event[0] == TAKE]
        due: set = {event[1] for event in taken}
        k.recording = 0
        takes: cython.int = len(taken)
        self._restore()
        self._try_take(end, TAKE_NONE, 1, 0)
        if k.opposite_specials and k.pits[k.size - 1 - end] > 1:
            self._try_after(end, MAKE_WRONGLY, 0, end)
        for nth in range(1, takes + 1):
            if takes > 1:
                self._try_take(end, TAKE_NOT, nth, 0)
            if 1 < nth < takes:
                self._try_take(end, TAKE_NONE, nth, 0)
            self._try_take(end, TAKE_OTHER_STORE, nth, 0)
            place = taken[nth - 1][1]
            if place < 0:
                continue
            for step in range(1, taken[nth - 1][2]):
                self._try_take(end, TAKE_PART, nth, step)
            for step in (1, k.size - 1):
                if k.pits[(place + step) % k.size] > 0 and (place + step) % k.size not in due:
                    self._try_take(end, TAKE_ELSEWHERE, nth, (place + step) % k.size)
        if takes > 1:
            self._try_take(end, TAKE_OTHER_STORE, 0, 0)
        if k.goes_on:
            due |= self._try_on(end)
        k._end(end, k.pits[end], k.family)
        more: list = [place for place in range(k.size) if k.pits[place] > 0 and place != end and place not in due]
        self._restore()
        for place in more:
            self._try_wrong_take(end, place, WITH_DUE)

    @cython.cfunc
    def _try_take(self, end: cython.int, code: cython.int, nth: cython.int, place: cython.int) -> cython.void:
        k = self.kernel
        if self._push(code, AFTER_LAP, nth, place):
            self._arm(code, nth, place)
            reason: cython.int = k._end(end, k.pits[end], k.family)
            k.slip_take = 0
            if reason != GO_ON:
                self._leaf(0)
            else:  # only in games that are tables
                if k.choosing:
                    self._offer(k.last)
                self._turn(k.last)
            self._pop()

    @cython.cfunc
    def _try_wrong_take(self, end: cython.int, place: cython.int, also: cython.int) -> cython.void:
        """Capture the seeds in `place` and what `also` says, and stop."""
        k = self.kernel
        likely: cython.bint = also == IN_PLACE_OF_SPECIAL or (
            place == end
            if k.backward
            else (place == end and k.takes_last)
            or (also == (WITH_LAST if k.takes_last else ALONE) and place == k.size - 1 - end)
        )
        self._try_after(end, TAKE_WRONGLY if likely else TAKE_ODDLY, also, place)

    @cython.cfunc
    def _try_forbidden(self, end: cython.int, reason: cython.int) -> cython.bint:
        """Capture what a rule forbids as a whole, as far as to each of its pits; whether it has only one.

        Of several, the first alone is captured wrongly like any other pit.
        """
        k = self.kernel
        i: cython.int = end
        last: cython.int
        seeds: cython.int = 0
        pits: list = []
        if reason == GRAND_SLAM and k.family == TABLE:
            for i in range(k.planned):
                pits.append(k.taking[i])
        elif reason == GRAND_SLAM:
            while 0 <= i < k.size and not k._own(i) and 2 <= k.pits[i] <= 3:
                pits.append(i)
                i -= k.direction
        elif reason == NO_CAPTURE_AFTER_RELAY:
            while 0 <= i < k.size and k._own(i) and (i == end or k.pits[i] == 0):
                last = k.size - 1 - i
                if k.pits[last] == 0 or k._marked(last):
                    break
                pits.append(last)
                i += k.direction
        elif reason == EMPTY_NOTHING and k.asks_empty_capture:
            pits.append(end)
        elif reason == FOUR and not k.rest_at:
            for i in range(k.size):
                seeds += k.pits[i]
                if k.pits[i] > 0 and i != end:
                    last = i
            if seeds == 8:
                pits.append(last)
        only: cython.bint = len(pits) == 1
        for last in pits if only else pits[1:]:
            self._try_after(end, TAKE_FORBIDDEN, reason, last)
        return only

    @cython.cfunc
    def _try_on(self, end: cython.int) -> set:
        """Take a capture on behind the pit where it was over; the pits that this captures alone."""
        k = self.kernel
        place: cython.int
        mode: cython.int
        behind: list = []
        alone: set = set()
        k._end(end, k.pits[end], k.family)
        i: cython.int = end
        fits = others = 0
        while True:
            i += -k.direction if k.backward else k.direction
            if not 0 <= i < k.size or not (k.backward or k._own(i)):
                break
            place = i if k.backward else k.size - 1 - i
            if k.pits[place] == 0 or k._marked(place):
                continue
            fit: cython.bint = k.pits[i] <= 3 and k.pits[i] >= 2 if k.backward else k.pits[i] == 0
            fits += fit
            others += not fit
            if fit:
                behind.append((place, WHAT_FITS))
            if others:
                behind.append((place, ALL_BEHIND))
            if fits + others == 1 or (fit and fits == 1):
                alone.add(place)
        self._restore()
        for place, mode in behind:
            self._try_after(end, TAKE_ON, mode, place)
        return alone

    # The slips that the kernel does not do itself

    @cython.cfunc
    def _slip_before(self, code: cython.int, pit: cython.int, place: cython.int) -> cython.int:
        """Do a slip before a lap from `pit`; the pit that is lifted then."""
        k = self.kernel
        if code in (OTHER_PIT, OTHER_PIT_FAR):
            return place
        if code == JUMP:
            self._jump(place)
        elif code == LAY:
            self._lay(place)
        else:
            k.direction = -k.direction
            self.turn_back = code == REVERSE_LAP
        return pit

    @cython.cfunc
    def _slip_after(self, code: cython.int, end: cython.int, at: cython.int, place: cython.int) -> cython.int:
        """Do a slip after a lap that ended in `end`; the pit of the next lap, `OVER`, or `BY_RULES`: these decide."""
        if code == RELAY_ON:
            return end
        if code == JUMP:
            self._jump(place)
        if code == LAY:
            self._lay(place)
        if code in (JUMP, LAY) or TAKE_NONE <= code <= TAKE_PART:
            return BY_RULES
        if code in (TAKE_WRONGLY, TAKE_ODDLY):
            self._take_wrongly(end, place, at)
        elif code == TAKE_FORBIDDEN:
            self._take_forbidden(end, place, at)
        elif code == TAKE_ON:
            self._take_on(end, place, at)
        elif code == MARK_WRONGLY:
            self.kernel._make_special(place)
        elif code == MAKE_WRONGLY:
            self._make_wrongly(place)
        elif code == NOT_MARKED:
            self._end_unmarked(end)
        return OVER

    @cython.cfunc
    def _jump(self, place: cython.int) -> cython.void:
        k = self.kernel
        start: cython.int = place // 64
        to: cython.int = place % 64
        k.pits[start] -= 1
        k.pits[to] += 1
        if k.recording:
            k._note(SHIFT, start, 1, to)

    @cython.cfunc
    def _lay(self, place: cython.int) -> cython.void:
        k = self.kernel
        k.pits[place] += 1
        k.left += 1
        if k.recording:
            k._note(ADD, place, k.pits[place], 0)

    @cython.cfunc
    def _make_wrongly(self, end: cython.int) -> cython.void:
        k = self.kernel
        opposite: cython.int = k.size - 1 - end
        self._jump(opposite * 64 + end)
        k._make_special(opposite)
        k._make_special(end)

    def _end_unmarked(self, end: cython.int) -> cython.int:
        """Let the rules end the turn, and take its marks away again."""
        k = self.kernel
        marked: cython.uint = k.marked
        norths: cython.uint = k.norths
        reason: cython.int = k._end(end, k.pits[end], k.family)
        k.marked, k.norths = marked, norths
        return reason

    @cython.cfunc
    def _take_wrongly(self, end: cython.int, place: cython.int, also: cython.int) -> cython.int:
        """Why the turn ends, if `place` is captured wrongly."""
        k = self.kernel
        reason: cython.int = GO_ON
        if also == WITH_DUE:
            reason = k._end(end, k.pits[end], k.family)
        elif also in (WITH_LAST, IN_PLACE_OF_SPECIAL):
            k._take(end, k.mover, LAST_SEED)
        k._take(place, k.mover, LAST_SEED if place == end else OPPOSITE_EMPTY)
        return reason

    @cython.cfunc
    def _take_forbidden(self, end: cython.int, last: cython.int, reason: cython.int) -> cython.void:
        """Capture what a rule forbids as a whole for this reason, up to the pit `last`."""
        k = self.kernel
        i: cython.int = end
        if reason == GRAND_SLAM:
            while i != last and 0 <= i < k.size:
                k._take(i, k.mover, TWO_OR_THREE)
                i -= k.direction
            k.void = k.void or i != last  # another slip made the lap end elsewhere
            k._take(last, k.mover, TWO_OR_THREE)
        elif reason == FOUR:
            k._end(end, k.pits[end], k.family)
            for i in range(k.size):
                if k.pits[i] > 0:
                    k._take(i, k.mover, REST)
        else:
            k._take(end, k.mover, LAST_SEED)
            while last != end and 0 <= i < k.size:
                k._take(k.size - 1 - i, k.mover, OPPOSITE_EMPTY)
                if k.size - 1 - i == last:
                    return
                i += k.direction
            k.void = k.void or last != end

    @cython.cfunc
    def _take_on(self, end: cython.int, last: cython.int, mode: cython.int) -> cython.void:
        """Take what is due, and then on up to the pit `last`."""
        k = self.kernel
        i: cython.int = end
        place: cython.int = -1
        k._end(end, k.pits[end], k.family)
        while place != last:
            i += -k.direction if k.backward else k.direction
            if not 0 <= i < k.size:
                k.void = True
                return
            if k.backward:
                place = i
                if k.pits[i] > 0 and (mode == ALL_BEHIND or 2 <= k.pits[i] <= 3):
                    k._take(i, k.mover, TWO_OR_THREE)
            else:
                place = k.size - 1 - i
                if k.pits[place] > 0 and not k._marked(place) and (mode == ALL_BEHIND or k.pits[i] == 0):
                    k._take(place, k.mover, OPPOSITE_EMPTY)

    # Slips one after the other, and boards after the last one

    @cython.cfunc
    def _push(
        self, code: cython.int, stage: cython.int, at: cython.int, place: cython.int, floating: cython.bint = False
    ) -> cython.bint:
        """Let one more slip happen in this lap, unless the number of seeds that lie there rules it out.

        `floating`: its place follows from the board that is left.
        """
        floated: cython.int = self.floating
        self.code[self.depth] = code
        self.depth += 1
        if floating:
            self.floating = self.depth
        if not self._balances():
            self.depth -= 1
            self.floating = floated
            return False
        self.lap[self.depth - 1] = self.kernel.laps + (0 if stage == AFTER_LAP else 1)
        self.stage[self.depth - 1] = stage
        self.at[self.depth - 1] = at
        self.place[self.depth - 1] = place
        if self.depth == 1:
            self.tally[code] += 1
        return True

    @cython.cfunc
    def _pop(self) -> cython.void:
        """Take the last slip back, and all that was done since."""
        self.depth -= 1
        self._restore()

    @cython.cfunc
    def _balances(self) -> cython.bint:
        """Whether these slips, and those that may follow, can leave as many seeds as lie there.

        One slip alone is always tried: how many there could be of each code decides how likely each is.
        """
        rest: cython.int = self.most - self.depth
        least: cython.int = -rest
        most: cython.int = rest
        if self.most == 1 or not self.balanced:
            return True
        for i in range(self.depth):
            code: cython.int = self.code[i]
            if code in (LOSE_ONE, LOSE_DUE):
                least -= 1
                most -= 0 if self.floating == i + 1 else 1
            elif code in (LAY, ADD_ONE):
                least += 0 if self.floating == i + 1 else 1
                most += 1
            elif code == BREAK_OFF and not self.hand_known:
                least -= COUNT_LIMIT
        if rest > 0:
            least -= COUNT_LIMIT  # the hand may stop with seeds in it, or several fall off the board
        return least <= self.need <= most

    @cython.cfunc
    def _leaf(self, held: cython.int) -> cython.void:
        """Compare the board of a turn that is over with what lies there, after the turns that follow."""
        self.taken, self.points = self.kernel.taken, self.kernel.points
        if len(self.later) == 0:
            self._compare(held)
            if held == 0 and self.floating == 0:
                self._try_sweeps()
            return
        self._follow_and_compare(held, 0, 0)
        if self.depth < self.most:
            for place in range(self.kernel.size + 2):
                self._follow_and_compare(held, END_ADD, place)
                self._follow_and_compare(held, END_LOSE, place)

    @cython.cfunc
    def _follow_and_compare(self, held: cython.int, code: cython.int, place: cython.int) -> cython.void:
        """Compare the board after the turns that follow. `code`: first a seed is lost or added in `place`."""
        k = self.kernel
        mover: cython.int = k.mover
        ply: cython.int = k.ply
        most: cython.int = self.most
        by: cython.int = 0 if code == 0 else 1 if code == END_ADD else -1
        if by and (self._seeds_in(place) + by < 0 or held):
            return
        self._save()
        if place < k.size:
            k.pits[place] += by
        else:
            k.stores[place - k.size] += by
        if code:
            self._push(code, AFTER_LAP, 0, place)
            self.lap[self.depth - 1] = 0
        self.most = self.depth  # nothing is wrong any more
        if self._follow():
            self._compare(held)
            if held == 0:
                self._try_sweeps()
        k.given_count = 0
        if code:
            self.depth -= 1
        self.most = most
        k.mover, k.ply = mover, ply
        self._restore()
        self.level -= 1

    @cython.cfunc
    def _follow(self) -> cython.bint:
        """Play the turns that follow; whether the rules let them be played."""
        k = self.kernel
        emptied: cython.uint = k.emptied
        self._disarm()
        self.played = True
        for side, pit, bits, count in self.later:
            k.mover = side
            k.ply += 1
            if not k.may_start(pit):
                return False
            k.work_limit = k.work + LAPS_ON
            status: cython.int = k._sow_given(pit, bits, count)
            self.work += k.laps
            if self.work > self.limit:
                self.cut = True
            if status not in (ENDED, TOO_MANY_CHOICES):
                return False
            emptied |= k.emptied
        k.emptied = emptied
        return True

    # What the sides take into their stores when the game is over, or when they think so

    @cython.cfunc
    def _try_sweeps(self) -> cython.void:
        """Let the sides take what is left into their stores: rightly if the game is over, else too early."""
        k = self.kernel
        right: cython.int = self.right_way
        if right == TO_OPPONENT:  # of the side that cannot move
            right = k.mover if self.played and not k.again else 1 - k.mover
            if k.marked:
                right += ROWS_TO_SOUTH
        if not self._is_over():
            if self.depth < self.most and (self.bare[0] or self.bare[1]):
                self._try_early_sweeps(right)
                if right != TO_OWNERS:
                    self._try_early_sweeps(TO_OWNERS)
            return
        for all_unknown in range(2):
            self._try_sweep(SWEEP, right, 3, all_unknown)
        if self.depth < self.most:
            for to_whom in range(TO_OTHERS + 1):
                if to_whom != right:
                    self._try_sweep(SWEEP_WRONGLY, to_whom, 3, True)
            if k.has_specials:
                self._try_sweep(SWEEP_WRONGLY, BY_ROW, 3, True)

    @cython.cfunc
    def _try_early_sweeps(self, to_whom: cython.int) -> cython.void:
        """Let what lies in a row that is bare now, or in both, be taken although the game goes on."""
        for row in range(2):
            if self.bare[row]:
                self._try_sweep(SWEEP_EARLY, to_whom, 1 << row, True)
        if self.bare[0] and self.bare[1]:
            self._try_sweep(SWEEP_EARLY, to_whom, 3, True)

    @cython.cfunc
    def _is_over(self) -> cython.bint:
        """Whether the side to move next may begin in no pit, and neither may the other if turns are passed."""
        k = self.kernel
        mover: cython.int = k.mover
        ply: cython.int = k.ply
        over: cython.bint = True
        if self.played:
            k.ply += 1
            if not k.again:
                k.mover = 1 - mover
        for _ in range(2 if k.may_pass else 1):
            over = over and not k._starts()
            k.mover = 1 - k.mover
        k.mover, k.ply = mover, ply
        return over

    @cython.cfunc
    def _try_sweep(
        self, code: cython.int, to_whom: cython.int, rows: cython.int, all_unknown: cython.bint
    ) -> cython.void:
        """Let pits of these rows (bit 0: South's) be taken into the stores, and compare.

        Some may still be full. With `all_unknown`, those that nobody counted are not.
        """
        k = self.kernel
        most: cython.int = self.most
        self._save()
        self.swept = 0
        for i in range(k.size):
            side: cython.int = 0 if i < k.row else 1
            if k.pits[i] == 0 or not (rows >> side) & 1:
                continue
            none: cython.double = self.logs[(PLACES + i) * COUNT_LIMIT] - self._log(i, 0)
            if none < 0 or (none == 0 and not all_unknown):
                continue
            self.swept |= 1 << i
            side = self._taker(i, to_whom)
            if side >= 0:
                k.stores[side] += k.pits[i]
            k.pits[i] = 0
            k.emptied |= 1 << i
            if self.wanted[i] == 0:
                k.marked &= ~(1 << i)
        if self.swept:
            self.sweep, self.to_whom = code, to_whom
            if code != SWEEP:
                self.most -= 1
            self._compare(0)
            self.most = most
        self.swept = 0
        self._restore()
        self.level -= 1

    @cython.cfunc
    def _taker(self, i: cython.int, to_whom: cython.int) -> cython.int:
        """Into whose store a pit goes; -1: into none."""
        k = self.kernel
        owner: cython.int = 0 if i < k.row else 1
        if to_whom == TO_NOBODY:
            return -1
        if to_whom <= TO_NORTH:
            return to_whom
        if to_whom >= ROWS_TO_SOUTH and not k._marked(i):
            return to_whom - ROWS_TO_SOUTH
        if to_whom != BY_ROW and k._marked(i):
            owner = (k.norths >> i) & 1
        return 1 - owner if to_whom == TO_OTHERS else owner

    # Comparison

    def look_for(
        self,
        kept: list,
        emptied: list,
        held: list,
        marks: tuple | None,
        least: float,
        whole: int | None,
        hand: int | None,
    ) -> None:
        """What lies there now.

        `kept` and `emptied` have a row for each place, with the log-likelihood of 0, 1, 2 … seeds there if the place
        was never emptied, and if it was; `held` the same of the seeds in the hand. `marks`: the mark of each pit, -1
        where it is unknown; None: all are. `least`: the log-likelihood from which a board counts at first. `whole`: all
        seeds on the board, `hand`: those in the hand; None: unknown.
        """
        for place in range(len(kept)):
            for count in range(COUNT_LIMIT):
                self.logs[place * COUNT_LIMIT + count] = kept[place][count]
                self.logs[(PLACES + place) * COUNT_LIMIT + count] = emptied[place][count]
        for count in range(COUNT_LIMIT):
            self.held_logs[count] = held[count]
        row: cython.int = self.kernel.row
        for count in range(2):
            self.bare[count] = True
            for place in range(count * row, (count + 1) * row):
                if self.logs[(PLACES + place) * COUNT_LIMIT] <= self.logs[(PLACES + place) * COUNT_LIMIT + 1]:
                    self.bare[count] = False
        self.marks_known = marks is not None
        for place in range(32):
            self.wanted[place] = -1
        if marks is not None:
            for place in range(len(marks)):
                self.wanted[place] = marks[place]
        self.least = least
        self.balanced = whole is not None
        self.whole = 0 if whole is None else whole
        self.hand_known = hand is not None
        if hand is not None:
            self.whole += hand

    @cython.cfunc
    def _seeds_in(self, place: cython.int) -> cython.int:
        k = self.kernel
        return k.pits[place] if place < k.size else k.stores[place - k.size]

    @cython.cfunc
    def _is_plain(self, slip: cython.int) -> cython.bint:
        """Whether a slip whose place is found may also be one without a place: a last seed that is lost on its way to
        the pit that is due would let the lap end where no seed fell."""
        return not (self.code[slip] == LOSE_DUE and self.at[slip] == 1)

    @cython.cfunc
    def _log(self, place: cython.int, by: cython.int) -> cython.double:
        """The log-likelihood of what is in a place now and `by` more."""
        k = self.kernel
        size: cython.int = k.size
        count: cython.int = (k.pits[place] if place < size else k.stores[place - size]) + by
        row: cython.int = PLACES if place < size and (k.emptied >> place) & 1 else 0
        if count < 0:
            return IMPOSSIBLE
        if count >= COUNT_LIMIT:
            count = COUNT_LIMIT - 1
        return self.logs[(row + place) * COUNT_LIMIT + count]

    @cython.cfunc
    def _compare(self, held: cython.int) -> cython.void:
        k = self.kernel
        size: cython.int = k.size
        total: cython.double = self.held_logs[held if held < COUNT_LIMIT else COUNT_LIMIT - 1]
        # Seeds that were moved once more may make up for two places.
        lowest: cython.double = self.least
        self.work += 1
        if self.depth < self.most or self.floating:
            lowest += 2 * IMPOSSIBLE
        twice: cython.bint = self.most - self.depth == 2 and held == 0 and self.swept == 0
        if twice:
            lowest += 2 * IMPOSSIBLE
        for i in range(size):
            total += self._log(i, 0)
            if total < lowest:
                return
        total += self._log(size, 0) + self._log(size + 1, 0)
        if self.marks_known:
            for i in range(size):
                if self.wanted[i] >= 0 and self.wanted[i] != k._mark(i):
                    total += IMPOSSIBLE
        if total < lowest:
            return
        if self.floating:
            self._float(total, held)
            if not self._is_plain(self.floating - 1):
                return
        if total >= self.least:
            self._hit(total, held, 0, 0, 0)
        if self.depth < self.most:
            self._repair(total, held, twice)

    @cython.cfunc
    def _float(self, total: cython.double, held: cython.int) -> cython.void:
        """Find where the seed is that fell elsewhere, or where it was picked up."""
        size: cython.int = self.kernel.size
        last: cython.int = self.floating - 1
        code: cython.int = self.code[last]
        by: cython.int = -1 if code == ADD_ONE else 1
        for i in range(size if by < 0 else size + 2):
            gain: cython.double = total + self._log(i, by) - self._log(i, 0)
            if gain >= self.least:
                self.place[last] = i
                self.code[last] = PICK_UP if by < 0 else INSTEAD if code == LOSE_DUE else ALSO
                self._hit(gain, held, 0, 0, 0)
                self.place[last], self.code[last] = -1, code

    @cython.cfunc
    def _repair(self, total: cython.double, held: cython.int, twice: cython.bint) -> cython.void:
        """Find what moved when all was over: a seed to another place, off the board or from outside it; or several at
        once, to a place beside, off the board or, of a capture, back into a pit. `twice`: or two of these."""
        k = self.kernel
        outside: cython.int = k.size + 2
        captured: cython.int = k.stores[k.mover] - self.stored[k.mover] - k.banked
        lowest: cython.double = self.least + 2 * IMPOSSIBLE if twice else self.least
        most: cython.double = 0.0
        seeds: cython.int
        j: cython.int
        for j in range(outside):
            most = max(most, -self._log(j, 0))
        for i in range(outside + 1):
            for seeds in range(1, (self._seeds_in(i) if i < outside and held == 0 and self.swept == 0 else 1) + 1):
                less: cython.double = self._log(i, -seeds) - self._log(i, 0) if i < outside else 0.0
                if total + less + most < lowest or (seeds > 1 and less <= 0):
                    continue
                for j in range(outside + 1):
                    more: cython.double = self._log(j, seeds) - self._log(j, 0) if j < outside else 0.0
                    gain: cython.double = total + less + more
                    if j == i or gain < lowest or (seeds > 1 and j < outside and more <= 0):
                        continue
                    at: cython.int = seeds if seeds > 1 else 0
                    if seeds > 1 and i == k.size + k.mover and j < k.size and seeds == captured and gain >= self.least:
                        self._hit(gain, held, END_ADD, at, i * 64 + j)
                    if seeds > 1 and j < outside and not self._is_beside(i, j):
                        continue
                    code: cython.int = END_ADD if i == outside else END_LOSE if j == outside else END_MOVE
                    place: cython.int = j if i == outside else i * 64 + (63 if j == outside else j)
                    if seeds == 1 and j == outside:
                        place = i
                    if gain >= self.least:
                        self._hit(gain, held, code, at, place)
                    if twice and less >= 0 and more >= 0:
                        self.code[0], self.lap[0], self.stage[0] = code, 0, AFTER_LAP
                        self.at[0], self.place[0] = at, place
                        self._move(i, j, seeds)
                        self.depth = 1
                        self._repair(gain, held, False)
                        self.depth = 0
                        self._move(j, i, seeds)

    @cython.cfunc
    def _move(self, start: cython.int, to: cython.int, seeds: cython.int) -> cython.void:
        k = self.kernel
        if start < k.size:
            k.pits[start] -= seeds
        elif start < k.size + 2:
            k.stores[start - k.size] -= seeds
        if to < k.size:
            k.pits[to] += seeds
        elif to < k.size + 2:
            k.stores[to - k.size] += seeds

    @cython.cfunc
    def _is_beside(self, start: cython.int, to: cython.int) -> cython.bint:
        """Whether seeds that are knocked over fall from one place to the other: to the next pit, across the board, or
        from a store into a pit at an end of the board or back."""
        size: cython.int = self.kernel.size
        less: cython.int = start if start < to else to
        apart: cython.int = start + to - 2 * less
        if less + apart >= size:
            return less in (0, size // 2 - 1, size // 2, size - 1)
        return apart == 1 or apart == size - 1 or start + to == size - 1

    @cython.cfunc
    def _hit(
        self, total: cython.double, held: cython.int, code: cython.int, at: cython.int, place: cython.int
    ) -> cython.void:
        last: cython.int = self.depth - 1
        if code and self.depth and self.lap[last] == 0 and (self.at[last], self.place[last]) > (at, place):
            return  # two accidents at the end have no order
        if total - WINDOW > self.least:
            self.least = total - WINDOW
        if len(self.hits) >= MAX_HITS:
            self.cut = True
            return
        slips: list = [(self.code[i], self.lap[i], self.stage[i], self.at[i], self.place[i]) for i in range(self.depth)]
        if self.swept:
            slips.append((self.sweep, 0, AFTER_LAP, self.to_whom, self.swept))
        if code:
            slips.append((code, 0, AFTER_LAP, at, place))
        self.hits.append((total, tuple(slips), self.taken, self.points, held))
