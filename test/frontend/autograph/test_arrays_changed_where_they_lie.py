"""Loops that read and change an argument under conditions, and may fail: the array is not copied in iterations."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def filled(grid, row, column):
    height, width = grid.shape
    stack = np.zeros((4 * height * width, 2), np.int64)
    stack[0, 0], stack[0, 1], on_stack, count = row, column, 1, 0
    while on_stack > 0:
        on_stack -= 1
        i, j = stack[on_stack, 0], stack[on_stack, 1]
        if i < 0 or j < 0 or i >= height or j >= width or grid[i, j] != 0:
            continue
        grid[i, j] = 2
        count += 1
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            stack[on_stack, 0], stack[on_stack, 1] = i + down, j + right
            on_stack += 1
    return count


@pytest.fixture
def grid():
    return (np.random.default_rng(3).random((12, 15)) < 0.3).astype(np.int64)


def test_flood_fill(grid) -> None:
    expected, given = grid.copy(), grid.copy()
    count = filled(expected, 5, 5)
    assert weft.function(filled)(given, 5, 5) == count
    assert np.array_equal(given, expected)


def test_nothing_is_copied_in_the_loop(grid) -> None:
    concrete = weft.function(filled).get_concrete_function(grid, 5, 5)
    loop = concrete.as_text("buffers").partition("scf.while")[2]
    assert loop
    assert "memref.copy" not in loop
    assert "linalg" not in loop.partition("return")[0]
