"""Upstream dialects whose ops weft sees as plain `OpView`s, because their Python classes are slow to import.

The bindings look for a dialect's module here first (see `dialect/mlir.py`), each time they meet the first op of a
dialect. An empty module means: no classes. `linalg` and `llvm` would cost 40 ms each of the first compilation.
"""
