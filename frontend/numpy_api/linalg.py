"""`weft.linalg`: the standard's linear algebra extension with NumPy's names, as far as it needs no factorisation.

What needs one (inv, solve, svd, ...) runs on NumPy arrays through NumPy and is an error in compiled code.
"""

from __future__ import annotations

import inspect
import operator
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, kind
from ...dialect.errors import UnsupportedError, WeftValueError
from ..indexing.broadcasting import broadcast_to
from ..tracing.extents import known_shape
from ..tracing.staging import ArrayLike, ArrayResult, asarray, cast, trace_of
from . import contraction, diagonals
from . import reductions as reduce
from . import shape as shapes
from .arguments import as_inexact, axis_tuple
from .contraction import matmul
from .elementwise import imag, real
from .grids import eye


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

    Shape and dtype: those of a. Raises `LinAlgError` unless the matrices are square, `UnsupportedError` for a
    negative n of traced arrays, which needs an inverse.

    >>> weft.linalg.matrix_power(np.array([[1, 1], [0, 1]]), 3)
    array([[1, 3],
           [0, 1]])
    """
    x = asarray(a)
    if x.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{x.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    rows, columns = known_shape(x)[-2:]
    if rows is not None and columns is not None and rows != columns:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    power = operator.index(n)
    if power < 0:
        return matrix_power(globals()["inv"](x), -power)
    if power == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape).copy()
    result, square = None, x
    while power:
        if power & 1:
            result = square if result is None else matmul(result, square)
        power >>= 1
        square = matmul(square, square) if power else square
    return result


# Norms


def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> ArrayResult:
    """The norm of vectors or matrices, as `numpy.linalg.norm`.

    Shape: that of x without the axes. Dtype: that of the absolute values; of integers float64. Raises `ValueError`
    for an unknown order, `UnsupportedError` for one that needs singular values of traced arrays.

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
    if rows == columns:
        raise WeftValueError("Duplicate axes given.")
    if ord in (None, "fro", "f"):
        return _two_norm(x, axes, keepdims)
    if ord in (1, -1, np.inf, -np.inf):
        first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
        totals = reduce.sum(np.absolute(x), first, keepdims=True)
        extreme = reduce.max if ord > 0 else reduce.min
        result = extreme(totals, second, keepdims=True)
        return result if keepdims else shapes.squeeze(result, axes)[()]
    if ord in (2, -2, "nuc"):
        if trace_of((x,)) is not None:
            raise UnsupportedError(
                f"norm(ord={ord!r}) needs singular values, which compiled code does not have"
            )
        return np.linalg.norm(x, ord, axes, keepdims)
    raise WeftValueError("Invalid norm order for matrices.")


# Factorisations


def _eager_only(name: str) -> Any:
    """A function that needs a factorisation: NumPy's on NumPy arrays, an error on traced ones."""
    numpy_function = getattr(np.linalg, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        if trace_of((*args, *kwargs.values())) is not None:
            raise UnsupportedError(
                f"linalg.{name} needs a factorisation, which compiled code does not have; call it outside of the "
                "compiled function and pass the result as an argument"
            )
        return numpy_function(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    summary = (inspect.getdoc(numpy_function) or "").partition("\n")[0]
    function.__doc__ = (
        f"{summary} It is `numpy.linalg.{name}`, for NumPy arrays alone.\n\nShapes, dtypes and examples: see there. "
        "Raises `LinAlgError` as NumPy does, `UnsupportedError` for traced arrays."
    )
    function.__wrapped__ = numpy_function  # type: ignore[attr-defined]
    return function


matrix_transpose, tensordot, vecdot = shapes.matrix_transpose, contraction.tensordot, contraction.vecdot

__all__ = sorted(set(np.linalg.__all__) - {"LinAlgError"})
globals().update({name: _eager_only(name) for name in __all__ if name not in globals()})
