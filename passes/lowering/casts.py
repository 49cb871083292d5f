"""Lowerings of the casts ops."""
