"""The live page: turns are played, laid out and taken back."""
