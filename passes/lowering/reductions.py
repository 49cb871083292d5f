"""Lowerings of the reductions ops."""
