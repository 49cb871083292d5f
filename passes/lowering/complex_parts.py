"""Lowerings of the complex_parts ops."""
