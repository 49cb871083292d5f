"""Objects that NumPy can read as arrays: those that follow NumPy's rules, and those with rules of their own.

Compiled code sees dtype, shape and elements. That is all there is to a tensor that DLPack exchanges, and to a mere
carrier of elements (`__array__`). An object that answers NumPy's calls itself (`__array_ufunc__`, `__array_function__`)
or has arithmetic of its own may mean something else by it: labels that are matched, values that are skipped, units.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError
from ..source.modules import is_own_module

_RULES = (
    "__array_ufunc__",
    "__array_function__",
    "__add__",
    "__radd__",
    "__mul__",
    "__rmul__",
    "__sub__",
    "__matmul__",
)
"""What only objects have that compute by themselves."""


def has_own_rules(value: Any) -> bool:
    """Whether an object that can be read as an array computes by rules which may not be NumPy's."""
    kind = type(value)
    if isinstance(value, (np.ndarray, np.generic, type)) or is_own_module(kind.__module__):
        return False
    if not hasattr(kind, "__array__") or hasattr(kind, "__dlpack__"):
        return False
    return any(getattr(kind, name, None) is not None for name in _RULES)


def require_numpy_rules(what: str, value: Any) -> None:
    """Raise unless an object that can be read as an array follows NumPy's rules, as far as is known."""
    if has_own_rules(value):
        kind = type(value)
        elements = "its to_numpy()" if hasattr(kind, "to_numpy") else "np.asarray(...) of it"
        raise WeftTypeError(
            f"{what} is a {kind.__module__}.{kind.__qualname__}, which computes by rules of its own (labels, missing "
            f"values, units) that compiled code does not know; pass its elements, {elements}, and make such an object "
            "of the result"
        )


__all__ = ["has_own_rules", "require_numpy_rules"]
