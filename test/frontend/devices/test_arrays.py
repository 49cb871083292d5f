"""Arrays that lie on a device: what NumPy says of the same program is what they give."""

from __future__ import annotations

import copy
import operator
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.arrays.array import _operations
from weft.backend.gpu.driver.memory import Memory
from weft.dialect.errors import OverlapError

X = np.arange(24.0).reshape(2, 3, 4)


def test_arrays_go_there_and_come_back() -> None:
    for letter in "?bhilBHILefdFD":
        array = (np.arange(12) % 5).astype(letter).reshape(3, 4)
        there = weft.device_put(array)
        assert isinstance(there, weft.DeviceArray)
        assert (there.dtype, there.shape, there.device) == (array.dtype, (3, 4), "cuda:0")
        assert (there.ndim, there.size, there.itemsize, there.nbytes) == (2, 12, array.itemsize, array.nbytes)
        np.testing.assert_array_equal(np.asarray(there), array)
    assert np.asarray(weft.device_put(np.zeros((0, 3)))).shape == (0, 3)
    assert float(weft.device_put(2.5)) == 2.5
    np.testing.assert_array_equal(weft.device_put(X.T), X.T)
    np.testing.assert_array_equal(weft.device_put(X.astype(">f8")), X)
    assert type(weft.device_put(weft.device_put(X), "cpu")) is np.ndarray
    there = weft.device_put(X)
    assert weft.device_put(there) is there.to_device("cuda:0") is there
    np.testing.assert_array_equal(there.to_device("cuda:1"), X)
    assert there.to_device("cuda:1").device == "cuda:1"


def test_gpus_copy_from_each_other_without_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    there, row = weft.device_put(X), weft.device_put(X)[:, 1]

    def copy_out(*_: Any) -> None:
        raise AssertionError("the host has copied")

    with monkeypatch.context() as patched:
        patched.setattr(Memory, "copy_out", copy_out)
        copies = [array.to_device("cuda:1") for array in (there, row, there[:0], there[1, 1, ...])]
        there += 1  # behind the copies
        back = copies[0].to_device("cuda:0")
    assert [array.device for array in (*copies, back)] == [*["cuda:1"] * 4, "cuda:0"]
    for array, expected in zip([*copies, back], (X, X[:, 1], X[:0], X[1, 1], X), strict=True):
        np.testing.assert_array_equal(array, expected)
    np.testing.assert_array_equal(there, X + 1)


@pytest.mark.parametrize(
    "key", [1, -1, (0, ..., 1), (slice(None), None, slice(2, 0, -1)), ..., (1, 2, 3, ...)]
)
def test_views_share_memory(key: Any) -> None:
    host, there = X.copy(), weft.device_put(X)
    view = there[key]
    np.testing.assert_array_equal(np.asarray(view), host[key])
    there[:] = weft.device_put(X + 100)
    np.testing.assert_array_equal(np.asarray(view), (X + 100)[key])
    view[...] = -1.0
    host[:] = X + 100
    host[key] = -1.0
    np.testing.assert_array_equal(there, host)


def test_elements_are_numbers_of_their_own() -> None:
    there = weft.device_put(np.arange(4.0))
    there[0], there[1] = there[1], there[0]
    total = there[0]
    for number in there[1:]:
        total += number
    assert float(total) == 6.0
    np.testing.assert_array_equal(there, [1, 0, 2, 3])
    there[2] += 5
    np.testing.assert_array_equal(there, [1, 0, 7, 3])


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.__setitem__(slice(None, -1), x[1:]),
        lambda x: x.__setitem__(slice(1, None), x[:-1]),
        lambda x: x.__setitem__(slice(None), x[::-1]),
        lambda x: x.__setitem__(slice(None), x.T),
        lambda x: x.__setitem__(slice(None), x[0]),
        lambda x: x.__setitem__([0, 2], x[1:]),
        lambda x: x[1:].__iadd__(x[:-1]),
        lambda x: x.__imul__(x.T),
        lambda x: x.__setitem__(slice(None, None, 2), x[::2] * 2),
        lambda x: operator.setitem(x, slice(None, None, 2), operator.imul(x[::2], 2)),
        lambda x: np.add(x[:-1], x[1:], out=x[1:]),
        lambda x: np.matmul(x, x.T, out=x),
        lambda x: np.cumsum(x, axis=0, out=x),
        lambda x: np.copyto(x, x[::-1]),
        lambda x: np.copyto(dst=x, src=x[::-1]),
        lambda x: np.add.at(x, [0, 0, 1], x),
    ],
)
def test_what_is_written_may_overlap_with_what_is_read(write: Any) -> None:
    host = np.arange(9.0).reshape(3, 3)
    there = weft.device_put(host)
    write(host)
    write(there)
    np.testing.assert_array_equal(there, host)


def test_functions_do_not_take_copies_of_what_overlaps() -> None:
    @weft.function
    def f(a: Any, b: Any) -> None:
        a += b

    there = weft.device_put(X)
    with pytest.raises(
        OverlapError, match="'a' and 'b' of f overlap in memory and the function writes to 'a'"
    ):
        f(there[0], there[0, ::-1])


def test_parts_of_complex_numbers_are_views() -> None:
    host = X + 1j
    there = weft.device_put(host)
    for array in (host, there):
        array.real = 3
        array.imag[0] = array.real[1]
    np.testing.assert_array_equal(there, host)
    real = weft.device_put(X)
    assert real.real is real
    np.testing.assert_array_equal(real.imag, X.imag)
    with pytest.raises(TypeError, match="array does not have imaginary part to set"):
        real.imag = 3


def test_arrays_have_orders() -> None:
    there = weft.device_put(X)
    for order in "CFAK":
        for found, expected in [
            (there.T.ravel(order), X.T.ravel(order)),
            (there.reshape(4, 6, order=order), X.reshape(4, 6, order=order)) if order != "K" else (there, X),
            (there.T.copy(order), X.T.copy(order)),
        ]:
            np.testing.assert_array_equal(found, expected)
        assert there.T.copy(order).flags.f_contiguous == X.T.copy(order).flags.f_contiguous
        assert order == "K" or there.T.tobytes(order) == X.T.tobytes(order)
    assert there.reshape(-1, copy=True).address != there.address
    assert there.flags.c_contiguous
    assert there[0].base is None


def test_membership() -> None:
    there = weft.device_put(X)
    assert 3 in there
    assert 24.0 not in there
    assert there in [there]


def test_operations_do_not_warn_of_their_many_types() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", weft.RetracingWarning)
        for size in range(1, 9):
            assert float((weft.device_put(np.ones(size)) + 1).sum()) == 2 * size


def test_shapes_are_views_where_those_of_numpy_are() -> None:
    there = weft.device_put(X)
    for found, expected in [
        (there.T, X.T),
        (there.mT, X.mT),
        (there.transpose(1, 0, 2), X.transpose(1, 0, 2)),
        (there.swapaxes(0, 1), X.swapaxes(0, 1)),
        (there.reshape(6, 4), X.reshape(6, 4)),
        (there.ravel(), X.ravel()),
    ]:
        assert found.address == there.address
        np.testing.assert_array_equal(found, expected)
    copied = there.T.reshape(-1)
    assert copied.address != there.address
    np.testing.assert_array_equal(copied, X.T.reshape(-1))
    np.testing.assert_array_equal(np.stack([np.asarray(row) for row in there]), X)
    assert len(there) == 2


@pytest.mark.parametrize("letter", "bhidD")
def test_copies_of_any_strides(letter: str) -> None:
    array = X.astype(letter)
    there = weft.device_put(array)
    for key in [(..., slice(None, None, -1)), (slice(None), 1), (..., slice(None, None, 3)), (1, ..., 1)]:
        np.testing.assert_array_equal(there.T[key].copy(), array.T[key])
        np.testing.assert_array_equal(copy.deepcopy(there[key]), array[key])
    np.testing.assert_array_equal(
        weft.device_put(np.broadcast_to(array[:, :1], (2, 3, 4))), array[:, [0] * 3]
    )


def test_numpy_computes_on_the_device() -> None:
    there = weft.device_put(X)
    for found, expected in [
        (there + 1, X + 1),
        (2 / (there + 1), 2 / (X + 1)),
        (np.where(there > 3, there, 0), np.where(X > 3, X, 0)),
        (there[[1, 0], 0], X[[1, 0], 0]),
        (there.astype("int32"), X.astype("int32")),
        (there.max(axis=1), X.max(axis=1)),
        (there.real, X.real),
    ]:
        assert type(found) is weft.DeviceArray
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    compiled = len(_operations[0]._functions)
    for _ in range(2):
        np.testing.assert_array_equal(there.real, X)
        np.testing.assert_array_equal(there.max(axis=1), X.max(axis=1))
    assert len(_operations[0]._functions) == compiled  # one function for each name
    there += 1
    there[there > 20] = 0
    np.add(there, there, out=there)
    expected = X + 1
    expected[expected > 20] = 0
    np.testing.assert_array_equal(there, 2 * expected)


def test_the_namespace_computes_on_the_device() -> None:
    there = weft.device_put(X)
    xp: Any = there.__array_namespace__(api_version="2024.12")
    for found, expected in [
        (xp.concat([there, X]), np.concat([X, X])),
        (xp.sum(there, axis=1), X.sum(axis=1)),
        (xp.matmul(there, xp.matrix_transpose(there)), X @ X.mT),
        (xp.take(there, weft.device_put(np.array([1, 0])), axis=2), X[..., [1, 0]]),
        (xp.linalg.diagonal(there), X.diagonal(axis1=-2, axis2=-1)),
        (xp.fft.fft(there), np.fft.fft(X)),
        (xp.unique_values(there), X.ravel()),
        (xp.broadcast_arrays(there, there[0])[1], np.stack([X[0]] * 2)),
        (xp.astype(there, xp.int32), X.astype("i4")),
        (xp.zeros_like(there), np.zeros_like(X)),
        (xp.full((2,), 3.0, device="cuda"), np.full(2, 3.0)),
    ]:
        assert type(found) is weft.DeviceArray
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert xp.result_type(there, xp.float32) == np.float64
    np.testing.assert_array_equal(xp.concat([X, X]), np.concat([X, X]))
    assert xp.sum is xp.sum
    assert dir(xp) == dir(weft)
    assert xp.pi is weft.pi
    with pytest.raises(AttributeError, match="no attribute 'summ'; did you mean"):
        xp.summ  # noqa: B018
    with pytest.raises(ValueError, match=r"weft implements version 2025\.12 of the Array API, not 2999"):
        there.__array_namespace__(api_version="2999.12")

    @weft.function
    def scaled(x: Any) -> Any:
        return xp.sum(x) * xp.concat([there, x])

    np.testing.assert_array_equal(scaled(there), X.sum() * np.concat([X, X]))


def test_elements_are_python_numbers() -> None:
    there = weft.device_put(np.array([[3, 4]]))
    assert (there.item(0, 1), there.item(1), there.item((0, 0)), there[0, 0].item()) == (4, 4, 3, 3)
    assert there.tolist() == [[3, 4]]
    assert (int(there[0, 0]), complex(there[0, 0]), bool(there[0, 0]), [10, 11, 12, 13][there[0, 0]]) == (
        3,
        3,
        True,
        13,
    )
    assert (round(there[0, 1] / 3, 1), round(there[0, 1] / 3)) == (1.3, 1)
    assert repr(there) == "DeviceArray([[3, 4]], device='cuda:0')"
    assert str(there) == "[[3 4]]"
    assert f"{there} {there[0, 1] / 3:.2f}" == "[[3 4]] 1.33"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(there)), [[3, 4]])
    for wrong, error in [
        (lambda: hash(there), TypeError),
        (lambda: len(there[0, 0]), TypeError),
        (lambda: there[7], IndexError),
        (lambda: there.nothing, AttributeError),
        (lambda: there.data, AttributeError),
        (lambda: operator.index(there), TypeError),
        (lambda: round(there), TypeError),
        (lambda: there.__array__(copy=False), ValueError),
    ]:
        with pytest.raises(error):
            wrong()


def test_deleted_memory_is_not_used() -> None:
    there = weft.device_put(X)
    view = there[0]
    there.delete()
    for use in (lambda: np.asarray(view), lambda: view + 1, lambda: weft.function(lambda x: x + 1)(there)):
        with pytest.raises(weft.DeviceError, match="the array was deleted: its memory was given back"):
            use()


def test_arrays_are_made_on_a_device() -> None:
    x = weft.zeros((2, 3), device="cuda:1")
    values, step = weft.linspace(0, 1, 3, retstep=True, device="cuda")
    for made, expected, device in [
        (x, np.zeros((2, 3)), "cuda:1"),
        (weft.ones_like(x, dtype="int32"), np.ones((2, 3), np.int32), "cuda:1"),
        (weft.full_like(x, 7, device="cuda:0"), np.full((2, 3), 7.0), "cuda:0"),
        (weft.zeros_like(X[0], device="cuda"), np.zeros((3, 4)), "cuda:0"),
        (weft.eye(2, device="cuda"), np.eye(2), "cuda:0"),
        (weft.asarray([1, 2], device="cuda"), np.array([1, 2]), "cuda:0"),
        (values, np.linspace(0, 1, 3), "cuda:0"),
    ]:
        assert (made.device, made.dtype) == (device, expected.dtype)
        np.testing.assert_array_equal(made, expected)
    assert step == 0.5
    assert isinstance(weft.empty_like(x, device="cpu"), np.ndarray)
    assert weft.__array_namespace_info__().devices() == ("cpu", "cuda:0", "cuda:1")


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("shape", [(), 0, (3, 0), 5, (7, 30_001)])
def test_filled_arrays_are_made_there(shape: Any, dtype: str) -> None:
    for value in (0, 1, -0.0, 2.5):
        made = weft.full(shape, value, dtype, device="cuda")
        expected = np.full(shape, value, dtype)
        assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
        assert np.asarray(made).tobytes() == expected.tobytes()


def test_what_is_filled_broadcasts() -> None:
    row = np.arange(3)
    for value in (row, weft.device_put(row), weft.device_put(np.float32(2))):
        made = weft.full((2, 3), value, device="cuda")
        expected = np.full((2, 3), np.asarray(value))
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(weft.empty(3, device="cuda"), np.zeros(3))


def test_filled_arrays_that_cannot_be() -> None:
    for shape in (1 << 50, (1 << 20, 1 << 30)):
        for make in (weft.zeros, weft.ones, weft.empty):
            with pytest.raises(weft.DeviceMemoryError, match=r"GiB|TiB|PiB|bytes"):
                make(shape, device="cuda")
    for shape, value in [(-1, 0), ((2, -3), 1), ((1 << 40, 1 << 40), 0), ((2, 2), np.arange(3))]:
        with pytest.raises(ValueError):  # noqa: PT011  (each in words of its own, of NumPy)
            weft.full(shape, value, device="cuda")
    with pytest.raises(TypeError):
        weft.zeros(2.5, device="cuda")
    with pytest.raises(OverflowError):
        weft.full(3, 300, "uint8", device="cuda")
