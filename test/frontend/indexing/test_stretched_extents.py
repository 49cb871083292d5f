"""Extents that turn out to be 1 when the program runs broadcast, as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import weft
from support.staged import record, run_staged, spec_of

X, Y = np.arange(6.0) + 1, np.arange(6.0) * 10 - 3
STACK = np.arange(24.0).reshape(4, 2, 3)


def elementwise(x: Any, y: Any, n: Any, m: Any) -> Any:
    """Chains, values that are used twice, reductions, choices, several extents."""
    a, b = x[:n], y[:m]
    both = a * b + a
    return (
        both,
        np.where(a > 2, b, a),
        a < b,
        np.sum(np.abs(a - b)),
        (a + b) * (a - b),
        both * y[1:2],
        b - both,
    )


def updates(x: Any, y: Any, n: Any, m: Any) -> Any:
    """Assignments and updates in place; a slice is read that overlaps the one that is written."""
    x[:n] = y[:m] * 2
    y[6 - n :] += x[:m]
    x[:n] = x[:m]
    return x, y


def grids(x: Any, y: Any, n: Any, m: Any) -> Any:
    """Two axes, leading axes that only one operand has, products of many matrices, sums over a name."""
    table = x[:, None] * y
    part = table[:n, :m] + table[:m, :n].T - y[:n, None]
    return (
        part,
        STACK[:n] @ STACK[:m].swapaxes(1, 2),
        np.einsum("i,ij->j", x[:n], table[:m]),
        x[:n] - table[:, :m],
    )


def shapes(x: Any, y: Any, n: Any, m: Any) -> Any:
    """Broadcasts that are asked for, of an array that is written afterwards, too."""
    wide = np.broadcast_to(x[:n], (2, m))
    first, second = np.broadcast_arrays(x[:n], y[None, :m])
    x[0] = 100
    along = np.take_along_axis(np.outer(x, y)[:n], np.arange(2 * 6).reshape(6, 2)[:m] % 3, axis=1)
    return wide * 1, first + second, along, np.outer(y, x)[np.arange(6)[:n], np.arange(6)[:m]]


@pytest.mark.parametrize("function", [elementwise, updates, grids, shapes])
def test_slices_of_one_element_broadcast(function: Callable[..., Any]) -> None:
    compiled = weft.function(function)
    for n, m in product((0, 1, 2, 4), repeat=2):
        assert_same(function, compiled, n, m)


@pytest.mark.parametrize("function", [elementwise, updates])
def test_the_recorded_program_says_the_same(function: Callable[..., Any]) -> None:
    for n, m in ((1, 4), (4, 1), (0, 1), (2, 4)):
        assert_same(function, lambda *arguments: run_staged(function, *arguments, dynamic=True), n, m)


def assert_same(function: Callable[..., Any], compiled: Callable[..., Any], n: int, m: int) -> None:
    """The results and what is written are NumPy's, or the exception is."""
    own, numpys = (X.copy(), Y.copy()), (X.copy(), Y.copy())
    try:
        expected = function(*numpys, np.int64(n), np.int64(m))
    except (ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            compiled(*own, np.asarray(n), np.asarray(m))
    else:
        for got, wanted in zip(compiled(*own, np.asarray(n), np.asarray(m)), expected, strict=True):
            np.testing.assert_array_equal(got, wanted, str((n, m)))
            assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(own, numpys)


def fourier(x: Any, factors: Any) -> Any:
    """An iterative transform: the first butterflies are of one element."""
    size = x.shape[0]
    h = 1
    while h < size:
        for s in range(0, size, 2 * h):
            t = x[s + h : s + 2 * h] * factors[:: size // (2 * h)][:h]
            x[s + h : s + 2 * h] = x[s : s + h] - t
            x[s : s + h] = x[s : s + h] + t
        h *= 2
    return x


def test_sums_that_are_stretched() -> None:
    def program(x: Any, y: Any, n: Any, m: Any) -> Any:
        table = x[:, None] + y
        return (table[n : n + m, :n] * table[:m, n:]) + np.sum(table[m:, :n:2], axis=1)

    compiled = weft.function(program)
    for n, m in product((1, 3, 5), repeat=2):
        arguments = X, Y, np.int64(n), np.int64(m)
        try:
            expected = program(*arguments)
        except ValueError:
            continue
        np.testing.assert_array_equal(compiled(*arguments), expected)


def test_butterflies_of_one_element() -> None:
    compiled = weft.function(fourier, input_signature=[weft.TensorSpec([None], "c16")] * 2)
    for size in (1, 2, 8):
        x = np.arange(size) + 1j
        factors = np.exp(-2j * np.pi * np.arange(size) / size)
        np.testing.assert_allclose(compiled(x.copy(), factors), fourier(x.copy(), factors))


def test_results_whose_length_depends_on_data() -> None:
    def program(x: Any, y: Any) -> Any:
        chosen, others = x[x > 4], y[y > 40]
        return chosen * others + chosen, np.unique(x) - others, np.nonzero(y > 40)[0] * chosen

    compiled = weft.function(program)
    for scale in (1, 2):
        for got, wanted in zip(compiled(X * scale - scale, Y), program(X * scale - scale, Y), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_what_does_not_fit_writes_nothing() -> None:
    def program(x: Any, y: Any, n: Any) -> Any:
        x[:n] = y[:3]

    compiled = weft.function(program)
    x = X.copy()
    with pytest.raises(
        ValueError, match=r"could not broadcast input array from shape \(3,\) into shape \(1,\)"
    ):
        compiled(x, Y, np.int64(1))
    assert (x == X).all()


STRETCHED: list[tuple[Callable[..., Any], int, int]] = [
    (lambda x, i, j: x[:i] + x[:j], 2, 1),
    (lambda x, i, j: (x[:i] + x[:j]) * x[:i] - x[:j], 4, 1),  # what two have together they have with each
    (lambda x, i, j: x[:i] + x, 1, 1),  # an argument of one element is compiled on its own
    (lambda x, i, j: x[:i] + np.arange(5.0), 1, 1),
    (lambda x, i, j: x.__setitem__(slice(i), x[:j]), 1, 1),
    (lambda x, i, j: x[:i] + x[:i] * 2, 0, 0),
    (lambda x, i, j: x[1:] - x[:-1] + x[1:] * 2, 0, 0),
    (lambda x, i, j: x[2:] + x[1:-1] + x[1:][:-1] + x[:-2], 0, 0),
    (lambda x, i, j: x[i:][::-1] + x[::-1][::-1][i:], 0, 0),
]


@pytest.mark.parametrize(("function", "stretched", "checked"), STRETCHED)
def test_what_is_known_to_be_equal_is_not_stretched(
    function: Callable[..., Any], stretched: int, checked: int
) -> None:
    specs = [spec_of(np.zeros(5), True), *[spec_of(np.asarray(1), True)] * 2]
    text = str(record(function, specs)[0].module)
    assert text.count('"weft.stretch"') == stretched
    assert text.count('"weft.raise_if"') == checked


def test_axes_that_turn_out_to_be_one_are_not_kept_by_squeeze():
    def program(x: Any, n: Any) -> Any:
        return x[: int(n)].squeeze()

    compiled = weft.function(program)
    np.testing.assert_array_equal(compiled(np.ones((4, 1)), np.int64(2)), np.ones(2))
    with pytest.raises(ValueError, match=r"squeeze\(\) would take away axis 0"):
        compiled(np.ones((4, 1)), np.int64(1))


def test_ops_whose_results_are_stretched_in_several_places_are_computed_before_the_first():
    def program(x, number):
        made = x.std(keepdims=True)
        for _ in range(-x[0]):
            bound = number
        made[1:2:2] *= np.clip(np.nonzero(made)[0], 3, number)
        if bound:
            pass
        else:
            print((made.item(),))

    with pytest.raises(UnboundLocalError, match="bound"):
        weft.function(program)(np.array([6]), np.float64())


def test_what_was_stretched_is_stretched_again() -> None:
    """A part that is written with run-time bounds, and read where its extent may be 1 again."""

    def program(x: Any, n: Any) -> Any:
        x[n:] = x[: len(x) - n]
        x[: len(x) - n] += x[n:]
        return x

    specs = [weft.TensorSpec((None,), "float64"), weft.TensorSpec((), "int64")]
    compiled = weft.function(program, input_signature=specs)
    for n in (3, 0, 7, 9):
        expected = program(np.arange(10.0), np.int64(n))
        np.testing.assert_array_equal(compiled(np.arange(10.0), np.int64(n)), expected)


def test_one_extent_of_both_operands() -> None:
    """Two reads that turn out to be one, in a short loop: the only use of its extent is to stretch it."""

    def squares(rows: Any, columns: Any, x: Any) -> Any:
        y = np.zeros(rows.shape[0] - 1)
        for i in range(rows.shape[0] - 1):
            y[i] = np.sum(x[columns[rows[i] : rows[i + 1]]] * x[columns[rows[i] : rows[i + 1]]])
        return y

    rows, columns = np.array([0, 2, 2, 3, 6]), np.array([5, 1, 2, 0, 0, 3])
    np.testing.assert_array_equal(weft.function(squares)(rows, columns, X), squares(rows, columns, X))


@pytest.mark.parametrize(
    ("function", "rank"),
    [
        (lambda y, n: np.broadcast_to(y, y.shape), 1),
        (lambda y, n: np.broadcast_to(y, (n,)), 1),
        (lambda y, n: np.broadcast_to(y, (4, n)), 1),
        (lambda y, n: np.broadcast_to(y, (2, *y.shape)), 2),
        (lambda y, n: np.broadcast_arrays(y, np.ones((n, n)))[0], 1),
    ],
)
def test_broadcast_arguments_are_read_only_views(function: Callable[..., Any], rank: int) -> None:
    compiled = weft.function(
        function, input_signature=[weft.TensorSpec([None] * rank), weft.TensorSpec([], "int64")]
    )
    for extent in (1, 3):
        y = np.arange(float(extent**rank)).reshape((extent,) * rank)
        got, wanted = compiled(y, np.int64(3)), function(y, 3)
        y += 1
        np.testing.assert_array_equal(got, wanted)
        assert got.strides == wanted.strides
        assert not got.flags.writeable


@pytest.mark.parametrize("whole", [True, False])
def test_leading_axes_of_a_value_are_left_out_where_they_have_extent_1(whole: bool) -> None:
    def program(x: Any, y: Any) -> Any:
        if whole:
            x[...] = y
        else:
            x[np.arange(len(x))] = y

    signature = [weft.TensorSpec([None], "int64"), weft.TensorSpec([None, 1, None], "int64")]
    compiled = weft.function(program, input_signature=signature)
    for shape in ((1, 1, 3), (1, 1, 1), (2, 1, 3), (1, 1, 2), (0, 1, 3)):
        outcomes = []
        for function in (program, compiled):
            x, y = np.zeros(3, np.int64), np.arange(np.prod(shape)).reshape(shape)
            try:
                function(x, y)
            except ValueError:
                outcomes.append("does not fit")
            else:
                outcomes.append(x.tolist())
        assert outcomes[0] == outcomes[1], shape


def test_a_part_of_one_element_is_written_to_an_array_without_axes() -> None:
    def program(x: Any, y: Any) -> Any:
        x[...] = y[y.argmax() : 1]

    compiled = weft.function(program)
    x = np.array(2)
    compiled(x, np.array([8, 6]))
    assert x == 8
    with pytest.raises(
        ValueError, match=r"could not broadcast input array from shape \(0,\) into shape \(\)"
    ):
        compiled(x, np.array([6, 8]))


@pytest.mark.parametrize("is_known", [True, False])
def test_whether_a_value_fits_is_checked_before_indices(is_known: bool) -> None:
    def program(x: Any, places: Any, y: Any) -> Any:
        x[places] = y

    vector = weft.TensorSpec([None], "int64")
    compiled = weft.function(program, input_signature=None if is_known else [vector] * 3)
    for places, count in (([5], 3), ([5], 1), ([0, 7], 2), ([-9, 1], 3), ([2, 0], 2)):
        messages = []
        for function in (program, compiled):
            try:
                function(np.zeros(3, np.int64), np.array(places), np.arange(count))
            except (IndexError, ValueError) as error:
                messages.append((isinstance(error, IndexError), str(error).partition("\n")[0]))
            else:
                messages.append((False, "fits"))
        assert messages[0] == messages[1]


def test_constant_indices_outside_are_found_after_values_that_do_not_fit() -> None:
    def program(x: Any, y: Any) -> Any:
        x[[1, 5]] = y

    with pytest.raises(ValueError, match="shape mismatch: value array"):
        weft.function(program)(np.zeros(3), np.zeros(3))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        weft.function(program)(np.zeros(3), np.zeros(2))


@pytest.mark.parametrize("make", [np.zeros, lambda n: np.full(n, 2.0), lambda n: np.ones((2, n))[0]])
def test_extents_that_are_numbers_among_the_arguments_may_be_one(make: Callable[[Any], Any]) -> None:
    def program(n: Any, x: Any) -> Any:
        return make(n) + x

    compiled = weft.function(program)
    for n, count in ((3, 3), (1, 3), (3, 1), (1, 1)):
        x = np.arange(float(count))
        assert compiled(np.int64(n), x).tolist() == program(n, x).tolist()
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(2,\) \(3,\)"):
        compiled(np.int64(2), np.arange(3.0))
