"""Lowerings of the sorting ops."""
