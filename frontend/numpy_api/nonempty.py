"""Reductions that nothing has none of: there must be an element."""

from __future__ import annotations

import numpy as np

from ...dialect.errors import WeftValueError
from ..tracing.array import TracedArray
from ..tracing.extents import known_shape, product
from ..tracing.staging import ArrayResult, raise_where


def require_elements(x: ArrayResult, axes: tuple[int, ...], message: str) -> None:
    """There must be an element: now where the extents are known, else when the function runs."""
    extents = [known_shape(x)[place] for place in axes]
    if 0 in extents and 0 not in [e for place, e in enumerate(known_shape(x)) if place not in axes]:
        raise WeftValueError(message)
    if isinstance(x, TracedArray) and None in extents:
        raise_where(np.equal(product([x.shape[place] for place in axes]), 0), ValueError, message)
