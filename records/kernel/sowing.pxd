from .codes cimport *

cimport cython

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define first_bit(bits) __builtin_ctz(bits)
    #else
    static int first_bit(unsigned int bits) { int i = 0; while (!(bits >> i & 1)) i++; return i; }
    #endif
    """
    int first_bit(unsigned int bits) noexcept nogil


@cython.final
cdef class Kernel:
    # At a multiple of 16 bytes, so that no wide move of pits crosses a cache line
    cdef long long work
    cdef short pits[32]
    cdef short stack[2560]
    cdef short old[32]
    cdef int family, row, step
    cdef bint skip_origin, choosing, single_lap, first_lap, each_relay, no_first_specials, first_turns_vary
    cdef bint capture_after_relay, right_end_first, may_pass, empty_capture
    cdef int win_at, size, rest_at, least, least_special
    cdef bint has_specials, special_start, plain, banks, in_passing, feeds, ends_with_row, backward, takes_last, goes_on
    cdef bint opposite_specials, asks_empty_capture, looks_opposite
    # The board
    cdef unsigned int marked, norths, closed
    cdef int stores[2]
    cdef int mover, ply
    cdef int specials_from[2]
    cdef long long work_limit
    # The turn; what begins at 0 stands together, so that one move clears it
    cdef int laps, points, cycle, saved_at, reason, banked, left
    cdef unsigned int sown, emptied
    cdef unsigned long long taken
    cdef int direction, start, last, end, previous, handful, planned
    cdef bint again, exact
    cdef unsigned long long given, flipped
    cdef int given_count
    cdef unsigned long long[:] log
    cdef long long[:] log_lap, log_turn
    cdef long long turn
    cdef int log_size, logged
    cdef unsigned long long mix
    cdef int suspect, suspect_again
    cdef char text[400]
    # Cycles (Brent), the stack of positions, the record of events
    cdef int old_pit, old_direction
    cdef unsigned int stack_marks[128]
    cdef int level
    cdef short kept[64]
    cdef short dropped[4096]
    cdef int recording
    cdef list events
    cdef bint complete
    # A slip that is to happen: in the lap while the hand holds `slip_at` seeds (0: none), or at the `slip_nth` capture
    cdef int slip_at, slip_kind, slip_place, next_at, next_kind, next_place, held
    cdef bint doubled, void
    cdef int slip_take, slip_nth, took
    # A game that is a table
    cdef bint tabled, split, start_choice, first_stays, skip_later, skip_second, drains, passing_owner, feeds_turn
    cdef int skip, passing, passing_reason, row_count, stored, decided
    cdef int rows[696]
    cdef unsigned long long tests[448]
    cdef int taking[32]
    cdef int places[5]
    cdef unsigned int fitting[448]
    cdef unsigned int bare, quiet

    cdef void _fill_rows(self) noexcept nogil
    cdef int _seeds(self) noexcept nogil
    cdef bint _follow(self, tuple code)
    cdef int _gain(self, int side) noexcept nogil
    cdef int _sow_given(self, int pit, unsigned long long bits, int count) noexcept nogil
    cdef int _sow(self, int start) noexcept nogil
    cdef int _sow_other(self, int start) noexcept nogil
    cdef inline int _turn(self, int start, int family, bint choosing, bint banks, bint in_passing) noexcept nogil
    cdef void _choose(self, int pit) noexcept nogil
    cdef inline int _spread(self, int pit, int hand, bint in_passing) noexcept nogil
    cdef inline void _sweep(self, int pit, int hand) noexcept nogil
    cdef inline int _away(self, int pit, int hand) noexcept nogil
    cdef inline int _lap(self, int pit, int hand, bint banks, bint in_passing, bint slipping, bint tabled) noexcept nogil
    cdef void _fill_tables(self) noexcept
    cdef inline unsigned int _arc(self, int pit, int count) noexcept nogil
    cdef inline int _finish(self, int last, int reason) noexcept nogil
    cdef inline int _end(self, int i, int count, int family) noexcept nogil
    cdef int _slip(self, int hand) noexcept nogil
    cdef bint _slipped_take(self, int i, int side, int why) noexcept nogil
    cdef inline int _end_enkeshui(self, int i, int count) noexcept nogil
    cdef inline int _end_anywoli(self, int i, int count) noexcept nogil
    cdef inline int _end_layli(self, int i, int count) noexcept nogil
    cdef inline int _end_bof(self, int i, int count) noexcept nogil
    cdef inline int _end_oware(self, int i, int count) noexcept nogil
    cdef inline int _end_kalah(self, int i, int count) noexcept nogil
    cdef int _first_direction(self, int start) noexcept nogil
    cdef bint _starts_either_way(self, int start) noexcept nogil
    cdef bint _passes_over(self, int i) noexcept nogil
    cdef bint _takes_in_passing(self, int i, int hand) noexcept nogil
    cdef inline int _go_on(self, Py_ssize_t row, int i, bint stored, int why) noexcept nogil
    cdef inline int _situation(self, int i) noexcept nogil
    cdef bint _holds(self, int test, int i) noexcept nogil
    cdef bint _fits(self, Py_ssize_t row, int i) noexcept nogil
    cdef int _plan(self, int i, int found) noexcept nogil
    cdef int _plan_captures(self, Py_ssize_t row, int i) noexcept nogil
    cdef bint _takes_all(self, int found) noexcept nogil
    cdef int _end_table(self, int i, int count) noexcept nogil
    cdef unsigned int _reaching_starts(self) noexcept nogil
    cdef unsigned int _feeding_starts(self) noexcept nogil
    cdef void _bank(self) noexcept nogil
    cdef bint _nothing_opposite(self) noexcept nogil
    cdef inline bint _marked(self, int i) noexcept nogil
    cdef int _before_store(self) noexcept nogil
    cdef int _mark(self, int i) noexcept nogil
    cdef inline bint _own(self, int i) noexcept nogil
    cdef inline int _before(self, int i) noexcept nogil
    cdef int _following(self, int i) noexcept nogil
    cdef int _neighbor(self, int i, int step) noexcept nogil
    cdef inline void _take(self, int i, int side, int why) noexcept nogil
    cdef bint _take_counted(self, int i, int count, int side, int why) noexcept nogil
    cdef inline void _make_special(self, int i) noexcept nogil
    cdef void _note(self, int kind, int pit, int count, int other) noexcept with gil
    cdef void _note_end(self, int pit, int reason) noexcept with gil
    cdef int _look(self, int pit) noexcept nogil
    cdef void _save_state(self, int pit) noexcept nogil
    cdef bint _as_saved(self, int pit) noexcept nogil
    cdef int _met(self, int pit) noexcept nogil
    cdef inline int _play(self, int start) noexcept nogil
    cdef void _make_log(self, int places) noexcept with gil
    cdef int _place(self, unsigned long long state) noexcept nogil
    cdef int _settled(self, int start) noexcept nogil
    cdef void _again(self) noexcept nogil
    cdef void _forget(self) noexcept with gil
    cdef str _series(self, unsigned long long bits, int count)
    cdef void _first_choices(self) noexcept nogil
    cdef bint _next_choices(self, int status) noexcept nogil
    cdef inline unsigned int _starts(self) noexcept nogil
    cdef inline void _push(self) noexcept nogil
    cdef inline void _back(self) noexcept nogil
    cdef inline int _write(self, int n, int letter) noexcept nogil
    cdef inline int _write_number(self, int n, long long number) noexcept nogil
    cdef long long _perft(self, int depth) noexcept nogil
    @cython.locals(given=cython.ulonglong, taken=cython.ulonglong, flipped=cython.ulonglong)
    @cython.locals(given_count=cython.int, points=cython.int, exact=cython.bint)
    cdef long long _perft_choices(self, int start, int depth, int status) noexcept nogil
    cdef long long _perft_next(self, int depth) noexcept nogil
    cdef long long _perft_pass(self, int depth) noexcept with gil
