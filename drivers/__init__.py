"""The host side of boards: the serial protocol, turns worked out from pit counts, and drivers as plugins.

What a caller needs: `registry.drivers()` and `registry.ports()` to find a board, `base.Driver` and
`base.Connection` to talk to it, `events` for what it says, `detector.detect` for what it means.
"""
