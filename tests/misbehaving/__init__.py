"""A distribution of drivers that do what no driver may do."""
