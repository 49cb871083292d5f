"""The user's source: places in it, tracebacks that show it, and the names that code uses."""
