"""Lowerings of the shape ops."""
