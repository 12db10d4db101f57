"""Who may do what: tokens, invitations, joining, a person's own page."""
