"""Loops over elements, rows, columns and windows, raised to ops on whole arrays."""
