"""Who is served next: queues, places, and threads in turn."""
