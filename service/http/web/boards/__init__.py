"""The pages of boards, and what pages show of a board."""
