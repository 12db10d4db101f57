"""Chains of hashes, and checks of what is stored."""
