"""The simulated device: the board's firmware, and its world of stones, sensors, hands and cable."""
