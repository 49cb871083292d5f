"""Lowerings of the pooling ops."""
