"""weft compiles Python functions over NumPy arrays to native code."""
