"""Loop nests: what they compute, which run together, and their scalar and vector code."""
