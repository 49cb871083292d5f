"""Control flow as functions, as JAX and TensorFlow have it: `cond`, `switch`, `while_loop`, `fori_loop`, `scan`, `map`.

They are small programs with Python's `if`, `while` and `for`, which are converted when a trace is recorded.
"""
