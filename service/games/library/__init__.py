"""Import and export of many games."""
