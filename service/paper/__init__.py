"""Games that were written down elsewhere: sheets of paper, and records in files."""
