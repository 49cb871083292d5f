"""Programs whose results and updates are computed of the same arrays: one kernel has several results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def systems(below: Any, diagonal: Any, above: Any, right: Any) -> Any:
    """Two rows are written in each iteration, both with a third one that nobody keeps."""
    factor, x = np.zeros_like(right), np.zeros_like(right)
    factor[0] = above[0] / diagonal[0]
    x[0] = right[0] / diagonal[0]
    for i in range(1, right.shape[0]):
        pivot = diagonal[i] - below[i] * factor[i - 1]
        factor[i] = above[i] / pivot
        x[i] = (right[i] - below[i] * x[i - 1]) / pivot
    return factor, x


def moments(p: Any, m: Any, v: Any, g: Any) -> Any:
    """Arguments are written in place, each with what the next one reads."""
    m[...] = 0.9 * m + 0.1 * g
    v[...] = 0.999 * v + 0.001 * g * g
    p[...] = p - 0.01 * m / (np.sqrt(v) + 1e-8)
    return g + m


def exchanged(a: Any, b: Any) -> Any:
    """Rows of one array are read and written in turns."""
    for i in range(a.shape[0] - 1):
        u, w = a[i] + b[i], a[i] - b[i]
        a[i + 1], b[i + 1] = u, w
        a[i], b[i] = w * 0.5, u * 0.5
    return a + b, a - b


def one_array(a: Any) -> Any:
    """Both updates go to one array, whose rows may be the same."""
    for i in range(a.shape[0] - 1):
        u, w = a[i] * 2, a[i] + 1
        a[i + 1] = u
        a[(2 * i) % a.shape[0]] = w
    return a


def mixed(a: Any, b: Any) -> Any:
    """Results that are results of others, as well as of the function."""
    s, d = a + b, a - b
    q = s / d
    return s, d, q, np.sum(q), q > 1, (s * d).T


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("columns", [16, 37])
@pytest.mark.parametrize(
    ("function", "count"), [(systems, 4), (moments, 4), (exchanged, 2), (one_array, 1), (mixed, 2)]
)
def test_values(function: Any, count: int, columns: int, dtype: Any) -> None:
    if dtype == np.int32 and function in (systems, moments, exchanged):
        pytest.skip("writes fractions")
    generator = np.random.default_rng(0)
    arrays = [(generator.random((6, columns)) * 9 + 1).astype(dtype) for _ in range(count)]
    arrays[0][1, 2] = 0
    mine, theirs = [a.copy() for a in arrays], [a.copy() for a in arrays]
    with np.errstate(all="ignore"):
        expected = function(*theirs)
        got = weft.function(function)(*mine)
    wanted = [*(expected if isinstance(expected, tuple) else (expected,)), *theirs]
    results = [*(got if isinstance(got, tuple) else (got,)), *mine]
    for one, other in zip(results, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=0 if one.dtype.kind != "f" else 1e-5)


def test_one_kernel_writes_two_arrays() -> None:
    arguments = [np.ones((40, 40)) for _ in range(4)]
    text = weft.function(systems).get_concrete_function(*arguments).as_text("kernels")
    loop = text[text.index("scf.for") : text.index("scf.yield")]
    assert loop.count("func.call @kernel") == 1
