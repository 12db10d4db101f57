"""Traditional mancala: notation, records, analysis, sensor boards, and rulings on disputed turns."""
