"""Lowerings of the creation ops."""
