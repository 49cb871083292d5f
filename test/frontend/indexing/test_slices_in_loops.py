"""Programs whose loops slice and index at places that the loop decides, compiled, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

TABLE = np.arange(12.0).reshape(3, 4)


def forward_substitution(m: Any, v: Any) -> Any:
    x = np.zeros_like(v)
    for i in range(m.shape[0]):
        x[i] = (v[i] - m[i, :i] @ x[:i]) / (m[i, i] + 9.0)
    return x


def cholesky(m: Any, v: Any) -> Any:
    a = m @ m.T + 30 * np.eye(5)
    low = np.zeros_like(m)
    for i in range(a.shape[0]):
        for j in range(i + 1):
            rest = a[i, j] - low[i, :j] @ low[j, :j]
            if i == j:
                low[i, i] = np.sqrt(rest)
            else:
                low[i, j] = rest / low[j, j]
    return low


def rows_change(m: Any, v: Any) -> Any:
    for i in range(1, m.shape[0]):
        m[i] += m[i - 1]
        row = m[i]
        row[0] = 1.0
        m[i, :i] *= 0.5
        m[:i, i] = row[:i]
    return m.sum()


def running_sums(m: Any, v: Any) -> Any:
    for i in range(1, v.shape[0]):
        v[i:] += v[i - 1]
    return v[-1] if v.shape[0] > 0 else 0.0


def moving_mean(m: Any, v: Any) -> Any:
    out = np.zeros_like(v)
    for i in range(v.shape[0]):
        out[i] = v[max(i - 1, 0) : i + 2].mean()
    return out


def insertion_sort(m: Any, v: Any) -> Any:
    for i in range(1, v.shape[0]):
        key, j = v[i], i - 1
        while j >= 0 and v[j] > key:
            v[j + 1] = v[j]
            j -= 1
        v[j + 1] = key
    return v


def reversed_prefixes(m: Any, v: Any) -> Any:
    i = 0
    while i < v.shape[0]:
        v[: i + 1] = v[i::-1].copy()
        i += 1
    return v * 1


def shrinking(m: Any, v: Any) -> Any:
    low, high = 0, v.shape[0]
    part = v * 1
    while high - low > 1:
        middle = (low + high) // 2
        part = part[: middle - low] if part[0] < part[middle - low] else part[middle - low :]
        high = low + part.shape[0]
    return part


def weighted(m: Any, v: Any) -> Any:
    total, weights = 0.0, [3.0, 1.0, 2.0]
    for i in range(v.shape[0]):
        total += weights[i % 3] * v[i] + TABLE[i % 3, (i * 2) % 4] + TABLE[i % 3].sum()
    return total


def one_row_at_a_time(m: Any, v: Any) -> Any:
    out = np.zeros_like(m)
    for i in range(m.shape[0]):
        out[i : i + 1] = (m - m[i : i + 1]).sum(axis=0) + v[i : i + 1]
    return out


def until_outside(m: Any, v: Any) -> Any:
    for i in range(1, 2 * v.shape[0] + 1, 2):
        v[i - 1] = i
        m[-i, 0] += v[i - 1]


def misfit(m: Any, v: Any) -> Any:
    for i in range(2, v.shape[0]):
        m[0, :i] = v[:i] * v[: i // 3 * 4 or i]
    return m


def list_outside(m: Any, v: Any) -> Any:
    numbers = [1.0, 2.0]
    for i in range(v.shape[0]):
        v[i] = numbers[i]


PROGRAMS: list[Callable[[Any, Any], Any]] = [
    forward_substitution,
    cholesky,
    rows_change,
    running_sums,
    moving_mean,
    insertion_sort,
    reversed_prefixes,
    shrinking,
    weighted,
    one_row_at_a_time,
]


def arguments(n: int) -> list[Any]:
    random = np.random.default_rng(n)
    return [random.normal(size=(n, n)), random.normal(size=n)]


@pytest.mark.sampled
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("extents", ["known", "run-time"])
def test_programs_are_numpys(program: Callable[[Any, Any], Any], extents: str) -> None:
    signature = (
        [weft.TensorSpec([None] * rank, "float64") for rank in (2, 1)] if extents == "run-time" else None
    )
    compiled = weft.function(program, input_signature=signature)
    for n in (5,) if program is cholesky else (2, 5, 40):
        ours, numpys = arguments(n), arguments(n)
        got, expected = compiled(*ours), program(*numpys)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
        assert np.shape(got) == np.shape(expected)
        for mine, numpy_array in zip(ours, numpys, strict=True):
            np.testing.assert_allclose(mine, numpy_array, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("program", [forward_substitution, rows_change, moving_mean, one_row_at_a_time])
def test_long_loops_are_recorded_once(program: Callable[[Any, Any], Any]) -> None:
    text = weft.function(program).get_concrete_function(*arguments(50)).as_text("weft")
    assert text.count("scf.for") == 1


@pytest.mark.parametrize(
    "program", [until_outside, misfit, list_outside], ids=lambda program: program.__name__
)
def test_errors_leave_the_writes_before_them(program: Callable[[Any, Any], Any]) -> None:
    compiled = weft.function(
        program, input_signature=[weft.TensorSpec([None] * rank, "float64") for rank in (2, 1)]
    )
    for n in (4, 40):
        ours, numpys = arguments(n), arguments(n)
        with pytest.raises((IndexError, ValueError)) as expected:
            program(*numpys)
        with pytest.raises(expected.type) as found:
            compiled(*ours)
        assert str(found.value).splitlines()[0].strip() == str(expected.value).strip()
        for mine, numpy_array in zip(ours, numpys, strict=True):
            np.testing.assert_array_equal(mine, numpy_array)


@pytest.mark.processor
@pytest.mark.parametrize("program", [forward_substitution])
def test_products_of_slices_need_no_memory(program: Callable[[Any, Any], Any]) -> None:
    """The loop reads both slices where they are: it neither copies nor allocates."""
    text = weft.function(program).get_concrete_function(*arguments(50)).as_text("buffers")
    function = text[: text.index("func.func private")]
    assert "weft_reserve" not in function
    assert "memref.copy" not in function
    assert function.count("call @kernel_") == 3  # zeros, products of four rows, and of each of the rows left


def sparse_product(starts: Any, columns: Any, values: Any, x: Any, out: Any) -> None:
    for i in range(starts.size - 1):
        here = columns[starts[i] : starts[i + 1]]
        out[i] = values[starts[i] : starts[i + 1]] @ x[here]


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint32, np.int64])
def test_gathers_of_runs_are_checked_before_they_are_used(dtype: Any) -> None:
    """Runs that are empty, of one element and longer than a vector; the rows before a wrong index are written."""
    starts = np.array([0, 0, 1, 1, 20, 37, 37], dtype)
    is_signed = np.dtype(dtype).kind == "i"
    good = np.random.default_rng(0).integers(-9 if is_signed else 0, 9, 37).astype(dtype)
    arrays = [weft.TensorSpec((None,), d) for d in (dtype, dtype, "float64", "float64", "float64")]
    compiled = weft.function(sparse_product, input_signature=arrays if dtype == np.int64 else None)
    changes = [(place, value) for place in (0, 1, 10, 19, 20, 36) for value in (9, -10 if is_signed else 255)]
    for place, value in [(0, good[0]), *changes]:
        columns = good.copy()
        columns[place] = value
        found = []
        for function in (sparse_product, compiled):
            out, error = np.full(6, 7.0), None
            try:
                function(starts, columns, np.arange(37.0), np.arange(1.0, 10.0), out)
            except IndexError as raised:
                error = str(raised)
            found.append((error, out))
        assert found[0][0] == found[1][0]
        assert (found[0][0] is None) == (value == good[0] and place == 0)
        np.testing.assert_allclose(found[1][1], found[0][1])
