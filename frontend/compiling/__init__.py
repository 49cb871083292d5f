"""From a Python function and a signature to a program: trace, passes, machine code, and errors in the user's words."""
