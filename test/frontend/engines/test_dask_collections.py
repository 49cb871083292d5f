"""What Dask and xarray offer for functions of blocks takes compiled functions as they are."""

from __future__ import annotations

import numpy as np
import pytest

import weft

da = pytest.importorskip("dask.array")


@weft.function
def double_tanh(x):
    if np.sum(x) > 1e9:
        return x
    return np.tanh(x) * 2


@weft.function
def smoothed(u):
    return np.pad(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]), 1)


@weft.function
def squares(x):
    return np.sum(x * x, axis=-1)


N = np.random.default_rng(0).normal(size=(20, 12))
X = da.from_array(N, chunks=(7, 5))


def padded_smooth(n):
    p = np.pad(n, 1)
    return 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: X.map_blocks(double_tanh), np.tanh(N) * 2),
        (lambda: X.map_blocks(double_tanh, dtype=float, meta=np.empty((0, 0))), np.tanh(N) * 2),
        (lambda: da.blockwise(double_tanh, "ij", X, "ij", dtype=float), np.tanh(N) * 2),
        (lambda: X.map_overlap(smoothed, depth=1, boundary=0.0), padded_smooth(N)),
        (
            lambda: da.apply_gufunc(squares, "(i)->()", X.rechunk({1: -1}), output_dtypes=float),
            np.sum(N * N, axis=-1),
        ),
    ],
    ids=["map_blocks", "map_blocks with meta", "blockwise", "map_overlap", "apply_gufunc"],
)
def test_collections_take_functions(make, wanted):
    np.testing.assert_allclose(make().compute(scheduler="threads"), wanted, rtol=1e-12)


def test_xarray_takes_functions():
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(X, dims=("a", "b"))
    made = xarray.apply_ufunc(double_tanh, array, dask="parallelized", output_dtypes=[float])
    assert made.dims == ("a", "b")
    np.testing.assert_allclose(made.compute(scheduler="threads"), np.tanh(N) * 2, rtol=1e-12)
