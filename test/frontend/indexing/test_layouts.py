"""What is a view and what a copy follows NumPy for arguments however they lie in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.layouts import LAYOUTS, laid_out, shared
from support.native_calls import native_calls

A = np.arange(12.0).reshape(3, 4)

MAKERS: dict[str, Callable[[Any], Any]] = {
    "ravel": lambda x: x.ravel(),
    "ravel F": lambda x: np.ravel(x, "F"),
    "ravel A": lambda x: np.ravel(x, "A"),
    "ravel K": lambda x: x.ravel("K"),
    "reshape": lambda x: x.reshape(-1),
    "reshape F": lambda x: x.reshape(-1, order="F"),
    "reshape A": lambda x: np.reshape(x, (2, -1), order="A"),
    "flatten K": lambda x: x.flatten("K"),
    "astype": lambda x: x.astype(x.dtype, copy=False),
    "astype F": lambda x: x.astype(x.dtype, order="F", copy=False),
    "ascontiguousarray": np.ascontiguousarray,
    "asfortranarray": np.asfortranarray,
    "require": lambda x: np.require(x, requirements="C"),
    "array": lambda x: np.array(x, copy=None, order="F"),
    "of a transposed one": lambda x: x.T.ravel(),
    "of rows": lambda x: x[1:].reshape(-1),
    "of columns": lambda x: x[:, 1:].reshape(-1),
    "of a copy": lambda x: np.copy(x).ravel("K"),
    "of zeros": lambda x: np.zeros_like(x).ravel(),
}

pytestmark = pytest.mark.optimised  # programs show what is assumed of memory where LLVM makes use of it


def _written_both_ways(x: Any) -> list[Any]:
    """For each way the array made, after a write to it and one to the array that it was made of."""
    results = []
    for make in MAKERS.values():
        for source in (x, x * 1):
            made = make(source)
            made[..., 0] = 77
            source[..., -1] = 55
            results.append(made + 0)
            source[...] = A
    return results


@pytest.mark.parametrize("layout", LAYOUTS)
def test_writes_reach_what_numpy_shares(layout: str) -> None:
    expected, got = (_written_both_ways, weft.function(_written_both_ways))
    ours, theirs = laid_out(A, layout), laid_out(A, layout)
    for one, other in zip(got(ours), expected(theirs), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(ours, theirs)


def test_a_function_that_does_not_see_layouts_is_compiled_once() -> None:
    @weft.function
    def total(x: Any) -> Any:
        return x.ravel().sum() + x.reshape(-1)[0] + np.ascontiguousarray(x)[0, 0]

    for layout in LAYOUTS:
        assert total(laid_out(A, layout)) == 66
    assert total.trace_count == 1


def test_layouts_are_told_apart_where_they_are_seen() -> None:
    @weft.function
    def first(x: Any) -> Any:
        flat = x.ravel()
        flat[0] = 9
        return flat

    for _ in range(4):
        for layout in ("row-major", "column-major"):
            x = laid_out(A, layout)
            assert np.shares_memory(first(x), x) is (layout == "row-major")
            assert x[0, 0] == (9 if layout == "row-major" else 0)
    assert first.trace_count == 2
    assert native_calls(first) > 0
    assert "lies in memory in another way" in first.explain_retrace()


def test_an_array_that_may_be_a_copy_is_not_written() -> None:
    @weft.function
    def write(x: Any) -> Any:
        y = np.pad(x.T, 1)
        flat = y.ravel()
        flat[0] = 1
        return y

    with pytest.raises(
        NotImplementedError, match=r"depends in NumPy on how that lies in memory.*x\.copy\(\)"
    ):
        write(A)


def test_order_of_an_unknown_layout_is_refused() -> None:
    for order in "KA":
        with pytest.raises(NotImplementedError, match=f"on which order='{order}' depends, is not known here"):
            weft.function(lambda x, order=order: np.pad(x.T, 1).ravel(order))(A)


def test_layouts_are_carried_through_branches_and_loops() -> None:
    def program(x: Any, n: Any) -> Any:
        y = x.T * 1
        for _ in range(n):
            y = y + 1
        z = y * 2 if n > 3 else y * 1
        flat = z.ravel("K")
        return y.ravel("K"), flat

    compiled = weft.function(program)
    for n in (2, 5):
        for got, expected in zip(compiled(A, np.int64(n)), program(A, n), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_flat_items_are_written_and_copied() -> None:
    def program(x: Any) -> Any:
        x.flat[1] = 7
        x.flat[3:5] = 8
        read = x.flat[:2]
        read[0] = 99
        return read, sum(v for v in x.flat)

    compiled = weft.function(program)
    for layout in LAYOUTS:
        ours, theirs = laid_out(A, layout), laid_out(A, layout)
        for one, other in zip(compiled(ours), program(theirs), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(ours, theirs)
    assert compiled.trace_count == 1


def test_parts_and_bits_are_written_through() -> None:
    def parts(c: Any) -> Any:
        c.imag[0] = 9
        c.real[1] = 2
        c.imag = c.imag + 1
        return c.real

    def bits(x: Any) -> Any:
        seen = x.view(np.int64)
        seen[0] = 9
        return seen

    for function, argument in ((parts, A + 1j), (bits, A)):
        ours, theirs = argument.copy(), argument.copy()
        got, expected = weft.function(function)(ours), function(theirs)
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(ours, theirs)
        assert np.shares_memory(got, ours)


def test_real_numbers_are_their_own_conjugates() -> None:
    x = A.copy()
    copied, itself = weft.function(lambda x: (np.conj(x), x.conj()))(x)
    assert itself is x
    assert not np.shares_memory(copied, x)
    assert not np.shares_memory(weft.function(np.block)(x), x)


def test_results_share_memory_with_each_other() -> None:
    def program(x: Any) -> Any:
        y, z = x + 1, np.zeros((3, 4), order="F")
        z += x
        return y, y[0], {"T": y.T}, y.reshape(-1)[::2], z.ravel("K"), z, z[1:], x[1], (x * 2)[0]

    got, expected = weft.function(program)(A), program(A)
    assert shared(got, got) == shared(expected, expected)
    for one, other in zip(got[:2] + got[3:], expected[:2] + expected[3:], strict=True):
        np.testing.assert_array_equal(one, other)
    got[1][0] = 99
    assert got[0][0, 0] == got[2]["T"][0, 0] == got[3][0] == 99
    assert got[5].strides == expected[5].strides
    assert weft.function(np.asfortranarray)(A).flags.f_contiguous


def test_views_with_bounds_of_run_time_are_returned() -> None:
    def program(x: Any, i: Any, j: Any) -> Any:
        y = x + 1
        return x[i:j, 1:], x[j:i:-1], x[i], x[:, i], x[i, j, ...], y, y[i:]

    compiled = weft.function(program)
    for i, j in ((0, 2), (1, 1), (-1, 0)):
        got, expected = compiled(A, np.int64(i), np.int64(j)), program(A, i, j)
        assert shared(got, [A, *got]) == shared(expected, [A, *expected])
        for one, other in zip(got, expected, strict=True):
            assert one.strides == other.strides
            np.testing.assert_array_equal(one, other)


def test_other_byte_orders_are_refused() -> None:
    x = np.arange(3)
    for function in (lambda x: x.astype(">i8"), lambda x: x.view(">i8"), lambda x: np.zeros(3, ">f8")):
        with pytest.raises(TypeError, match="has its bytes in another order than this machine"):
            weft.function(function)(x)
    view = weft.function(lambda x: x.view(np.float64))
    view(x)
    with pytest.raises(TypeError, match="bytes of this array are not in the order of this machine"):
        view(x.astype(">i8"))


GLOBAL = np.arange(6)


def test_a_view_of_all_of_an_array_is_another_object() -> None:
    def program(x: Any) -> Any:
        return x, x.view(), x[...], np.broadcast_arrays(x, x)[0], *others(x)

    def others(x: Any) -> Any:
        y = x + 1
        return () if x.ndim == 0 else (x[:], x[0:], y, y[:])

    for x in (np.arange(6), np.arange(6)[::-1], np.array(5)):
        got, expected = weft.function(program)(x), program(x)
        assert [r is x for r in got] == [r is x for r in expected]
        assert shared(got, [x, *got]) == shared(expected, [x, *expected])
        assert [r.flags.writeable for r in got[:4]] == [r.flags.writeable for r in expected[:4]]


def test_globals_and_views_of_these_are_returned() -> None:
    function = weft.function(lambda x: (GLOBAL, GLOBAL[2::2], x + 1, GLOBAL[1]))
    for _ in range(2):
        itself, view, made, number = function(A)
        assert itself is GLOBAL
        assert view.base is GLOBAL
        np.testing.assert_array_equal(made, A + 1)
        assert number == 1


def test_arguments_come_back_in_their_byte_order() -> None:
    x = np.arange(4).astype(">i8")
    itself, view, made = weft.function(lambda x: (x, x[1:], x + 1))(x)
    assert itself is x
    assert view.base is x
    assert view.dtype == x.dtype
    assert made.dtype.isnative
