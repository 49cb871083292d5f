"""Reductions and scans on special values, ties, empty axes and long sums, compiled and beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, Use, assert_as_reference, edge_values, run_compiled
from weft.dialect.dtypes import ALL_DTYPES, bfloat16, kind
from weft.frontend.tracing.staging import apply

NAN, INF = np.nan, np.inf
FLOATS = [np.dtype(np.float16), bfloat16, np.dtype(np.float32), np.dtype(np.float64)]
COMPLEX = [np.dtype(np.complex64), np.dtype(np.complex128)]


def run(name: str, x: Any, **attributes: Any) -> np.ndarray[Any, Any]:
    """Compile one op of one operand and run it."""
    return run_compiled([(OPS[name], [x], attributes)])[0][0]


def run_dynamic(name: str, x: Any, **attributes: Any) -> Any:
    """As `run`, with extents that are known only at run time."""
    spec = weft.TensorSpec((None,) * x.ndim, x.dtype)
    compiled = weft.function(lambda operand: apply(OPS[name], operand, **attributes), input_signature=[spec])
    return compiled(x)


def over_all(x: Any) -> dict[str, Any]:
    return {"axes": tuple(range(x.ndim)), "keepdims": False}


ROWS = np.array(
    [
        [1.0, NAN, 3.0],
        [-INF, -INF, -INF],
        [INF, NAN, -INF],
        [-0.0, 0.0, -0.0],
        [2.0, 2.0, 1.0],
        [1.0, 2.0, 2.0],
    ]
)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_extremes_of_special_values(dtype: np.dtype[Any]) -> None:
    x = ROWS.astype(dtype)
    along = {"axis": 1, "keepdims": False}
    over = {"axes": (1,), "keepdims": False}
    extremes = [(OPS[name], [x], over) for name in ("max", "min")]
    positions = [(OPS[name], [x], along) for name in ("argmax", "argmin")]
    assert_as_reference([*extremes, *positions])
    assert run("argmax", x, **along).tolist() == [1, 0, 1, 0, 0, 1]
    assert run("argmin", x, **along).tolist() == [1, 0, 1, 0, 2, 0]


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_extremes_of_complex_numbers_go_by_real_then_imaginary_part(dtype: np.dtype[Any]) -> None:
    x = np.array(
        [[1 + 2j, 1 + 3j, 0 + 9j], [-INF - INF * 1j] * 3, [1, NAN, 2], [1, complex(0, NAN), 2]], dtype
    )
    for name in ("argmax", "argmin"):
        expected = getattr(np, name)(x, axis=1)
        np.testing.assert_array_equal(run(name, x, axis=1, keepdims=False), expected)
    for name in ("max", "min"):
        expected = getattr(np, name)(x, axis=1)
        got = run(name, x, axes=(1,), keepdims=False)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
        np.testing.assert_array_equal(got[:2], expected[:2])


@pytest.mark.parametrize("dtype", [d for d in ALL_DTYPES if kind(d) in "iu"], ids=str)
def test_integers_wrap_and_compare_by_their_sign(dtype: np.dtype[Any]) -> None:
    x = edge_values(dtype)
    names = ("sum", "prod", "max", "min", "any", "all")
    uses: list[Use] = [(OPS[name], [x], over_all(x)) for name in names]
    uses += [(OPS[name], [x], {"axis": 0, "keepdims": True}) for name in ("argmax", "argmin")]
    uses += [(OPS[f"cumulative_{name}"], [x], {"axis": 0}) for name in ("sum", "prod", "max", "min")]
    assert_as_reference(uses)


def test_long_sums_are_as_accurate_as_pairwise_ones() -> None:
    x = np.random.default_rng(0).uniform(0, 1, 1_000_000).astype(np.float32)
    exact = np.sum(x, dtype=np.float64)
    assert run("sum", x, **over_all(x)) == np.float32(exact)
    assert run("mean", x, **over_all(x)) == np.float32(exact / x.size)
    variance = run("var", x, **over_all(x), correction=0.0)
    np.testing.assert_allclose(variance, np.var(x.astype(np.float64)), rtol=1e-6)


def test_half_precision_sums_do_not_get_stuck() -> None:
    ones = np.ones(5000, np.float16)
    assert run("sum", ones, **over_all(ones)) == 5000
    brains = np.ones(1000, bfloat16)
    assert run("sum", brains, **over_all(brains)) == 1000
    assert run("mean", brains, **over_all(brains)) == 1


def test_variance_of_numbers_far_from_zero() -> None:
    x = np.array([1e8, 1e8 + 8, 1e8 + 16], np.float32)
    expected = np.float32(np.var(x.astype(np.float64)))
    assert run("var", x, **over_all(x), correction=0.0) == expected
    assert run("std", x, **over_all(x), correction=0.0) == np.float32(np.sqrt(np.float64(expected)))


def test_nothing_left_to_divide_by() -> None:
    x = np.array([1.0, 2.0])
    assert run("var", x, **over_all(x), correction=2.0) == INF
    assert run("var", x, **over_all(x), correction=5.0) == INF
    assert np.isnan(run("var", x[:1], **over_all(x), correction=1.0))
    assert np.isnan(run("mean", x[:0], **over_all(x)))


@pytest.mark.parametrize("runner", [run, run_dynamic])
def test_empty_axes(runner: Any) -> None:
    x = np.zeros((0, 3))
    first = {"axes": (0,), "keepdims": False}
    np.testing.assert_array_equal(runner("sum", x, **first), np.zeros(3))
    np.testing.assert_array_equal(runner("prod", x, **first), np.ones(3))
    np.testing.assert_array_equal(runner("any", x, **first), [False] * 3)
    np.testing.assert_array_equal(runner("all", x, **first), [True] * 3)
    assert runner("max", x, axes=(1,), keepdims=False).shape == (0,)
    assert runner("argmax", x, axis=1, keepdims=True).shape == (0, 1)
    assert runner("cumulative_sum", x, axis=0).shape == (0, 3)


def test_nan_is_true_and_negative_zero_is_not() -> None:
    x = np.array([[NAN, 0.0], [-0.0, 0.0], [complex(0, NAN), 1]])
    assert_as_reference([(OPS[name], [x], {"axes": (1,), "keepdims": False}) for name in ("any", "all")])


@pytest.mark.processor  # devices add in another order
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_running_sums_are_rounded_as_in_numpy(dtype: np.dtype[Any], axis: int) -> None:
    x = np.random.default_rng(1).uniform(-1, 1, (40, 30)).astype(dtype)
    x[0, 0] = -0.0
    result = run("cumulative_sum", x, axis=axis)
    np.testing.assert_array_equal(result, np.cumsum(x, axis=axis))
    np.testing.assert_array_equal(np.signbit(result.real), np.signbit(np.cumsum(x, axis=axis).real))


def test_running_extremes_keep_nan() -> None:
    uses = [(OPS[f"cumulative_{name}"], [ROWS], {"axis": axis}) for name in ("max", "min") for axis in (0, 1)]
    assert_as_reference(uses)
