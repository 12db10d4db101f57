"""One pit's scale: from readings to a settled count in hundredths of a seed."""

MAX_COUNT = 9999  # docs/protocol.md, "Numbers"
UNIT = 100  # reading of one seed before calibration, unless the hardware layer gives another
JUMP = 30  # hundredths: a reading farther than this from the mean is a new load, not noise
STEP = 50  # hundredths: a smaller change is no event for the host
SETTLE_MS = 80  # how long a load must rest; a quick hand drops a seed every 250 ms
EMPTY = 50  # hundredths: with less than half a seed a pit is empty
NO_BOWL = -100  # hundredths: this far below zero the bowl is no longer on the scale
FAULT_MS = 50  # how long a problem must last to count as a fault: one missed reading is none
STUCK_MS = 30000  # a converter that repeats one value for this time is stuck: live ones are noisy

# Zero tracking follows the slow drift of an empty pit, but no faster and no farther than this.
ZERO_MS = 1000  # one hundredth of a seed in this time
ZERO_BAND = 15  # hundredths: largest drift when the pit may not be empty; a light seed weighs more
LIFT_BAND = 35  # hundredths: largest drift in a pit that a hand has just emptied
ZERO_MOST = 300  # hundredths since the tare; farther off, the scale needs a new one

OPEN, STUCK, OVERLOAD = "open", "stuck", "overload"


class Sensor:
    """`count` is the smoothed load, `settled` whether it rests, `fault` one of the faults or "".

    `settled_count` is the last settled count; -1 before the first, so that the load at the start is no event.
    """

    def __init__(self, unit: int = UNIT, calibrated: bool = True, stuck_ms: int = 0) -> None:
        """`unit` is the approximate reading of one seed. If `calibrated` it is exact and an empty pit reads 0.

        A sensor that repeats one reading for `stuck_ms` is stuck (`STUCK_MS` where readings have noise; 0: never).
        """
        self.settled = False
        self.fault = ""
        self.settled_count = -1
        self.previous_count = -1  # the settled count before that
        self.zero = 0  # raw reading of the empty pit
        self.span = unit  # raw reading of `seeds` seeds above `zero`
        self.seeds = 1
        self.tared = calibrated
        self.spanned = calibrated
        self._min_unit = unit // 4  # least reading per seed in a calibration
        self._stuck_ms = stuck_ms
        self._level = 0  # mean in sixteenths of a raw reading, so that rounding does not hold it back
        self._settled_level = 0
        self._load_since = -1  # when the present load came; -1 before the first reading
        self._raw = 0
        self._raw_since = -1  # when `_raw` was first read; -1 before the first reading
        self._problem = ""  # becomes the fault once it has lasted
        self._problem_since = 0
        self._zero_shift = 0  # total zero tracking, in raw readings
        self._shifted_at = 0
        self._band = ZERO_BAND
        self._update_limits()

    @property
    def count(self) -> int:
        return max(0, min(MAX_COUNT, self._hundredths()))

    @property
    def calibrated(self) -> bool:
        return self.tared and self.spanned

    @property
    def drifted(self) -> bool:
        """Whether zero tracking has reached its limit: the scale needs a new tare."""
        return abs(self._zero_shift) >= ZERO_MOST * self._hundredth

    @property
    def confidence(self) -> str:
        """One hex digit: 0 faulty, 1 no bowl, 7 moving, b settled but not calibrated or drifted, f settled."""
        if self.fault:
            return "0"
        if not self.settled:
            return "7"
        if not self.calibrated or self.drifted:
            return "b"
        return "1" if self._hundredths() < NO_BOWL else "f"

    @property
    def lifted(self) -> bool:
        """Whether the last change emptied the pit."""
        return self.settled_count < EMPTY <= self.previous_count

    def read(self, raw: int | None, now: int) -> bool:
        """Process a reading (None: the sensor does not answer). Return True if another count has settled."""
        self._check_fault(raw, now)
        if raw is None:
            if self.fault:
                self.settled = False
                self._load_since = -1
            return False
        off = raw - (self._level >> 4)
        if off > self._jump or off < -self._jump or self._load_since < 0 or self._problem == OVERLOAD:
            self._level = raw << 4
            self._load_since = now
            self.settled = False
            self._band = ZERO_BAND
            return False
        if not self.settled:
            self._level += off << 2  # a quarter of the way
            if now - self._load_since < SETTLE_MS:
                return False
            self.settled = True
            self._shifted_at = now
        else:
            self._level += off << 1  # an eighth: nothing moves, so there is time
        if not self._problem:
            self.fault = ""
        off = self._level - self._settled_level
        if -self._step < off < self._step and self.settled_count >= 0:
            self._track_zero(now)
            return False
        self._settled_level = self._level
        self.previous_count = self.settled_count
        self.settled_count = self.count
        if self.lifted:
            self._band = LIFT_BAND
        return self.previous_count >= 0

    def tare(self, certain: bool = False) -> str:
        """Make the present load zero. Return why that failed, or "".

        An empty pit reads about zero since the last tare, so half a seed more is a seed, unless a person is `certain`.
        """
        reason = self._unfit()
        if not reason and self.tared and not certain and self._hundredths() >= EMPTY:
            reason = "not-empty"
        if reason:
            return reason
        self.zero = (self._level + 8) >> 4
        self.tared = True
        self._reset()
        return ""

    def calibrate(self, seeds: int) -> str:
        """Make the present load `seeds` seeds, 1 or more. Return why that failed, or ""."""
        span = ((self._level + 8) >> 4) - self.zero
        reason = self._unfit()
        if not reason and not self.tared:
            reason = "untared"
        if not reason and span < self._min_unit * seeds:
            reason = "too-light"
        if reason:
            return reason
        self.span = span
        self.seeds = seeds
        self.spanned = True
        self._reset()
        return ""

    def restore(self, zero: int, span: int, seeds: int) -> bool:
        """Load an earlier calibration. Return False and change nothing if it is impossible."""
        if not 1 <= seeds <= 99 or span < max(1, self._min_unit) * seeds:
            return False
        self.zero = zero
        self.span = span
        self.seeds = seeds
        self.tared = self.spanned = True
        self._reset()
        return True

    def _unfit(self) -> str:
        """Return why the load cannot be measured now, or ""."""
        if self.fault == OVERLOAD:
            return "overload"
        if self.fault:
            return "silent"
        return "" if self.settled else "moving"

    def _hundredths(self) -> int:
        return (self._level - (self.zero << 4)) * 100 * self.seeds // (self.span << 4)

    def _check_fault(self, raw: int | None, now: int) -> None:
        problem = ""
        if raw is None:
            problem = OPEN
        else:
            if raw != self._raw or self._raw_since < 0:
                self._raw = raw
                self._raw_since = now
            elif self._stuck_ms and now - self._raw_since >= self._stuck_ms:
                problem = STUCK
            if raw > self._max_raw:
                problem = OVERLOAD
        if problem != self._problem:
            self._problem = problem
            self._problem_since = now
        if problem and now - self._problem_since >= FAULT_MS:
            self.fault = problem

    def _track_zero(self, now: int) -> None:
        if self.settled_count >= EMPTY or now - self._shifted_at < ZERO_MS:
            return
        self._shifted_at = now
        off = (self._level >> 4) - self.zero
        step = self._hundredth
        if not -EMPTY * step < off < self._band * step or -step <= off <= step:
            return
        if off < 0:
            step = -step
        if abs(self._zero_shift + step) > ZERO_MOST * self._hundredth:
            return
        self._zero_shift += step
        self.zero += step
        self._settled_level += step << 4
        self._max_raw += step

    def _update_limits(self) -> None:
        """Convert the limits from hundredths of a seed to raw readings."""
        whole = 100 * self.seeds
        self._hundredth = max(1, self.span // whole)
        self._jump = JUMP * self.span // whole
        self._step = (STEP * self.span << 4) // whole
        self._max_raw = self.zero + MAX_COUNT * self.span // whole

    def _reset(self) -> None:
        """Start over after a calibration step."""
        self._update_limits()
        self.settled_count = -1
        self._load_since = -1
        self._zero_shift = 0
        self.settled = False
