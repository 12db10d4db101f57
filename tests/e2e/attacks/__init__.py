"""Attacks on a service that the program itself has started: bounded in time and number, each a small program."""
