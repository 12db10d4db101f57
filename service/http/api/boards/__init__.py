"""Boards, ports and drivers, and remote boards."""
