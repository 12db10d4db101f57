"""Keys: tokens, and invitations with those who came with them."""
