"""Games through the whole chain in one process and in virtual time, faults drawn by a seed: ``python -m tests.faults``.

The board's firmware, its world and the hands on one side, the real session, link and seat over a real store on the
other, a cable in memory between them. What the record holds at the end is compared with what the hands played.
"""
