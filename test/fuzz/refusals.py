"""What the documentation says that compiled code refuses, where the error is not one that only refuses.

Each line is a part of the message and the sentence of docs/semantics.md, shortened, that it comes from.
"""

from __future__ import annotations

import re

DOCUMENTED = {
    r"is not available in compiled code": "attributes that traced arrays do not have",
    r"does not broadcast|unknown extent|known when the program runs|stretch": "unknown extents do not stretch",
    r"overlap in memory|overlaps in memory": "two different arrays that share memory are refused if one is written",
    r"is too large for an int, which has 64 bits": "numbers that int64 does not hold do not become ints",
    r"is taken to be 1|must not be empty": "a slice of one element must not be empty",
    r"an item of a list that grows has an extent": "items of a list that grows have one size",
    r"assignment destination is read-only: ": "arguments that are written must be writable",
    r"a nan is a key of a dict or set": "a NaN is no key",
    r"got None, of which NumPy makes": "arrays of Python's objects",
    r"cannot hold what is computed|is an array of NumPy's|constants of the trace": "NumPy arrays made while tracing",
}

_PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in DOCUMENTED))


def is_documented(message: str) -> bool:
    """Whether a message is a documented refusal."""
    return _PATTERN.search(message) is not None


__all__ = ["DOCUMENTED", "is_documented"]
