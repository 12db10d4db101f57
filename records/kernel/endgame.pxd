from .codes cimport *
from .sowing cimport Kernel

cimport cython


@cython.final
cdef class TableSet:
    cdef int row, size, most, covered, win_at, total, patterns, places, across
    cdef unsigned long long[::1] keys
    cdef int[::1] slots
    cdef signed char[::1] order
    cdef int[::1] counts
    cdef long long[::1] bases, lengths, choose
    cdef int[::1] widths
    cdef long long[::1] starts
    cdef signed char[::1] lows, highs
    cdef const unsigned char[::1] values

    cdef int probe_bounds(self, Kernel kernel) noexcept nogil
    cdef unsigned long long _key(self, Kernel kernel, int side) noexcept nogil
    cdef int _slot(self, unsigned long long key) noexcept nogil
    cdef int _find(self, unsigned long long key) noexcept nogil
    cdef long long _rank(self, Kernel kernel, int n, int shift) noexcept nogil
    cdef int _bounds(self, int seeds, long long place) noexcept nogil


@cython.final
cdef class Retrograde:
    cdef Kernel kernel
    cdef TableSet tables
    cdef int seeds
    cdef bint rest_counts
    cdef signed char[::1] low, high
    cdef object open_store, end_store, sure_store, edge_store
    cdef unsigned int[::1] opens, ends
    cdef signed char[::1] sure
    cdef unsigned int[::1] edges
    cdef bint keeping
    cdef int kept_opens, kept_edges, sure_low, sure_high, best_low, best_high
    cdef unsigned int marked
    cdef int whole, lead, kept, turned
    cdef long long changed, open, unsettled, missing

    cdef void _sweep(self, Kernel k, TableSet tables, long long first, long long last, bint check) noexcept nogil
    cdef void _keep(self, long long place) noexcept nogil
    cdef void _relax(
        self, Py_ssize_t count, unsigned int[::1] opens, unsigned int[::1] ends, signed char[::1] sure, unsigned int[::1] edges
    ) noexcept nogil
    cdef void _enter(self, Kernel k, TableSet tables, int n) noexcept nogil
    cdef void _unrank(self, Kernel k, TableSet tables, int n, long long rank) noexcept nogil
    cdef void _work_out(self, Kernel k, TableSet tables) noexcept nogil
    cdef void _work_out_choices(self, Kernel k, TableSet tables, int start) noexcept nogil
    cdef void _stay(self, Kernel k, TableSet tables) noexcept nogil
    cdef int _rest(self, Kernel k) noexcept nogil
    cdef void _reach(self, Kernel k, TableSet tables) noexcept nogil
    cdef void _offer(self, int low, int high) noexcept nogil
