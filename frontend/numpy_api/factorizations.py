"""Linear algebra that needs factorisations: NumPy's functions on NumPy arrays, calls of the same LAPACK on traced ones.

Everything is computed in double precision and rounded to the dtype of the result, as NumPy does. A factorisation that
fails ends the call with `LinAlgError`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ...dialect.dtypes import kind
from ...dialect.errors import WeftValueError
from ...dialect.ops import linear_algebra as ops
from ..indexing.broadcasting import broadcast_arrays, broadcast_to
from ..tracing.extents import known_shape, require_equal
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, raise_if, raise_where, trace_of
from . import contraction
from . import reductions as reduce
from .arguments import FLOAT64, NO_VALUE
from .creation import zeros
from .numpy_modules import where_traced
from .shape import expand_dims, matrix_transpose, ravel, reshape, squeeze, transpose

_COMPLEX128 = np.dtype(np.complex128)
_SINGLE = {"f": np.dtype(np.float32), "c": np.dtype(np.complex64)}
_DOUBLE = {"f": FLOAT64, "c": _COMPLEX128}

_NOT_SQUARE = "Last 2 dimensions of the array must be square"
_NO_SQUARE_TENSOR = (
    "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
)
_NO_EIGENVALUES = "Eigenvalues did not converge"
_NO_SVD = "SVD did not converge"
_QR_FAILED = "Incorrect argument found while performing QR factorization"


# Operands and results


def matrices(x: ArrayLike, square: bool = False) -> ArrayResult:
    """An array of at least two axes, of which the last two are equal where they have to be."""
    a = asarray(x)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square:
        rows, columns = known_shape(a)[-2:]
        if rows is not None and columns is not None and rows != columns:
            raise LinAlgError(_NOT_SQUARE)
        trace = trace_of((a,))
        if trace is not None:
            require_equal(trace, [(a, -2, a, -1)], _NOT_SQUARE, error="LinAlgError")
    return a


def _result_kind(*arrays: ArrayResult) -> tuple[str, bool]:
    """The kind of the result of arrays, and whether it has single precision; `TypeError` for half precision."""
    for a in arrays:
        if kind(a.dtype) in "fc" and a.dtype not in (*_SINGLE.values(), *_DOUBLE.values()):
            raise TypeError(f"array type {a.dtype.name} is unsupported in linalg")
    is_single = all(a.dtype in _SINGLE.values() for a in arrays)
    return "c" if any(kind(a.dtype) == "c" for a in arrays) else "f", is_single


def in_double(*arrays: ArrayResult) -> list[ArrayResult]:
    """The arrays in double precision, complex if one of them is."""
    found, _ = _result_kind(*arrays)
    return [asarray(cast(a, _DOUBLE[found])) for a in arrays]


def rounded(result: ArrayResult, *operands: ArrayResult) -> ArrayResult:
    """A result in the precision of the operands; a scalar where it has no axes."""
    _, is_single = _result_kind(*operands)
    rounded = cast(result, _SINGLE[kind(result.dtype)]) if is_single else result
    return rounded if rounded.ndim else rounded[()]


def _checked(results: tuple[Any, ...], message: str) -> Any:
    """The results of an op whose last one says whether it failed, which ends the call."""
    *values, failed = results
    raise_if(failed, "LinAlgError", message)
    return values[0] if len(values) == 1 else values


def _stacked(x: ArrayResult, y: ArrayResult) -> tuple[ArrayResult, ArrayResult]:
    """Two stacks of matrices with the same leading axes, or none on one side."""
    around = known_shape(x)[:-2]
    if x.ndim == 2 or y.ndim == 2 or (around == known_shape(y)[:-2] and None not in around):
        return x, y
    like = broadcast_arrays(*(broadcast_to(np.False_, a.shape[:-2]) for a in (x, y)))[0]
    first, second = (broadcast_to(a, (*like.shape, *a.shape[-2:])) for a in (x, y))
    return first, second


# Equations


@where_traced(np.linalg)
def solve(a: ArrayLike, b: ArrayLike) -> ArrayResult:
    """The solutions x of the equations `a @ x = b`, as `numpy.linalg.solve`.

    Shape: that of b, (..., m, n) or (m,), for a of (..., m, m). Dtype: the common one, float64 of integers. Raises
    `LinAlgError` for matrices that are singular or not square, `ValueError` for extents that do not fit.

    >>> weft.linalg.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 4.0]))
    array([1., 1.])
    """
    stack, right = matrices(a, square=True), asarray(b)
    is_vector = right.ndim == 1
    if right.ndim == 0:
        raise WeftValueError(
            "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature "
            "(m,m),(m,n)->(m,n) requires 2)"
        )
    columns = expand_dims(right, 1) if is_vector else right
    rows, given = known_shape(stack)[-2], known_shape(columns)[-2]
    name, signature = ("solve1", "(m,m),(m)->(m)") if is_vector else ("solve", "(m,m),(m,n)->(m,n)")
    message = (
        f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {signature}"
    )
    if rows is not None and given is not None and rows != given:
        raise WeftValueError(f"{message} (size {given} is different from {rows})")
    x, y = in_double(stack, columns)
    trace = trace_of((x, y))
    if trace is not None:
        sizes = stack.shape[-2], columns.shape[-2]
        require_equal(
            trace, [(stack, -2, columns, -2)], message + " (size {1} is different from {0})", *sizes
        )
    solved = _checked(apply(ops.Solve, *_stacked(x, y)), "Singular matrix")
    return rounded(squeeze(solved, -1) if is_vector else solved, stack, right)


@where_traced(np.linalg)
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Any = None) -> ArrayResult:
    """The solution x of `tensordot(a, x, x.ndim) = b`, as `numpy.linalg.tensorsolve`.

    Shape: the last axes of a, as many as b leaves. Dtype: that of `solve`. Raises `LinAlgError` for extents that do not
    fit and singular equations.

    >>> weft.linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2), np.ones((2, 2)))
    array([[1., 1.],
           [1., 1.]])
    """
    x, y = asarray(a), asarray(b)
    if axes is not None:
        order = [axis for axis in range(x.ndim) if axis not in axes]
        x = transpose(x, [*order, *axes])
    shape = x.shape[-(x.ndim - y.ndim) :]
    unknowns: Any = 1
    for extent in shape:
        unknowns = unknowns * extent
    raise_where(x.size != unknowns * unknowns, LinAlgError, _NO_SQUARE_TENSOR)
    return reshape(solve(reshape(x, (unknowns, unknowns)), ravel(y)), shape)


@where_traced(np.linalg)
def lstsq(a: ArrayLike, b: ArrayLike, rcond: Any = None) -> tuple[Any, Any, Any, Any]:
    """The least-squares solution of `a @ x = b`, residuals, the rank and singular values, as `numpy.linalg.lstsq`.

    Shapes: (n,) or (n, k), (0,) or (k,), () and (min(m, n),) for a of (m, n). Dtype: the common one, float64 of
    integers; the rank is int32. Raises `LinAlgError` for other numbers of axes, extents that do not fit, and where the
    decomposition does not converge.

    >>> weft.linalg.lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))[0]
    array([2.])
    """
    x, y = asarray(a), asarray(b)
    is_vector = y.ndim == 1
    right = expand_dims(y, 1) if is_vector else y
    for operand in (x, right):
        if operand.ndim != 2:
            raise LinAlgError(f"{operand.ndim}-dimensional array given. Array must be two-dimensional")
    rows, columns = known_shape(x)
    if None not in (rows, known_shape(right)[0]) and rows != known_shape(right)[0]:
        raise LinAlgError("Incompatible dimensions")
    matrix, targets = in_double(x, right)
    trace = trace_of((matrix, targets))
    if trace is not None:
        require_equal(trace, [(x, 0, right, 0)], "Incompatible dimensions", error="LinAlgError")
    limit = rcond
    if rcond is None:
        _, is_single = _result_kind(x, right)
        extent = np.maximum(x.shape[0], x.shape[1])
        limit = np.finfo(np.float32 if is_single else np.float64).eps * extent
    made = apply(ops.Lstsq, matrix, targets, cast(asarray(limit), FLOAT64))
    solution, residuals, rank, values = _checked(made, "SVD did not converge in Linear Least Squares")
    is_full = np.logical_and(rank == x.shape[1], np.greater(x.shape[0], x.shape[1]))
    kept = residuals[broadcast_to(is_full, residuals.shape)]
    if rows is not None and columns is not None and rows <= columns:
        kept = zeros((0,), residuals.dtype)
    return (
        rounded(squeeze(solution, -1) if is_vector else solution, x, right),
        rounded(kept, x, right),
        rank[()],
        rounded(values, x, right),
    )


# Inverses


@where_traced(np.linalg)
def inv(a: ArrayLike) -> ArrayResult:
    """The inverses of square matrices, as `numpy.linalg.inv`.

    Shape: that of a. Dtype: that of a, float64 of integers. Raises `LinAlgError` for matrices that are singular or
    not square.

    >>> weft.linalg.inv(np.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    x = matrices(a, square=True)
    return rounded(_checked(apply(ops.Inv, *in_double(x)), "Singular matrix"), x)


@where_traced(np.linalg)
def tensorinv(a: ArrayLike, ind: int = 2) -> ArrayResult:
    """The inverse of a tensor for `tensordot(a, b, ind)`, as `numpy.linalg.tensorinv`.

    Shape: `a.shape[ind:] + a.shape[:ind]`. Dtype: that of a, float64 of integers. Raises `LinAlgError` for tensors that
    are no square matrices or singular, `ValueError` for ind below 1.

    >>> weft.linalg.tensorinv(np.eye(4).reshape(2, 2, 4)).shape
    (4, 2, 2)
    """
    if ind <= 0:
        raise WeftValueError("Invalid ind argument.")
    x = asarray(a)
    rows: Any = 1
    for extent in x.shape[ind:]:
        rows = rows * extent
    return reshape(inv(reshape(x, (rows, -1))), (*x.shape[ind:], *x.shape[:ind]))


@where_traced(np.linalg)
def pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE) -> ArrayResult:
    """The pseudo-inverses of matrices, as `numpy.linalg.pinv`.

    Shape: (..., n, m) for (..., m, n). Dtype: that of a, float64 of integers. Raises `LinAlgError` where the
    decomposition does not converge, `ValueError` where rcond and rtol are both set.

    >>> weft.linalg.pinv(np.array([[2.0, 0.0]]))
    array([[0.5],
           [0. ]])
    """
    x = matrices(a)
    if rcond is not None and rtol is not NO_VALUE:
        raise WeftValueError("`rtol` and `rcond` can't be both set.")
    limit = 1e-15 if rtol is NO_VALUE else rtol
    if rcond is not None:
        limit = rcond
    elif rtol is None:
        limit = np.maximum(x.shape[-2], x.shape[-1]) * np.finfo(x.dtype).eps
    if 0 in known_shape(x)[-2:]:
        return zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    u, s, vh = svd(np.conjugate(x), full_matrices=False, hermitian=hermitian)
    cutoff = expand_dims(asarray(limit), -1) * reduce.max(s, -1, keepdims=True, initial=0)
    inverted = np.where(s > cutoff, np.divide(1, s), 0)
    scaled = expand_dims(cast(inverted, s.dtype), -1) * matrix_transpose(u)
    return contraction.matmul(matrix_transpose(vh), scaled)


# Determinants


@where_traced(np.linalg)
def det(a: ArrayLike) -> ArrayResult:
    """The determinants of square matrices, as `numpy.linalg.det`.

    Shape: (...,) for (..., m, m). Dtype: that of a, float64 of integers. Raises `LinAlgError` for other matrices.

    >>> round(float(weft.linalg.det(np.array([[2.0, 0.0], [0.0, 4.0]]))), 9)
    8.0
    """
    x = matrices(a, square=True)
    return rounded(apply(ops.Det, *in_double(x)), x)


@where_traced(np.linalg)
def slogdet(a: ArrayLike) -> Any:
    """The signs of determinants and the logarithms of their sizes, as `numpy.linalg.slogdet`.

    Shapes: (...,) for (..., m, m). Dtypes: that of a, float64 of integers; logarithms are real. Raises `LinAlgError`
    for other matrices.

    >>> weft.linalg.slogdet(np.eye(2))
    SlogdetResult(sign=np.float64(1.0), logabsdet=np.float64(0.0))
    """
    x = matrices(a, square=True)
    sign, logarithm = apply(ops.Slogdet, *in_double(x))
    return np.linalg._linalg.SlogdetResult(rounded(sign, x), rounded(logarithm, x))


# Factors


@where_traced(np.linalg)
def cholesky(a: ArrayLike, /, *, upper: bool = False) -> ArrayResult:
    """The triangular factors of positive definite matrices, as `numpy.linalg.cholesky`.

    Shape: that of a. Dtype: that of a, float64 of integers. Raises `LinAlgError` for matrices that are not square or
    not positive definite.

    >>> weft.linalg.cholesky(np.array([[4.0, 0.0], [0.0, 9.0]]))
    array([[2., 0.],
           [0., 3.]])
    """
    x = matrices(a, square=True)
    made = apply(ops.Cholesky, *in_double(x), upper=bool(upper))
    return rounded(_checked(made, "Matrix is not positive definite"), x)


@where_traced(np.linalg)
def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    """The factors q, orthonormal, and r, triangular, of matrices, as `numpy.linalg.qr`.

    Shapes: (..., m, k) and (..., k, n) for (..., m, n), where k is min(m, n), or m in mode "complete". Dtype: that of
    a, float64 of integers. Raises `ValueError` for other modes than "reduced", "complete", "r" and "raw".

    >>> weft.linalg.qr(np.array([[2.0, 0.0], [0.0, 4.0]])).R.shape
    (2, 2)
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        raise WeftValueError(f"Unrecognized mode '{mode}'")
    x = matrices(a)
    factors, scales = _checked(apply(ops.QrFactors, *in_double(x)), _QR_FAILED)
    if mode == "raw":
        return rounded(matrix_transpose(factors), x), rounded(scales, x)
    shorter = scales.shape[-1]
    if mode == "r":
        return rounded(np.triu(factors[..., :shorter, :]), x)
    rows, columns = known_shape(x)[-2:]
    is_full = mode == "complete" and (rows is None or columns is None or rows > columns)
    basis = _checked(apply(ops.QrBasis, factors, scales, full=is_full), _QR_FAILED)
    triangle = factors if is_full else factors[..., :shorter, :]
    return np.linalg._linalg.QRResult(rounded(basis, x), rounded(np.triu(triangle), x))


@where_traced(np.linalg)
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The singular value decompositions u, s, vh of matrices, as `numpy.linalg.svd`.

    Shapes: (..., m, m), (..., k) and (..., n, n) for (..., m, n), where k is min(m, n); u and vh have k columns and
    rows unless full_matrices. Dtype: that of a, float64 of integers; s is real. Raises `LinAlgError` where it does not
    converge.

    >>> weft.linalg.svd(np.diag([3.0, 4.0]), compute_uv=False)
    array([4., 3.])
    """
    x = matrices(a)
    if hermitian:
        return _hermitian_svd(x, compute_uv)
    if not compute_uv:
        return rounded(_checked(apply(ops.Svdvals, *in_double(x)), _NO_SVD), x)
    u, s, vh = _checked(apply(ops.Svd, *in_double(x), full=bool(full_matrices)), _NO_SVD)
    return np.linalg._linalg.SVDResult(rounded(u, x), rounded(s, x), rounded(vh, x))


def _hermitian_svd(x: ArrayResult, compute_uv: bool) -> Any:
    """By eigenvalues, whose sizes are sorted in descending order."""
    if not compute_uv:
        return np.flip(np.sort(np.absolute(eigvalsh(x))), -1)
    values, vectors = eigh(x)
    sizes = np.absolute(values)
    order = np.flip(np.argsort(sizes), -1)
    signs = np.take_along_axis(np.copysign(1.0, values), order, axis=-1)
    u = np.take_along_axis(vectors, expand_dims(order, -2), axis=-1)
    vh = np.conjugate(matrix_transpose(u * expand_dims(signs, -2)))
    return np.linalg._linalg.SVDResult(u, np.take_along_axis(sizes, order, axis=-1), vh)


@where_traced(np.linalg)
def svdvals(x: ArrayLike, /) -> ArrayResult:
    """The singular values of matrices in descending order, as `numpy.linalg.svdvals`.

    Shape: (..., min(m, n)) for (..., m, n). Dtype: that of x, real, float64 of integers. Raises `LinAlgError` where
    they do not converge.

    >>> weft.linalg.svdvals(np.diag([3.0, 4.0]))
    array([4., 3.])
    """
    return svd(x, compute_uv=False)


@where_traced(np.linalg)
def matrix_rank(A: ArrayLike, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> ArrayResult:
    """How many singular values of matrices are above a tolerance, as `numpy.linalg.matrix_rank`.

    Shape: (...,) for (..., m, n). Dtype: int64. Raises `ValueError` where tol and rtol are both set.

    >>> weft.linalg.matrix_rank(np.eye(3))
    np.int64(3)
    """
    if rtol is not None and tol is not None:
        raise WeftValueError("`tol` and `rtol` can't be both set.")
    x = asarray(A)
    if x.ndim < 2:
        rank = cast(np.logical_not(np.all(x == 0)), np.dtype(np.int64))
        return rank._like_python(int)
    values = svd(x, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        limit = expand_dims(asarray(tol), -1)
    else:
        relative = (
            np.maximum(x.shape[-2], x.shape[-1]) * np.finfo(values.dtype).eps
            if rtol is None
            else expand_dims(asarray(rtol), -1)
        )
        limit = reduce.max(values, -1, keepdims=True, initial=0) * relative
    return np.count_nonzero(values > limit, axis=-1)


# Eigenvalues


@where_traced(np.linalg)
def eigh(a: ArrayLike, UPLO: str = "L") -> Any:
    """The eigenvalues, ascending, and eigenvectors of Hermitian matrices, as `numpy.linalg.eigh`.

    Shapes: (..., m) and (..., m, m). Dtypes: that of a, float64 of integers; eigenvalues are real. Raises `LinAlgError`
    for other matrices and where they do not converge, `ValueError` for an UPLO other than "L" and "U".

    >>> weft.linalg.eigh(np.diag([3.0, 1.0])).eigenvalues
    array([1., 3.])
    """
    upper, x = _is_upper(UPLO), matrices(a, square=True)
    values, vectors = _checked(apply(ops.Eigh, *in_double(x), upper=upper), _NO_EIGENVALUES)
    return np.linalg._linalg.EighResult(rounded(values, x), rounded(vectors, x))


@where_traced(np.linalg)
def eigvalsh(a: ArrayLike, UPLO: str = "L") -> ArrayResult:
    """The eigenvalues of Hermitian matrices, ascending, as `numpy.linalg.eigvalsh`.

    Shape: (..., m) for (..., m, m). Dtype: that of a, real, float64 of integers. Raises what `eigh` raises.

    >>> weft.linalg.eigvalsh(np.diag([3.0, 1.0]))
    array([1., 3.])
    """
    upper, x = _is_upper(UPLO), matrices(a, square=True)
    return rounded(_checked(apply(ops.Eigvalsh, *in_double(x), upper=upper), _NO_EIGENVALUES), x)


def _is_upper(triangle: str) -> bool:
    if not isinstance(triangle, str) or triangle.upper() not in ("L", "U"):
        raise WeftValueError("UPLO argument must be 'L' or 'U'")
    return triangle.upper() == "U"


@where_traced(np.linalg)
def eig(a: ArrayLike) -> Any:
    """The eigenvalues and eigenvectors of square matrices, as `numpy.linalg.eig`.

    Shapes: (..., m) and (..., m, m). Dtypes: complex in compiled code, where NumPy gives real numbers if all
    eigenvalues are real. Raises `LinAlgError` for other matrices, for infinities and NaN, and where they do not
    converge.

    >>> weft.linalg.eig(np.diag([3.0, 1.0])).eigenvalues
    array([3., 1.])
    """
    x = _finite(a)
    values, vectors = _checked(apply(ops.Eig, *in_double(x)), _NO_EIGENVALUES)
    return np.linalg._linalg.EigResult(rounded(values, x), rounded(vectors, x))


@where_traced(np.linalg)
def eigvals(a: ArrayLike) -> ArrayResult:
    """The eigenvalues of square matrices, as `numpy.linalg.eigvals`.

    Shape: (..., m) for (..., m, m). Dtype: that of `eig`. Raises what `eig` raises.

    >>> weft.linalg.eigvals(np.diag([3.0, 1.0]))
    array([3., 1.])
    """
    x = _finite(a)
    return rounded(_checked(apply(ops.Eigvals, *in_double(x)), _NO_EIGENVALUES), x)


def _finite(a: ArrayLike) -> ArrayResult:
    """Square matrices without infinities and NaN, of which LAPACK's iterations might not come to an end."""
    x = matrices(a, square=True)
    wild = np.logical_not(reduce.all(np.isfinite(x)))
    raise_if(wild, "LinAlgError", "Array must not contain infs or NaNs")
    return x
