"""Norms of vectors and matrices, and what is told by them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ...dialect.dtypes import kind
from ...dialect.errors import WeftValueError
from ...dialect.ops.linear_algebra import Inv
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, raise_where
from . import reductions as reduce
from . import shape as shapes
from .arguments import as_inexact, axis_tuple
from .elementwise import imag, real
from .factorizations import in_double, matrices, rounded, svd
from .numpy_modules import where_traced


def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> ArrayResult:
    """The norm of vectors or matrices, as `numpy.linalg.norm`.

    Shape: that of x without the axes. Dtype: that of the absolute values; of integers float64. Raises `ValueError`
    for an unknown order, `LinAlgError` where singular values do not converge.

    >>> weft.linalg.norm(np.array([3.0, 4.0]))
    np.float64(5.0)
    """
    array = as_inexact(asarray(x))
    if axis is None:
        if ord is None or (ord in ("f", "fro") and array.ndim == 2) or (ord == 2 and array.ndim == 1):
            result = _two_norm(shapes.ravel(array), (0,), False)
            return shapes.reshape(result, (1,) * array.ndim) if keepdims else result
        axes: tuple[int, ...] = tuple(range(array.ndim))
    else:
        axes = axis_tuple(axis, array.ndim)
    if len(axes) == 1:
        return _vector_norm(array, axes, ord, keepdims)
    if len(axes) == 2:
        return _matrix_norm(array, axes, ord, keepdims)
    raise WeftValueError("Improper number of dimensions to norm.")


def vector_norm(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> ArrayResult:
    """The norm of vectors along axes, as `numpy.linalg.vector_norm`.

    Shape: that of x without the axes. Dtype: that of the absolute values; of integers float64. Raises `ValueError`
    for an order that is a name.

    >>> weft.linalg.vector_norm(np.array([[3.0, 4.0]]), axis=1)
    array([5.])
    """
    array = as_inexact(asarray(x))
    return _vector_norm(array, axis_tuple(axis, array.ndim), ord, keepdims)


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> ArrayResult:
    """The norm of the matrices in the last two axes, as `numpy.linalg.matrix_norm`.

    Shape: (...,) for (..., m, n). Dtype: that of the absolute values; of integers float64. Raises what `norm` raises.

    >>> weft.linalg.matrix_norm(np.array([[3.0, 4.0]]))
    np.float64(5.0)
    """
    return norm(x, ord, (-2, -1), keepdims)


def _two_norm(x: ArrayResult, axes: tuple[int, ...], keepdims: bool) -> ArrayResult:
    squares = real(x) ** 2 + imag(x) ** 2 if kind(x.dtype) == "c" else x * x
    return np.sqrt(reduce.sum(squares, axes, keepdims=keepdims))


def _vector_norm(x: ArrayResult, axes: tuple[int, ...], ord: Any, keepdims: bool) -> ArrayResult:
    if ord is None or ord == 2:
        return _two_norm(x, axes, keepdims)
    size = np.absolute(x)
    if ord == np.inf:
        return reduce.max(size, axes, keepdims=keepdims, initial=0)
    if ord == -np.inf:
        return reduce.min(size, axes, keepdims=keepdims)
    if ord == 0:
        return cast(reduce.sum(x != 0, axes, keepdims=keepdims), size.dtype)
    if ord == 1:
        return reduce.sum(size, axes, keepdims=keepdims)
    if isinstance(ord, str):
        raise WeftValueError(f"Invalid norm order '{ord}' for vectors")
    return np.power(reduce.sum(np.power(size, ord), axes, keepdims=keepdims), 1 / ord)


def _matrix_norm(x: ArrayResult, axes: tuple[int, ...], ord: Any, keepdims: bool) -> ArrayResult:
    rows, columns = axes
    if ord in (None, "fro", "f"):
        return _two_norm(x, axes, keepdims)
    if ord in (1, -1, np.inf, -np.inf):
        first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
        totals = reduce.sum(np.absolute(x), first, keepdims=True)
        given = {"initial": 0} if ord > 0 else {}
        extreme = reduce.max if ord > 0 else reduce.min
        result = extreme(totals, second, keepdims=True, **given)
        return result if keepdims else shapes.squeeze(result, axes)[()]
    if ord in (2, -2, "nuc"):
        values = svd(shapes.moveaxis(x, axes, (-2, -1)), compute_uv=False)
        given = {"initial": 0} if ord == 2 else {}
        reduced = {2: reduce.max, -2: reduce.min, "nuc": reduce.sum}[ord](values, -1, **given)
        return shapes.expand_dims(reduced, axes) if keepdims else reduced
    raise WeftValueError("Invalid norm order for matrices.")


@where_traced(np.linalg)
def cond(x: ArrayLike, p: Any = None) -> ArrayResult:
    """The condition numbers of matrices in a norm, as `numpy.linalg.cond`.

    Shape: (...,) for (..., m, n). Dtype: that of x, real, float64 of integers. Raises `LinAlgError` for empty matrices,
    and for matrices that are not square where p is none of None, 2 and -2.

    >>> weft.linalg.cond(np.diag([1.0, 4.0]))
    np.float64(4.0)
    """
    a = matrices(x)
    for extent in a.shape[-2:]:
        raise_where(np.equal(extent, 0), LinAlgError, "cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        values = svd(a, compute_uv=False)
        first, last = values[..., 0], values[..., -1]
        ratio = np.divide(*((last, first) if p == -2 else (first, last)))
    else:
        inverse = apply(Inv, *in_double(matrices(a, square=True)))[0]  # NaN where there is none
        ratio = rounded(norm(a, p, axis=(-2, -1)) * norm(inverse, p, axis=(-2, -1)), a)
    is_infinite = np.logical_and(np.isnan(ratio), np.logical_not(reduce.any(np.isnan(a), (-2, -1))))
    return np.where(is_infinite, cast(np.inf, ratio.dtype), ratio)[()]
