"""Elementwise ops on the edges of their domains give what NumPy gives, to the bit where that is defined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, Use, assert_as_reference, edge_values, run_compiled
from weft.dialect.dtypes import bfloat16, kind

EXACT_OF_FLOATS = (
    *("add", "subtract", "multiply", "negative", "positive", "absolute", "fabs", "sign", "signbit", "square"),
    *(
        "floor",
        "ceil",
        "trunc",
        "rint",
        "modf",
        "frexp",
        "ldexp",
        "copysign",
        "nextafter",
        "spacing",
        "heaviside",
    ),
    *("maximum", "minimum", "fmax", "fmin", "isnan", "isinf", "isfinite"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_xor", "logical_not"),
    *("divide", "sqrt", "floor_divide", "remainder", "divmod", "fmod", "reciprocal"),
)
EXACT_OF_INTEGERS = (
    *(
        "add",
        "subtract",
        "multiply",
        "floor_divide",
        "remainder",
        "divmod",
        "fmod",
        "power",
        "negative",
        "absolute",
    ),
    *(
        "sign",
        "square",
        "reciprocal",
        "maximum",
        "fmin",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "invert",
    ),
    *("left_shift", "right_shift", "bitwise_count", "gcd", "lcm", "logical_xor", "logical_not"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isfinite", "conjugate"),
)
COMPLEX = (
    *(
        "add",
        "multiply",
        "divide",
        "reciprocal",
        "square",
        "absolute",
        "sign",
        "conjugate",
        "rint",
        "negative",
    ),
    *(
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
    ),
    *("isnan", "isinf", "isfinite", "logical_and", "logical_not"),
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
    ),
    *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
)
FUNCTIONS = (
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "logaddexp",
        "logaddexp2",
        "erf",
        "erfc",
        "cbrt",
        "hypot",
    ),
    *("arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
    *("deg2rad", "rad2deg", "power", "float_power"),
)


def uses_on_edges(name: str, kinds: str) -> list[Use]:
    """The op on all edge values, or all pairs of them, of every dtype of the kinds."""
    uses: list[Use] = []
    for dtypes in OPS[name].operand_dtypes():
        if kind(dtypes[0]) in kinds:
            operands = [edge_values(dtype) for dtype in dtypes]
            if len(operands) == 2:
                operands = [operands[0][:, None], operands[1][None, :: 5 if kind(dtypes[1]) == "c" else 1]]
            uses.append((OPS[name], operands, {}))
    return uses


@pytest.mark.parametrize("name", EXACT_OF_FLOATS)
def test_floats_are_exact(name: str) -> None:
    assert_as_reference(uses_on_edges(name, "f"))


@pytest.mark.parametrize("name", EXACT_OF_INTEGERS)
def test_integers_and_booleans_are_exact(name: str) -> None:
    assert_as_reference(uses_on_edges(name, "biu"))


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name: str) -> None:
    assert_as_reference(uses_on_edges(name, "c"), places=8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_floats(name: str) -> None:
    # A logarithm near zero is the difference of numbers that are rounded before.
    assert_as_reference(uses_on_edges(name, "f"), places=32 if name.startswith("logaddexp") else 4)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_powers(dtype: Any) -> None:
    exponents = np.array([[0, 1, 2, 3, 4, -1, -2, 0.5, 2 + 1j, -1 + 1j, -3.5 - 0.25j, 50]], dtype)
    # A float32 power loses what its logarithm has lost; compiled code computes it in float64.
    places = 8 if dtype == np.complex128 else 100
    assert_as_reference([(OPS["power"], [edge_values(np.dtype(dtype))[:, None], exponents], {})], places)


@pytest.mark.parametrize(
    "name", ["remainder", "floor_divide", "fmod", "multiply", "modf", "trunc", "negative"]
)
def test_signs_of_zeros(name: str) -> None:
    operands = [np.array([0.0, -0.0, 5.0, -5.0, 0.5, -0.5])]
    if OPS[name].ufunc.nin == 2:
        operands.append(np.array([[2.0], [-2.0], [np.inf], [-np.inf], [5.0]]))
    (results,) = run_compiled([(OPS[name], operands, {})])
    for got, expected in zip(results, OPS[name].compute(operands, {}), strict=True):
        np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))


def test_narrow_floats_round_after_every_op() -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.dtype(np.float16), bfloat16):
        x, y = (rng.standard_normal(4096).astype(dtype) for _ in range(2))
        assert_as_reference([(OPS[name], [x, y], {}) for name in ("add", "multiply", "divide")])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_scaling_by_powers_of_two_rounds_once(dtype: str) -> None:
    generator, width = np.random.default_rng(0), np.dtype(dtype).itemsize
    x = generator.integers(0, 2 ** (8 * width), 100_000, dtype=f"u{width}").view(dtype)
    range = 3 * np.finfo(dtype).maxexp
    exponents = generator.integers(-range, range, len(x))
    exponents[::100], exponents[1::100] = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    with np.errstate(all="ignore"):
        expected = np.ldexp(x, exponents)
    result = weft.function(np.ldexp)(x, exponents)
    np.testing.assert_array_equal(result, expected)
    assert (np.signbit(result) == np.signbit(expected))[~np.isnan(x)].all()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_squares_of_complex_numbers_are_those_of_the_operator(dtype: str) -> None:
    generator = np.random.default_rng(0)
    z = (generator.standard_normal(1000) + 1j * generator.standard_normal(1000)).astype(dtype)
    function = weft.function(lambda z: z**2)
    np.testing.assert_allclose(function(z), z**2, rtol=8 * np.finfo(dtype).eps)
    assert "cpow" not in function.get_concrete_function(z).as_text("linalg")
