"""Routines of LAPACK and BLAS, and other compiled functions of SciPy, which Python calls when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

distances = pytest.importorskip("scipy.spatial.distance")
linalg = pytest.importorskip("scipy.linalg")
optimize, signal, stats = (pytest.importorskip(f"scipy.{name}") for name in ("optimize", "signal", "stats"))
blas, lapack = linalg.blas, linalg.lapack

DIAGONALS = np.ones(2), np.full(3, 3.0), np.ones(2), np.array([4.0, 5.0, 4.0])
A = np.random.default_rng(0).normal(size=(4, 4))
X, Y = A[:, :3], A[:2, 1:]


def same(function: Any, *arguments: Any) -> None:
    with pytest.warns(weft.FallbackWarning, match="is not compiled: it is called in Python"):
        found = interpreted(function)(*arguments)
    assert_same(found, function(*arguments))


def solved(below: Any, diagonal: Any, above: Any, right: Any, n: Any) -> Any:
    for _ in range(n):
        right = lapack.dgtsv(below, diagonal, above, right)[3]
    return right


def of_matrices(a: Any) -> Any:
    lu, pivots, info = lapack.dgetrf(a)
    x, _ = lapack.dgetrs(lu, pivots, a[0], trans=1, overwrite_b=False)
    return (
        lu,
        pivots,
        info,
        x,
        blas.dgemv(2.0, a, a[1]),
        blas.ddot(a[0], a[1]),
        blas.zdotc(a[0] + 1j, a[1] * 1j),
    )


def test_routines_of_linear_algebra() -> None:
    same(solved, *DIAGONALS, np.int64(3))
    same(of_matrices, A)


def test_distances() -> None:
    same(lambda x, y: (distances.cdist(x, y), distances.cdist(x, y, "cityblock"), distances.pdist(x)), X, Y)


def test_what_is_not_to_be_called_by_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weft.settings, "fallback", False)
    with pytest.raises(weft.UnsupportedError, match="dgetrf is not supported in compiled code"):
        interpreted(lambda a: lapack.dgetrf(a))(A)


def found_peaks(x: Any) -> Any:
    places, more = signal.find_peaks(x, height=0.3)
    return places, more["peak_heights"], more


def compared(x: Any) -> Any:
    test, correlation = stats.ttest_ind(x, x[::-1] + 1), stats.pearsonr(x, x[::-1] + x * x)
    return test.pvalue, test.df, *correlation, correlation.correlation


SECTIONS = np.array([[0.2, 0.3, 0.1, 1.0, -0.5, 0.2], [1.0, 0.4, 0.0, 1.0, -0.1, 0.0]])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (
            lambda x: signal.sosfilt(SECTIONS, x),
            (A[0],),
        ),  # of Cython, which takes no arrays that are read-only
        (found_peaks, (np.sin(np.arange(30.0)),)),  # gives a dict
        (compared, (A[0],)),  # give named tuples with further attributes
        (lambda x: optimize.linear_sum_assignment(x), (A,)),  # itself of C
    ],
)
def test_functions_whose_python_cannot_be_converted_are_called_whole(function: Any, arguments: Any) -> None:
    same(function, *arguments)


def test_functions_of_constants_are_called_once() -> None:
    def filtered(x: Any) -> Any:
        sections = signal.butter(4, 0.2, output="sos")
        sections[0] *= 2
        numerator, denominator = signal.butter(2, 0.3)
        return sections * x[0], numerator * x[1], denominator, signal.windows.hann(4) * x

    compiled = weft.function(filtered)
    assert_same(compiled(A[0]), filtered(A[0]))
    program = compiled.get_concrete_function(A[0]).as_text("weft")
    assert not any(f"weft.{name}" in program for name in ("sort", "if", "while", "cos"))
    with pytest.raises(ValueError, match="Digital filter critical frequencies must be 0 < Wn < 1"):
        weft.function(lambda x: signal.butter(2, 1.5)[0] * x)(1.0)


@pytest.mark.filterwarnings("ignore::weft.FallbackWarning")
def test_what_functions_write_to_their_arguments_is_not_lost():
    """The functions around those that write are called whole; what programs hand over to be written is refused."""
    from scipy import ndimage

    x = np.arange(12.0).reshape(3, 4) % 5
    smooth = weft.function(lambda x: ndimage.gaussian_filter(x, 1.0))
    np.testing.assert_allclose(smooth(x), ndimage.gaussian_filter(x, 1.0), rtol=1e-12)

    def into(x):
        out = np.zeros_like(x)
        ndimage.gaussian_filter1d(x, 1.0, output=out)
        return out

    with pytest.raises(weft.UnsupportedError, match="gaussian_filter1d"):
        weft.function(into)(x)
