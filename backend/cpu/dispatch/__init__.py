"""The call itself, compiled: from a caller's arguments to machine code and back without running Python.

`objects` makes types whose instances are called through CPython's vectorcall; `calls`, `checks`, `frames`,
`number_lists` and `results` are native code, written in the part of Python that `translator` knows; `library` links it;
`descriptors` tell it what was compiled for which arguments. What the native code does not know is left to Python, which
has the last word.
"""
