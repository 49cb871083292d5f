"""Timelines: what was compiled, loaded and called, and which kernels ran when, in which thread."""
