from .codes cimport *
from .sowing cimport Kernel

cimport cython


@cython.final
cdef class MutableBoard:
    cdef Kernel kernel
    cdef object rules
    cdef dict moves
    cdef list played
    cdef short[::1] saved
    cdef long long[::1] fields
    cdef int height, room
    cdef long long plies
    cdef int unsown

    @cython.locals(at=cython.Py_ssize_t, i=cython.Py_ssize_t)
    cdef void _save(self)
    cdef void _restore(self)
    cdef bint _play(self, tuple code)
    cdef object _found(self, int start)
