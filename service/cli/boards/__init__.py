"""Commands on boards."""
