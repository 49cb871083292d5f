"""Native code that draws random numbers as NumPy does."""
