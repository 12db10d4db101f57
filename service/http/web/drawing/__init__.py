"""Boards of pages: small ones, edited ones, and their looks. `records.drawing` draws."""
