"""Turns that broke the rules and stand, and turns that were taken back."""
