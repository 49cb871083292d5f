"""What the functions of NumPy's that join a sequence of arrays make of a list whose length the program decides on."""

from __future__ import annotations

from typing import Any

import numpy as np

JOINING: dict[str, Any] = {
    "stack": lambda array, axis: np.moveaxis(array, 0, axis),
    "concatenate": lambda array, axis: (
        array.reshape((-1, *array.shape[2:])) if axis == 0 else np.concatenate(list(array), axis)
    ),
    "vstack": lambda array, axis: array.reshape((-1, *array.shape[2:])) if array.ndim > 2 else array,
    "hstack": lambda array, axis: array.reshape((-1,)) if array.ndim < 3 else np.concatenate(list(array), 1),
}
"""What the functions that join a sequence of arrays make of the items in one array."""


NOTHING_TO = {
    name: "need at least one array to " + ("stack" if name == "stack" else "concatenate") for name in JOINING
}
"""What NumPy says where there is nothing to join."""


__all__ = ["JOINING", "NOTHING_TO"]
