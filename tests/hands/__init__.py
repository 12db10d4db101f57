"""Real hands at the board: scenes of what people do, played on the real controller and compared with what they did.

Written from the pages for makers and players alone, without the detector.
"""
