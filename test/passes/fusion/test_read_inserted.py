"""Half steps of stencils on two arrays, the second of which reads what the first one wrote there."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft


def steps(a: Any, b: Any, c: Any, count: int) -> Any:
    """Several stencils of the kind, and one whose value is needed elsewhere as well."""
    kept = np.zeros(6)
    for _ in range(count):
        b[1:-1, 1:-1] = 0.25 * (a[1:-1, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.25 * (b[1:-1, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[:-2, 1:-1])
        inner = c[:-2] - c[2:]
        c[1:-1] = inner * 0.5
        c[0] = c[1] + c[-1]
        kept += c[1:-1] * c[:-2]
    return inner, kept


def test_values() -> None:
    generator = np.random.default_rng(0)
    arrays = [generator.standard_normal(shape) for shape in [(7, 9), (7, 9), (8,)]]
    compiled = weft.function(steps)
    mine, theirs = [a.copy() for a in arrays], [a.copy() for a in arrays]
    for got, expected in zip(compiled(*mine, 20), steps(*theirs, 20), strict=True):
        np.testing.assert_array_equal(got, expected)
    for got, expected in zip(mine, theirs, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_half_steps_copy_nothing() -> None:
    def half_steps(a: Any, b: Any) -> None:
        for _ in range(20):
            b[1:-1] = a[2:] + a[1:-1] + a[:-2]
            a[1:-1] = b[2:] + b[1:-1] + b[:-2]

    a, b = np.zeros((2, 100))
    text = weft.function(half_steps).get_concrete_function(a, b.copy()).as_text("kernels")
    assert text.count("call @kernel_0") == 2  # one kernel for both
    assert "kernel_1" not in text
