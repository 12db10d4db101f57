"""What a game record is: rules, positions, moves, notation, replay. Pure: no clock, no network, no globals."""
