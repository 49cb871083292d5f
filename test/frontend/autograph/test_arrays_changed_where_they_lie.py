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


def word_lengths(codes):
    lengths, count, i = np.zeros(len(codes), np.int64), 0, 0
    while i < len(codes):
        if codes[i] == 32:
            i += 1
            continue
        j = i
        while j < len(codes) and codes[j] != 32:
            j += 1
        lengths[count] = j - i
        count += 1
        i = j
    return count


def test_arrays_that_nobody_reads_behind_a_loop_are_changed_in_place() -> None:
    codes = np.array([*b"the  quick brown fox"])
    compiled = weft.function(word_lengths)
    assert compiled(codes) == word_lengths(codes)
    loops = compiled.get_concrete_function(codes).as_text("loops")
    assert "memref.alloc()" not in loops  # a copy of the zeros that the loop writes to


def test_loops_on_arrays_check_no_index_that_their_tests_bound() -> None:
    concrete = weft.function(word_lengths).get_concrete_function(np.array([*b"the  quick brown fox"]))
    inner = concrete.as_text("loops").split("scf.while")[2]
    assert "memref.load" in inner
    assert "arith.cmpi ult" not in inner.partition("scf.yield")[0]
