"""Ops of elements, translated, against StableHLO's own interpreter, in all dtypes and with special numbers."""

from __future__ import annotations

import numpy as np
import pytest

from support.stablehlo import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    SIGNED,
    evaluated,
    interpreted,
    module_of,
    require_equal,
    sample,
    tolerance_of,
)

REAL = (*FLOATS, *INTEGERS)
ANY = (*REAL, *COMPLEX)
NUMBERS = (*FLOATS, *COMPLEX)
BITS = (*INTEGERS, "i1")

UNARY = {
    "abs": (*FLOATS, *SIGNED),
    "cbrt": FLOATS,
    "ceil": FLOATS,
    "cosine": NUMBERS,
    "count_leading_zeros": INTEGERS,
    "exponential": NUMBERS,
    "exponential_minus_one": NUMBERS,
    "floor": FLOATS,
    "log": NUMBERS,
    "log_plus_one": NUMBERS,
    "logistic": NUMBERS,
    "negate": ANY,
    "not": BITS,
    "popcnt": INTEGERS,
    "round_nearest_afz": FLOATS,
    "round_nearest_even": FLOATS,
    "rsqrt": NUMBERS,
    "sign": (*NUMBERS, *SIGNED),
    "sine": NUMBERS,
    "sqrt": NUMBERS,
    "tan": NUMBERS,
    "tanh": NUMBERS,
}

BINARY = {
    "add": (*ANY, "i1"),
    "and": BITS,
    "atan2": FLOATS,
    "divide": NUMBERS,
    "maximum": (*ANY, "i1"),
    "minimum": (*ANY, "i1"),
    "multiply": (*ANY, "i1"),
    "or": BITS,
    "power": ANY,
    "remainder": FLOATS,
    "shift_left": INTEGERS,
    "shift_right_arithmetic": INTEGERS,
    "shift_right_logical": INTEGERS,
    "subtract": ANY,
    "xor": BITS,
}

EXACT = (
    "abs", "add", "and", "ceil", "count_leading_zeros", "floor", "maximum", "minimum", "negate", "not", "or", "popcnt",
    "remainder", "round_nearest_afz", "round_nearest_even", "shift_left", "sign", "subtract", "xor",
)  # fmt: skip


def agrees(op: str, kind: str, arguments: int, attributes: str = "", result: str | None = None) -> None:
    """Require that an op of elements gives what StableHLO's interpreter gives."""
    arrays = [sample(kind, 24, seed) for seed in range(arguments)]
    text = module_of(op, arrays, f"24x{result or kind}", attributes=attributes)
    is_exact = op in EXACT and kind not in COMPLEX
    tolerance = 0.0 if is_exact else tolerance_of(kind)
    signs = op not in ("maximum", "minimum")  # of -0.0 and 0.0 either is taken, as in NumPy
    require_equal(interpreted(text, arrays), evaluated(text, arrays), tolerance, signs)


@pytest.mark.parametrize("op", UNARY)
def test_functions(op: str) -> None:
    for kind in UNARY[op]:
        agrees(op, kind, 1)


@pytest.mark.parametrize("op", BINARY)
def test_arithmetic(op: str) -> None:
    for kind in BINARY[op]:
        agrees(op, kind, 2)


@pytest.mark.parametrize("op", ["divide", "remainder"])
@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_are_divided_towards_zero(op: str, kind: str) -> None:
    x, y = sample(kind, 24), sample(kind, 24, 1)
    y[y == 0] = 3
    text = module_of(op, [x, y], f"24x{kind}")
    require_equal(interpreted(text, [x, y]), evaluated(text, [x, y]))


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_divided_by_zero(kind: str) -> None:
    x = sample(kind, 8)
    zeros = np.zeros_like(x)
    all_bits = np.full_like(x, -1 if kind in SIGNED else np.iinfo(x.dtype).max)
    require_equal(interpreted(module_of("divide", [x, zeros], f"8x{kind}"), [x, zeros]), [all_bits])
    require_equal(interpreted(module_of("remainder", [x, zeros], f"8x{kind}"), [x, zeros]), [x])


@pytest.mark.parametrize("kind", SIGNED)
def test_the_smallest_integer_divided_by_minus_one(kind: str) -> None:
    x, y = np.array([np.iinfo(DTYPES[kind]).min]), np.array([-1], DTYPES[kind])
    x = x.astype(DTYPES[kind])
    require_equal(interpreted(module_of("divide", [x, y], f"1x{kind}"), [x, y]), [x])
    require_equal(interpreted(module_of("remainder", [x, y], f"1x{kind}"), [x, y]), [0 * x])


def test_integer_powers_with_negative_exponents() -> None:
    x = np.array([2, -1, -1, 1, 0, 3, -2], "int32")
    y = np.array([-1, -3, -2, -5, -1, -2, 3], "int32")
    text = module_of("power", [x, y], "7xi32")
    require_equal(interpreted(text, [x, y]), evaluated(text, [x, y]))


DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_comparisons(direction: str) -> None:
    for kind in (*REAL, "i1"):
        form = "FLOAT" if kind in FLOATS else "SIGNED" if kind in SIGNED else "UNSIGNED"
        attributes = (
            f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
            f"compare_type = #stablehlo<comparison_type {form}>"
        )
        agrees("compare", kind, 2, attributes, "i1")


@pytest.mark.parametrize("kind", FLOATS)
def test_total_order(kind: str) -> None:
    """StableHLO's interpreter compares as of type FLOAT here; the order is IEEE's."""
    ascending = np.array([-np.nan, -np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan]).astype(DTYPES[kind])
    bits = np.dtype(f"i{ascending.itemsize}")
    ascending.view(bits)[0] |= np.iinfo(bits).min  # the sign of the first NaN
    ascending.view(bits)[-1] &= np.iinfo(bits).max
    x, y = (each.ravel() for each in np.meshgrid(ascending, ascending, indexing="ij"))
    i, j = (each.ravel() for each in np.meshgrid(np.arange(8), np.arange(8), indexing="ij"))
    wanted = {"EQ": i == j, "NE": i != j, "LT": i < j, "LE": i <= j, "GT": i > j, "GE": i >= j}
    for direction in DIRECTIONS:
        attributes = (
            f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
            "compare_type = #stablehlo<comparison_type TOTALORDER>"
        )
        text = module_of("compare", [x, y], "64xi1", attributes=attributes)
        require_equal(interpreted(text, [x, y]), [wanted[direction]])


@pytest.mark.parametrize("kind", [*ANY, "i1"])
def test_conversions(kind: str) -> None:
    for wanted in (*ANY, "i1"):
        agrees("convert", kind, 1, result=wanted)


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("bits", [(5, 10), (8, 7), (4, 3), (5, 2), (3, 0), (11, 52), (8, 23)])
def test_reduced_precision(kind: str, bits: tuple[int, int]) -> None:
    exponent, mantissa = bits
    attributes = f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32"
    x = np.concatenate([sample(kind, 24), np.array([3e4, 2e-5, 6e-8, 1e-3, 240, 250], DTYPES[kind])])
    text = module_of("reduce_precision", [x], f"30x{kind}", attributes=attributes)
    require_equal(interpreted(text, [x]), evaluated(text, [x]))


@pytest.mark.parametrize(
    ("kind", "shape", "wanted"),
    [
        ("f32", (4,), "4xi32"),
        ("i32", (4,), "4xf32"),
        ("ui64", (4,), "4xi64"),
        ("f64", (4,), "4x2xi32"),
        ("i8", (3, 4), "3xi32"),
        ("i32", (3,), "3x4xui8"),
        ("i16", (3, 4), "3xf64"),
        ("f32", (3,), "3x2xi16"),
        ("bf16", (4,), "4xui16"),
        ("i16", (4,), "4xbf16"),
        ("complex<f32>", (4,), "4xcomplex<f32>"),
    ],
)
def test_bits_as_other_elements(kind: str, shape: tuple[int, ...], wanted: str) -> None:
    x = sample(kind, int(np.prod(shape))).reshape(shape)
    text = module_of("bitcast_convert", [x], wanted)
    require_equal(interpreted(text, [x]), evaluated(text, [x]))


def test_parts_of_numbers() -> None:
    x, y, z = sample("f32", 24), sample("f32", 24, 1), sample("complex<f64>", 5)
    for text, arrays in [
        (module_of("complex", [x, y], "24xcomplex<f32>"), [x, y]),
        (module_of("real", [z], "5xf64"), [z]),
        (module_of("imag", [z], "5xf64"), [z]),
        (module_of("real", [x], "24xf32"), [x]),
        (module_of("imag", [x], "24xf32"), [x]),
        (module_of("is_finite", [x], "24xi1"), [x]),
    ]:
        require_equal(interpreted(text, arrays), evaluated(text, arrays))


def test_choices() -> None:
    low, x, high = (sample("f32", 24, seed) for seed in range(3))
    condition = sample("i1", 24)
    for text, arrays in [
        (module_of("clamp", [low, x, high], "24xf32"), [low, x, high]),
        (module_of("clamp", [low[5], x, high[5]], "24xf32"), [low[5], x, high[5]]),
        (module_of("select", [condition, x, high], "24xf32"), [condition, x, high]),
        (module_of("select", [np.array(True), x, high], "24xf32"), [np.array(True), x, high]),
    ]:
        require_equal(interpreted(text, arrays), evaluated(text, arrays))
