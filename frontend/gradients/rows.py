"""Jacobians in reverse: a loop over the numbers of a result."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograph.loop_hints import range as staged_range
from ..autograph.operators.objects.access import set_item
from ..autograph.operators.statements.for_loops import for_
from ..numpy_api import lookup
from ..numpy_api.creation import arange, zeros
from ..numpy_api.shape import moveaxis, reshape
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder
from ..tracing.staging import cast, staged
from .independent import Variable, gradient_of


def by_rows(trace: Recorder, y: TracedArray, variables: Sequence[Variable], batch: int = 0) -> list[Any]:
    """In reverse: for each number of the result, the gradients by all variables.

    With a batch axis, for each number of an item, those of all items at once: none depends on another item.
    """
    extents = y.shape[batch:]
    size = functools.reduce(operator.mul, extents, 1) if batch else y.size
    made = [zeros((size, *v.array.shape), v.array.dtype) for v in variables]
    rows = [array if isinstance(array, TracedArray) else staged(trace, array) for array in made]

    def fill(i: Any) -> None:
        basis = reshape(cast(np.equal(arange(size), i), y.dtype), extents)
        if batch:
            basis = lookup("broadcast_to")(basis, y.shape)
        for row, variable in zip(rows, variables, strict=True):
            set_item(row, i, gradient_of(trace, [y], [staged(trace, basis)], variable))

    for_(staged_range(size), fill)
    if batch:
        rows = [moveaxis(row, 1, 0) for row in rows]
    return [reshape(row, (*y.shape, *v.array.shape[batch:])) for row, v in zip(rows, variables, strict=True)]
