"""What `rows.py` calls besides itself: what its keys are, functions of C, of NumPy and of the pool of memory.

They cannot be called from Python; they are here so that what calls them is checked as Python.
"""

from __future__ import annotations

import numpy as np

from ....dialect.errors import InternalError


def key_bytes() -> int:
    """The size of a key."""
    raise _only_native()


def are_complex() -> int:
    """1 if keys are complex numbers, which NumPy alone compares, else 0."""
    raise _only_native()


def are_floats() -> int:
    """1 if keys are floats, else 0."""
    raise _only_native()


def most_digits() -> int:
    """Keys that differ in more digits than so many are left to NumPy."""
    raise _only_native()


def copy_bytes(target: int, source: int, count: int) -> int:
    """Copy memory."""
    raise _only_native()


def allocate(count: int) -> int:
    """The address of some bytes, or 0 where there is no memory."""
    raise _only_native()


def free(address: int) -> int:
    """Give memory back."""
    raise _only_native()


def numpy_sort(keys: int, length: int, unused: int) -> int:
    """NumPy's fastest sort of keys."""
    raise _only_native()


def numpy_argsort(keys: int, places: int, length: int, unused: int) -> int:
    """NumPy's stable sort of places by the keys there."""
    raise _only_native()


def numpy_sort_words(words: int, length: int, unused: int) -> int:
    """NumPy's fastest sort of 64-bit integers."""
    raise _only_native()


def _only_native() -> InternalError:
    return InternalError("native code was called as Python")


LINKED = {
    "copy_bytes": 3,
    "allocate": 1,
    "free": 1,
    "numpy_sort": 3,
    "numpy_argsort": 4,
    "numpy_sort_words": 3,
}
"""The functions that have addresses, and how many arguments they take."""

GIVEN = ("key_bytes", "are_complex", "are_floats", "most_digits", *LINKED)
"""All functions."""


def given_assembly(keys: str, most_digits: int) -> str:
    """The functions in LLVM assembly, for keys of a dtype."""
    dtype = np.dtype(keys)
    constants = {
        "key_bytes": dtype.itemsize,
        "are_complex": int(dtype.kind == "c"),
        "are_floats": int(dtype.kind == "f"),
        "most_digits": most_digits,
    }
    return "".join(
        [
            *(f"define internal i64 @{name}() {{ ret i64 {value} }}\n" for name, value in constants.items()),
            *(f"declare i64 @{name}({', '.join(['i64'] * count)})\n" for name, count in LINKED.items()),
        ]
    )
