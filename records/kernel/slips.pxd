from .codes cimport *
from .sowing cimport Kernel

cimport cython


@cython.final
cdef class SlipSearch:
    cdef Kernel kernel
    cdef double logs[2 * 34 * 96], held_logs[96]
    cdef short wanted[32]
    cdef bint bare[2], played
    cdef unsigned int swept
    cdef int sweep, to_whom, right_way
    cdef bint marks_known
    cdef double least
    cdef int most
    cdef unsigned int emptied
    cdef int depth, floating
    cdef bint turn_back, placed
    cdef long long work, limit
    cdef bint cut, balanced, hand_known
    cdef int whole, need
    cdef list hits, later
    cdef unsigned long long taken
    cdef int points, code[4], lap[4], stage[4], at[4], place[4]
    cdef long long tally[64]
    cdef int level
    cdef short boards[128 * 34]
    cdef long long numbers[128 * 16]

    cdef void _begin(self)
    cdef int _save(self)
    cdef void _restore(self)
    cdef void _turn(self, int pit)
    cdef int _sow_lap(self, int pit)
    cdef void _after_lap(self, int end)
    cdef int _go_on(self, int end)
    cdef bint _push(self, int code, int stage, int at, int place, bint floating=*)
    cdef void _pop(self)
    cdef bint _balances(self)
    cdef void _try_starts(self, int pit)
    cdef void _try_laps(self, int pit)
    cdef void _try_losses(self, int pit, int at, int hand)
    cdef bint _is_plain(self, int slip)
    cdef void _try_drop(self, int pit, int code, int at, int place, bint floating)
    cdef void _try_second(self, int pit, int code, int at, int place, bint floating)
    cdef bint _sow_slipping(self, int pit, int slips, bint apart)
    cdef void _try_takes(self, int pit)
    cdef void _try_passing(self, int pit, int code, int nth, int left)
    cdef void _try_end(self, int end)
    cdef void _try_stop(self, int code, int end)
    cdef void _disarm(self)
    cdef void _arm(self, int code, int at, int place)
    cdef void _jump(self, int place)
    cdef void _lay(self, int place)
    cdef void _make_wrongly(self, int end)
    cdef void _try_take(self, int end, int code, int nth, int place)
    cdef void _try_wrong_take(self, int end, int place, int also)
    cdef int _take_wrongly(self, int end, int place, int also)
    cdef bint _try_forbidden(self, int end, int reason)
    cdef void _take_forbidden(self, int end, int last, int reason)
    cdef set _try_on(self, int end)
    cdef void _take_on(self, int end, int last, int mode)
    cdef void _leaf(self, int held)
    cdef void _try_sweeps(self)
    cdef void _try_early_sweeps(self, int to_whom)
    cdef bint _is_over(self)
    cdef void _try_sweep(self, int code, int to_whom, int rows, bint all_unknown)
    cdef int _taker(self, int i, int to_whom)
    cdef void _follow_and_compare(self, int held, int code, int place)
    cdef int _seeds_in(self, int place)
    cdef bint _follow(self)
    cdef void _choose_as_given(self, int pit)
    cdef void _compare(self, int held)
    cdef void _repair(self, double total, int held)
    cdef void _hit(self, double total, int held, int code, int place)
    cdef double _log(self, int place, int by)
