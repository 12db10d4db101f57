"""Tables of programs elsewhere: apps that act for people, and webhooks."""
