"""Which elements are among those of another array.

For integers there is a table of all in between, where that is not large, or a search in sorted order; which of the two,
data decides, and the other one works on nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ...dialect.ops import indexing as ops
from ..indexing.broadcasting import broadcast_to
from ..tracing.extents import known_shape
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, rank_0_array, staged, trace_of
from .arguments import BOOL, INT64, UINT64, common_dtype
from .creation import zeros
from .indexing import searchsorted
from .reductions import all as all_of
from .reductions import any as any_of
from .reductions import max as largest
from .reductions import min as smallest
from .selection import choose
from .shape import ravel, reshape

_PLACES = 6
"""The table has at most so many places for each integer of both arrays, as NumPy's."""


_MOST_PAIRS = 128
"""With so many elements each one is compared with each; among more, it is quicker to find a place in sorted order."""


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> ArrayResult:
    """Whether elements are among those of another array, as `numpy.isin`.

    Shape: that of `element`. Dtype: bool. Raises `ValueError` for an unknown `kind`.

    >>> weft.isin(np.array([1, 2, 3]), [1, 3])
    array([ True, False,  True])
    """

    if kind not in (None, "sort", "table"):
        raise WeftValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    x, tests = asarray(element), ravel(asarray(test_elements))
    dtype, count = common_dtype(x, tests), known_shape(tests)[0] or 0
    if dtype.kind in "iuf" and {x.dtype.kind, tests.dtype.kind} == {dtype.kind} and count > _MOST_PAIRS:
        if dtype.kind in "iu" and trace_of((x, tests)) is not None:
            found = reshape(_among(ravel(cast(x, dtype)), cast(tests, dtype), count), x.shape)
            return rank_0_array(np.logical_not(found) if invert else found)
        ordered = np.sort(cast(tests, dtype))
        places = np.minimum(searchsorted(ordered, cast(x, dtype)), count - 1)
        near = apply(ops.Gather, ordered, asarray(places), axes=(0,), position=0)
        return rank_0_array(near != x if invert else near == x)
    pairs = x[..., None]
    found = all_of(pairs != tests, axis=-1) if invert else any_of(pairs == tests, axis=-1)
    return rank_0_array(found)


def _among(x: Any, tests: Any, count: int) -> ArrayResult:
    """Whether elements of a traced vector are among `count` others, at least one, of the same integer dtype."""
    trace = trace_of((x, tests))
    assert trace is not None
    low, size = smallest(tests), x.shape[0]
    span = _distance(largest(tests), low)
    has_table = span < cast(_PLACES * (size + count), UINT64)
    table = staged(trace, zeros(cast(choose(has_table, span, UINT64.type(0)), INT64) + 1, BOOL))
    places = cast(_distance(tests, low), INT64)  # what is outside of the table is not written
    trues = broadcast_to(staged(trace, np.bool_(True)), (count,))
    table = apply(ops.Scatter, table, trues, places, axes=(0,), position=0, mode="set")
    distances = _distance(x, low)
    in_table = np.logical_and(distances <= span, has_table)
    place = cast(choose(in_table, distances, UINT64.type(0)), INT64)
    found = np.logical_and(apply(ops.Gather, table, asarray(place), axes=(0,), position=0), in_table)
    searched = choose(has_table, INT64.type(0), INT64.type(1))
    rest = x[: size * searched]
    ordered = staged(trace, zeros(count, tests.dtype))  # searches in so many are faster than in any number
    ordered[: count * searched] = np.sort(tests[: count * searched])
    nearest = np.minimum(searchsorted(ordered, rest), count - 1)
    found[: size * searched] = apply(ops.Gather, ordered, asarray(nearest), axes=(0,), position=0) == rest
    return found


def _distance(x: Any, low: Any) -> ArrayResult:
    """How far integers are above another one, without a sign: far beyond all others for those below it."""
    return cast(x, UINT64) - cast(low, UINT64)
