"""The pages of events: the hall, the wall, the standings."""
