"""What is shared of a game: pictures, moving pictures, and a file that plays it by itself."""
