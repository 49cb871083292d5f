"""Arrays that lie in memory as asked for: the array itself where it does, else a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ..tracing.array import TracedArray
from ..tracing.staging import ArrayLike, ArrayResult, raise_where
from .arguments import is_inexact
from .creation import array, asarray
from .shape import atleast_1d


def ascontiguousarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> ArrayResult:
    """The array itself if its elements lie in row-major order, else a copy, as `numpy.ascontiguousarray`.

    Shape: that of a; (1,) for (). Dtype: `dtype`, or that of a. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.ascontiguousarray(np.array([[1, 2], [3, 4]]).T)
    array([[1, 3],
           [2, 4]])
    """
    return atleast_1d(asarray(a, dtype, "C"))


def asanyarray(
    a: ArrayLike, dtype: DTypeLike | None = None, order: str | None = None, *, like: Any = None
) -> ArrayResult:
    """The array itself, or what is no array as one, as `numpy.asanyarray`; there are no subclasses here.

    Shape: that of a. Dtype: `dtype`, or that of a. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.asanyarray([1, 2])
    array([1, 2])
    """
    return asarray(a, dtype, order or "K")


def asarray_chkfinite(a: ArrayLike, dtype: DTypeLike | None = None, order: str | None = None) -> ArrayResult:
    """The array itself, all of whose numbers must be finite, as `numpy.asarray_chkfinite`.

    Shape: that of a. Dtype: `dtype`, or that of a. Raises `ValueError` for NaN and infinities.

    >>> weft.asarray_chkfinite([1, 2])
    array([1, 2])
    """
    made = asarray(a, dtype, order or "K")
    message = "array must not contain infs or NaNs"
    if is_inexact(made.dtype):
        raise_where(np.logical_not(np.all(np.isfinite(made))), WeftValueError, message)
    return made


def asfortranarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> ArrayResult:
    """The array itself if its elements lie in column-major order, else a copy, as `numpy.asfortranarray`.

    Shape: that of a; (1,) for (). Dtype: `dtype`, or that of a. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.asfortranarray(np.array([[1, 2], [3, 4]])).strides
    (8, 16)
    """
    return atleast_1d(asarray(a, dtype, "F"))


_MEANINGS = {
    "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
    "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E",
}  # fmt: skip
"""What the names of requirements mean."""


def _meaning(name: Any) -> str:
    """What a requirement says, which has several names."""
    if not isinstance(name, str):
        raise WeftTypeError(f"requirements are names, not a {type(name).__name__}")
    if name.upper() not in _MEANINGS:
        raise KeyError(name.upper())
    return _MEANINGS[name.upper()]


def require(
    a: ArrayLike, dtype: DTypeLike | None = None, requirements: Any = None, *, like: Any = None
) -> ArrayResult:
    """The array itself if it meets requirements, else a copy, as `numpy.require`.

    Shape: that of a. Dtype: `dtype`, or that of a. Requirements are "C" and "F"; arrays that functions make are
    aligned, writable and own their data. Raises `ValueError` for "C" and "F" together, `KeyError` for unknown ones,
    `UnsupportedError` for requirements that a traced array meets depending on the caller.

    >>> weft.require(np.array([1, 2]), weft.float32, ["C", "A"])
    array([1., 2.], dtype=float32)
    """
    names = [requirements] if isinstance(requirements, str) else requirements or ()
    wanted = {_meaning(name) for name in names}
    if {"C", "F"} <= wanted:
        raise WeftValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else "K"
    if not isinstance(a, TracedArray):
        return array(a, dtype, copy=True, order=order)
    made = asarray(a, dtype, order)
    if wanted & {"A", "W", "O"} and made._storage.argument is not None:
        raise UnsupportedError(
            "whether an argument is aligned, writable and owns its data is known to the caller only; write "
            "x.copy() for an array that does"
        )
    return made.copy() if "O" in wanted and made._path else made
