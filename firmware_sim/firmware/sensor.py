"""One pit's scale: readings in, a settled count in hundredths of a seed out."""

MAX_COUNT = 9999  # docs/protocol.md, "Numbers"
UNIT = 100  # what a seed reads before calibration, where the hardware layer does not tell otherwise
JUMP = 30  # hundredths: a reading farther than this from the mean is a new load, not noise
STEP = 50  # hundredths: half a seed; a smaller change is no news to the host
SETTLE_MS = 80  # how long a load must lie still; a quick hand drops a seed every 250 ms
EMPTY = 50  # hundredths: less than half a seed is an empty pit
GONE = -100  # hundredths: so far below nothing there is no bowl on the scale any more
FAULT_MS = 50  # how long a trouble must last: one missed reading is none
STUCK_MS = 30000  # a converter that says the very same for so long measures nothing: a live one is noisy

# Zero tracking: an empty pit that drifts slowly is followed, no faster and no farther than this.
ZERO_MS = 1000  # one hundredth of a seed in so long
ZERO_BAND = 15  # hundredths: what may be drift when it is not certain that the pit is empty; a light seed is more
LIFT_BAND = 35  # hundredths: what may be drift in a pit that a hand has just emptied
ZERO_MOST = 300  # hundredths since the tare; farther off, the scale wants a new one

OPEN, STUCK, OVERLOAD = "open", "stuck", "overload"


class Sensor:
    """`count` is what lies there (smoothed), `still` whether it has settled, `fault` what ails it or "".

    `known` is the last settled count, -1 before there was one: what the board had at its start is no event.
    `unit` is about what a seed reads before calibration; `calibrated`: readings are exact in it, from 0.
    """

    def __init__(self, unit: int = UNIT, calibrated: bool = True, stuck_ms: int = 0) -> None:
        self.still = False
        self.fault = ""
        self.known = -1
        self.before = -1  # what `known` was before the last change
        self.zero = 0  # raw reading of the empty pit
        self.span = unit  # raw reading of `seeds` seeds above that
        self.seeds = 1
        self.tared = calibrated
        self.spanned = calibrated
        self._least = unit // 4  # that a seed must read in a calibration
        self._stuck_ms = stuck_ms
        self._level = 0  # sixteenths of a raw reading, so that the mean does not stick
        self._known_level = 0
        self._since = -1  # when the present load came; -1 before the first reading
        self._raw = 0
        self._same_since = -1  # when `_raw` came; -1 before the first reading
        self._trouble = ""  # a fault that has not lasted long enough to be told, or is told
        self._trouble_since = 0
        self._shift = 0  # how far zero tracking has gone, in raw readings
        self._shifted = 0  # when it last did a step
        self._band = ZERO_BAND
        self._measure()

    @property
    def count(self) -> int:
        return max(0, min(MAX_COUNT, self._hundredths()))

    @property
    def calibrated(self) -> bool:
        return self.tared and self.spanned

    @property
    def drifted(self) -> bool:
        """Whether zero tracking has come to its end: the scale wants a new tare."""
        return abs(self._shift) >= ZERO_MOST * self._hundredth

    @property
    def confidence(self) -> str:
        """One hex digit: 0 broken, 1 no bowl, 7 moving, b still but not calibrated (any more), f still."""
        if self.fault:
            return "0"
        if not self.still:
            return "7"
        if not self.calibrated or self.drifted:
            return "b"
        return "1" if self._hundredths() < GONE else "f"

    @property
    def lifted(self) -> bool:
        """Whether the last change emptied the pit."""
        return self.known < EMPTY <= self.before

    def read(self, raw: int | None, now: int) -> bool:
        """Take a reading (None: no answer from the sensor). True when it has settled on another count."""
        self._judge(raw, now)
        if raw is None:
            if self.fault:
                self.still = False
                self._since = -1
            return False
        off = raw - (self._level >> 4)
        if off > self._jump or off < -self._jump or self._since < 0 or self._trouble == OVERLOAD:
            self._level = raw << 4
            self._since = now
            self.still = False
            self._band = ZERO_BAND
            return False
        if not self.still:
            self._level += off << 2  # a quarter of the way
            if now - self._since < SETTLE_MS:
                return False
            self.still = True
            self._shifted = now
        else:
            self._level += off << 1  # an eighth: nothing moves, so there is time
        if not self._trouble:
            self.fault = ""
        off = self._level - self._known_level
        if -self._step < off < self._step and self.known >= 0:
            self._track(now)
            return False
        self._known_level = self._level
        self.before = self.known
        self.known = self.count
        if self.lifted:
            self._band = LIFT_BAND
        return self.before >= 0

    def tare(self) -> bool:
        """What lies there now counts as nothing. False when the sensor is not still."""
        if not self.still or self.fault:
            return False
        self.zero = (self._level + 8) >> 4
        self.tared = True
        self._anew()
        return True

    def calibrate(self, seeds: int) -> bool:
        """What lies there now is `seeds` seeds. False: not still, or they weigh too little."""
        span = ((self._level + 8) >> 4) - self.zero
        if not self.still or self.fault or seeds < 1 or span < self._least * seeds:
            return False
        self.span = span
        self.seeds = seeds
        self.spanned = True
        self._anew()
        return True

    def restore(self, zero: int, span: int, seeds: int) -> bool:
        """Take a calibration made before. False, with nothing changed, when it can be none."""
        if not 1 <= seeds <= 99 or span < max(1, self._least) * seeds:
            return False
        self.zero = zero
        self.span = span
        self.seeds = seeds
        self.tared = self.spanned = True
        self._anew()
        return True

    def _hundredths(self) -> int:
        return (self._level - (self.zero << 4)) * 100 * self.seeds // (self.span << 4)

    def _judge(self, raw: int | None, now: int) -> None:
        """Is something wrong with the sensor, and for how long?"""
        trouble = ""
        if raw is None:
            trouble = OPEN
        else:
            if raw != self._raw or self._same_since < 0:
                self._raw = raw
                self._same_since = now
            elif self._stuck_ms and now - self._same_since >= self._stuck_ms:
                trouble = STUCK
            if raw > self._most:
                trouble = OVERLOAD
        if trouble != self._trouble:
            self._trouble = trouble
            self._trouble_since = now
        if trouble and now - self._trouble_since >= FAULT_MS:
            self.fault = trouble

    def _track(self, now: int) -> None:
        """Follow the slow drift of a pit that is empty."""
        if self.known >= EMPTY or now - self._shifted < ZERO_MS:
            return
        self._shifted = now
        off = (self._level >> 4) - self.zero
        step = self._hundredth
        if not -EMPTY * step < off < self._band * step or -step <= off <= step:
            return
        if off < 0:
            step = -step
        if abs(self._shift + step) > ZERO_MOST * self._hundredth:
            return
        self._shift += step
        self.zero += step
        self._known_level += step << 4
        self._most += step

    def _measure(self) -> None:
        """What limits in hundredths of a seed are in raw readings."""
        whole = 100 * self.seeds
        self._hundredth = max(1, self.span // whole)
        self._jump = JUMP * self.span // whole
        self._step = (STEP * self.span << 4) // whole
        self._most = self.zero + MAX_COUNT * self.span // whole

    def _anew(self) -> None:
        self._measure()
        self.known = -1
        self._since = -1
        self._shift = 0
        self.still = False
