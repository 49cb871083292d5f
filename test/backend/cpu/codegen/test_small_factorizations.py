"""Factors, eigenvalues and singular values of stacks of small matrices, which are generated code, beside NumPy's."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import weft
from support.call_comparison import outcome
from weft.backend.cpu.codegen.stacks.exchanges import exchanges
from weft.backend.cpu.codegen.stacks.rotations import neighbours, next_places

linalg = np.linalg
MOST = 11
"""Matrices in a stack: several groups of every width of vectors, and part of one."""
ROUNDING = 2.0**-52


def adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def numbers(dtype: str, *shape: int) -> Any:
    """Normal ones."""
    parts = np.random.default_rng(sum(shape)).normal(size=(2, *shape))
    return (parts[0] + 1j * parts[1] if dtype[0] == "c" else parts[0]).astype(dtype)


def factors(a: Any) -> tuple[Any, ...]:
    """All that there is of general matrices."""
    return (
        *linalg.qr(a),
        *linalg.qr(a, "complete"),
        *linalg.qr(a, "raw"),
        linalg.qr(a, "r"),
        *linalg.svd(a),
        *linalg.svd(a, full_matrices=False),
        linalg.svdvals(a),
    )


def eigenvalues(a: Any) -> tuple[Any, ...]:
    """All that there is of Hermitian matrices, of which the other triangle is not read."""
    lower, upper = np.tril(a), np.triu(a)
    return *linalg.eigh(lower), *linalg.eigh(upper, "U"), linalg.eigvalsh(lower), linalg.eigvalsh(upper, "U")


@cache
def compiled_for(function: Callable[[Any], Any], dtype: str, rows: int, columns: int) -> Any:
    """A function compiled for stacks of any length."""
    return weft.function(function, input_signature=[weft.TensorSpec((None, rows, columns), dtype)])


def assert_factors(a: Any, got: tuple[Any, ...], expected: tuple[Any, ...], tolerance: float) -> None:
    """Factors are orthonormal, give the matrices, and are NumPy's where they are not free."""
    for ours, numpys in zip(got, expected, strict=True):
        assert (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape)
    size = np.max(np.abs(a), axis=(-1, -2), keepdims=True)
    size = np.where(size == 0, 1, size)
    q, r, full_q, full_r, raw, scales, only_r, full_u, full_s, full_vh, u, s, vh, values = got
    for basis in (q, full_q, full_u, adjoint(full_vh), u, adjoint(vh)):
        unit = np.broadcast_to(np.eye(basis.shape[-1]), (*basis.shape[:-2], *[basis.shape[-1]] * 2))
        np.testing.assert_allclose(adjoint(basis) @ basis, unit, rtol=0, atol=tolerance)
    few = full_s.shape[-1]
    reduced = full_u[..., :few] * (full_s[..., None, :] / size) @ full_vh[..., :few, :]
    for product in (q @ (r / size), full_q @ (full_r / size), reduced, u * (s[..., None, :] / size) @ vh):
        np.testing.assert_allclose(product, a / size, rtol=0, atol=tolerance)
    for found, theirs in zip((full_s, s, values), (expected[8], expected[11], expected[13]), strict=True):
        assert np.all(np.diff(found) <= 0)
        assert np.all(found >= 0)
        np.testing.assert_allclose(found / size[..., 0], theirs / size[..., 0], rtol=0, atol=tolerance)
    np.testing.assert_array_equal(np.triu(adjoint(raw)[..., :few, :]), np.conj(only_r))
    assert scales.shape[-1] == few


def assert_eigenvalues(a: Any, got: tuple[Any, ...], expected: tuple[Any, ...], tolerance: float) -> None:
    """Eigenvectors are orthonormal and give the matrices, eigenvalues are NumPy's."""
    for ours, numpys in zip(got, expected, strict=True):
        assert (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape)
    size = np.max(np.abs(a), axis=(-1, -2), keepdims=True)
    size = np.where(size == 0, 1, size)
    for values, vectors in (got[:2], got[2:4]):
        unit = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
        np.testing.assert_allclose(adjoint(vectors) @ vectors, unit, rtol=0, atol=tolerance)
        product = vectors * (values[..., None, :] / size) @ adjoint(vectors)
        np.testing.assert_allclose(product, a / size, rtol=0, atol=tolerance)
    for place in (0, 2, 4, 5):
        assert np.all(np.diff(got[place]) >= 0)
        np.testing.assert_allclose(
            got[place] / size[..., 0], expected[place] / size[..., 0], rtol=0, atol=tolerance
        )


OFTEN = [("f8", 4, 4), ("f8", 5, 2), ("c16", 2, 3)]
SELDOM = [("f8", 2, 2), ("f8", 2, 4), ("f4", 1, 3), ("c8", 3, 3), ("c16", 4, 1)]


@pytest.mark.parametrize(
    ("dtype", "rows", "columns"), [*OFTEN, *(pytest.param(*case, marks=pytest.mark.soak) for case in SELDOM)]
)
def test_factors_of_stacks_of_any_length(dtype: str, rows: int, columns: int) -> None:
    compiled = compiled_for(factors, dtype, rows, columns)
    a = numbers(dtype, MOST, rows, columns)
    tolerance = 64 * float(np.finfo(dtype).eps)
    for count in (0, 1, 4, 5, MOST):
        assert_factors(a[:count], compiled(a[:count]), factors(a[:count]), tolerance)
    for ours, numpys in zip(compiled(a)[:7], factors(a)[:7], strict=True):  # signs are LAPACK's
        np.testing.assert_allclose(ours, numpys, rtol=0, atol=1000 * tolerance)


@pytest.mark.parametrize(
    ("dtype", "extent"),
    [
        ("f8", 4),
        ("c16", 3),
        *(pytest.param(*case, marks=pytest.mark.soak) for case in (("f8", 2), ("f4", 5), ("c8", 2))),
    ],
)
def test_eigenvalues_of_stacks_of_any_length(dtype: str, extent: int) -> None:
    compiled = compiled_for(eigenvalues, dtype, extent, extent)
    a = numbers(dtype, MOST, extent, extent)
    a = (a + adjoint(a)).astype(dtype)
    for count in (0, 1, 4, 5, MOST):
        given = a[:count]
        assert_eigenvalues(
            given, compiled(given), eigenvalues(given), 64 * extent * float(np.finfo(dtype).eps)
        )


@pytest.mark.soak
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("extent", [4, 6, 7, 8])
def test_larger_matrices(dtype: str, extent: int) -> None:
    a = numbers(dtype, 200, extent, extent)
    assert_factors(a, weft.function(factors)(a), factors(a), 256 * ROUNDING)
    a = a + adjoint(a)
    assert_eigenvalues(a, weft.function(eigenvalues)(a), eigenvalues(a), 512 * ROUNDING)


def test_matrices_of_eight_rows() -> None:
    a = numbers("f8", 9, 8, 8)
    a = a + adjoint(a)
    values, vectors = weft.function(lambda x: linalg.eigh(x))(a)
    np.testing.assert_allclose(vectors * values[:, None, :] @ vectors.mT, a, atol=1e-13)
    np.testing.assert_allclose(weft.function(lambda x: linalg.svdvals(x))(a), linalg.svdvals(a), atol=1e-13)


def graded(exponents: Any) -> Any:
    """A symmetric matrix whose rows and columns have these sizes."""
    return np.outer(10.0 ** np.array(exponents), 10.0 ** np.array(exponents)) * BASE


BASE = (lambda a: a + a.T)(np.random.default_rng(1).normal(size=(4, 4)))
TURN = linalg.qr(BASE)[0]
ODD = {
    "zero": np.zeros((4, 4)),
    "one": np.eye(4),
    "minus one": -np.eye(4),
    "rank one": np.outer(np.arange(1, 5.0), np.arange(1, 5.0)),
    "ones": np.ones((4, 4)),
    "integers": np.add.outer(np.arange(4.0), np.arange(4.0)),
    "zero column": BASE * np.outer([1, 0, 1, 1], [1, 0, 1, 1]),
    "repeated": TURN @ np.diag([2.0, 2, 2, -1]) @ TURN.T,
    "close": TURN @ np.diag([1, 1 + 1e-15, 1 + 1e-9, 1 - 1e-12]) @ TURN.T,
    "both signs": TURN @ np.diag([1, -1, 1e-10, -1e-10]) @ TURN.T,
    "permuted": np.eye(4)[::-1],
    "large": 1e300 * BASE,
    "largest": 1e307 * BASE,
    "small": 1e-290 * BASE,
    "graded": graded([0, -3, -6, -9]),
    "steep": graded([0, -60, -120, -150]),
    "steepest": np.diag([1e200, 1e-200, 1, -1e100]),
    "tiny beside one": np.eye(4) + 1e-170,
}


def test_odd_matrices_among_others() -> None:
    """What is singular, repeated, large, small or all of these is as exact, and does not touch other matrices."""
    stack = numbers("f8", MOST, 4, 4)
    stack = stack + adjoint(stack)
    all_factors, all_values = compiled_for(factors, "f8", 4, 4), compiled_for(eigenvalues, "f8", 4, 4)
    usual = all_factors(stack), all_values(stack)
    for matrix in ODD.values():
        given = stack.copy()
        given[1] = (matrix + matrix.T) / 2
        got = all_factors(given), all_values(given)
        assert_factors(given, got[0], factors(given), 128 * ROUNDING)
        assert_eigenvalues(given, got[1], eigenvalues(given), 128 * ROUNDING)
        for ours, others in zip(sum(got, ()), sum(usual, ()), strict=True):
            np.testing.assert_array_equal(ours[8:], others[8:])  # another group of lanes
    stack[1] = np.diag([1.0, 2, 3, 4])  # settled at once
    for ours, others in zip(all_values(stack), usual[1], strict=True):
        np.testing.assert_array_equal(np.delete(ours, 1, 0), np.delete(others, 1, 0))


WITH_NAN: list[Callable[..., Any]] = [
    linalg.eigvalsh,
    linalg.svdvals,
    linalg.pinv,
    lambda a: linalg.qr(a)[0],
]


@pytest.mark.filterwarnings("ignore")
def test_nan_in_a_matrix_is_numpys_word() -> None:
    stack = numbers("f8", 6, 3, 3)
    stack = stack + adjoint(stack)
    stack[1, 2, 1] = np.nan
    for function in WITH_NAN:
        compiled = weft.function(lambda a, function=function: function(a))
        expected, expected_error = outcome(function, [stack])
        got, error = outcome(compiled, [stack])
        if expected_error is None:
            assert error is None
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)
        else:
            assert isinstance(error, type(expected_error))
            assert str(expected_error) in str(error)


def test_the_triangle_that_is_not_asked_for_is_not_read() -> None:
    stack = numbers("f8", 5, 3, 3)
    both = weft.function(lambda a, b: (linalg.eigvalsh(a), linalg.eigvalsh(b, "U")))
    above = np.triu(np.ones((3, 3)), 1) > 0
    given = np.where(above, np.nan, stack), np.where(above.T, np.nan, stack)
    for got, expected in zip(both(*given), both.python_function(*given), strict=True):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


@weft.function
def made_of_factors(a: Any) -> Any:
    """What follows from singular values."""
    return (
        linalg.pinv(a),
        linalg.matrix_rank(a),
        linalg.cond(a),
        linalg.norm(a, 2, axis=(-2, -1)),
        linalg.norm(a, "nuc", axis=(-2, -1)),
        linalg.svdvals(np.swapaxes(a, -1, -2)),
        linalg.svdvals(a[..., ::-1, :]),
    )


@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 2), (2, 1, 5, 3, 2), (2, 0, 3, 2)], ids=str)
def test_shapes_of_stacks(shape: tuple[int, ...]) -> None:
    a = numbers("f8", *shape)
    for given in (a, np.asfortranarray(a), np.repeat(a, 2, axis=-1)[..., ::2]):
        for got, expected in zip(made_of_factors(given), made_of_factors.python_function(given), strict=True):
            assert (type(got), np.shape(got)) == (type(expected), np.shape(expected))
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("extent", range(2, 9))
def test_rounds_and_exchanges(extent: int) -> None:
    """In a sweep each column meets every other one and comes back; exchanges sort all sequences of zeros and ones."""
    players, met, to = list(range(extent)), [], next_places(extent)
    for _ in range(extent - 1 + extent % 2):
        met += [frozenset((players[p], players[q])) for p, q in neighbours(extent)]
        players = [players[to.index(place)] for place in range(extent)]
    assert players == list(range(extent))
    assert len(met) == len(set(met)) == extent * (extent - 1) // 2
    for bits in itertools.product((0, 1), repeat=extent):
        found = list(bits)
        for one, other in exchanges(extent):
            found[one], found[other] = sorted((found[one], found[other]))
        assert found == sorted(bits)


LEAST_SQUARES = {
    "usual": numbers("f8", 5, 3),
    "equal columns": np.repeat(numbers("f8", 5, 1), 3, axis=1),
    "zero": np.zeros((5, 3)),
    "large": 1e200 * numbers("f8", 5, 3),
    "small": 1e-200 * numbers("f8", 5, 3),
}


def test_least_squares() -> None:
    def solved(a: Any, b: Any) -> Any:
        return (
            *linalg.lstsq(a, b),
            *linalg.lstsq(a, b[:, 0], rcond=0.3),
            *linalg.lstsq(a[:2], 1j * b[:2], rcond=-1),
        )

    compiled, b = weft.function(solved), numbers("f8", 5, 2)
    for a in LEAST_SQUARES.values():
        for got, expected in zip(compiled(a, b), solved(a, b), strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            size = np.max(np.abs(expected), initial=0)
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13 * size + 1e-14)
    b[0] = np.nan
    np.testing.assert_array_equal(np.isnan(compiled(a, b)[0]), np.isnan(solved(a, b)[0]))


def test_derivatives() -> None:
    def loss(a: Any) -> Any:
        values, vectors = linalg.eigh(a + adjoint(a))
        return np.sum(values**3) + np.sum(vectors[..., 0] ** 4) + np.sum(np.sqrt(linalg.svdvals(a)))

    a, step, found = numbers("f8", 2, 3, 3), 1e-6, np.zeros((2, 3, 3))
    for place in np.ndindex(*a.shape):
        move = np.zeros_like(a)
        move[place] = step
        found[place] = (loss(a + move) - loss(a - move)) / (2 * step)
    np.testing.assert_allclose(weft.function(weft.grad(loss))(a), found, rtol=1e-5, atol=1e-6)


def test_large_stacks_are_shared_by_threads_and_repeat() -> None:
    a = numbers("f8", 4000, 2, 2)
    decomposed = weft.function(lambda x: linalg.svd(x))
    u, s, vh = decomposed(a)
    np.testing.assert_allclose(u * s[:, None, :] @ vh, a, rtol=0, atol=1e-14)
    for one, other in zip(decomposed(a), (u, s, vh), strict=True):
        np.testing.assert_array_equal(one, other)
