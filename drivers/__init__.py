"""Boards: the serial protocol, drivers as plugins, and turns worked out from the seeds in the pits.

`registry.drivers()` and `registry.ports()` find boards, `base.Driver` and `base.Connection` talk to them, `events` is
what they report, and `detection.detector.detect` finds the turn that was played.
"""
