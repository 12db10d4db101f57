"""Webhooks: events of the feed, sent to programs elsewhere."""
