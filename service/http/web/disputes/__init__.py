"""The pages of disputes: the list, one dispute, its board, a ruling, and the sheet."""
