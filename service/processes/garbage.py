"""Python's garbage collector in processes that make many objects, few of which are garbage in cycles."""

from __future__ import annotations

import gc

THRESHOLD = 20_000  # new objects between two runs of the collector; 700 by default
SHORT = 2_000  # the same where others wait while it runs: it takes a thousandth of a second, not a twentieth
# Runs over new objects between two over those that survived once; and of these, over all. A page that was being made
# during such a run is garbage that only a run over all finds.
YOUNG, MIDDLE = 3, 50


def collect_less(threshold: int = THRESHOLD) -> None:
    """Let the collector skip all objects that there are, and run less often.

    Modules and the application never become garbage; without this, each run over the old objects looks at all of them.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # else a run over all would wait for garbage as large as a quarter of what is skipped now
    gc.set_threshold(threshold, YOUNG, MIDDLE)
