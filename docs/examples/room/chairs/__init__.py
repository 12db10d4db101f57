"""Tables and chairs that a club books for its events."""
