"""What makes arrays for results; the pool, whose code is linked for it, is loaded with the first large one."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .limit import POOLED_BYTES


def maker(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Callable[[], np.ndarray[Any, Any]]:
    """What makes arrays of a shape and dtype, not initialised: NumPy, or the pool where they are large."""
    if math.prod(shape) * dtype.itemsize < POOLED_BYTES:
        return partial(np.empty, shape, dtype)
    from .result_pool import result_pool

    return partial(result_pool().new, shape, dtype)
