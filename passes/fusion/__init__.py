"""Fusion: what is computed element by element is computed where it is used, in one nest of loops."""
