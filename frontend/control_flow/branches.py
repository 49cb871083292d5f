"""`weft.cond` and `weft.switch`: branches as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ..autograph.operators.builtins.converted_functions import convert_once
from ..autograph.operators.calls.calls import call
from ..autograph.operators.statements.expressions import if_exp
from ..signature.traced_value import held
from ..tracing.current import current_trace


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any) -> Any:
    """`true_fn(*operands) if pred else false_fn(*operands)`: in a compiled function, only one of them runs.

    `pred` is a bool, or an array of one element. The functions may write to arrays, variables and attributes, and
    return structures, of which the arrays are joined as those of an `if` statement are. Raises what that raises.

    >>> weft.cond(True, lambda x: x + 1, lambda x: x - 1, 3)
    4
    """
    if current_trace() is None:
        return true_fn(*operands) if pred else false_fn(*operands)
    return convert_once(_cond)(pred, true_fn, false_fn, operands)


def _cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any) -> Any:
    return true_fn(*operands) if pred else false_fn(*operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """`branches[index](*operands)`, with the nearest branch for an index that is out of range.

    In a compiled function only that branch runs; a few comparisons find it among many. Raises `TypeError` for an index
    that is no integer, `ValueError` without branches.

    >>> weft.switch(1, [lambda x: x, lambda x: -x], 3), weft.switch(-5, [lambda x: x, lambda x: -x], 3)
    (-3, 3)
    """
    branches = tuple(branches)
    if not branches:
        raise WeftValueError("weft.switch needs at least one branch")
    index = held(index)
    dtype, shape = getattr(index, "dtype", np.dtype(type(index))), getattr(index, "shape", ())
    if dtype.kind not in "iu" or len(shape):
        raise WeftTypeError(
            f"the index of weft.switch is an integer, not {dtype}{' with axes' if len(shape) else ''}"
        )
    return _switch(index, branches, operands)


def _switch(index: Any, branches: tuple[Callable[..., Any], ...], operands: tuple[Any, ...]) -> Any:
    """One of some branches, the first for index 0."""
    if len(branches) == 1:
        return call(branches[0], *operands)
    half = len(branches) // 2
    first, others = branches[:half], branches[half:]
    return if_exp(
        np.less(index, half),
        partial(_switch, index, first, operands),
        partial(_switch, index - half, others, operands),
    )
