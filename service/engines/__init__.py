"""Engines as programs: the one of Inkeek, talking to any, and matches between them."""

from .client import EngineError, EngineProcess, popen

__all__ = ["EngineError", "EngineProcess", "popen"]
