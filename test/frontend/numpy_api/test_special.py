"""Functions of scipy.special in compiled code: some are ops, others are called as native code, sums are recorded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import weft

special = pytest.importorskip("scipy.special")


def test_ufuncs_are_called_as_they_are() -> None:
    def program(x: Any, n: Any) -> list[Any]:
        return [
            special.gamma(x),
            special.erf(x),
            special.expit(x.astype(np.float32)),
            special.jv(n, x),
            special.jv(2, x[:, None]),
            special.xlogy(x, x[:1]),
            special.gammaln(x) * 2 + x,
            special.psi(x[0]),
            special.ellipj(x, 0.3),
            special.comb(n, 2),
            special.polygamma(1, x),
            special.gamma(x + 1j),
        ]

    x, n = np.linspace(0.1, 3, 7), np.arange(7)
    expected = program(x, n)
    specs = [weft.TensorSpec((None,), "float64"), weft.TensorSpec((None,), "int64")]
    for compiled in (weft.function(program), weft.function(program, input_signature=specs)):
        for got, wanted in zip(compiled(x, n), expected, strict=True):
            parts = (got, wanted) if isinstance(wanted, tuple) else ((got,), (wanted,))
            for one, other in zip(*parts, strict=True):
                assert (type(one), one.dtype) == (type(other), other.dtype)
                np.testing.assert_allclose(one, other, rtol=2e-15)


def test_sums_of_exponentials() -> None:
    def program(x: Any, b: Any) -> list[Any]:
        return [
            special.logsumexp(x),
            special.logsumexp(x, axis=0, keepdims=True),
            special.logsumexp(x, axis=1, b=b),
            *special.logsumexp(x, axis=1, b=b - 0.6, return_sign=True),
            special.softmax(x, axis=1),
            special.softmax(x),
            special.log_softmax(x, axis=0),
        ]

    generator = np.random.default_rng(0)
    x = generator.normal(size=(3, 4)) * 200
    b = generator.random((3, 4))
    for got, wanted in zip(weft.function(program)(x, b), program(x, b), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


def text_of(program: Any, *arguments: Any) -> str:
    return weft.function(program).get_concrete_function(*arguments).as_text("weft")


def test_real_numbers_take_ops_and_others_loops() -> None:
    x = np.ones(2)
    text = text_of(
        lambda x: (special.gamma(x), special.erf(x.astype(np.int8)), special.zeta(2.0, x), special.cbrt(x)), x
    )
    assert "weft.gamma" in text
    assert "weft.erf" in text
    assert "weft.trigamma" in text
    assert "call_ufunc" not in text
    loops = text_of(lambda x: (special.gamma(x + 1j), special.jv(x, x), special.zeta(3.0, x)), x)
    assert loops.count("weft.call_ufunc") == 3


def test_numpys_and_maths_names_of_ops() -> None:
    def program(x: Any, n: Any) -> Any:
        return (
            np.i0(x),
            np.i0(x.astype(np.float32)),
            np.i0(n),
            np.i0(x[0]),
            math.gamma(x[1]),
            math.lgamma(x[2]),
        )

    x, n = np.linspace(0.1, 12, 7), np.arange(-3, 3, dtype=np.int8)
    for got, wanted in zip(weft.function(program)(x, n), program(x, n), strict=True):
        assert (type(got), np.asarray(got).dtype) == (type(wanted), np.asarray(wanted).dtype)
        np.testing.assert_allclose(got, wanted, rtol=1e-6 if np.asarray(got).dtype == np.float32 else 2e-15)
    assert "weft.python" not in text_of(program, x, n)
    with pytest.raises(TypeError, match="i0 not supported for complex values"):
        weft.function(lambda x: np.i0(x))(np.ones(2, complex))


def test_out_where_and_dtype_of_ops() -> None:
    def program(x: Any, out: Any) -> Any:
        special.psi(x, out=out)
        return special.gamma(x[:, None], dtype=np.float32), special.gammaln(x, where=x > 2, out=out[:])

    x, out, expected = np.linspace(0.5, 4, 5), np.zeros(5), np.zeros(5)
    wanted, got = program(x, expected), weft.function(program)(x, out)
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    for one, other in zip(got, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-6)


def double_it(value: Any) -> Any:
    """A function of objects."""
    return value * 2


def test_what_no_loop_takes_is_refused() -> None:
    with pytest.raises(TypeError, match="jv"):
        weft.function(lambda x: special.jv(x, x))(np.ones(2, complex))
    with pytest.raises(weft.UnsupportedError, match="double_it"):
        weft.function(lambda x: np.frompyfunc(double_it, 1, 1)(x))(np.ones(2))


def test_gradients_through_libraries_are_refused() -> None:
    with pytest.raises(
        weft.DifferentiationError, match="call_ufunc has no derivative: what a library computes"
    ):
        weft.grad(lambda x: np.sum(special.struve(0.0, x)))(np.ones(2))


def test_gradients_of_ops() -> None:
    x = np.array([0.3, 1.2, 2.7, 7.0])
    for function, derivative in (
        (special.gamma, lambda x: special.gamma(x) * special.psi(x)),
        (special.gammaln, special.psi),
        (special.psi, lambda x: special.zeta(2.0, x)),
        (lambda x: special.zeta(2.0, x), lambda x: -2 * special.zeta(3.0, x)),
        (special.i0, special.i1),
        (special.log_ndtr, lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi) / special.ndtr(x)),
        (special.expit, lambda x: special.expit(x) * special.expit(-x)),
        (special.entr, lambda x: -np.log(x) - 1),
        (special.i1e, lambda x: special.ivp(1, x) * np.exp(-x) - special.i1e(x)),
    ):
        gradient = weft.grad(lambda x, function=function: np.sum(function(x)))(x)
        np.testing.assert_allclose(gradient, derivative(x), rtol=1e-13)


LIBRARY = [
    *(
        "erfinv",
        "erfcinv",
        "ndtri",
        "erfcx",
        "dawsn",
        "expi",
        "exp1",
        "spence",
        "j0",
        "j1",
        "y0",
        "y1",
        "k0",
        "k1",
    ),
    "beta",
    "betaln",
]


@pytest.mark.parametrize("name", LIBRARY)
def test_gradients_of_functions_that_a_library_computes(name: str) -> None:
    function, step = getattr(special, name), 1e-6
    places = [np.array([0.2, 0.55, 0.9]), np.array([0.7, 1.3, 2.1])][: function.nin]
    for number in range(function.nin):
        move = [step * (n == number) for n in range(function.nin)]
        ahead, behind = (
            function(*(x + sign * d for x, d in zip(places, move, strict=True))) for sign in (1, -1)
        )
        expected = (ahead - behind) / (2 * step)
        for wrapped in (lambda f: f, weft.function):
            got = wrapped(weft.grad(lambda *x: np.sum(function(*x)), argnums=number))(*places)
            np.testing.assert_allclose(got, expected, rtol=1e-7)
        _, tangent = weft.jvp(function, tuple(places), tuple(np.full(3, d / step) for d in move))
        np.testing.assert_allclose(tangent, expected, rtol=1e-7)


def test_gradients_of_the_inverse_of_the_error_function() -> None:
    """Into 0, of float32, with operands that broadcast, and twice."""
    x = np.array([[-0.5, 0.0, 0.75]], np.float32)
    got = weft.function(weft.grad(lambda x: np.sum(special.erfinv(x))))(x)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, np.sqrt(np.pi) / 2 * np.exp(special.erfinv(x) ** 2), rtol=1e-6)
    both = weft.grad(lambda x: np.sum(weft.grad(lambda x: np.sum(special.erfinv(x)))(x)))(x.astype(float))
    inverse = special.erfinv(x.astype(float))
    np.testing.assert_allclose(both, np.pi / 2 * inverse * np.exp(2 * inverse**2), rtol=1e-12)
    y = np.arange(1.0, 4.0)[:, None]
    shared = weft.grad(lambda x: np.sum(special.betaln(x, y)))(x.astype(float) + 1)
    np.testing.assert_allclose(
        shared, np.sum(special.psi(x + 1.0) - special.psi(x + 1.0 + y), axis=0, keepdims=True)
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_with_logarithms_at_the_edges(dtype: str) -> None:
    def program(x: Any, y: Any) -> Any:
        return special.xlogy(x, y), special.xlog1py(x, y), special.entr(x)

    values = np.array([0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan], dtype)
    x, y = np.meshgrid(values, values)
    with np.errstate(all="ignore"):
        expected = program(x, y)
    for got, wanted in zip(weft.function(program)(x, y), expected, strict=True):
        assert got.dtype == dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-6 if dtype == "float32" else 1e-15)
        np.testing.assert_array_equal(np.signbit(got)[wanted == 0], np.signbit(wanted)[wanted == 0])
