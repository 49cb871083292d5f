"""The functions of `keras.ops.linalg`: NumPy's, in 32 bits at least; LU and triangular systems by loops of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import weft

from ..conversion import convert_to_tensor
from .namespace import namespace
from .promotion import as_dtype, dtype_of, floatx_of_integers, in_single, result_type, tensor


def _of_matrix(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of matrices to one array, in their dtype."""

    def called(a: Any, **options: Any) -> Any:
        a = tensor(a, floatx_of_integers)
        return as_dtype(function(in_single(a), **options), dtype_of(a))

    return called


def _to_several(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of matrices to several arrays, in their dtype unless they are complex."""

    def called(a: Any, **options: Any) -> Any:
        a = tensor(a, floatx_of_integers)
        made = function(in_single(a), **options)
        return tuple(x if x.dtype.kind == "c" else as_dtype(x, dtype_of(a)) for x in made)

    return called


_cholesky = _of_matrix(np.linalg.cholesky)
_pinv = _of_matrix(np.linalg.pinv)
_qr = _to_several(np.linalg.qr)
_svd = _to_several(np.linalg.svd)
det = _of_matrix(np.linalg.det)
eig = _to_several(np.linalg.eig)
eigh = _to_several(np.linalg.eigh)
inv = _of_matrix(np.linalg.inv)
_singular_values = _of_matrix(lambda a: np.linalg.svd(a, compute_uv=False))


def cholesky(a: Any, upper: bool = False) -> Any:
    """The triangular matrix whose product with its own transpose is the matrix."""
    return _cholesky(a, upper=upper)


def cholesky_inverse(a: Any, upper: bool = False) -> Any:
    """The inverse of a matrix, from its triangular factor."""
    a = tensor(a, floatx_of_integers)
    inverse = solve_triangular(a, np.eye(a.shape[-1], dtype=a.dtype), lower=not upper)
    transposed = np.swapaxes(inverse, -1, -2)
    return np.matmul(inverse, transposed) if upper else np.matmul(transposed, inverse)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The length of vectors, or a norm of matrices."""
    x = convert_to_tensor(x)
    dtype = dtype_of(x)
    dtype = result_type(dtype, "float32") if "int" in dtype or dtype == "bool" else dtype
    axis = tuple(axis) if isinstance(axis, list) else axis
    return as_dtype(np.linalg.norm(in_single(as_dtype(x, dtype)), ord, axis, keepdims), dtype)


def qr(x: Any, mode: str = "reduced") -> Any:
    """An orthogonal matrix and a triangular one, whose product is the matrix."""
    if mode not in ("reduced", "complete"):
        raise ValueError(
            f"`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={mode}"
        )
    return _qr(x, mode=mode)


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """The singular values, and the orthogonal matrices on both sides of them."""
    return _svd(x, full_matrices=full_matrices) if compute_uv else _singular_values(x)


def matrix_rank(x: Any, tol: Any = None) -> Any:
    """The number of singular values that are not nothing."""
    x = tensor(x, floatx_of_integers)
    if x.ndim < 2:
        raise ValueError(f"Expected input to have rank >= 2. Received input with shape {x.shape}.")
    return convert_to_tensor(np.linalg.matrix_rank(in_single(x), tol), "int32")


def pinv(x: Any, rcond: Any = None) -> Any:
    """The pseudo-inverse, in which singular values below `rcond` times the largest count as zero."""
    return _pinv(x) if rcond is None else _pinv(x, rcond=rcond)


# Systems of equations


def _systems(a: Any, b: Any) -> tuple[Any, Any, str]:
    """Matrices and right sides in one dtype, and that of the result."""
    a, b = tensor(a, floatx_of_integers), tensor(b, floatx_of_integers)
    dtype = dtype_of(b) if dtype_of(a) == dtype_of(b) else result_type(a.dtype, b.dtype)
    return in_single(as_dtype(a, dtype)), in_single(as_dtype(b, dtype)), dtype


def solve(a: Any, b: Any) -> Any:
    """The `x` for which `a @ x` is `b`: vectors where `b` has one axis less."""
    a, b, dtype = _systems(a, b)
    made = np.linalg.solve(a, b) if a.ndim == b.ndim else np.linalg.solve(a, b[..., None])[..., 0]
    return as_dtype(made, dtype)


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """The same for a triangular matrix; what is on the other side of its diagonal is not looked at."""
    a = convert_to_tensor(a)
    return solve(np.tril(a) if lower else np.triu(a), b)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """The `x` for which `a @ x` is nearest to `b`."""
    a, b, dtype = _systems(a, b)
    return as_dtype(np.linalg.lstsq(a, b, rcond)[0], dtype)


def lu_factor(a: Any) -> tuple[Any, Any]:
    """Both triangular factors in one matrix, and for each column the row that was exchanged with it."""
    a = tensor(a, floatx_of_integers)
    rows, columns = a.shape[-2:]
    is_known = None not in weft.static_shape(a)[-2:]
    count = min(rows, columns) if is_known else np.minimum(rows, columns)
    pivots = namespace().zeros((*a.shape[:-2], count), "int32")
    lu, pivots = weft.fori_loop(0, count, _eliminate, (in_single(a), pivots))
    return as_dtype(lu, dtype_of(a)), pivots


def _eliminate(step: Any, factors: tuple[Any, Any]) -> tuple[Any, Any]:
    """Bring the largest number of a column to the diagonal, and make zeros below it."""
    lu, pivots = factors
    rows, columns = np.arange(lu.shape[-2]), np.arange(lu.shape[-1])
    chosen = np.argmax(np.where(rows >= step, np.abs(lu[..., step]), -1), axis=-1)[..., None]
    order = np.where(rows == step, chosen, np.where(rows == chosen, step, rows))
    lu = np.take_along_axis(lu, order[..., None], axis=-2)
    pivot = lu[..., step, :]
    divisor = pivot[..., step][..., None]
    one, zero = np.asarray(1, lu.dtype)[()], np.asarray(0, lu.dtype)[()]
    scale = np.where(rows > step, lu[..., step] / np.where(divisor == zero, one, divisor), zero)
    lu = lu - scale[..., None] * np.where(columns > step, pivot, zero)[..., None, :]
    is_scale = (rows > step)[:, None] & (columns == step)
    pivots = np.where(np.arange(pivots.shape[-1]) == step, as_dtype(chosen, "int32"), pivots)
    return np.where(is_scale, scale[..., None], lu), pivots


# Derivatives


def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> Any:
    """What a function returns, and how that changes as its arguments move along tangents."""
    given = [tuple(convert_to_tensor(x) for x in arrays) for arrays in (primals, tangents)]
    values, changes = weft.jvp(fun, *given)
    return (values[0], changes[0], values[1]) if has_aux else (values, changes)


__all__ = [
    "cholesky",
    "cholesky_inverse",
    "det",
    "eig",
    "eigh",
    "inv",
    "jvp",
    "lstsq",
    "lu_factor",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "solve",
    "solve_triangular",
    "svd",
]
