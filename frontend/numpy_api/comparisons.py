"""Whether whole arrays are equal, or agree within tolerances."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.types import compatible_shapes
from ..indexing.views import get_item
from ..tracing.array import TracedArray
from ..tracing.extents import known_shape, same_extent
from ..tracing.staging import ArrayLike, ArrayResult, asarray
from .arguments import is_inexact
from .elementwise import isclose
from .reductions import all as all_of


def allclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> ArrayResult:
    """Whether all elements agree within tolerances, as `numpy.allclose`.

    Shape: a bool of Python's, of arrays that broadcast. Dtype: bool. Raises `ValueError` for shapes that do not
    broadcast.

    >>> weft.allclose(np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-9]))
    True
    """
    return _python_bool(all_of(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> ArrayResult:
    """Whether two arrays have the same shape and elements, as `numpy.array_equal`.

    Shape: a bool of Python's, of arrays of any shapes. Dtype: bool. Raises nothing for arrays.

    >>> weft.array_equal(np.array([1, 2]), np.array([1, 2, 3]))
    False
    """
    x, y = asarray(a1), asarray(a2)
    if not compatible_shapes(known_shape(x), known_shape(y)):
        return False
    x, y, fits = _common_part(x, y)
    same = x == y
    if equal_nan and is_inexact(x.dtype) and is_inexact(y.dtype):
        same = same | (np.isnan(x) & np.isnan(y))
    return _python_bool(all_of(same) if fits is True else all_of(same) & fits)


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> ArrayResult:
    """Whether two arrays broadcast to each other and are equal then, as `numpy.array_equiv`.

    Shape: a bool of Python's, of arrays of any shapes. Dtype: bool. Raises nothing for arrays.

    >>> weft.array_equiv(np.array([2, 2]), 2)
    True
    """
    x, y = asarray(a1), asarray(a2)
    try:
        return _python_bool(all_of(np.equal(x, y)))
    except ValueError:
        return False


def _python_bool(truth: ArrayResult) -> ArrayResult:
    """The truth as a bool of Python's, which NumPy makes of it."""
    return truth.copy()._like_python(bool) if isinstance(truth, TracedArray) else bool(truth)


def _common_part(x: ArrayResult, y: ArrayResult) -> tuple[ArrayResult, ArrayResult, Any]:
    """Two arrays cut to the extents that both have, and whether these are all."""
    fits: Any = True
    common: list[slice] = []
    for axis, known in enumerate(zip(known_shape(x), known_shape(y), strict=True)):
        left, right = x.shape[axis], y.shape[axis]
        if None not in known or same_extent(left, right):
            common.append(slice(None))
        else:
            common.append(slice(np.minimum(left, right)))
            fits = fits & np.equal(left, right)
    if fits is True:
        return x, y, True
    return get_item(x, tuple(common)), get_item(y, tuple(common)), fits
