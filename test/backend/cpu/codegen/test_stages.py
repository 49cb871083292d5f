"""Stencils whose stages are computed tile by tile: the same numbers as NumPy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def diffusion(field, out, coefficient):
    """Horizontal diffusion with a limiter: four stages, each read by others at two places."""
    n, m = out.shape[0], out.shape[1]
    lap = 4 * field[1 : n + 3, 1 : m + 3] - (
        field[2 : n + 4, 1 : m + 3]
        + field[0 : n + 2, 1 : m + 3]
        + field[1 : n + 3, 2 : m + 4]
        + field[1 : n + 3, 0 : m + 2]
    )
    x = lap[1:, 1 : m + 1] - lap[:-1, 1 : m + 1]
    x = np.where(x * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0, x)
    y = lap[1 : n + 1, 1:] - lap[1 : n + 1, :-1]
    y = np.where(y * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0, y)
    out[:, :] = field[2 : n + 2, 2 : m + 2] - coefficient * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])


def turned(field, out, coefficient):
    """A transposed operand, one along an axis alone, and a stage that is read by one that a third one reads, too."""
    n, m = out.shape[0], out.shape[1]
    first = field[: n + 2, : m + 1] * field[1, : m + 1] + field.T[: n + 2, : m + 1]
    second = first[1:, 1:] * 2 - first[:-1, :-1]
    out[:, :] = second[1:] + second[:-1] + first[2:, :-1] - coefficient


@pytest.mark.parametrize(("program", "stages"), [(diffusion, 4), (turned, 3)])
def test_stages(program, stages):
    compiled = weft.function(program)
    for n, m, dtype in [(701, 602, np.float64), (515, 1030, np.float32)]:
        generator = np.random.default_rng(n)
        size = max(n, m) + 4
        field = generator.standard_normal((size, size)).astype(dtype)
        if program is diffusion:
            field = np.ascontiguousarray(field[: n + 4, : m + 4])
        field[n // 2, m // 2], field[3, 5], field[n - 1, 2] = np.nan, np.inf, -0.0
        coefficient = generator.standard_normal((n, m)).astype(dtype)
        expected, got = np.zeros((n, m), dtype), np.zeros((n, m), dtype)
        with np.errstate(all="ignore"):
            program(field, expected, coefficient)
        compiled(field, got, coefficient)
        np.testing.assert_array_equal(got, expected)
        kernels = compiled.get_concrete_function(field, got, coefficient).as_text("kernels")
        assert kernels.count("call @kernel") < stages


def test_result_that_is_an_operand():
    """What the last stage replaces is read by the first one, by other tiles, too: it is computed beside it."""

    def smooth(x):
        halves = (x[1:] + x[:-1]) / 2
        x[1:-1] = halves[1:] - halves[:-1]

    expected, got = (np.random.default_rng(1).standard_normal((900, 500)) for _ in range(2))
    smooth(expected)
    weft.function(smooth)(got)
    np.testing.assert_array_equal(got, expected)
