"""The database: opened, read and written by threads, copied."""
