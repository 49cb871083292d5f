"""Triangles and diagonals of matrices."""

from __future__ import annotations

import operator
from typing import Any

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.ops import arrangement
from ..indexing.broadcasting import broadcast_to
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, view_of
from .arguments import axis_index
from .shape import ravel, transpose


def tril(m: ArrayLike, /, k: int = 0) -> ArrayResult:
    """The matrices with zeros above diagonal k, as `numpy.tril`.

    Shape: that of m; (n, n) for a vector (n,). Dtype: that of m. Raises `TypeError` for an array without axes.

    >>> weft.tril(np.array([[1, 2], [3, 4]]))
    array([[1, 0],
           [3, 4]])
    """
    return _triangle(arrangement.Tril, m, k)


def triu(m: ArrayLike, /, k: int = 0) -> ArrayResult:
    """The matrices with zeros below diagonal k, as `numpy.triu`.

    Shape: that of m; (n, n) for a vector (n,). Dtype: that of m. Raises `TypeError` for an array without axes.

    >>> weft.triu(np.array([[1, 2], [3, 4]]))
    array([[1, 2],
           [0, 4]])
    """
    return _triangle(arrangement.Triu, m, k)


def _triangle(op_class: Any, m: ArrayLike, k: int) -> ArrayResult:
    x = asarray(m)
    if x.ndim == 0:
        raise WeftTypeError("tri() takes arrays of rank 1 or more")
    if x.ndim == 1:
        x = broadcast_to(x, (x.shape[0], x.shape[0]))
    return asarray(apply(op_class, x, k=operator.index(k)))


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ArrayResult:
    """A read-only view of the diagonals of the matrices that two axes span, as `numpy.diagonal`.

    Shape: that of a without the two axes, and the length of the diagonals at the end. Dtype: that of a. Raises
    `ValueError` for less than two axes and for equal ones, `AxisError` for an axis that a does not have.

    >>> weft.diagonal(np.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    x = asarray(a)
    if x.ndim < 2:
        raise WeftValueError("diag requires an array of at least two dimensions")
    first, second = axis_index(axis1, x.ndim, "axis1"), axis_index(axis2, x.ndim, "axis2")
    if first == second:
        raise WeftValueError("axis1 and axis2 cannot be the same")
    rest = tuple(axis for axis in range(x.ndim) if axis not in (first, second))
    order = (*rest, first, second)
    arranged = x if order == tuple(range(x.ndim)) else transpose(x, order)
    return view_of(arranged, arrangement.Diagonal, writable=False, offset=operator.index(offset))


def diag(v: ArrayLike, k: int = 0) -> ArrayResult:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal, as `numpy.diag`.

    Shape: (n + abs(k), n + abs(k)) for (n,), the length of the diagonal for (m, n). Dtype: that of v. Raises
    `ValueError` for other numbers of axes.

    >>> weft.diag(np.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    x = asarray(v)
    if x.ndim == 1:
        return asarray(apply(arrangement.Diag, x, offset=operator.index(k)))
    if x.ndim != 2:
        raise WeftValueError("Input must be 1- or 2-d.")
    return diagonal(x, k)


def diagflat(v: ArrayLike, k: int = 0) -> ArrayResult:
    """The matrix with all elements of an array on its diagonal, as `numpy.diagflat`.

    Shape: (n, n) with n = v.size + abs(k). Dtype: that of v. Raises `TypeError` for a k that is no integer.

    >>> weft.diagflat(np.array([[1, 2]]))
    array([[1, 0],
           [0, 2]])
    """
    return diag(ravel(v), k)
