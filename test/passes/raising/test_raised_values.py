"""Loops that are raised, or must not be: values, exceptions and what is left of arrays are Python's."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.loop_spellings import SPELLINGS


def outcome(function, arguments):
    """What a call gives: its result or exception, and the arguments behind it."""
    try:
        with np.errstate(all="ignore"):
            result = function(*arguments)
    except Exception as error:  # both sides are compared
        result = f"{type(error).__name__}: {error}"
    return result, arguments


def assert_alike(program, arguments, compiled=None, exact=True):
    """Compare a program with itself compiled, on copies of arguments; views of one array stay views of one."""
    expected, whole = outcome(program, arguments())
    found, same = outcome(compiled or weft.function(program), arguments())
    assert isinstance(expected, str) == isinstance(found, str), (expected, found)
    if isinstance(expected, str):
        assert found == expected
    for one, other in zip(whole, same, strict=True):
        if exact:
            np.testing.assert_array_equal(other, one)
        else:
            np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SPELLINGS)
def test_sizes_that_are_not_known(name):
    spelling = SPELLINGS[name]
    specs = [weft.TensorSpec((None,) * x.ndim, x.dtype) for x in spelling.arguments(3, "float64")]
    compiled = weft.function(spelling.program, input_signature=specs)
    for size in (0, 1, 2, 11):
        assert_alike(
            spelling.program,
            lambda size=size: spelling.arguments(size, "float64"),
            compiled,
            spelling.speed != "product",
        )


def forwards(x, y):
    for i in range(1, len(x)):
        x[i] = x[i - 1] + y[i]


def backwards(x, y):
    for i in range(len(x) - 1, 0, -1):
        x[i] = x[i - 1] + y[i]


def what_comes_later(x, y):
    for i in range(len(x) - 1):
        x[i] = x[i + 1] * y[i]


def every_other(x, y):
    for i in range(len(x) // 2):
        x[i] = y[2 * i] - 1


def from_the_end(x, y):
    for i in range(1, len(x)):
        x[i] = y[-i]


def turned(x, y):
    for i in range(len(x)):
        x[i] = y[len(x) - 1 - i]


def shuffled(x, y):
    for i in range(len(x)):
        x[(i * 7) % 20] = y[i]


def one_place(x, y):
    for i in range(len(x)):
        x[3] = y[i]


def crossing(x, y):
    """The place that is written crosses the one that all read."""
    for i in range(len(x)):
        x[i] = y[i] + x[9]


def of_itself(x, y):
    """What is added to is read."""
    for i in range(len(x)):
        x[4] += x[i] * y[i]


def beside_itself(x, y):
    for i in range(10, len(x)):
        x[4] -= x[i] * y[i]


def compensated(x, y):
    s = c = 0.0
    for i in range(len(x)):
        z = x[i] * y[i] - c
        t = s + z
        c = (t - s) - z
        s = t
    x[0] = s


def plain_sum(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    y[0] = s


def running(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
        x[i] = s


def numbers(x, y):
    for i in range(len(x)):
        x[i] = i * 0.5 + y[i] if i > 3 else i // 2


def extremes(x, y):
    low, high = x[0], y[0]
    for i in range(len(x)):
        low = np.minimum(low, x[i])
        high = np.maximum(high, y[i])
    x[0], y[0] = low, high


def past_the_end(x, y):
    for i in range(len(x)):
        x[i + 1] = y[i] * 2


def read_past_the_end(x, y):
    for i in range(len(x)):
        x[i] = y[i + 1]


PROGRAMS = [
    *(forwards, backwards, what_comes_later, every_other, from_the_end, turned, shuffled, one_place),
    *(crossing, beside_itself, plain_sum, numbers, extremes, past_the_end, read_past_the_end),
]
SUMS = [of_itself, compensated, running]


def vectors():
    x = np.random.default_rng(1).normal(size=(2, 20))
    x[0, 5], x[1, 6], x[1, 7], x[0, 8] = np.inf, -0.0, 0.0, -0.0
    return x


@pytest.mark.parametrize("program", [*PROGRAMS, *SUMS], ids=lambda f: f.__name__)
def test_dependences(program):
    """Apart, one array under both names, and views of it that overlap."""
    compiled = weft.function(program)

    assert_alike(program, lambda: list(vectors()), compiled)

    def one_array():
        x = vectors()[0].copy()
        return [x, x]

    assert_alike(program, one_array, compiled)

    def overlapping(whole):
        program(whole[:20], whole[1:21])
        program(whole[1:21], whole[:20])

    assert_alike(overlapping, lambda: [vectors().ravel()[:22].copy()], exact=program not in SUMS)


def test_numbers_that_are_none():
    """0 * inf and the like are in the sums that a product of matrices makes, and in no other."""
    program = SPELLINGS["product_named"].program

    def arguments():
        a, b, c = SPELLINGS["product_named"].arguments(20, "float64")
        a[2, 3], b[3, 4], b[5, 6] = 0.0, np.inf, np.nan
        return [a, b, c]

    assert_alike(program, arguments, exact=False)


def nothing_to_add(x, y):
    for i in range(y.shape[0]):
        x[0] += y[i] * y[i]


def test_sums_of_nothing_change_nothing():
    """-0.0 + 0.0 would be 0.0."""
    compiled = weft.function(nothing_to_add, input_signature=[weft.TensorSpec((None,), "float64")] * 2)
    for size in (0, 1, 20):
        x = np.array([-0.0])
        compiled(x, np.zeros(size))
        assert np.signbit(x[0]) == (size == 0)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64", "float16", "float32", "complex64", "bool"])
def test_dtypes(dtype):
    """Integers wrap, halves are rounded after each product, booleans stay."""
    random = np.random.default_rng(2)
    values = [(random.normal(size=shape) * 30).astype(dtype) for shape in ((19, 20), (20,), (19,))]

    def program(a, x, y):
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                y[i] += a[i, k] * x[k]

    exact = np.dtype(dtype).kind in "iub" or dtype == "float16"
    expected, found = ([each.copy() for each in values] for _ in range(2))
    with np.errstate(all="ignore"):
        program(*expected)
    weft.function(program)(*found)
    if exact:
        np.testing.assert_array_equal(found[2], expected[2])
    else:
        np.testing.assert_allclose(found[2], expected[2], rtol=2e-5)
