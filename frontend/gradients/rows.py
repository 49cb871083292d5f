"""Jacobians in reverse: a loop over the numbers of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograph.loop_hints import range as staged_range
from ..autograph.operators.objects.access import set_item
from ..autograph.operators.statements.for_loops import for_
from ..numpy_api.creation import arange, zeros
from ..numpy_api.shape import reshape
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder
from ..tracing.staging import cast, staged
from .independent import Variable, gradient_of


def by_rows(trace: Recorder, y: TracedArray, variables: Sequence[Variable]) -> list[Any]:
    """In reverse: for each number of the result, the gradients by all variables."""
    made = [zeros((y.size, *v.array.shape), v.array.dtype) for v in variables]
    rows = [array if isinstance(array, TracedArray) else staged(trace, array) for array in made]

    def fill(i: Any) -> None:
        basis = reshape(cast(np.equal(arange(y.size), i), y.dtype), y.shape)
        for row, variable in zip(rows, variables, strict=True):
            set_item(row, i, gradient_of(trace, [y], [staged(trace, basis)], variable))

    for_(staged_range(y.size), fill)
    return [reshape(row, (*y.shape, *v.array.shape)) for row, v in zip(rows, variables, strict=True)]


__all__ = ["by_rows"]
