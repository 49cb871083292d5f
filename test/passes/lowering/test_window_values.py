"""Convolutions and reductions of windows, compiled: odd windows, gaps, unknown extents, what is outside, NaN."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, assert_as_reference, run_compiled
from weft.frontend.tracing.staging import apply

RANDOM = np.random.default_rng(0)


def draw(*shape: int) -> np.ndarray[Any, Any]:
    return RANDOM.uniform(-2, 2, shape)


def by_definition(x: Any, kernel: Any, groups: int, **how: tuple[int, ...]) -> Any:
    """The convolution, one place of the kernel and one element in it after the other."""
    rank = x.ndim - 2
    strides, padding, dilations, gaps = (
        how[name] for name in ("strides", "padding", "dilations", "input_dilations")
    )
    own, made = kernel.shape[-2], kernel.shape[-1] // groups
    lengths = [(n - 1) * gap + 1 for n, gap in zip(x.shape[1:-1], gaps, strict=True)]
    counts = [
        (lengths[a] + padding[2 * a] + padding[2 * a + 1] - (kernel.shape[a] - 1) * dilations[a] - 1)
        // strides[a]
        + 1
        for a in range(rank)
    ]
    result = np.zeros((x.shape[0], *counts, kernel.shape[-1]))
    for place, element in itertools.product(np.ndindex(*counts), np.ndindex(*kernel.shape[:-2])):
        at = [place[a] * strides[a] + element[a] * dilations[a] - padding[2 * a] for a in range(rank)]
        if any(i < 0 or i >= lengths[a] or i % gaps[a] for a, i in enumerate(at)):
            continue
        seen = x[(slice(None), *(i // gap for i, gap in zip(at, gaps, strict=True)))]
        for group in range(groups):
            results = slice(group * made, (group + 1) * made)
            product = seen[:, group * own : (group + 1) * own] @ kernel[element][:, results]
            result[(slice(None), *place, results)] += product
    return result


PLAIN = {"dilations": (1, 1), "input_dilations": (1, 1), "groups": 1}
APART = {"strides": (1, 1), "dilations": (1, 1)}
USES: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 9, 8, 3), (3, 2, 3, 5), {**PLAIN, "strides": (1, 1), "padding": (0, 0, 0, 0)}),
    ((2, 9, 8, 3), (3, 2, 3, 5), {**PLAIN, "strides": (2, 3), "padding": (2, 1, 0, 3)}),
    ((2, 9, 8, 3), (3, 2, 3, 5), {**PLAIN, "strides": (1, 2), "padding": (0, 4, 1, 1), "dilations": (3, 2)}),
    ((2, 9, 8, 3), (3, 2, 3, 5), {**PLAIN, "strides": (1, 1), "padding": (-2, 1, 0, -3)}),
    ((2, 5, 6, 4), (4, 3, 2, 6), {**APART, "padding": (3, 3, 2, 1), "input_dilations": (2, 3), "groups": 2}),
    ((1, 4, 5, 3), (5, 2, 1, 3), {**APART, "padding": (2, -1, 0, 4), "input_dilations": (3, 2), "groups": 3}),
    (
        (1, 4, 5, 2),
        (5, 2, 2, 3),
        {
            "strides": (2, 3),
            "padding": (1, 2, 3, 0),
            "dilations": (2, 3),
            "input_dilations": (4, 3),
            "groups": 1,
        },
    ),
    (
        (3, 7, 2),
        (2, 2, 4),
        {"strides": (1,), "padding": (0, 0), "dilations": (1,), "input_dilations": (5,), "groups": 1},
    ),
    (
        (1, 3, 4, 5, 2),
        (2, 3, 2, 2, 3),
        {
            "strides": (1, 1, 2),
            "padding": (1, 1, 2, 1, 0, 2),
            "dilations": (1, 2, 1),
            "input_dilations": (2, 1, 3),
            "groups": 1,
        },
    ),
    (
        (1, 2, 3, 2, 3, 2),
        (2, 2, 1, 2, 2, 3),
        {
            "strides": (1,) * 4,
            "padding": (0,) * 8,
            "dilations": (1,) * 4,
            "input_dilations": (1,) * 4,
            "groups": 1,
        },
    ),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("shape", "kernel_shape", "attributes"), USES)
def test_convolution(
    shape: tuple[int, ...], kernel_shape: tuple[int, ...], attributes: dict[str, Any]
) -> None:
    x, kernel = draw(*shape), draw(*kernel_shape)
    expected = by_definition(x, kernel, **attributes)
    np.testing.assert_allclose(
        OPS["conv"].compute([x, kernel], attributes)[0], expected, rtol=1e-11, atol=1e-12
    )
    ((known,),) = run_compiled([(OPS["conv"], [x, kernel], attributes)])
    np.testing.assert_allclose(known, expected, rtol=1e-11, atol=1e-12)
    open_kernel = kernel_shape if attributes["groups"] > 1 else (None,) * x.ndim
    for of_kernel in {kernel_shape, open_kernel}:
        specs = [
            weft.TensorSpec((None,) * (x.ndim - 1) + shape[-1:], "float64"),
            weft.TensorSpec(of_kernel, "float64"),
        ]
        compiled = weft.function(lambda x, k: apply(OPS["conv"], x, k, **attributes), input_signature=specs)
        np.testing.assert_allclose(compiled(x, kernel), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "uint16", "bool", "complex64"])
def test_gaps_of_all_dtypes(dtype: str) -> None:
    attributes = {"strides": (1,), "padding": (2, 1), "dilations": (1,), "input_dilations": (2,), "groups": 1}
    x, kernel = ((draw(*shape) * 2).astype(np.dtype(dtype)) for shape in ((2, 6, 5), (3, 5, 4)))
    assert_as_reference([(OPS["conv"], [x, kernel], attributes)])


def test_empty_batches_and_channels() -> None:
    attributes = {"strides": (1,), "padding": (1, 1), "dilations": (1,), "input_dilations": (2,), "groups": 1}
    for shape, kernel in (((0, 6, 2), (3, 2, 4)), ((2, 6, 0), (3, 0, 4)), ((2, 6, 2), (3, 2, 0))):
        assert_as_reference([(OPS["conv"], [draw(*shape), draw(*kernel)], attributes)])


def test_a_window_that_does_not_fit_at_run_time_gives_nothing() -> None:
    specs = [weft.TensorSpec((1, None, 4, 1), "float64"), weft.TensorSpec((3, 3, 1, 1), "float64")]
    how = {**PLAIN, "strides": (2, 1), "padding": (0, 0, 0, 0)}
    compiled = weft.function(lambda x, f: apply(OPS["conv"], x, f, **how), input_signature=specs)
    assert compiled(draw(1, 2, 4, 1), draw(3, 3, 1, 1)).shape == (1, 0, 2, 1)
    assert compiled(draw(1, 3, 4, 1), draw(3, 3, 1, 1)).shape == (1, 1, 2, 1)


AROUND = {
    "window": (1, 3, 2, 1),
    "strides": (1, 2, 1, 1),
    "padding": (0, 0, 2, 1, 1, 1, 0, 0),
    "dilations": (1, 1, 1, 1),
}


def test_reductions_of_windows_ignore_what_is_outside_and_keep_nan() -> None:
    image = -np.abs(draw(1, 4, 5, 2))
    image[0, 1, 1, 0] = np.nan
    image[0, 3, 4, 1] = -np.inf
    names = ("window_max", "window_min", "window_sum", "window_mean")
    assert_as_reference([(OPS[name], [image], AROUND) for name in names], places=8)
    negative = -RANDOM.integers(0, 100, (1, 4, 5, 2))
    for name, dtypes in (
        ("window_max", ("int8", "uint8", "int64", "float16", "bool")),
        ("window_min", ("int8", "uint8", "bool")),
        ("window_sum", ("int8", "uint16", "float16", "complex64")),
        ("window_mean", ("float16", "complex64")),
    ):
        assert_as_reference([(OPS[name], [negative.astype(dtype)], AROUND) for dtype in dtypes])


@pytest.mark.parametrize("name", ["window_max", "window_sum", "window_mean"])
def test_windows_along_any_axes(name: str) -> None:
    x = draw(5, 9, 4)
    uses = [
        {"window": (2, 1, 3), "strides": (1, 2, 1), "padding": (0, 1, 0, 0, -1, 2), "dilations": (2, 1, 1)},
        {"window": (1, 1, 1), "strides": (1, 1, 1), "padding": (0,) * 6, "dilations": (1, 1, 1)},
        {"window": (1, 60, 1), "strides": (1, 1, 1), "padding": (0, 0, 59, 3, 0, 0), "dilations": (1, 1, 1)},
        {"window": (1, 2, 1), "strides": (1, 1, 1), "padding": (0, 0, 3, 3, 0, 0), "dilations": (1, 2, 1)},
    ]
    assert_as_reference([(OPS[name], [x], how) for how in uses], places=8)
    compiled = weft.function(
        lambda x: [apply(OPS[name], x, **how) for how in uses],
        input_signature=[weft.TensorSpec((None, None, None), "float64")],
    )
    with np.errstate(invalid="ignore"):
        for got, how in zip(compiled(x), uses, strict=True):
            np.testing.assert_allclose(got, OPS[name].compute([x], how)[0], rtol=1e-12, atol=1e-13)
