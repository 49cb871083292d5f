"""Vectors: how wide they are, their reads and writes, and arithmetic on them."""
