"""Signing in and out, and tokens."""
