from .endgame cimport TableSet
from .codes cimport *
from .sowing cimport Kernel, first_bit

cimport cython

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define prefetch(address) __builtin_prefetch(address)
    #else
    #define prefetch(address)
    #endif
    """
    void prefetch(const void *address) noexcept nogil


@cython.final
cdef class TranspositionTable:
    cdef object memory
    cdef unsigned long long[::1] cells
    cdef unsigned long long mask

    cdef inline void fetch(self, unsigned long long key) noexcept nogil
    @cython.locals(at=cython.ulonglong, data=cython.ulonglong)
    cdef unsigned long long look_up(self, unsigned long long key, unsigned long long check) noexcept nogil
    @cython.locals(at=cython.ulonglong, old=cython.ulonglong, place=cython.ulonglong)
    cdef void store(self, unsigned long long key, unsigned long long check, unsigned long long data) noexcept nogil


@cython.final
cdef class Searcher:
    cdef Kernel kernel
    cdef TranspositionTable table
    cdef TableSet endgame
    cdef bint has_endgame
    cdef int endgame_below
    cdef bint packs, row_owner, to_opponent, cycles, first_turns, one_side
    cdef int repetition, weight_row, weight_mobility, weight_special, weight_tempo
    cdef long long nodes, probes, node_limit
    cdef bint halted, stopped, strict
    cdef int prover, age, age_depth, flags, top, root_count, root_best, earlier, root_flags, root_ply
    cdef unsigned long long made_key, made_check
    cdef int made_rest, made_sure, made_rows, made_mobility
    # Positions that turns lead to, on a stack
    cdef short[::1] boards
    cdef unsigned int[::1] marks
    cdef int[::1] stores
    cdef signed char[::1] movers
    cdef unsigned long long[::1] keys, checks
    cdef short[::1] rests, sures, rows, mobilities, gains
    cdef signed char[::1] starts, again, counts
    cdef unsigned long long[::1] bits
    cdef int[::1] ranks
    # The path from the root, with the positions before it
    cdef unsigned long long[::1] path_keys, path_checks
    cdef int[::1] path_rests
    # Ordering, and the best lines
    cdef signed char[::1] killers
    cdef int[::1] history, order
    cdef signed char[::1] line_starts, line_counts
    cdef unsigned long long[::1] line_bits
    cdef int[::1] line_lengths

    cdef void _identify(self, int mover) noexcept nogil
    cdef bint _keep(self, int start, int base) noexcept nogil
    cdef void _enter(self, int c) noexcept nogil
    cdef int _generate(self) noexcept nogil
    cdef void _generate_choices(self, int start, int base) noexcept nogil
    cdef int _generate_pass(self) noexcept nogil
    cdef int _ended(self, int c) noexcept nogil
    cdef int _estimate(self, int c) noexcept nogil
    cdef bint _repeats(self, int c, int at) noexcept nogil
    cdef int _search(self, int alpha, int beta, int depth, int ply, int c) noexcept nogil
    cdef bint _is_of_age(self, unsigned long long data) noexcept nogil
    cdef int _relation(self, int c) noexcept nogil
    cdef int _usable(self, int c, unsigned long long data, int flags, bint deep) noexcept nogil
    cdef int _settle(self, int alpha, int beta, int depth, int base, int count) noexcept nogil
    cdef int _bound_of(self, int i, unsigned long long data, bint lower) noexcept nogil
    cdef int _bound_flags(self, int i, unsigned long long data, bint lower) noexcept nogil
    cdef bint _holds(self, int i, unsigned long long data, int flags, bint deep) noexcept nogil
    cdef void _rank(self, int ply, int base, int count, unsigned long long move) noexcept nogil
    cdef int _child(self, int alpha, int beta, int depth, int ply, int c) noexcept nogil
    cdef void _extend_line(self, int ply, int c) noexcept nogil
    cdef void _praise(self, int ply, int depth, int c) noexcept nogil
    cdef void _remember(
        self, int c, int value, int bound, int flags, int depth, int best, long long work
    ) noexcept nogil
    cdef int _root(self, int alpha, int beta, int depth) noexcept nogil
