"""Contiguous copies of arguments: the same numbers for every layout, in memory that is used again."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.dispatch import copying
from weft.backend.cpu.memory.limit import POOLED_BYTES
from weft.backend.cpu.native_python.layout import TYPE_SIZE
from weft.dialect.errors import InternalError

DTYPES = ["bool", "int8", "float16", "int32", "float32", "float64", "complex64", "complex128"]
SHAPES = [
    (300, 400),
    (1, 300, 400),
    (5, 70, 300),
    (3, 70, 5, 90),
    (257, 1030, 1),
    (33, 4000),
    (17, 8001),
    (15, 9000),
    (2, 1, 2, 1, 200, 201),
]


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)


def owner(array: np.ndarray[Any, Any]) -> str:
    name: str = np._core.multiarray.get_handler_name(array)  # type: ignore[attr-defined]
    return name


@pytest.mark.sampled
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_order_of_axes(dtype: str, shape: tuple[int, ...]) -> None:
    array = numbers(shape, dtype)
    orders = list(itertools.permutations(range(len(shape))))
    for order in orders[:: max(1, len(orders) // 24)]:
        for view in (array, array[..., ::-1], array[::-1], array[:, ::2], array[:, :-1]):
            turned = view.transpose(order)
            copy = copying.contiguous(turned)
            assert copy.flags.c_contiguous
            assert copy.flags.owndata
            assert copy.dtype == turned.dtype
            np.testing.assert_array_equal(copy, turned)


@pytest.mark.parametrize("edge", [15, 16, 17, 31, 32, 33])
def test_squares_at_the_edges(edge: int) -> None:
    array = numbers((edge, 20_000), "float32")
    np.testing.assert_array_equal(copying.contiguous(array.T), array.T)
    np.testing.assert_array_equal(copying.contiguous(np.asfortranarray(array)), array)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(300_000, dtype=">f4")[::-2],
        np.arange(300_000, dtype=">f4").reshape(500, 600).T,
        np.broadcast_to(np.arange(500.0), (300, 500)),
        np.broadcast_to(np.arange(500.0)[:, None], (500, 300)),
        np.arange(30.0)[::3],
        np.zeros((3, 0, 100_000)).T,
        np.arange(200_000, dtype="f8").reshape(400, 500).T.view(np.matrix),
        np.frombuffer(bytes(range(256)) * 5000, np.uint8)[1 : 1 + 8 * 150_000].view("f8").reshape(300, 500).T,
    ],
    ids=["swapped", "swapped and turned", "rows", "columns", "small", "empty", "matrix", "misaligned"],
)
def test_other_arrays(array: Any) -> None:
    copy = copying.contiguous(array)
    assert type(copy) is np.ndarray
    assert copy.flags.c_contiguous
    assert copy.flags.aligned
    assert copy.dtype.isnative
    np.testing.assert_array_equal(copy, array)
    assert (owner(copy) == "weft result pool") == (array.nbytes >= POOLED_BYTES)


def test_neither_copies_nor_types_lose_references() -> None:
    array, dtype = np.ones((300, 400)).T, np.dtype("f8")
    copying.contiguous(array)
    before = sys.getrefcount(array), sys.getrefcount(dtype)
    for _ in range(1000):
        copying.contiguous(array)
    assert (sys.getrefcount(array), sys.getrefcount(dtype)) == before


def test_a_copy_for_which_there_is_no_memory_is_an_error() -> None:
    array = np.broadcast_to(np.float64(1), (1 << 30, 1 << 15))
    with pytest.raises(MemoryError, match="Unable to allocate"):
        copying.contiguous(array)


def test_native_code_copies_as_numpy_does() -> None:
    native = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_int)
    copy = native(copying.copies().new_copy_address)
    for array in (np.arange(12.0).reshape(3, 4).T, numbers((300, 400), "float32").T):
        np.testing.assert_array_equal(copy(array, 0), array)
        assert copy(array, 0).flags.c_contiguous


def test_an_unknown_layout_of_types_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "TYPE_SIZE", TYPE_SIZE + 8)
    with pytest.raises(InternalError, match="unknown strides"):
        copying.Copies()


@pytest.mark.parametrize("turned", [lambda x: x.T, np.asfortranarray, lambda x: x[::2], lambda x: x[:, ::-1]])
def test_compiled_functions_take_every_layout(turned: Any) -> None:
    @weft.function
    def both(x: Any, y: Any) -> Any:
        return x + 1, x.sum(), y * 2

    x, y = turned(numbers((600, 500), "float64")), np.ones(3)
    for _ in range(3):  # by Python, and by native code
        first, second, _third = both(x, y)
        np.testing.assert_array_equal(first, x + 1)
        assert second == x.sum()
    again = turned(numbers((600, 500), "float64") + 5)
    np.testing.assert_array_equal(both(again, y)[0], again + 1)


def test_arrays_that_are_written_are_written_in_their_layout() -> None:
    @weft.function
    def update(x: Any) -> None:
        x += 1

    x = np.asfortranarray(numbers((300, 500), "float32"))
    wanted = x + 2
    update(x)
    update(x)
    np.testing.assert_array_equal(x, wanted)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not count page faults this way")
def test_copies_cause_no_page_faults_after_the_first_few() -> None:
    source = """if True:
        import resource, numpy as np, weft
        @weft.function
        def plus(x, y):
            return x.sum() + y.sum()
        @weft.function
        def update(x):
            x += 1
        x, y = np.ones((512, 1024), np.float32), np.ones((2, 300, 400))
        for i in range(60):
            if i == 10:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            plus(x.T, y[:, ::-1])
            update(x.T)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    """
    # The C library maps every large block, as it does until something of the size was freed.
    environment = {"MALLOC_MMAP_THRESHOLD_": "65536", "PATH": ""}
    found = subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=100,
    )
    assert int(found.stdout) < 20  # it is a thousand a call without the pool
