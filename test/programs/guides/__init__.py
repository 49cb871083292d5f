"""The programs of TensorFlow's guides, with NumPy for its ops, against what the guides say that they print.

Where weft does another thing, the test says so: `print` in a compiled function is part of it and happens at each call,
`weft.trace_print` prints while it is traced; state of Python's is read and written at each call, and never stale.
"""
