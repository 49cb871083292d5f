"""What NumPy has for the routines of libraries for devices: matrices are rows, and their transposes LAPACK's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from weft.backend.gpu.driver.math_libraries import LIBRARIES
from weft.backend.gpu.runtime.library_calls import ROUTINES as OF_DEVICES
from weft.backend.target import LIBRARIES as OF_TARGETS
from weft.dialect.device_routines import NUMBERS, ROUTINES
from weft.dialect.ops.ufunc_loops import CallLibrary


def test_all_rooms_know_the_same() -> None:
    assert OF_DEVICES.keys() == ROUTINES.keys() == NUMBERS.keys()
    assert {*LIBRARIES} == OF_TARGETS == {name.partition(".")[0] for name in ROUTINES}


def given(rng: np.random.Generator, *shape: int, is_complex: bool) -> Any:
    real = rng.standard_normal(shape)
    return real + 1j * rng.standard_normal(shape) if is_complex else real


def call(routine: str, updated: int, *arguments: Any) -> list[Any]:
    """What is written, and whether it failed; what is given stays."""
    before = [argument.copy() for argument in arguments]
    found = CallLibrary.compute(list(arguments), {"updated": updated, "routine": routine})
    for argument, old in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(argument, old)
    return list(found)


@pytest.mark.parametrize("is_complex", [False, True])
def test_factorisations(is_complex: bool) -> None:
    rng = np.random.default_rng(3)
    a, rows = given(rng, 4, 4, is_complex=is_complex), given(rng, 2, 4, is_complex=is_complex)
    hermitian = a @ a.conj().T + np.eye(4)
    for name, matrix in (("solve", a), ("solve_transposed", a.T)):
        _, found, failed = call(f"cusolver.{name}", 2, a, rows)
        np.testing.assert_allclose(matrix @ found.T, rows.T)
        assert not failed
    columns, pivots, failed = call("cusolver.lu", 2, a, np.empty(4, np.int32))
    lines, order = columns.T, np.arange(4)
    for k, other in enumerate(pivots - 1):
        order[[k, other]] = order[[other, k]]
    np.testing.assert_allclose((np.tril(lines, -1) + np.eye(4)) @ np.triu(lines), a.T[order])
    assert not failed
    assert call("cusolver.lu", 2, np.ones_like(a), np.empty(4, np.int32))[-1] == 1
    for name, part, rest in (("lo", np.tril, np.triu), ("up", np.triu, np.tril)):
        factor, failed = call(f"cusolver.cholesky_{name}", 1, hermitian)
        found = part(factor) if name == "lo" else part(factor).conj().T
        np.testing.assert_allclose(found @ found.conj().T, hermitian)
        np.testing.assert_array_equal(
            rest(factor, 1 if name == "lo" else -1), rest(hermitian, 1 if name == "lo" else -1)
        )
        assert not failed
        vectors, values, _ = call(f"cusolver.eigh_{name}", 2, part(hermitian), np.empty(4))
        np.testing.assert_allclose(hermitian @ vectors.conj().T, vectors.conj().T * values)
        np.testing.assert_allclose(
            call(f"cusolver.eigvalsh_{name}", 2, part(hermitian), np.empty(4))[1], values
        )
    assert call("cusolver.cholesky_lo", 1, -hermitian)[-1] == 1
    assert call("cusolver.solve", 2, np.zeros_like(a), rows)[-1] == 1


@pytest.mark.parametrize("is_complex", [False, True])
def test_rectangles(is_complex: bool) -> None:
    rng = np.random.default_rng(4)
    x = given(rng, 2, 5, is_complex=is_complex)
    empty = [np.empty((2, 2), x.dtype), np.empty(2), np.empty((2, 5), x.dtype)]
    _, u, s, vh, _ = call("cusolver.svd", 4, x, *empty)
    np.testing.assert_allclose(u * s @ vh, x)
    np.testing.assert_allclose(call("cusolver.svdvals", 2, x, np.empty(2))[1], s)
    columns, scales, _ = call("cusolver.qr_factors", 2, x, np.empty(2, x.dtype))
    basis, _ = call("cusolver.qr_basis", 1, scales, columns)
    np.testing.assert_allclose(basis.T @ np.triu(columns.T[:2]), x.T)


def test_transforms_are_not_scaled() -> None:
    x = given(np.random.default_rng(5), 3, 6, is_complex=True)
    (found, _), (back, _) = (call(f"cufft.{name}", 1, x, np.empty_like(x)) for name in ("fft", "ifft"))
    np.testing.assert_allclose(found, np.fft.fft(x))
    np.testing.assert_allclose(back, np.fft.ifft(x) * 6)
    half, _ = call("cufft.rfft", 1, x.real.copy(), np.empty((3, 4), complex))
    np.testing.assert_allclose(half, np.fft.rfft(x.real))
    np.testing.assert_allclose(call("cufft.irfft", 2, half, np.empty((3, 6)))[1], x.real * 6)


def test_products_of_halves_are_added_up_in_single_precision() -> None:
    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((2, 3, 40), (2, 40, 4)))
    exact = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    for turns in ("nn", "nt", "tn", "tt"):
        given = [x.swapaxes(1, 2).copy() if turn == "t" else x for x, turn in zip((a, b), turns, strict=True)]
        found, _ = call(f"cublas.product_{turns}", 1, *given, np.empty((2, 3, 4), np.float16))
        np.testing.assert_array_equal(found, exact)
