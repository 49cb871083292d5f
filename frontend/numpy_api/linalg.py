"""`weft.linalg`: the standard's linear algebra extension, with NumPy's names.

What needs LAPACK is in `factorizations`, and norms are in `norms`.
"""

from __future__ import annotations

import operator
from typing import Any

from ...dialect.dtypes import DTypeLike
from ...dialect.errors import WeftValueError
from ..indexing.broadcasting import broadcast_to
from ..tracing.extents import known_shape
from ..tracing.staging import ArrayLike, ArrayResult, asarray
from . import contraction, diagonals
from . import shape as shapes
from .contraction import matmul
from .factorizations import (
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    matrices,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
    tensorinv,
    tensorsolve,
)
from .grids import eye
from .norms import cond, matrix_norm, norm, vector_norm


def outer(x1: ArrayLike, x2: ArrayLike, /) -> ArrayResult:
    """The products of all pairs of elements of two vectors, as `numpy.linalg.outer`.

    Shape: (m, n) for (m,) and (n,). Dtype: the common one. Raises `ValueError` for other numbers of axes.

    >>> weft.linalg.outer(np.array([1, 2]), np.array([3, 4]))
    array([[3, 4],
           [6, 8]])
    """
    x, y = asarray(x1), asarray(x2)
    if x.ndim != 1 or y.ndim != 1:
        raise WeftValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x.ndim} and x2.ndim={y.ndim}."
        )
    return contraction.outer(x, y)


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ArrayResult:
    """The cross product of vectors of three elements, as `numpy.linalg.cross`.

    Shape: the common one. Dtype: the common one. Raises `ValueError` for other extents of the axis.

    >>> weft.linalg.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0, 0, 1])
    """
    return contraction.cross(x1, x2, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> ArrayResult:
    """Read-only views of the diagonals of matrices in the last two axes, as `numpy.linalg.diagonal`.

    Shape: (..., k) for (..., m, n) and diagonals of length k. Dtype: that of x. Raises `ValueError` for less than two
    axes.

    >>> weft.linalg.diagonal(np.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    return diagonals.diagonal(x, offset, -2, -1)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> ArrayResult:
    """The sums of the diagonals of matrices in the last two axes, as `numpy.linalg.trace`.

    Shape: (...,) for (..., m, n). Dtype: that of `weft.sum`. Raises `ValueError` for less than two axes.

    >>> weft.linalg.trace(np.array([[1, 2], [3, 4]]))
    np.int64(5)
    """
    return contraction.trace(x, offset, -2, -1, dtype)


def multi_dot(arrays: Any, *, out: Any = None) -> ArrayResult:
    """The product of several matrices, in the order that takes the fewest multiplications, as `numpy.linalg.multi_dot`.

    Shape: (m, n) for (m, k), ..., (l, n); the first and the last may be vectors. Dtype: the common one. Raises
    `ValueError` for less than two arrays and for extents that do not fit.

    >>> weft.linalg.multi_dot([np.array([[1, 2]]), np.array([[3], [4]]), np.array([[5]])])
    array([[55]])
    """
    chain = [asarray(array) for array in arrays]
    if len(chain) < 2:
        raise WeftValueError("Expecting at least two arrays.")
    extents = [known_shape(chain[0])[0] if chain[0].ndim == 2 else 1]
    extents += [known_shape(a)[-1] if a.ndim == 2 or i < len(chain) - 1 else 1 for i, a in enumerate(chain)]
    if None in extents:
        result = chain[0]
        for array in chain[1:]:
            result = contraction.dot(result, array)
        return result
    order = _best_order([e or 0 for e in extents])

    def join(first: int, last: int) -> ArrayResult:
        if first == last:
            return chain[first]
        split = order[first, last]
        return contraction.dot(join(first, split), join(split + 1, last))

    return join(0, len(chain) - 1)


def _best_order(extents: list[int]) -> dict[tuple[int, int], int]:
    """Where to split every part of a chain of matrices."""
    count = len(extents) - 1
    cost = {(i, i): 0 for i in range(count)}
    order: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            cost[first, last], order[first, last] = min(
                (cost[first, s] + cost[s + 1, last] + extents[first] * extents[s + 1] * extents[last + 1], s)
                for s in range(first, last)
            )
    return order


def matrix_power(a: ArrayLike, n: int) -> ArrayResult:
    """The product of n copies of square matrices, as `numpy.linalg.matrix_power`.

    Shape and dtype: those of a. Raises `LinAlgError` unless the matrices are square, and for a negative n where
    one is singular.

    >>> weft.linalg.matrix_power(np.array([[1, 1], [0, 1]]), 3)
    array([[1, 3],
           [0, 1]])
    """
    x = matrices(a, square=True)
    power = operator.index(n)
    if power < 0:
        return matrix_power(inv(x), -power)
    if power == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape).copy()
    result, square = None, x
    while power:
        if power & 1:
            result = square if result is None else matmul(result, square)
        power >>= 1
        square = matmul(square, square) if power else square
    return result


# What other modules define

matrix_transpose, tensordot, vecdot = shapes.matrix_transpose, contraction.tensordot, contraction.vecdot

__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
