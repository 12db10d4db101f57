"""The tables, and a class for each that reads and writes its rows."""
