"""Elementary functions: accuracy over all magnitudes, special values, half precision, and in vectors of any length."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import weft
from support.elementary import REFERENCES, SPECIAL, TWO_OPERANDS, compiled, samples, ulps
from support.every_float32 import BLOCK, FUNCTIONS, worst_error


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", REFERENCES)
def test_is_right_to_two_ulps(name: str, dtype: str) -> None:
    operands = [samples(dtype)]
    if name in TWO_OPERANDS:
        operands.append(np.random.default_rng(1).permutation(operands[0]))
        special = np.array(SPECIAL).astype(dtype)
        pairs = np.meshgrid(special, special)
        operands = [np.concatenate([x, pair.ravel()]) for x, pair in zip(operands, pairs, strict=True)]
    result = np.empty_like(operands[0])
    compiled(name, dtype, len(result))(*operands, result)
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*(x.astype(np.longdouble) for x in operands))
    distance = ulps(result, exact)
    worst = int(np.argmax(distance))
    assert distance[worst] <= 2, ([x[worst] for x in operands], result[worst], exact[worst])
    zeros = (result == 0) & (exact == 0)
    np.testing.assert_array_equal(np.signbit(result[zeros]), np.signbit(exact[zeros]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_error_function(dtype: str) -> None:
    x = np.concatenate([samples(dtype), np.linspace(-7, 7, 20_000, dtype=dtype)])
    result = np.empty_like(x)
    compiled("erf", dtype, len(x))(x, result)
    exact = np.array([math.erf(value) for value in x.tolist()])
    # The C library's own error counts, too, in float64.
    assert ulps(result, exact).max() <= 2
    assert (np.signbit(result) == np.signbit(exact))[~np.isnan(x)].all()


def exact_erfc(x: float) -> Decimal:
    """To 40 digits: the series of erf, or far from zero a continued fraction, with exp(-x**2) before it."""
    number = Decimal(x)
    square = number * number
    if abs(x) < 4:
        term = total = number
        for n in range(1, 160):
            term = -term * square / n
            total += term / (2 * n + 1)
        return 1 - 2 * total / PI.sqrt()
    fraction = abs(number)
    for n in range(300, 0, -1):
        fraction = abs(number) + Decimal(n) / 2 / fraction
    tail = (-square).exp() / PI.sqrt() / fraction
    return tail if x > 0 else 2 - tail


PI = Decimal("3.14159265358979323846264338327950288419716939937510582")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_complementary_error_function(dtype: str) -> None:
    # The C library's is good to a few ulps only, so that these are compared with numbers of many digits.
    last = 10.1 if dtype == "float32" else 27.3
    generator = np.random.default_rng(0)
    x = np.concatenate(
        [np.linspace(-7, last, 800), generator.uniform(-1, 1, 200), generator.uniform(0.9 * last, last, 200)]
    ).astype(dtype)
    x = np.concatenate([x, np.array([0.0, -0.0, 1e-30, -1e-30, -30.0], dtype)])
    result = np.empty_like(x)
    compiled("erfc", dtype, len(x))(x, result)
    with localcontext() as context:
        context.prec = 50
        for argument, got in zip(x.tolist(), result, strict=True):
            exact = exact_erfc(argument)
            spacing = Decimal(float(np.spacing(np.array(float(exact), dtype))))
            assert abs(Decimal(float(got)) - exact) <= 2 * spacing, (argument, got, exact)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_complementary_error_function_of_special_numbers(dtype: str) -> None:
    x = np.array([np.inf, -np.inf, np.nan, np.finfo(dtype).max, -np.finfo(dtype).max, 0.0], dtype)
    np.testing.assert_array_equal(weft.function(weft.erfc)(x), [0.0, 2.0, np.nan, 0.0, 2.0, 1.0])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_float32_numbers_of_all_magnitudes(name: str) -> None:
    kernel = compiled(name, "float32", BLOCK)
    worst = worst_error(kernel, FUNCTIONS[name], stride=4093)
    assert worst.ulps <= 2, worst


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_that_are_numbers_are_exact(dtype: str) -> None:
    bases, exponents = (grid.ravel().astype(dtype) for grid in np.meshgrid(np.arange(-12, 13), np.arange(7)))
    result = np.empty_like(bases)
    compiled("powf", dtype, len(bases))(bases, exponents, result)
    np.testing.assert_array_equal(result, bases**exponents)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_of_any_size(name: str, dtype: str) -> None:
    largest = np.finfo(dtype).maxexp - 1
    x = np.ldexp(np.random.default_rng(0).uniform(1, 2, 50_000), np.arange(50_000) % largest).astype(dtype)
    result = np.empty_like(x)
    compiled(name, dtype, len(x))(x, result)
    assert ulps(result, REFERENCES[name](x.astype(np.longdouble))).max() <= 2


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_near_multiples_of_half_pi(name: str, dtype: str) -> None:
    multiples = np.arange(1, 200_000).astype(np.longdouble) * (np.longdouble(np.pi) / 2)
    x = multiples.astype(dtype)
    result = np.empty_like(x)
    compiled(name, dtype, len(x))(x, result)
    exact = REFERENCES[name](x.astype(np.longdouble))
    # The reference itself is not good enough next to its zeros.
    near_zero = (np.abs(exact) < 1e-14) & (dtype == "float64")
    assert ulps(result, exact)[~near_zero].max() <= 2


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sin", "acosh", "powf", "atan2"])
def test_half_precision_is_rounded_once(name: str, dtype: str) -> None:
    half = np.dtype(dtype if dtype == "float16" else ml_dtypes.bfloat16)
    x = np.arange(2**16, dtype=np.uint16).view(half)
    operands = [x, x[::-1].copy()] if name in TWO_OPERANDS else [x]
    result = np.empty_like(x)
    compiled(name, dtype, len(x))(*operands, result)
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*(value.astype(np.float64) for value in operands))
        rounded = exact.astype(half)
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
    # Double rounding moves a few results that lie half way between two numbers.
    assert np.count_nonzero(~same) <= 80
    got, wanted = (value[~same].view(np.int16).astype(int) for value in (result, rounded))
    assert np.abs(got - wanted).max(initial=0) <= 1


@pytest.mark.sampled
@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 17, 31, 33, 64, 100])
@pytest.mark.parametrize("name", ["tanh", "cos", "exp"])
def test_vectors_of_any_length(name: str, size: int) -> None:
    x = np.linspace(-5, 1e6 if name == "cos" else 5, size).astype(np.float32)
    padded = np.full(size + 32, 7, np.float32)
    compiled(name, "float32", size)(x, padded[16 : 16 + size])
    np.testing.assert_allclose(
        padded[16 : 16 + size], REFERENCES[name](x.astype(np.float64)), rtol=3e-7, atol=1e-7
    )
    assert (padded[:16] == 7).all()
    assert (padded[16 + size :] == 7).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_hypotenuses_of_all_magnitudes(dtype: str) -> None:
    generator, range = np.random.default_rng(0), np.finfo(dtype)
    exponents = generator.integers(range.minexp - range.nmant, range.maxexp, (2, 50_000))
    x, y = np.ldexp(generator.uniform(-1, 1, exponents.shape), exponents).astype(dtype)
    y[::2] = x[::2] * generator.uniform(0.1, 1, len(x[::2])).astype(dtype)
    special = np.array([*SPECIAL, range.max, range.tiny, range.smallest_subnormal]).astype(dtype)
    pairs = [pair.ravel() for pair in np.meshgrid(special, special)]
    x, y = np.concatenate([x, pairs[0]]), np.concatenate([y, pairs[1]])
    with np.errstate(all="ignore"):
        exact = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))
    assert ulps(weft.function(np.hypot)(x, y), exact).max() <= 1


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["acosh", "cbrt", "exp", "log", "log10", "powf", "tan", "tanh"])
def test_numbers_are_the_same_in_arrays_of_any_length(name: str, dtype: str) -> None:
    operands = [np.abs(samples(dtype)[:64]), samples(dtype)[64:128]][: 1 + (name in TWO_OPERANDS)]
    whole = np.empty_like(operands[0])
    compiled(name, dtype, 64)(*operands, whole)
    for size in (1, 2, 3, 5):
        kernel, part = compiled(name, dtype, size), np.empty(size, dtype)
        for start in range(0, 64 - size, size):
            kernel(*(np.ascontiguousarray(x[start : start + size]) for x in operands), part)
            np.testing.assert_array_equal(part, whole[start : start + size])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_remainders_are_exact(dtype: str) -> None:
    """Of quotients of all sizes, of dividends next to multiples of divisors, of special numbers, and of scalars."""
    random = np.random.default_rng(0)
    spread = [random.normal(size=20_000) * 2.0 ** random.integers(-40, 40, 20_000) for _ in range(2)]
    divisors = random.uniform(0.01, 10, 20_000).astype(dtype)
    multiples = (divisors * random.integers(1, 1000, 20_000)).astype(dtype)
    beside = np.nextafter(multiples, np.where(random.random(20_000) < 0.5, 0, np.inf).astype(dtype))
    tiny = float(np.finfo(dtype).smallest_subnormal)
    special = np.array([*SPECIAL, tiny, 3 * tiny, 1 / 3, 0.1]).astype(dtype)
    pairs = [array.ravel() for array in np.meshgrid(special, special)]
    x = np.concatenate([spread[0].astype(dtype), beside, pairs[0]])
    y = np.concatenate([spread[1].astype(dtype), divisors, pairs[1]])

    def remainders(x: Any, y: Any) -> Any:
        return np.fmod(x, y), np.remainder(x, y), x // y

    compiled_remainders = weft.function(remainders)
    for operands in ((x, y), (x[3], y[3])):
        with np.errstate(all="ignore"):
            expected = remainders(*operands)
        for found, exact in zip(compiled_remainders(*operands), expected, strict=True):
            np.testing.assert_array_equal(found, exact)
            number = ~np.isnan(exact)
            np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(exact)[number])
