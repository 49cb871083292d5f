"""Calls of programs for a GPU."""
