"""Live streams and the feed, and publishing changes to them."""
