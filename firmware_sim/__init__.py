"""The simulated device: the board's firmware and the world around it (stones, sensors, hands, the cable)."""
