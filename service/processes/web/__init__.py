"""What the web server is made of: connections, bodies, threads and streams."""
