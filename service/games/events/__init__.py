"""Events: their rules and their standings."""
