"""Lowerings of the indexing ops."""
