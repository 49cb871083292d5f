"""What Python hashes: keys of dicts, and what is in sets. Traced values are none."""

from __future__ import annotations

from typing import Any, NoReturn

from ...dialect.errors import UnsupportedError


def refuse_hash(array: Any) -> NoReturn:
    """Raise what Python raises for an array, and for a number what to write instead."""
    if not array._is_scalar:
        raise TypeError("unhashable type: 'numpy.ndarray'")
    raise UnsupportedError(
        f"a traced value ({array.type}) is put into a set, used as a key of a dict or hashed, which needs its value, "
        "known only when the compiled function runs; keep such values in a list (`in` looks through it) or an array "
        "(np.unique gives the distinct ones), or mark them in an array of flags"
    )
