"""Boards of pages: small ones, edited ones, and their looks. `inkeek.records.drawing` draws."""
