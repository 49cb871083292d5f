"""Objects that can be read as arrays: those with rules of their own are refused, carriers of elements are data."""

from __future__ import annotations

import array
import ctypes
import dataclasses

import numpy as np
import pytest

import weft
from support.native_calls import native_calls
from weft.backend.cpu.dispatch.objects import is_supported

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


@pytest.mark.parametrize("make", ["Series", "DataFrame"])
def test_pandas(make):
    pandas = pytest.importorskip("pandas")
    value = getattr(pandas, make)(np.ones((2, 2)) if make == "DataFrame" else X)
    with pytest.raises(weft.WeftTypeError, match=f"{make}, which computes by rules of its own"):
        weft.function(lambda x: x.sum())(value)
    expected = value.to_numpy().sum()
    assert weft.function(lambda x: x.sum())(value.to_numpy()) == expected


def test_xarray():
    xarray = pytest.importorskip("xarray")
    value = xarray.DataArray(X, dims=["row"])
    found = weft.function(lambda x: np.tanh(x) * 2)(value)
    xarray.testing.assert_allclose(found, np.tanh(value) * 2)


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


class Interface:
    """Memory that `__array_interface__` describes."""

    def __init__(self, held):
        self.held = held
        self.__array_interface__ = held.__array_interface__


class Exchanged:
    """Memory that DLPack exchanges, and nothing else."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **options):
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()


class Converted(Exchanged):
    """As a tensor of another library on the processor."""

    def __array__(self, dtype=None, copy=None):
        return self.held


def in_ctypes(held):
    return (ctypes.c_double * len(held)).from_buffer(held)


CARRIERS = [Interface, Exchanged, Converted, memoryview, in_ctypes]


@pytest.mark.parametrize("carry", CARRIERS)
class TestCarriers:
    def test_calls_run_natively_on_their_memory(self, carry):
        @weft.function
        def f(x, y):
            x[0] += 1
            return x + y

        held, other = np.zeros(3), np.arange(3.0)
        x, y = carry(held), carry(other)
        for count in range(1, 6):
            np.testing.assert_array_equal(f(x, y), [count, 1, 2])
            assert held[0] == count
        assert f.trace_count == 1
        assert not is_supported() or native_calls(f) == 3
        np.testing.assert_array_equal(f(carry(np.ones(2)), carry(np.ones(2))), [3, 2])

    def test_one_that_comes_twice_is_one_array(self, carry):
        @weft.function
        def f(x, y):
            x[0] = 5
            return y * 2

        held = np.ones(3)
        x = carry(held)
        for _ in range(4):
            held[0] = 1
            np.testing.assert_array_equal(f(x, x), [10, 2, 2])
        assert f.trace_count == 1
        assert not is_supported() or native_calls(f) == 2

    def test_what_cannot_be_written(self, carry):
        @weft.function
        def f(x):
            x[0] = 1
            return x

        held = np.zeros(3)
        for _ in range(3):
            f(carry(held))
        locked = np.zeros(3)
        locked.flags.writeable = False
        if carry is in_ctypes:
            return  # it takes none
        with pytest.raises((ValueError, weft.WeftTypeError), match=r"read-only|readonly"):
            f(carry(locked))
        assert locked[0] == 0

    @pytest.mark.parametrize("size", [3, 500])
    def test_found_outside_it_is_read_at_each_call(self, carry, size):
        held = np.arange(float(size))
        carrier = carry(held)
        uses = [lambda x: x + np.from_dlpack(carrier)]
        if carry is not Exchanged:
            uses = [
                lambda x: x + np.asarray(carrier) + np.concatenate([x, carrier])[:size],
                lambda x: np.sqrt(carrier) + carrier + x,
            ]
        for use in uses:
            f, x = weft.function(use), np.ones(size)
            for first in (0, 7):
                held[0] = first
                np.testing.assert_allclose(f(x), use(x), rtol=1e-15)


def test_a_tensor_on_a_gpu_and_one_that_cannot_be_read_go_the_long_way():
    class Moving(Converted):
        where = 1

        def __dlpack_device__(self):
            return self.where, 0

    f = weft.function(lambda x: x + 1)
    x = Moving(np.zeros(2))
    for _ in range(3):
        f(x)
    x.where = 2
    with pytest.raises(weft.WeftError):
        f(x)

    class Failing(Converted):
        fails = False

        def __array__(self, dtype=None, copy=None):
            if self.fails:
                raise RuntimeError("it needs gradients")
            return super().__array__()

    x = Failing(np.zeros(2))
    for _ in range(3):
        f(x)
    x.fails = True
    with pytest.raises(
        weft.WeftTypeError, match="argument 'x' cannot be read as an array: it needs gradients"
    ):
        f(x)


@pytest.mark.skipif(not is_supported(), reason="calls go through Python here")
def test_what_an_input_signature_takes_goes_the_native_way():
    f = weft.function(
        lambda x, y: x * 2 + y,
        input_signature=[weft.TensorSpec((), "float64"), weft.TensorSpec((None,), "float64")],
    )
    for x, y in [(1.5, [1, 2]), (2, (1.0, 2.0, 3.0)), (np.float64(4), np.ones(2)), (np.array(1.0), [5])]:
        for _ in range(5):
            np.testing.assert_array_equal(f(x, y), x * 2 + np.array(y, float))
    assert f.trace_count == 2, "an extent of 1 is known"
    assert native_calls(f) >= 4
    with pytest.raises(weft.WeftTypeError, match="argument 'y' must be"):
        f(1.5, [[1.0], [2.0]])


def test_arrays_of_python_are_lists():
    for value in (array.array("d", [1, 2]), bytearray(b"ab")):
        with pytest.raises(weft.UnsupportedError, match=r"np\.asarray\(x\), which shares its memory"):
            weft.function(lambda x: np.sin(x))(value)
        f = weft.function(lambda x: x + 1)
        for first in (3, 4):
            value[0] = first
            np.testing.assert_array_equal(f(np.asarray(value)), np.asarray(value) + 1)
