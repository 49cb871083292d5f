"""Functions that make matrices with ones, grids of coordinates, and powers of a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype
from ...dialect.errors import WeftValueError
from ..indexing.broadcasting import broadcast_arrays
from ..tracing.extents import known_extent
from ..tracing.staging import ArrayLike, ArrayResult, cast, recording
from ..tracing.staging import asarray as array_of
from .arguments import FLOAT64, optional_dtype, require_device
from .arrays_on_gpus import makes_arrays
from .creation import arange
from .joining import stack
from .shape import reshape, swapaxes


@makes_arrays
def eye(
    N: Any,
    M: Any = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> ArrayResult:
    """The matrix with ones on diagonal k and zeros elsewhere, as `numpy.eye`.

    Shape: (N, M), or (N, N) without M; extents may be traced. Dtype: `dtype`, or float64. Raises `ValueError` for
    negative extents and for devices that there are not.

    >>> weft.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    require_device(device)
    wanted = optional_dtype(dtype) or FLOAT64
    columns = N if M is None else M
    if recording(N, columns) is None:
        return np.eye(N, columns, k, wanted)
    row_numbers, column_numbers = arange(N), arange(columns)
    return array_of(cast(np.equal(row_numbers[:, None] + k, column_numbers), wanted))


def identity(n: Any, dtype: DTypeLike | None = None, *, like: Any = None) -> ArrayResult:
    """The square matrix with ones on its diagonal, as `numpy.identity`.

    Shape: (n, n). Dtype: `dtype`, or float64. Raises `ValueError` for a negative extent.

    >>> weft.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype)


def tri(
    N: Any, M: Any = None, k: int = 0, dtype: DTypeLike | None = float, *, like: Any = None
) -> ArrayResult:
    """The matrix with ones at and below diagonal k and zeros above, as `numpy.tri`.

    Shape: (N, M), or (N, N) without M. Dtype: `dtype`, or float64. Raises `TypeError` for dtypes that weft does not
    have.

    >>> weft.tri(2, 3)
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    columns = N if M is None else M
    return array_of(cast(np.greater_equal(arange(N)[:, None] + k, arange(columns)), as_dtype(dtype)))


def meshgrid(*xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """The coordinates of a grid, an array for each vector, as `numpy.meshgrid`.

    Shape: the lengths of the vectors, the first two exchanged unless `indexing` is "ij"; under `sparse` extents of 1
    in all axes but one. Dtype: that of each vector. Raises `ValueError` for another `indexing`.

    >>> weft.meshgrid(np.array([1, 2]), np.array([3, 4]))
    (array([[1, 2],
           [1, 2]]), array([[3, 3],
           [4, 4]]))
    """

    if indexing not in ("xy", "ij"):
        raise WeftValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    rank = len(xi)
    grids = []
    for place, x in enumerate(xi):
        vector = array_of(x)
        grids.append(reshape(vector, (*(1,) * place, vector.size, *(1,) * (rank - place - 1))))
    if indexing == "xy" and rank > 1:
        grids = [swapaxes(grid, 0, 1) for grid in grids]
    if not sparse:
        grids = list(broadcast_arrays(*grids))
    if copy:
        return tuple(grid.copy() for grid in grids)
    return grids if sparse else tuple(grids)  # as NumPy does


def indices(dimensions: Any, dtype: DTypeLike = int, sparse: bool = False) -> ArrayResult:
    """The coordinates of every element of a grid, as `numpy.indices`.

    Shape: (len(dimensions), *dimensions), or a tuple of arrays that broadcast under `sparse`. Dtype: `dtype`. Raises
    `TypeError` for dtypes that weft does not have.

    >>> weft.indices((2, 2))
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """

    wanted = FLOAT64 if dtype is None else dtype  # NumPy's own default of dtypes
    ranges = [arange(extent, dtype=wanted) for extent in dimensions]
    if not ranges:
        return () if sparse else np.zeros(0, as_dtype(wanted))
    grids = meshgrid(*ranges, indexing="ij", sparse=sparse)
    return grids if sparse else stack(grids)


MOST_COLUMNS = 16
"""So many powers are computed side by side; of more, each row is a running product."""


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ArrayResult:
    """The matrix of powers of a vector, highest first unless `increasing`, as `numpy.vander`.

    Shape: (n, N) for a vector (n,); N is n unless given. Dtype: that of the vector, at least int64. Raises
    `UnsupportedError` where N is needed because n is known only when the function runs.

    >>> weft.vander(np.array([1, 2, 3]))
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    vector = array_of(x)
    if vector.ndim != 1:
        raise WeftValueError("x must be a one-dimensional array or sequence.")
    count = known_extent(vector, 0, "vander") if N is None else N
    powers = [np.ones_like(vector, np.promote_types(vector.dtype, int))]
    for _ in range(min(count, MOST_COLUMNS) - 1):
        powers.append(powers[-1] * vector)
    table = np.stack(powers[: max(count, 1)], axis=1)[:, :count]
    if count > MOST_COLUMNS:
        factors = np.broadcast_to(vector[:, None], (*vector.shape, count - 1)).astype(powers[0].dtype)
        table = np.concatenate([table[:, :1], np.cumprod(factors, axis=1)], axis=1)
    return table if increasing else table[:, ::-1]
