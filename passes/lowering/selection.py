"""Lowerings of the selection ops."""
