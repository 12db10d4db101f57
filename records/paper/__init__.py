"""Sheets of paper that were typed as they stand there."""
