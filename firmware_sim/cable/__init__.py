"""The cable between board and host: a pseudo-terminal or a TCP port, perfect or faulty."""
