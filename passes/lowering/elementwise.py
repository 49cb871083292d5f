"""Lowerings of the elementwise ops."""
