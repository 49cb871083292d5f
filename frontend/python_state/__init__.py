"""Python objects that a function reads and changes: found while tracing, updated after a call."""
