"""The library: games are searched, players listed, records imported."""
