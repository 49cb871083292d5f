"""What code asks that is written for plain Python and for compiled functions: what is recorded, and what is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..signature.signature import TensorSpec
from ..signature.traced_value import CompositeValue, held
from .array import TracedArray
from .current import current_trace, remembering


def is_tracing() -> bool:
    """Whether this thread is tracing a function: arrays are known by dtype and shape only, and effects are recorded.

    False in what a compiled function calls when it runs, and in plain Python, also while a tape is open there
    (`weft.is_recording`).

    >>> weft.is_tracing(), weft.function(lambda: weft.is_tracing())()
    (False, True)
    """
    return current_trace() is not None


def is_recording() -> bool:
    """Whether what is computed now is recorded: a function is traced, or a `weft.GradientTape` is open in plain Python.

    >>> with weft.GradientTape():
    ...     print(weft.is_recording(), weft.is_tracing())
    True False
    """
    return current_trace() is not None or remembering() is not None


def is_traced(value: Any) -> bool:
    """Whether a value stands for an array or number of which is recorded what is done with it.

    In a function that is traced these are arguments, variables' arrays, extents that are not known, and all that is
    computed of them: their elements are known when the compiled function runs. While a tape is open in plain
    Python, they are what it watches and what is computed of that, and NumPy's functions may have the elements.
    Containers are not looked into.

    >>> weft.is_traced(np.ones(3))
    False
    >>> weft.function(lambda x: weft.is_traced(x) and not weft.is_traced(x.shape[0]))(np.ones(3))
    True
    """
    return isinstance(value, (TracedArray, CompositeValue))


def static_shape(x: Any) -> tuple[int | None, ...]:
    """The shape of an array, with None for an extent that is known only when the compiled function runs.

    In `x.shape` there is a traced number in its place, by which a program computes. Takes all that has a shape:
    arrays, numbers and sequences as `np.shape` does, variables, `weft.TensorSpec`s.

    >>> weft.static_shape(np.ones((2, 3)))
    (2, 3)
    >>> @weft.function(input_signature=[weft.TensorSpec([None, 3])])
    ... def f(x):
    ...     weft.trace_print(weft.static_shape(x))
    ...     return np.sum(x) * x.shape[0]
    >>> f(np.ones((2, 3)))
    (None, 3)
    np.float64(12.0)
    """
    x = held(x)
    if isinstance(x, TracedArray):
        return x.type.shape
    shape = x.shape if isinstance(x, (CompositeValue, TensorSpec)) else np.shape(x)
    return tuple(None if isinstance(extent, TracedArray) else extent for extent in shape)
