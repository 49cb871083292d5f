"""Arrays of xarray: results of their shape keep their labels."""

from __future__ import annotations

import numpy as np
import pytest

import weft

xarray = pytest.importorskip("xarray")
N = np.random.default_rng(1).normal(size=(6, 4))
ARRAY = xarray.DataArray(N, dims=("t", "s"), coords={"t": np.arange(6) * 10}, name="heat")


@weft.function
def centred(x):
    return x - x.mean(axis=0)


@pytest.mark.parametrize("is_lazy", [False, True])
def test_labels_are_kept(is_lazy):
    given = ARRAY
    if is_lazy:
        pytest.importorskip("dask")
        given = ARRAY.chunk({"t": 4})
    made = centred(given)
    assert (made.dims, made.name, list(made.t)) == (ARRAY.dims, "heat", list(ARRAY.t))
    assert (made.chunks is not None) == is_lazy
    np.testing.assert_allclose(made.values, N - N.mean(axis=0), rtol=1e-12)


def test_what_has_another_shape_has_no_labels():
    made = weft.function(lambda x: x.sum(axis=0))(ARRAY)
    assert isinstance(made, np.ndarray)
    np.testing.assert_allclose(made, N.sum(axis=0))


def test_labels_that_differ_are_refused():
    add = weft.function(lambda x, y: x + y)
    with pytest.raises(weft.WeftValueError, match=r"different labels along 't'.*xarray\.align"):
        add(ARRAY, ARRAY.assign_coords(t=np.arange(6)))
    with pytest.raises(weft.WeftValueError, match=r"dimensions in the orders \('t', 's'\) and \('s', 't'\)"):
        add(ARRAY, ARRAY.T)
