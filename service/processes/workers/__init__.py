"""Calculations in child processes."""
