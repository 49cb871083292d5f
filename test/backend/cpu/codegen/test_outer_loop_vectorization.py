"""Loops whose iterations have inner loops of their own: side by side in vectors, as if one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import named, why_not_here

Array = np.ndarray[Any, Any]

COUNTS = [0, 1, 7, 16, 17, 32, 33, 63, 100]
KNOWN = [0, 7, 16, 33, 100]
"""Lengths that functions are compiled for: none, a part of a vector, all of it, several, and those with a rest."""


def escapes(count: Any, most: Any) -> Any:
    out = np.zeros((count, count), np.int64)
    for i in range(count):
        for j in range(count):
            cr, ci = -2 + 3 * j / count, -1.5 + 3 * i / count
            x, y, k = 0.0, 0.0, 0
            while k < most and x * x + y * y <= 4:
                x, y = x * x - y * y + cr, 2 * x * y + ci
                k += 1
            out[i, j] = k
    return out


def escapes_with_break(x: Any, image: Any) -> Any:
    inside = 0
    for i in range(len(image)):
        re, steps = x[i], 0
        while steps < 50:
            re = re * re + x[i]
            steps += 1
            if re > 4:
                image[i] = steps
                break
        else:
            inside += 1
    return inside


def places_of_escape(x: Any, image: Any) -> Any:
    """Written with what was known before the step that escapes, and beside it."""
    seen = image * 0
    for i in range(len(image)):
        re = x[i]
        for step in range(40):
            re = re * re + x[i]
            if re > 4:
                image[i] = step
                seen[i] += 1
                break
    return seen


def complex_escapes(points: Any, image: Any) -> Any:
    for i in range(len(points)):
        c, z = complex(points[i], 0.25 * points[i]), 0j
        for step in range(40):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                image[i] = step
                break


def complex_orbits(points: Any, ends: Any) -> Any:
    for i in range(len(points)):
        z, steps = points[i], 0
        while z.real < 2 and steps < 30:
            z, steps = z * z + points[i], steps + 1
        ends[i] = z


def longest_collatz(count: Any) -> Any:
    best, at = 0, 0
    for start in range(1, count):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > best:
            best, at = steps, start
    return best, at


def roots(x: Any, out: Any) -> Any:
    total = x[0] * 0
    for i in range(len(x)):
        guess = x[i]
        change = guess
        while change * change > 1e-6:
            better = (guess + x[i] / guess) / 2
            change = better - guess
            guess = better
        out[i] = guess
        total += guess
    return total


def odd_parts(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        n, rounds = x[i], 0
        while n > 1:
            while n % 2 == 0 and n > 0:
                n = n // 2
            n = n - 1
            rounds += 1
        out[i] = rounds
    return out


def last_digits(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        n, digits = x[i], 0
        while n >= 10:
            n //= 10
            digits += 1
        out[i] = 100 * digits + n
    return out


def remainders(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        a, b = 1000 + i, x[i]
        while b != 0:
            a, b = b, a % b
        out[i] = a
    return out


def walks(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        at, steps = i, 0
        while x[at] != 0 and steps < 9:
            at = x[at]
            steps += 1
        out[i] = steps
    return out


def is_vector_code(function: Callable[..., Any], *args: Any) -> bool:
    compiled = weft.function(function, target="x86-64-v4")
    return "vector<" in compiled.get_concrete_function(*args).as_text("buffers")


def test_points_that_escape() -> None:
    compiled = weft.function(escapes)
    for count in COUNTS:
        np.testing.assert_array_equal(compiled(np.int64(count), np.int64(60)), escapes(count, 60))


def counted(x: Any, most: Any, out: Any) -> Any:
    for i in range(len(x)):
        a, k = 0.0, 0
        while k < most and a < 4:
            a = a * a + x[i]
            k += 1
        out[i] = k
    return out


def test_counts_that_are_stored_as_smaller_ints() -> None:
    x, most = np.linspace(-0.5, 1, 20), weft.TensorSpec((), "int64")
    assert is_vector_code(counted, x, most, np.zeros(20, np.int8))
    compiled = weft.function(counted)
    for limit in map(np.int64, (0, 5, 127)):
        got, expected = (f(x, limit, np.zeros(20, np.int8)) for f in (compiled, counted))
        np.testing.assert_array_equal(got, expected)
    for function in (compiled, counted):
        with pytest.raises(OverflowError, match="Python integer 128 out of bounds for int8"):
            function(x, np.int64(128), np.zeros(20, np.int8))


def test_values_that_the_outer_loop_carries() -> None:
    compiled = weft.function(longest_collatz)
    for count in COUNTS:
        assert tuple(map(int, compiled(np.int64(count)))) == longest_collatz(count)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", KNOWN)
def test_loops_that_are_left_in_the_middle(count: int, dtype: str) -> None:
    x = np.linspace(-2.5, 1.5, count).astype(dtype)
    got, wanted = np.zeros(count, np.int64), np.zeros(count, np.int64)
    assert int(weft.function(escapes_with_break)(x, got)) == escapes_with_break(x, wanted)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("count", KNOWN)
def test_what_is_written_where_a_loop_breaks_off(count: int) -> None:
    x = np.linspace(-2.5, 1.5, count)
    got, wanted = np.full(count, -1), np.full(count, -1)
    np.testing.assert_array_equal(weft.function(places_of_escape)(x, got), places_of_escape(x, wanted))
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("count", KNOWN)
def test_complex_numbers_of_real_ones(count: int) -> None:
    x = np.linspace(-2.5, 1.5, count)
    got, wanted = np.zeros(count, np.int32), np.zeros(count, np.int32)
    weft.function(complex_escapes)(x, got)
    with np.errstate(all="ignore"):
        complex_escapes(x, wanted)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("count", KNOWN)
def test_complex_numbers(count: int, dtype: str) -> None:
    parts = np.random.default_rng(0).uniform(-2, 1, (2, count))
    x = (parts[0] + 1j * parts[1]).astype(dtype)
    x[count // 2 :: 9] = complex(np.nan, np.inf)
    with np.errstate(all="ignore"):
        got, wanted = np.zeros_like(x), np.zeros_like(x)
        weft.function(complex_orbits)(x, got)
        complex_orbits(x, wanted)
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", KNOWN[1:])
def test_what_is_read_and_added_up(count: int, dtype: str) -> None:
    x = (1 + np.random.default_rng(0).uniform(0, 1000, count)).astype(dtype)
    x[count // 2 :: 5] = np.nan
    x[count // 3 :: 7] = np.inf
    got, wanted = np.empty_like(x), np.empty_like(x)
    with np.errstate(invalid="ignore"):
        total, sum = weft.function(roots)(x, got), roots(x, wanted)
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(total, sum)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
@pytest.mark.parametrize("function", [odd_parts, last_digits, remainders])
@pytest.mark.parametrize("count", [1, 33, 64])
def test_integers(count: int, function: Callable[..., Any], dtype: str) -> None:
    x = np.random.default_rng(0).integers(-5, 2000, count).astype(dtype)
    got, wanted = np.zeros_like(x), np.zeros_like(x)
    weft.function(function)(x, got)
    function(x, wanted)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("count", KNOWN)
def test_reads_whose_places_the_loop_finds(count: int) -> None:
    x = np.random.default_rng(0).integers(0, max(count, 1), count)
    got, wanted = np.zeros_like(x), np.zeros_like(x)
    weft.function(walks)(x, got)
    walks(x, wanted)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3"])
def test_other_machines(target: str) -> None:
    if why_not_here(named(target)):
        pytest.skip("cannot run here")
    got = weft.function(target=target)(escapes)(np.int64(45), np.int64(60))
    np.testing.assert_array_equal(got, escapes(45, 60))
    assert weft.function(target=target)(longest_collatz)(np.int64(300)) == longest_collatz(300)


def test_which_loops_become_vector_code() -> None:
    n = np.int64(100)
    assert is_vector_code(escapes, n, n)
    assert is_vector_code(longest_collatz, n)
    assert is_vector_code(complex_escapes, np.ones(100), np.ones(100, int))
    assert is_vector_code(escapes_with_break, np.ones(100), np.ones(100, int))
    assert is_vector_code(places_of_escape, np.ones(100), np.ones(100, int))
    assert is_vector_code(roots, np.ones(100), np.ones(100))
    assert is_vector_code(odd_parts, np.ones(100, int), np.ones(100, int))


@pytest.mark.parametrize("function", [odd_parts, remainders, walks])
def test_which_do_not(function: Callable[..., Any]) -> None:
    x = np.ones(100, int)
    # An array that is read where it was written, a division by what may be zero, reads at places that loops find.
    assert not is_vector_code(function, x, x if function is odd_parts else np.ones(100, int))
