"""Loops that hand numbers on, by blocks of the emulator: as NumPy has them, but for the rounding of sums of floats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft

N = 1300
"""More than a tile, and no whole number of them."""
LONG = 8300
"""Three slices, of which the last one is short."""


@pytest.fixture(autouse=True)
def emulator() -> Iterator[None]:
    """Let the emulator stand for a GPU."""
    with weft.settings.scope(cuda="emulator"):
        yield


def _linear(a: Any, b: Any) -> Any:
    out, s = np.empty_like(b), 0.0
    for i in range(len(b)):
        s = a[i] * s + b[i]
        out[i] = np.sqrt(np.abs(s))
    return out, s


def _smoothed(x: Any, share: float) -> Any:
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = share * x[i] + (1 - share) * out[i - 1]
    return out


def _second_order(x: Any, a: float, b: float) -> Any:
    out, before, last = np.empty_like(x), 0.0, 0.0
    for i in range(len(x)):
        new = a * last - b * before + x[i]
        before, last = last, new
        out[i] = new
    return out


def _returns(rewards: Any, ends: Any) -> Any:
    out, s = np.empty_like(rewards), 0.0
    for i in range(len(rewards) - 1, -1, -1):
        s = rewards[i] + 0.9 * (0.0 if ends[i] else s)
        out[i] = s
    return out


def _python_maximum(x: Any) -> Any:
    out, most, least = np.empty((2, len(x))), x[0], x[0]
    for i in range(len(x)):
        most, least = max(most, x[i]), min(least, x[i])
        out[0, i], out[1, i] = most, least
    return out, most


def _numpy_maximum(x: Any) -> Any:
    out, most = np.zeros_like(x), x[0]
    for i in range(0, len(x), 3):
        most = np.maximum(most, x[i])
        out[i] = most
    return out


def _hash(x: Any) -> Any:
    h, seen, out = np.int64(7), np.int32(0), np.empty_like(x)
    for i in range(len(x)):
        h = h * 31 + x[i]
        seen = seen | np.int32(1) << np.int32(x[i] % 30)
        out[i] = h
    return out, h, seen


def _in_place(x: Any) -> None:
    for i in range(1, len(x)):
        x[i] = 3 * x[i - 1] + x[i]


def _in_place_of_floats(x: Any, share: float) -> None:
    for i in range(len(x) - 2, -1, -1):
        x[i] = share * x[i + 1] + x[i]


def _in_place_of_both(x: Any, y: Any) -> None:
    for i in range(1, len(x)):
        x[i] = 0.5 * x[i - 1] + x[i] * y[i]
        y[i] = y[i] - 1.0


def _random(size: int) -> Any:
    return np.random.default_rng(size).standard_normal(size)


def _coefficients(size: int) -> Any:
    return np.random.default_rng(size + 1).uniform(-1, 1, size)


def _with_special_values() -> Any:
    x = _random(N)
    x[[0, 1, 2, 900, 1000]] = 0.0, -0.0, 3.0, np.nan, np.inf
    return x


def _integers(size: int) -> Any:
    return np.random.default_rng(size).integers(-(10**6), 10**6, size)


ROUNDED: dict[str, tuple[Callable[..., Any], ...]] = {
    "coefficients": (_linear, _coefficients(N), _random(N)),
    "coefficients in slices": (_linear, _coefficients(LONG), _random(LONG)),
    "handed on in memory": (_smoothed, _random(N), 0.1),
    "handed on in memory in slices": (_smoothed, _random(LONG), 0.1),
    "second order": (_second_order, _random(LONG), 1.2, 0.4),
    "in place": (_in_place_of_floats, _random(N), 0.9),
    "in place in slices": (_in_place_of_floats, _random(LONG), 0.9),
    "two arrays in place": (_in_place_of_both, _random(N), _random(N) + 1),
    "backwards with ends": (_returns, _random(N), _random(N) > 1.5),
}
EXACT: dict[str, tuple[Callable[..., Any], ...]] = {
    "extremes as Python has them": (_python_maximum, _with_special_values()),
    "extremes as NumPy has them": (_numpy_maximum, _with_special_values()[:1299]),
    "integers": (_hash, _integers(N)),
    "integers in slices": (_hash, _integers(LONG)),
    "integers in place": (_in_place, _integers(N)),
}


def _both(function: Callable[..., Any], *given: Any) -> tuple[list[Any], list[Any], str]:
    compiled = weft.function(function, device="cuda")
    found: list[list[Any]] = []
    for each in (compiled, function):
        arguments = [np.copy(value) if isinstance(value, np.ndarray) else value for value in given]
        with np.errstate(all="ignore"):
            result = each(*arguments)
        found.append([*(result if isinstance(result, tuple) else (result,)), *arguments])
    return found[0], found[1], compiled.get_concrete_function(*given).as_text("gpu")


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.sampled(3)
def test_sums_differ_by_rounding_alone(name: str) -> None:
    there, here, text = _both(*ROUNDED[name])
    assert ("slices, behind those before them" in text) == ("slices" in name or "order" in name)
    for one, other in zip(there, here, strict=True):
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.sampled(3)
def test_what_is_not_rounded_is_the_same(name: str) -> None:
    there, here, text = _both(*EXACT[name])
    assert '"recurrences: each iteration needs numbers of the one before' in text
    for one, other in zip(there, here, strict=True):
        if one is not None:
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(np.signbit(one), np.signbit(other))


@pytest.mark.parametrize("special", [1e-300, np.nan])
def test_products_that_overflow_are_not_seen(special: float) -> None:
    x = np.zeros(LONG)
    x[7000] = special  # the product of factors is infinite long before, and nothing is zero times infinite

    def doubled(x: Any) -> Any:
        out, s = np.empty_like(x), 0.0
        for i in range(len(x)):
            s = 2.0 * s + x[i]
            out[i] = s
        return out

    there, here, _ = _both(doubled, x)
    np.testing.assert_array_equal(there[0], here[0])


@pytest.mark.parametrize("special", [1e-300, np.nan])
def test_what_is_written_over_is_kept_where_products_overflow(special: float) -> None:
    """Threads do the iterations before their own again, of which others have stored what they make."""

    def doubled(x: Any) -> None:
        for i in range(1, len(x)):
            x[i] = 2.0 * x[i - 1] + x[i]

    x = np.zeros(LONG)
    x[7000] = special
    there, here, text = _both(doubled, x)
    np.testing.assert_array_equal(there[1], here[1])
    assert "what it writes over is kept" in text


@pytest.mark.parametrize("size", [0, 1, 900, 5000])
def test_lengths_that_the_call_tells(size: int) -> None:
    def total(x: Any, factor: float) -> Any:
        out, s = np.empty_like(x), 1.0
        for i in range(len(x)):
            s = factor * s + x[i]
            out[i] = s
        return out, s

    row = weft.TensorSpec((None,), "float64")
    number = weft.TensorSpec((), "float64")
    compiled = weft.function(total, device="cuda", input_signature=[row, number])
    x = _random(size)
    for one, other in zip(compiled(x, np.float64(0.5)), total(x, 0.5), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert not compiled.get_concrete_function(row, number).cost_analysis().device.host_kernels


def _last_only(x: Any) -> Any:
    s = 0.25
    for i in range(len(x)):
        s = 0.9 * s + x[i]
    return s


def _most_so_far(x: Any) -> Any:
    out, s = np.empty_like(x), 0.5
    for i in range(len(x)):
        s = max(s, x[i])
        out[i] = s
    return out, s


def _held(x: Any) -> Any:
    out, s = np.empty_like(x), 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s = x[i]
        out[i] = s
    return out, s


@pytest.mark.parametrize("function", [_last_only, _most_so_far, _held])
def test_numbers_behind_loops_whose_lengths_the_call_tells(function: Callable[..., Any]) -> None:
    """Also where there is no iteration, and the number is the first one."""
    row = weft.TensorSpec((None,), "float64")
    compiled = weft.function(function, device="cuda", input_signature=[row])
    for size in (0, 1, 700, 5000):
        x = _random(size) - 0.4
        found, expected = compiled(x), function(x)
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    concrete = compiled.get_concrete_function(row)
    assert "slices, behind those before them" in concrete.as_text("gpu")
    assert not concrete.cost_analysis().device.host_kernels


def test_indices_that_the_call_checks() -> None:
    def total(a: Any, b: Any) -> Any:
        out, s = np.empty_like(b), 0.0
        for i in range(len(b)):
            s = a[i] * s + b[i]
            out[i] = s
        return out

    row = weft.TensorSpec((None,), "float64")
    compiled = weft.function(total, device="cuda", input_signature=[row, row])
    text = compiled.get_concrete_function(row, row).as_text("gpu")
    assert "slices, behind those before them" in text
    assert text.count('weft.side = "host"') == 1  # the way in which an index is out of bounds
    for size in (0, 300, 5000):
        a, b = _coefficients(size), _random(size)
        np.testing.assert_allclose(compiled(a, b), total(a, b), rtol=1e-9, atol=1e-12)
    with pytest.raises(IndexError, match="index 200 is out of bounds for axis 0 with size 200"):
        compiled(a[:200], b)


def test_iterations_give_the_same_bits_each_time() -> None:
    compiled = weft.function(_linear, device="cuda")
    a, b = _coefficients(LONG), _random(LONG)
    np.testing.assert_array_equal(compiled(a, b)[0], compiled(a, b)[0])


def _rows(x: Any, share: float) -> Any:
    state, out = np.zeros(x.shape[1]), np.empty_like(x)
    for i in range(len(x)):
        state = share * state + x[i]
        out[i] = np.tanh(state)
    return out


def _rows_in_place(x: Any, share: float) -> Any:
    for i in range(1, len(x)):
        x[i] += share * x[i - 1]
    return x * 2


def _moments(x: Any, share: float) -> Any:
    first, second, position = np.zeros((2, 300)), np.zeros((2, 300)), np.ones((2, 300))
    for i in range(len(x)):
        gradient = position - x[i]
        first = share * first + (1 - share) * gradient
        second = share * second + (1 - share) * gradient * gradient
        position = position - first / (np.sqrt(second) + 1e-3)
    return position, first


def _waves(x: Any, share: float) -> Any:
    for i in range(1, len(x)):
        x[i, 1:-1] = x[i - 1, 1:-1] + share * (x[i - 1, 2:] - x[i - 1, :-2])
    return x


COLUMNS: dict[str, tuple[Callable[..., Any], tuple[int, ...], int]] = {
    "states": (_rows, (20, 600), 3),
    "rows in place": (_rows_in_place, (20, 600), 3),
    "moments": (_moments, (20, 2, 300), 3),
    "neighbours": (_waves, (20, 600), 1),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_rows_that_need_the_last_one_are_threads(name: str) -> None:
    function, shape, blocks = COLUMNS[name]
    x = np.random.default_rng(len(shape)).standard_normal(shape)
    there, here, text = _both(function, x, 0.9)
    assert (f"nobody waits for others: {blocks} blocks of" in text) == (blocks > 1)
    assert "one block: an iteration needs the last one" in text
    for one, other in zip(there, here, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13)


def test_loops_over_many_columns_are_one_launch() -> None:
    row = [weft.TensorSpec((50, 300_000), "float64"), weft.TensorSpec((), "float64")]
    text = weft.function(_rows, target="sm_90a").get_concrete_function(*row).as_text("gpu")
    assert "nobody waits for others" in text
    far = weft.function(_waves, target="sm_90a").get_concrete_function(*row).as_text("gpu")
    assert "one block" not in far
