"""Analysis: what is the best turn, what is a position worth, and how sure is that."""

from .search import Analysis, Limits, Line, Solution, analyse, solve

__all__ = ["Analysis", "Limits", "Line", "Solution", "analyse", "solve"]
