"""The search for slips: every board that a turn with one or two slips leaves, compared with what lies there.

A turn is sown lap by lap by `records.kernel.sowing`; at each step the search also lets the hand slip, and goes on as
the rules say from the board that this leaves. `records.findings` gives the slips their names and their probabilities.
The parts are in `records.kernel.slipping`, each built on the one before: hand, actions, comparison, sweeps, leaves,
captures, tree. Like the sowing, they are plain Python that setup.py joins to one class and Cython compiles.
"""

from __future__ import annotations

from collections.abc import Iterable

from ._cython import cython

if not cython.compiled:
    from .slipping.codes import *
    from .slipping.tree import SlipTree
    from .turn.codes import *

COMPILED = cython.compiled


class SlipSearch(SlipTree):
    """Searches one turn after the other; `records.findings` holds one for each thread."""

    def search(self, pit: cython.int, slips: cython.int, limit: cython.longlong, placed: cython.bint = False) -> tuple:
        """Sow the turn from `pit` in every way with up to `slips` slips, and at most about `limit` laps.

        Of two slips, the first search finds the place of a seed that fell elsewhere from the board that is left: it
        misses those that change the rest of the turn. A second one, with `placed`, tries each place for the first slip,
        and nothing that the first one has tried.

        Returns the boards that fit, as (log-likelihood, slips, choices as bits, their number, seeds in the hand), where
        a slip is (code, lap, stage, at, place); how many slips of each code were tried first; and whether all were.
        """
        self.most = slips
        self.placed = placed
        self.limit = self.work + limit
        self.cut = False
        self.hits = []
        for k in range(64):
            self.tally[k] = 0
        self.depth = 0
        self.floating = 0
        self.level = 0
        self._begin()
        self.need = self.whole - self.kernel.stores[0] - self.kernel.stores[1]
        for k in range(self.kernel.size):
            self.need -= self.kernel.pits[k]
        self._save()
        self._turn(pit)
        self._restore()
        self.level = 0
        return self.hits, [self.tally[k] for k in range(CODES)], not self.cut

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
        i: cython.int
        return [i for i in range(self.kernel.size) if self.kernel.may_start(i)]

    def ends(self) -> list:
        """The boards that fit after a turn without slips from any pit, as `search` returns them, with the pit first."""
        k = self.kernel
        i: cython.int
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
        self.placed = False
        self._begin()
        self.played = False
        self._leaf(0)
        return self.hits

    def replay(
        self, pit: cython.int, bits: cython.ulonglong, count: cython.int, slips: tuple, most: cython.int
    ) -> tuple:
        """Sow one turn with the slips that `search` returned, and record it.

        Returns the events; of each slip the number of its event, the pit of its lap, the pit where the last seed fell,
        and the direction; the pits, the marks, the stores, the seeds in the hand, and the pits that were emptied.
        """
        k = self.kernel
        marked: list = []
        ended: cython.bint = False
        held: cython.int = 0
        end: cython.int
        at: cython.int = 0
        q: cython.int
        self._begin()
        k.events = []
        k.recording = most
        k.given = bits
        k.given_count = count
        while not ended:
            number: cython.int = k.laps + 1
            if number > LAPS_WITHOUT_SLIP:
                break
            once: cython.bint = False
            while at < len(slips) and slips[at][1] == number and slips[at][2] == BEFORE_LAP:
                code, _, _, _, place = slips[at]
                marked.append((len(k.events), pit, k.last, k.direction))
                at += 1
                if code == OTHER_PIT:
                    pit = place
                elif code == JUMP:
                    self._jump(place)
                elif code == LAY:
                    self._lay(place)
                else:
                    k.direction = -k.direction
                    once = code == REVERSE_LAP
            first = at
            while at < len(slips) and slips[at][1] == number and slips[at][2] == IN_LAP:
                at += 1
            self._arm_all(slips[first:at])
            before = len(k.events)
            end = self._sow_lap(pit)
            for slip in slips[first:at]:
                marked.append((self._where(before, slip), pit, -1, k.direction))
                if slip[0] == ASTRAY:
                    end = k.last = slip[4]
            k.slip_take = 0
            if once:
                k.direction = -k.direction
            if k.held:
                held = k.held
                k._note(END, k.last, 0, GO_ON)
                break
            if end < 0:
                k._note(END, k.last, 0, LAST_FOUR)
                break
            stage: list = []
            while at < len(slips) and slips[at][1] == number and slips[at][2] == AFTER_LAP:
                stage.append(slips[at])
                marked.append((len(k.events), pit, end, k.direction))
                at += 1
            go_on: cython.int = -2
            for slip in stage:
                code, place = slip[0], slip[4]
                if code == JUMP:
                    self._jump(place)
                elif code == RELAY_ON:
                    go_on = end
                elif code in (STOP, NOT_MADE):
                    go_on = -1
                elif code in (TAKE_WRONGLY, TAKE_ODDLY):
                    self._take_wrongly(end, place, slip[3])
                    go_on = -1
                elif code == TAKE_FORBIDDEN:
                    self._take_forbidden(end, place, slip[3])
                    go_on = -1
                elif code == TAKE_ON:
                    self._take_on(end, place, slip[3])
                    go_on = -1
                elif code == MARK_WRONGLY:
                    k._make_special(place)
                    go_on = -1
                elif code == MAKE_WRONGLY:
                    self._make_wrongly(place)
                    go_on = -1
                elif code == NOT_MARKED:
                    q = self._end_unmarked(end)
                    go_on = -1
            if go_on == -2:
                self._arm_all(stage)
                q = k._end(end, k.pits[end], k.family)
                k.slip_take = 0
                if q != GO_ON:
                    k._note(END, end, 0, q)
                    break
                pit = k.last
                if k.choosing:
                    self._offer(pit)
            elif go_on == -1:
                k._note(END, end, 0, GO_ON)
                break
            else:
                pit = go_on
        k.recording = 0
        size: cython.int = k.size
        return (
            k.events,
            marked,
            tuple([k.pits[i] for i in range(size)]),
            tuple([k._mark(i) for i in range(size)]),
            (k.stores[0], k.stores[1]),
            held,
            k.emptied,
        )

    def was_void(self) -> bool:
        """Whether a slip of the last `replay` did not happen: it changed nothing, or could not be."""
        return self.kernel.void or self.kernel.slip_at != 0 or self.kernel.next_at != 0

    def _where(self, before: cython.int, slip: tuple) -> int:
        """The number of the event at which a slip in the lap whose events begin at `before` happened."""
        events = self.kernel.events
        code, _, _, at, _ = slip
        seen: cython.int = 0
        for number in range(before, len(events)):
            kind, _, count, _ = events[number]
            if code >= TAKE_NONE and code <= TAKE_PART:
                if kind == 3:
                    seen += 1
                    if seen == at:
                        return number
            else:
                if kind == 0:
                    hand = count
                if hand == at and kind != 0:
                    return number
                if kind in (1, 7, LOSE):
                    hand -= 1
                elif kind in (ADD, 10):
                    hand += 1
        return len(events)

    def _arm_all(self, slips: Iterable) -> None:
        self._disarm()
        for code, _, _, at, place in slips:
            self._arm(code, at, place)
