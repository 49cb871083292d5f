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


def queens(n):
    columns, row, count = np.zeros(n, np.int64), 0, 0
    columns[0] = -1
    while row >= 0:
        columns[row] += 1
        while columns[row] < n:
            is_free = True
            for k in range(row):
                if columns[k] == columns[row] or abs(columns[k] - columns[row]) == row - k:
                    is_free = False
                    break
            if is_free:
                break
            columns[row] += 1
        if columns[row] == n:
            row -= 1
        elif row == n - 1:
            count += 1
        else:
            row += 1
            columns[row] = -1
    return count


def joined(parents, one, other):
    parents, count = parents.copy(), 0
    for k in range(len(one)):
        x, y = one[k], other[k]
        while parents[x] != x:
            parents[x] = parents[parents[x]]
            x = parents[x]
        while parents[y] != y:
            parents[y] = parents[parents[y]]
            y = parents[y]
        if x != y:
            parents[x] = y
            count += 1
    return count, parents


def smallest_factors(n):
    factors, primes, count = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), 0
    for i in range(2, n + 1):
        if factors[i] == 0:
            factors[i] = i
            primes[count] = i
            count += 1
        j = 0
        while j < count and primes[j] <= factors[i] and i * primes[j] <= n:
            factors[i * primes[j]] = primes[j]
            j += 1
    return factors, primes[:count]


def turned(one, other, times):
    """Two arrays that change places, and are changed."""
    k = 0
    while k < times:
        while one[0] < 10 * k:
            one[0] += 3
        one, other = other, one
        other[1] += k
        k += 1
    return one, other


RANDOM = np.random.default_rng(5)
NESTED = [
    (queens, (np.int64(6),), True),
    (joined, (np.arange(40), RANDOM.integers(0, 40, 60), RANDOM.integers(0, 40, 60)), True),
    (smallest_factors, (np.int64(200),), True),
    (turned, (np.arange(3), np.arange(3, 6), np.int64(7)), False),
]


@pytest.mark.parametrize(("function", "args", "is_one"), NESTED, ids=[f.__name__ for f, *_ in NESTED])
def test_loops_in_loops_are_one_kernel(function, args, is_one) -> None:
    def own():
        return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]

    expected, ours = own(), own()
    compiled = weft.function(function)
    results, right = compiled(*ours), function(*expected)
    if not isinstance(right, tuple):
        results, right = (results,), (right,)
    for given, value in zip(results, right, strict=True):
        assert np.array_equal(given, value)
    for given, value in zip(ours, expected, strict=True):
        assert np.array_equal(given, value)
    if is_one:
        text = compiled.get_concrete_function(*args).as_text("kernels")
        entry, _, kernels = text.partition("func.func private")
        assert "scf.while" in kernels
        assert "scf.while" not in entry
        assert "scf.for" not in entry
