"""Names, persons, the search, the manual, files of many games."""
