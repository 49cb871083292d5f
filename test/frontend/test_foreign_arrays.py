"""Objects that can be read as arrays: those with rules of their own are refused, carriers of elements are data."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weft

X = np.arange(3.0)


class Carrier:
    """Elements, and nothing to compute with."""

    def __array__(self, dtype=None, copy=None):
        return X.astype(dtype or X.dtype)


class Tensor(Carrier):
    """What DLPack exchanges, with the arithmetic of its library."""

    def __dlpack__(self, **options):
        return X.__dlpack__(**options)

    def __dlpack_device__(self):
        return X.__dlpack_device__()

    def __add__(self, other):
        return self


class Labelled(Carrier):
    """As pandas and xarray: calls of NumPy are answered by the object."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return self

    def to_numpy(self):
        return X


class Quantity(Carrier):
    """Arithmetic of its own."""

    def __mul__(self, other):
        return self


class Dispatching(Carrier):
    """As dask: functions of NumPy are answered by the object."""

    def __array_function__(self, function, types, args, kwargs):
        return self


@dataclasses.dataclass
class Batch:
    rows: object


@pytest.mark.parametrize("value", [Carrier(), Tensor()])
def test_carriers_of_elements_are_data(value):
    f = weft.function(lambda x: x * 2)
    np.testing.assert_array_equal(f(value), X * 2)
    np.testing.assert_array_equal(weft.function(lambda x: x + np.asarray(value))(X), X * 2)


@pytest.mark.parametrize("value", [Labelled(), Quantity(), Dispatching()])
def test_objects_with_rules_of_their_own_are_refused(value):
    kind = type(value).__name__
    message = rf"is a .*{kind}, which computes by rules of its own.*pass its elements"
    f = weft.function(lambda x: x)
    for given in (value, [value], {"a": value}, Batch(value)):
        with pytest.raises(weft.WeftTypeError, match=f"argument 'x.*{message}"):
            f(given)
    held = [value]
    for use in (
        lambda x: x + value,
        lambda x: value * 2,
        lambda x: np.add(x, value),
        lambda x: np.concatenate([x, held[0]]),
        lambda x: np.asarray(value) + x,
        lambda x: x.dot(value),
        lambda x: np.mean(value) + x,
    ):
        with pytest.raises(weft.WeftTypeError, match=message):
            weft.function(use)(X)


@pytest.mark.parametrize(
    ("library", "make"), [("pandas", "Series"), ("pandas", "DataFrame"), ("xarray", "DataArray")]
)
def test_pandas_and_xarray(library, make):
    module = pytest.importorskip(library)
    value = getattr(module, make)(np.ones((2, 2)) if make == "DataFrame" else X)
    with pytest.raises(weft.WeftTypeError, match=f"{make}, which computes by rules of its own"):
        weft.function(lambda x: x.sum())(value)
    expected = value.to_numpy().sum()
    assert weft.function(lambda x: x.sum())(value.to_numpy()) == expected


def test_states_of_floating_point_errors():
    @weft.function
    def quiet(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            return 1 / x

    assert quiet(np.float64(0)) == np.inf

    @weft.function
    def loud(x):
        with np.errstate(divide="raise"):
            return 1 / x

    with pytest.raises(
        weft.UnsupportedError, match=r"np.errstate\(divide='raise'\) is not followed.*np.isfinite"
    ):
        loud(np.float64(0))
