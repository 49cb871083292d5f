"""What NumPy forbids is refused: bools for extents and axes, values of other kinds, more axes than arrays have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from support.interpreted import interpreted

np: Any = numpy  # whose signatures forbid most of this
CALLS: dict[str, Callable[..., Any]] = {
    "ediff1d_end": lambda x, i, m, c: np.ediff1d(i, to_end=np.nan),
    "ediff1d_begin": lambda x, i, m, c: np.ediff1d(i, to_begin=1.5),
    "ediff1d_array": lambda x, i, m, c: np.ediff1d(i, to_end=x),
    "ediff1d_complex": lambda x, i, m, c: np.ediff1d(x, to_end=1j),
    "quantile": lambda x, i, m, c: np.quantile(c, 0.5),
    "percentile": lambda x, i, m, c: np.percentile(c, 50),
    "quantile_places": lambda x, i, m, c: np.quantile(x, 0.5j),
    "reshape": lambda x, i, m, c: np.reshape(x, (True, -1)),
    "reshape_method": lambda x, i, m, c: x.reshape(True, -1),
    "reshape_numpy": lambda x, i, m, c: x.reshape((np.True_, -1)),
    "broadcast_to": lambda x, i, m, c: np.broadcast_to(x, (True, 6)),
    "sum_axis": lambda x, i, m, c: np.sum(m, axis=True),
    "max_axis": lambda x, i, m, c: m.max(axis=False),
    "new_axes": lambda x, i, m, c: x[(None,) * 65],
    "one_axis_too_many": lambda x, i, m, c: x[(None,) * 64],
    "many_indices": lambda x, i, m, c: x[(0,) * 65],
    "correlate": lambda x, i, m, c: np.correlate(x, []),
    "average": lambda x, i, m, c: np.average(x, weights=x[:2]),
    "cov": lambda x, i, m, c: np.cov(m, ddof=1.5),
    "apply_along_axis": lambda x, i, m, c: np.apply_along_axis(np.sum, 3, x),
    "fill": lambda x, i, m, c: x.fill([1, 2]),
}
ALLOWED: dict[str, Callable[..., Any]] = {
    "ediff1d": lambda x, i, m, c: (np.ediff1d(i, to_end=[1, 2]), np.ediff1d(x, to_begin=i, to_end=7)),
    "axes": lambda x, i, m, c: (np.sort(m, axis=True), np.sum(m, axis=np.int8(1)), np.ones((1,) * 64)),
    "new_axes": lambda x, i, m, c: (x[(None,) * 63].shape, x[(0,) + (None,) * 64].shape),
    "average": lambda x, i, m, c: (np.average(m, weights=[1, 2], axis=1), np.average(m, weights=m)),
    "cov": lambda x, i, m, c: np.cov(m, ddof=0),
    "reshape": lambda x, i, m, c: x.reshape(np.int8(2), -1),
}


def arguments() -> list[Any]:
    return [
        np.arange(6.0) - 1,
        np.array([3, 1, 2]),
        np.array([[2.0, 1.0], [1.0, 3.0]]),
        np.array([1 + 2j, 3j, 2]),
    ]


@pytest.mark.parametrize("name", CALLS)
def test_what_numpy_forbids(name: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError)) as eager:
        CALLS[name](*arguments())
    with pytest.raises(_builtin(eager.type)):
        interpreted(CALLS[name])(*arguments())


def _builtin(error: type[BaseException]) -> type[BaseException]:
    return next(base for base in error.__mro__ if base.__module__ == "builtins")


@pytest.mark.parametrize("name", ALLOWED)
def test_what_numpy_allows(name: str) -> None:
    expected, got = ALLOWED[name](*arguments()), interpreted(ALLOWED[name])(*arguments())
    for one, other in zip(expected, got, strict=True):
        np.testing.assert_allclose(one, other)
