"""Every pattern of weft-simplify keeps the result bit by bit, on every dtype it applies to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.interpreter import interpret
from support.programs import NAME, Builder, build, op_names, random_bits, same_bits, transform
from support.simplifications import END, ROW, RULES, Body, Rule, bounds, dtypes_of
from weft.dialect.dtypes import ALL_DTYPES
from weft.dialect.errors import WeftTypeError
from weft.dialect.types import TensorType
from weft.passes.algebra.patterns import load_patterns


def test_every_pattern_has_a_rule() -> None:
    patterns = {pattern.__name__ for several in load_patterns().values() for pattern in several}
    assert {rule.pattern for rule in RULES} == patterns


def test_every_pattern_says_why_it_is_exact() -> None:
    for several in load_patterns().values():
        assert all(pattern.__doc__ for pattern in several)


@pytest.mark.parametrize("rule", RULES, ids=[f"{i}-{rule.pattern}" for i, rule in enumerate(RULES)])
def test_pattern_is_exact(rule: Rule) -> None:
    for dtype in dtypes_of(rule):
        argument = TensorType(rule.shape, dtype)
        try:
            original, simplified = [
                build([argument, argument], lambda b, x, y, t=dtype: rule.body(b, x, y, t)) for _ in range(2)
            ]
        except WeftTypeError as error:
            if "has no loop" not in str(error):
                raise
            continue  # NumPy has no such op for this dtype
        statistics = transform(simplified, "weft-simplify")
        assert statistics[rule.pattern] >= 1, f"{dtype}: {simplified}"
        compare(original, simplified, argument, np.random.default_rng(0), rounds=20)


def compare(
    original: Any, simplified: Any, argument: TensorType, generator: np.random.Generator, rounds: int
) -> None:
    """Run both modules on arrays of any bits."""
    shape = tuple(2 if extent is None else extent for extent in argument.shape)
    for _ in range(rounds):
        arrays = [random_bits(generator, argument.dtype, shape) for _ in range(2)]
        (expected,), (got,) = interpret(original, NAME, arrays), interpret(simplified, NAME, arrays)
        assert same_bits(got, expected), f"{arrays} give {got}, not {expected}\n{original}\n{simplified}"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ALL_DTYPES),
    st.sampled_from(ALL_DTYPES),
    st.sampled_from(ALL_DTYPES),
    st.integers(0, 2**32),
)
def test_chains_of_casts_are_exact(first: Any, middle: Any, last: Any, seed: int) -> None:
    def body(b: Builder, x: Any) -> Any:
        return b("cast", b("cast", x, dtype=middle), dtype=last)

    argument = TensorType((40,), first)
    original, simplified = build([argument], body), build([argument], body)
    transform(simplified, "weft-simplify")
    array = random_bits(np.random.default_rng(seed), first, (40,))
    (expected,), (got,) = interpret(original, NAME, [array]), interpret(simplified, NAME, [array])
    assert same_bits(got, expected), f"{first} to {middle} to {last}: {array} gives {got}, not {expected}"


def twice_updated(b: Builder, first: Any) -> Any:
    """What two writes to the same element make, added."""
    second = b("scatter", first, np.float32(2), np.int64(0), **ROW, mode="set")
    return b("add", first, second)


KEPT: list[tuple[str, Body]] = [
    ("x + 0.0 turns -0.0 into 0.0", lambda b, x: b("add", x, np.float32(0.0))),
    ("x - -0.0 turns -0.0 into 0.0", lambda b, x: b("subtract", x, np.float32(-0.0))),
    ("0.0 - x is not -x for 0.0", lambda b, x: b("subtract", np.float32(0.0), x)),
    ("x - x is NaN for infinities", lambda b, x: b("subtract", x, x)),
    ("x * 0.0 is NaN for infinities", lambda b, x: b("multiply", x, np.float32(0.0))),
    ("x / 3 is not x times its rounded reciprocal", lambda b, x: b("divide", x, np.float32(3.0))),
    ("the reciprocal of 2**127 is subnormal", lambda b, x: b("divide", x, np.float32(2.0**127))),
    ("the reciprocal of 2**-128 is infinite", lambda b, x: b("divide", x, np.float32(2.0**-128))),
    ("x ** 0.5 is not sqrt(x) for -inf", lambda b, x: b("power", x, np.float32(0.5))),
    ("x // 1.0 is rounded", lambda b, x: b("floor_divide", x, np.float32(1.0))),
    ("x == x is false for NaN", lambda b, x: b("equal", x, x)),
    ("not x < 1 holds for NaN", lambda b, x: b("logical_not", b("less", x, np.float32(1)))),
    ("a constant of another shape broadcasts", lambda b, x: b("multiply", x, np.ones((2, 1), np.float32))),
    (
        "float16 rounds",
        lambda b, x: b("cast", b("cast", x, dtype=np.dtype("float16")), dtype=np.dtype("float32")),
    ),
    ("a flip is not the identity", lambda b, x: b("slice", x, **bounds((2, -END - 1, -1)))),
    (
        "an axis may end elsewhere in another direction",
        lambda b, x: b(
            "dynamic_slice",
            x,
            b("sum", b("cast", x, dtype=np.dtype("int64")), axes=(0,), keepdims=False),
            **bounds((9, 0, -1)),
            start_axes=(),
            stop_axes=(0,),
        ),
    ),
    (
        "an element to which something was added is not what was added",
        lambda b, x: b(
            "gather", b("scatter", x, np.float32(1), np.int64(0), **ROW, mode="add"), np.int64(0), **ROW
        ),
    ),
    ("other places are no slice", lambda b, x: b("gather", x, np.int64([0, 1, 0]), **ROW)),
    ("places from the end may be outside", lambda b, x: b("gather", x, np.int64([-1, 0]), **ROW)),
    ("places outside are moved inside", lambda b, x: b("gather", x, np.int64([1, 3]), **ROW)),
    ("the same place again and again", lambda b, x: b("gather", x, np.int64([1, 1]), **ROW)),
    (
        "an element may be written twice",
        lambda b, x: b(
            "gather",
            b("scatter", x, np.float32([1, 2]), np.int64([0, 0]), **ROW, mode="set"),
            np.int64([0, 0]),
            **ROW,
        ),
    ),
    (
        "what the first of two writes made is used, and made in place only if the second starts from it",
        lambda b, x: twice_updated(b, b("scatter", x, np.float32(1), np.int64(0), **ROW, mode="set")),
    ),
    (
        "other bounds read other elements",
        lambda b, x: b(
            "slice", b("slice_update", x, np.float32([1]), **bounds((0, 1, 1))), **bounds((1, 2, 1))
        ),
    ),
]


@pytest.mark.parametrize("body", [body for _, body in KEPT], ids=[why for why, _ in KEPT])
def test_what_is_not_exact_stays(body: Body) -> None:
    module = build([TensorType((3,), np.dtype(np.float32))], body)
    before = op_names(module)
    assert not transform(module, "weft-simplify")
    assert op_names(module) == before


def test_a_negated_unsigned_number_is_another_number() -> None:
    uint8 = TensorType((3,), np.dtype(np.uint8))
    module = build([uint8], lambda b, x: b("absolute", b("negative", x)))
    transform(module, "weft-simplify")
    assert op_names(module) == ["negative"]


def test_complex_products_with_one_stay() -> None:
    module = build([TensorType((3,), np.dtype(np.complex64))], lambda b, x: b("multiply", x, np.complex64(1)))
    assert not transform(module, "weft-simplify")
