"""One pit's scale: readings in, a settled count in hundredths of a seed out."""

MAX_COUNT = 9999  # docs/protocol.md, "Numbers"
JUMP = 30  # hundredths: a reading farther than this from the mean is a new load, not noise
STEP = 50  # hundredths: half a seed; a smaller change is no news to the host
SETTLE_MS = 80  # how long a load must lie still; a quick hand drops a seed every 250 ms
EMPTY = 50  # hundredths: less than half a seed is an empty pit
MIN_SPAN = 25  # hundredths, before calibration, that a seed must weigh at least

OPEN, OVERLOAD = "open", "overload"


class Sensor:
    """`count` is what lies there (smoothed), `still` whether it has settled, `fault` what ails it or "".

    `known` is the last settled count, -1 before there was one: what the board had at its start is no event.
    """

    def __init__(self) -> None:
        self.still = False
        self.fault = ""
        self.known = -1
        self.before = -1  # what `known` was before the last change
        self._level = 0  # sixteenths of a hundredth, so that the mean does not stick
        self._since = -1  # when the present load came; -1 before the first reading
        self._zero = 0  # raw reading of the empty pit
        self._span = 100  # raw reading of `_seeds` seeds above that
        self._seeds = 1
        self._raw = 0

    @property
    def count(self) -> int:
        return self._level >> 4

    @property
    def confidence(self) -> str:
        """One hex digit, 0 broken to f still."""
        if self.fault:
            return "0"
        return "f" if self.still else "7"

    def read(self, raw: int | None, now: int) -> bool:
        """Take a reading (None: no answer from the sensor). True when it has settled on another count."""
        if raw is None:
            self.fault = OPEN
            self.still = False
            self._since = -1
            return False
        self._raw = raw
        count = (raw - self._zero) * 100 * self._seeds // self._span
        if count < 0:
            count = 0
        if count > MAX_COUNT:
            count = MAX_COUNT
            self.fault = OVERLOAD
        elif self.fault:
            self.fault = ""
        off = count - (self._level >> 4)
        if off > JUMP or off < -JUMP or self._since < 0:
            self._level = count << 4
            self._since = now
            self.still = False
            return False
        self._level += off << 2  # a quarter of the way
        if not self.still:
            if now - self._since < SETTLE_MS:
                return False
            self.still = True
        off = (self._level >> 4) - self.known
        if -STEP < off < STEP and self.known >= 0:
            return False
        self.before = self.known
        self.known = self._level >> 4
        return self.before >= 0

    @property
    def lifted(self) -> bool:
        """Whether the last change emptied the pit."""
        return self.known < EMPTY <= self.before

    def tare(self) -> bool:
        """What lies there now counts as nothing. False when the sensor is not still."""
        if not self.still:
            return False
        self._zero = self._raw
        self._again()
        return True

    def calibrate(self, seeds: int) -> bool:
        """What lies there now is `seeds` seeds. False: not still, or they weigh too little."""
        span = self._raw - self._zero
        if not self.still or seeds < 1 or span < MIN_SPAN * seeds:
            return False
        self._span = span
        self._seeds = seeds
        self._again()
        return True

    def _again(self) -> None:
        self.known = -1
        self._since = -1
        self.still = False
