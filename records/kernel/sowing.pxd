# The C side of sowing.py: what its names are once it is compiled. Interpreted, this file is not read.

# Real constants in C, which a `cdef int` would not be.
cdef enum:
    ENKESHUI = 1
    ANYWOLI = 2
    LAYLI = 3
    BOF = 4
    OWARE = 5
    KALAH = 6
    ENDED = 0
    ENDLESS = 1
    UNSETTLED = 2
    UNSURE = 3
    NOT_STARTED = 4
    TOO_MANY_CHOICES = 5
    LIFT = 0
    DROP = 1
    CHOOSE = 2
    TAKE = 3
    SHIFT = 4
    SPECIAL = 5
    END = 6
    STORE = 7
    GO_ON = 0
    IN_SPECIAL = 1
    MADE_SPECIAL = 2
    EMPTY_THEIRS = 3
    EMPTY_NOTHING = 4
    CAPTURED = 5
    NO_CAPTURE_AFTER_RELAY = 6
    FOUR = 7
    LAST_FOUR = 8
    EMPTY_PIT = 9
    TOOK_BEYOND = 10
    NOTHING_BEYOND = 11
    GRAND_SLAM = 12
    IN_STORE = 13
    IN_OCCUPIED = 14
    CLOSED = 3
    MAX_PITS = 32
    MAX_DEPTH = 64
    LEVEL = 66
    WATCH = 32
    MAX_LAPS = 250000
    MAX_CHOICES = 64
    MANY = 1000
    LOG = 256
    MAX_LOGGED = 12288
    MAX_SERIES_LAPS = 20000000
    ALL = 2147483647

cdef unsigned long long MIX


cimport cython


@cython.final
cdef class Kernel:
    # The rules
    cdef int family
    cdef int row
    cdef int size
    cdef int step
    cdef bint skip_origin
    cdef bint choosing
    cdef bint choose_once
    cdef int specials_from_ply
    cdef bint capture_after_relay
    cdef bint last_four
    cdef bint right_end_first
    cdef bint may_pass
    cdef bint empty_capture
    cdef int win_at
    cdef bint plain
    cdef bint special_start
    cdef bint has_specials
    # The board
    cdef short pits[32]
    cdef short marks[32]
    cdef int stores[2]
    cdef int mover
    cdef int ply
    # The turn; what begins at 0 stands together, so that one move clears it
    cdef int laps
    cdef int points
    cdef int cycle
    cdef int saved_at
    cdef int reason
    cdef int banked
    cdef int left
    cdef unsigned int sown
    cdef unsigned int emptied
    cdef unsigned long long taken
    cdef int direction
    cdef int start
    cdef int last
    cdef int previous
    cdef int handful
    cdef bint again
    cdef bint closed
    cdef bint exact
    cdef unsigned long long given
    cdef unsigned long long flipped
    cdef int given_count
    cdef unsigned long long[:] log
    cdef long long[:] log_lap
    cdef long long[:] log_turn
    cdef long long turn
    cdef int log_size
    cdef int logged
    cdef unsigned long long mix
    cdef int suspect
    cdef int suspect_again
    # Cycles (Brent), the stack of positions, the record of events
    cdef short old[32]
    cdef int old_pit
    cdef int look_at
    cdef int old_direction
    cdef short stack[4224]
    cdef int level
    cdef int recording
    cdef list events
    cdef bint complete

    cdef int _seeds(self) noexcept nogil
    cdef int _sow(self, int start) noexcept nogil
    cdef void _choose(self, int pit) noexcept nogil
    cdef inline int _spread(self, int pit, int hand) noexcept nogil
    cdef int _lap(self, int pit, int hand) noexcept nogil
    cdef inline unsigned int _arc(self, int pit, int count) noexcept nogil
    cdef inline int _finish(self, int last, int reason) noexcept nogil
    cdef inline int _end_enkeshui(self, int i) noexcept nogil
    cdef int _end_anywoli(self, int i) noexcept nogil
    cdef int _end_layli(self, int i) noexcept nogil
    cdef int _end_bof(self, int i) noexcept nogil
    cdef int _end_oware(self, int i) noexcept nogil
    cdef int _end_kalah(self, int i) noexcept nogil
    cdef void _bank(self) noexcept nogil
    cdef bint _nothing_opposite(self) noexcept nogil
    cdef inline bint _own(self, int i) noexcept nogil
    cdef inline int _before(self, int i) noexcept nogil
    cdef int _following(self, int i) noexcept nogil
    cdef inline void _take(self, int i, int side) noexcept nogil
    cdef bint _take_four(self, int i, int side) noexcept nogil
    cdef inline void _make_special(self, int i) noexcept nogil
    cdef void _note(self, int kind, int pit, int count, int other) noexcept with gil
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
    cdef bint _next_choices(self) noexcept nogil
    cdef inline bint _may_start(self, int i) noexcept nogil
    cdef bint _may_start_here(self, int i) noexcept nogil
    cdef void _push(self) noexcept nogil
    cdef void _back(self) noexcept nogil
    cdef long long _perft(self, int depth) noexcept nogil
    cdef long long _perft_after(self, int depth) noexcept nogil
    cdef long long _perft_pass(self, int depth) noexcept with gil
