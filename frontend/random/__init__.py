"""NumPy's random generators in compiled code: what stands for one, and what its methods record."""
