"""What `rows.py` calls besides itself: what its keys are, functions of C, of NumPy and of the pool of memory.

They cannot be called from Python; they are here so that what calls them is checked as Python.
"""

from __future__ import annotations

import numpy as np

from ..native_python.intrinsics import only_native


def key_bytes() -> int:
    """The size of a key."""


def are_complex() -> int:
    """1 if keys are complex numbers, which NumPy alone compares, else 0."""


def are_floats() -> int:
    """1 if keys are floats, else 0."""


def most_digits() -> int:
    """Keys that differ in more digits than so many are left to NumPy."""


def copy_bytes(target: int, source: int, count: int) -> int:
    """Copy memory."""


def allocate(count: int) -> int:
    """The address of some bytes, or 0 where there is no memory."""


def free(address: int) -> int:
    """Give memory back."""


def numpy_sort(keys: int, length: int, unused: int) -> int:
    """NumPy's fastest sort of keys."""


def numpy_argsort(keys: int, places: int, length: int, unused: int) -> int:
    """NumPy's stable sort of places by the keys there."""


def numpy_sort_words(words: int, length: int, unused: int) -> int:
    """NumPy's fastest sort of 64-bit integers."""


GIVEN = only_native(globals())
"""All functions."""


LINKED = {
    "copy_bytes": 3,
    "allocate": 1,
    "free": 1,
    "numpy_sort": 3,
    "numpy_argsort": 4,
    "numpy_sort_words": 3,
}
"""The functions that have addresses, and how many arguments they take."""


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
