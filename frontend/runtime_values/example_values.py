"""What NumPy or Python would have in the place of a traced array, as far as its class tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracing.array import TracedArray


def example_of(value: TracedArray) -> Any:
    """An array, scalar or Python number of the same class and dtype."""
    number = value._python_type
    if number is not None:
        return number() if callable(number) else 0
    if value._is_scalar:
        return np.zeros((), value.dtype)[()]  # not every scalar type can be called without arguments
    return np.empty(0, value.dtype)
