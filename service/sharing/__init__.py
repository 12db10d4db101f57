"""What is shared of a game: its pictures, and the page with its link."""
