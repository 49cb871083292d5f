"""Rewrites on the weft dialect, its lowering to linalg, and the list of pipelines."""
