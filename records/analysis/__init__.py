"""Analysis: what is the best turn, what is a position worth, and how sure is that."""

from .results import Analysis, Limits, Line, Solution
from .search import analyse
from .solving import solve

__all__ = ["Analysis", "Limits", "Line", "Solution", "analyse", "solve"]
