"""The sowing, and all that must be as fast: plain Python, which Cython compiles where it can (setup.py)."""
