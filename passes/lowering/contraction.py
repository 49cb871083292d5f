"""Lowerings of the contraction ops."""
