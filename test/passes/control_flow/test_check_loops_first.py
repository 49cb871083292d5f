"""Loops that are checked before they run: values, exceptions and what is left of arrays are Python's."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import weft


def shifted(a, b, k):
    for i in range(a.shape[0]):
        b[i + k] += a[i]


def backwards(a, b, k):
    for i in range(a.shape[0]):
        b[k - i] = a[i] * 2


def both_ways(a, b, k):
    """Negative indices count from the end."""
    for i in range(k, a.shape[0]):
        b[i] = a[i - k] + b[-i]


def nested(a, b, k):
    for i in range(k):
        for j in range(i, a.shape[0]):
            b[i + j] = a[j] - i


def in_a_branch(a, b, k):
    """What would fail is never run."""
    for i in range(a.shape[0]):
        if i > k:
            b[i - k - 1] = a[i]


def of_an_array(a, b, k):
    order = (np.abs(a) * 2).astype(np.int64) + k
    for i in range(a.shape[0]):
        b[order[i]] += a[i]


def written_before(a, b, k):
    """What was written before an iteration fails stays written."""
    for i in range(a.shape[0]):
        b[i] = 7.0
        b[i + k] = a[i]


PROGRAMS = [shifted, backwards, both_ways, nested, in_a_branch, of_an_array, written_before]
SPECS = [
    weft.TensorSpec((None,), "float64"),
    weft.TensorSpec((None,), "float64"),
    weft.TensorSpec((), "int64"),
]
COMPILED = {program.__name__: weft.function(program, input_signature=SPECS) for program in PROGRAMS}


def outcome(function, n, m, k):
    a, b = np.linspace(-1, 3, n), np.arange(float(m))
    try:
        function(a, b, np.int64(k))
    except IndexError as error:
        return b, str(error)
    return b, None


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@settings(max_examples=60, deadline=None)
@given(n=st.integers(0, 12), m=st.integers(0, 12), k=st.integers(-14, 14))
def test_values_and_errors(program, n, m, k):
    expected, found = outcome(program, n, m, k), outcome(COMPILED[program.__name__], n, m, k)
    assert found[1] == expected[1]
    np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("k", [2**62, -(2**62), 2**63 - 1, -(2**63), 2**31 + 1, -(2**31) - 1])
def test_sums_that_wrap_around(k):
    """Far from what a sum of two may be the iterations check for themselves."""
    for program in (shifted, backwards):
        with np.errstate(over="ignore"):
            b, error = outcome(COMPILED[program.__name__], 5, 5, k)
        assert error is not None
        np.testing.assert_array_equal(b, np.arange(5.0))


def test_places_that_are_read_are_checked_where_they_are_written():
    def counted(places, n):
        counts = np.zeros(n, np.int64)
        for i in range(len(places)):
            counts[places[i]] += 1
        return counts

    compiled = weft.function(counted)
    places = np.arange(90) % 7 - 2
    np.testing.assert_array_equal(compiled(places, 5), counted(places, 5))
    assert compiled.get_concrete_function(places, 5).as_text("optimized").count("scf.for") == 1
    for bad in (5, -6):
        places[3] = bad
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 5"):
            compiled(places, 5)


def test_programs_are_checked_first():
    """All of them have a copy without checks, which carries what it writes."""
    for name, compiled in COMPILED.items():
        text = compiled.get_concrete_function().as_text("optimized")
        assert "weft.raise_if" not in text[: text.index('"weft.write_ref"')], name
        assert "weft.raise_if" in text.split("} else {")[-1], name
