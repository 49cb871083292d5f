"""Public functions of SciPy: converted where that can be, else called whole when the program runs, which is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import weft
from support.interpreted import interpreted
from weft.dialect.errors import FallbackWarning, UnsupportedError
from weft.frontend.guards.library_functions import is_library_function

pytest.importorskip("scipy")

import scipy.fft
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.spatial
import scipy.stats

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]])
B = np.array([1.0, 2.0, 3.0])
NORM = scipy.stats.norm(1.0, 2.0)
SPARSE = scipy.sparse.csr_array(A)
SPLINE = scipy.interpolate.CubicSpline(np.arange(4.0), np.arange(4.0) ** 2)
TREE = scipy.spatial.cKDTree(A)

CALLS = {
    "inv": lambda a, b: scipy.linalg.inv(a),
    "inv, overwriting": lambda a, b: scipy.linalg.inv(a, overwrite_a=True) @ a,
    "solve": lambda a, b: scipy.linalg.solve(a, b),
    "solve, symmetric": lambda a, b: scipy.linalg.solve(a, b, assume_a="pos"),
    "det": lambda a, b: scipy.linalg.det(a),
    "lu": lambda a, b: scipy.linalg.lu(a)[2],
    "expm": lambda a, b: scipy.linalg.expm(a / 10),
    "toeplitz": lambda a, b: scipy.linalg.toeplitz(b),
    "convolve": lambda a, b: scipy.ndimage.convolve(a, a),
    "gaussian_filter": lambda a, b: scipy.ndimage.gaussian_filter(a, 1.0),
    "label": lambda a, b: scipy.ndimage.label(a > 2)[0],
    "convolve2d": lambda a, b: scipy.signal.convolve2d(a, a),
    "fftconvolve": lambda a, b: scipy.signal.fftconvolve(a, a),
    "lfilter": lambda a, b: scipy.signal.lfilter([1.0, 2.0], [1.0, 0.5], b),
    "rfftn": lambda a, b: scipy.fft.rfftn(a),
    "skew": lambda a, b: scipy.stats.skew(b),
    "iqr": lambda a, b: scipy.stats.iqr(b),
    "gmean": lambda a, b: scipy.stats.gmean(b),
    "entropy": lambda a, b: scipy.stats.entropy(b),
    "norm": lambda a, b: scipy.stats.norm.pdf(b) + NORM.cdf(b),
    "in a branch": lambda a, b: scipy.linalg.det(a) if b.sum() > 0 else b[0],
    "of lists": lambda a, b: scipy.signal.lfilter([v for v in b if v > 1], [1.0], b),
}


LONG = ("skew", "gmean", "norm", "iqr", "entropy", "label", "lu", "fftconvolve")
"""Those of which much of the library is converted."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] if name in LONG[1:] else []) for name in CALLS]
)
@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_functions_of_scipy(name: str) -> None:
    eager = CALLS[name](A.copy(), B.copy())
    compiled = weft.function(CALLS[name])
    for _ in range(2):
        got = compiled(A.copy(), B.copy())
        np.testing.assert_allclose(got, eager, rtol=1e-12, atol=1e-12)
        assert type(got) is type(eager)
        assert np.asarray(got).dtype == np.asarray(eager).dtype


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_in_a_loop_of_run_time_length() -> None:
    def summed(a, n):
        result = 0.0
        for i in range(n):
            result += scipy.linalg.det(a + i)
        return result

    n = np.int64(4)
    np.testing.assert_allclose(weft.function(summed)(A, n), summed(A, n), rtol=1e-13)


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_errors_are_those_of_the_library() -> None:
    compiled = weft.function(lambda a: scipy.linalg.inv(a))
    np.testing.assert_allclose(compiled(A), np.linalg.inv(A), rtol=1e-13)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        compiled(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="infs or NaNs"):
        compiled(A * np.nan)


def test_the_call_is_said_once() -> None:
    compiled = weft.function(lambda a: scipy.linalg.inv(a) + scipy.linalg.inv(a + 1))
    with pytest.warns(FallbackWarning, match="inv is not compiled: it is called in Python") as caught:
        compiled(A)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(A)
    assert len({warning.lineno for warning in caught}) == 1


def test_refused_where_nothing_may_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weft.settings, "fallback", False)
    with pytest.raises(UnsupportedError):
        weft.function(lambda a: scipy.linalg.det(a))(A)


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_what_gets_functions_is_refused_by_its_own_reason() -> None:
    compiled = weft.function(lambda b: scipy.optimize.minimize(lambda x: (x**2).sum(), b).x)
    with pytest.raises((UnsupportedError, TypeError), match=r"minimize|function"):
        compiled(B)


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        (scipy.linalg.inv, True),
        (scipy.stats.skew, True),
        (scipy.stats.norm.pdf, True),
        (scipy.stats.norm.rvs, False),
        (scipy.stats.bootstrap, False),
        (scipy.linalg._basic._solve_check if hasattr(scipy.linalg._basic, "_solve_check") else len, False),
        (scipy.spatial.cKDTree, False),
        (TREE.query, True),
        (SPLINE, True),
        (scipy.sparse.csr_array.__matmul__, True),
        (SPARSE.setdiag, False),
        (scipy.fft.set_workers, False),
        (scipy.fft.rfftn, True),
        (scipy.optimize.show_options, False),
        (np.linalg.inv, False),
    ],
)
def test_which_functions_are_of_a_library(function: object, answer: bool) -> None:
    assert is_library_function(function) is answer


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("minimize", lambda x: scipy.optimize.minimize(lambda z: np.sum(z * z), x).x),
        ("minimize_scalar", lambda x: scipy.optimize.minimize_scalar(lambda z: (z - x[0]) ** 2).x),
        ("root", lambda x: scipy.optimize.root(lambda z: z * z - 1, x).x),
    ],
)
def test_what_is_neither_compiled_nor_called_is_named(name, call):
    message = rf"^scipy\.optimize\.{name}\(\) is not supported in compiled code: [\s\S]*scipy.optimize.{name}\(lambda z"
    with pytest.raises(weft.WeftError, match=message):
        weft.function(call)(np.arange(3.0))


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_objects_of_scipy_compute_with_what_they_hold_at_each_call() -> None:
    matrix = scipy.sparse.csr_array(A)

    def f(matrix, spline, b):
        distances, places = TREE.query(np.stack([b, b + 1]))
        for _ in range(3):
            b = b + matrix @ b
        if b.sum() > 0:
            b = spline(b / b.max()) + b @ matrix
        return b, matrix.toarray().sum(), distances, places, NORM.mean()

    compiled = weft.function(f)
    for _ in range(2):
        for got, expected in zip(compiled(matrix, SPLINE, B), f(matrix, SPLINE, B), strict=True):
            assert type(got) is type(expected)
            np.testing.assert_allclose(got, expected, rtol=1e-12)
        matrix.data *= 2


def test_what_a_library_cannot_do_is_refused_at_the_line_of_the_program() -> None:
    def f(matrix, x):
        matrix[0, 0] = x[0]
        return x

    with pytest.raises(weft.WeftError) as caught:
        weft.function(f)(scipy.sparse.lil_array(A), B)
    text = str(caught.value)
    assert text.index("matrix[0, 0] = x[0]") < text.index("which calls this in scipy.sparse._lil:\n")
    assert caught.value.location.file == __file__


AROUND = np.array([-np.inf, -1, 0, 0.1, 0.5, 1, 3, np.nan, np.inf])
METHODS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")


@pytest.mark.filterwarnings("error::weft.FallbackWarning", "ignore::RuntimeWarning")
def test_formulas_of_distributions_are_compiled() -> None:
    def function(x, scale):
        several = [getattr(scipy.stats.norm, method)(x, 0.1, scale) for method in METHODS]
        others = scipy.stats.expon.pdf(x, scale=scale), scipy.stats.gamma.sf(x, x, loc=0.1)
        opened = scipy.stats.rayleigh.pdf(x, scale=scale), scipy.stats.invgamma.logpdf(x, 2.0)
        numbers = scipy.stats.uniform(0.1, scale).cdf(x[4]), scipy.stats.norm.pdf(x[5].astype(np.float32))
        return *several, *others, *opened, *numbers

    compiled = weft.function(function)
    for scale in (2.0, -1.0):
        for got, expected in zip(compiled(AROUND, scale), function(AROUND, scale), strict=True):
            assert type(got) is type(expected)
            assert got.dtype == expected.dtype
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)


def test_distributions_without_a_formula_are_called_whole() -> None:
    class Wave(scipy.stats.rv_continuous):
        def _pdf(self, x):
            return (1 + np.sin(7 * x)) / 2

    wave = Wave(a=0.0, b=1.0, name="wave")
    with pytest.warns(FallbackWarning, match="cdf is not compiled"):
        got = weft.function(lambda x: (wave.pdf(x), wave.cdf(x)))(AROUND)
    np.testing.assert_allclose(got, (wave.pdf(AROUND), wave.cdf(AROUND)), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_distributions_are_frozen_with_computed_parameters() -> None:
    def function(x):
        shape = scipy.stats.gamma(a=x.sum(), scale=2.0)
        return scipy.stats.norm(x.mean(), x.std()).cdf(x), shape.mean(), scipy.stats.norm(1.0, 2.0).cdf(0.5)

    for got, expected in zip(interpreted(function)(B), function(B), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)
    with pytest.raises(UnsupportedError, match="_parse_args_rvs"):
        weft.function(lambda x: scipy.stats.norm(x.mean()).rvs(3))(B)
