"""Backups on a page; `maintenance.backups` makes them."""
