"""What weft-simplify simplifies: for every pattern programs that it applies to, and the dtypes for which it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.dialect.dtypes import ALL_DTYPES, kind

from .programs import Builder

Body = Callable[..., Any]


@dataclass(frozen=True)
class Rule:
    """A pattern, a function that it simplifies, and the kinds of dtypes for which it does."""

    pattern: str
    kinds: str
    body: Body
    """Gets a builder, two arguments and the dtype."""
    shape: tuple[int | None, ...] = (2, 3)


def full(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...] = ()) -> Any:
    return np.full(shape, value, dtype)


def bounds(*axes: tuple[int, int, int]) -> dict[str, tuple[int, ...]]:
    start, stop, step = zip(*axes, strict=True)
    return {"start": start, "stop": stop, "step": step}


def region(
    start: int = 0, stop: int = 0, step: int = 1, *, start_axes: Any = (), stop_axes: Any = ()
) -> dict[str, Any]:
    """The attributes of a slice of the first of two axes, of which some bounds are operands."""
    return {**bounds((start, stop, step), (0, END, 1)), "start_axes": start_axes, "stop_axes": stop_axes}


def number(b: Builder, y: Any) -> Any:
    """An i64[] that no pattern knows, 0 or 1."""
    has_nan = b("any", b("not_equal", y, y), axes=(0, 1), keepdims=False)
    return b("cast", has_nan, dtype=np.dtype(np.int64))


def with_number(b: Builder, y: Any, body: Callable[[Any], Any]) -> Any:
    return body(number(b, y))


def row(b: Builder, x: Any) -> Any:
    """A matrix of one row."""
    return b("expand_dims", b("max", x, axes=(0,), keepdims=False), axes=(0,))


def column(b: Builder, x: Any) -> Any:
    """A matrix of one column."""
    return b("expand_dims", b("max", x, axes=(0,), keepdims=False), axes=(1,))


def first_row(b: Builder, x: Any) -> Any:
    return b("slice", x, **bounds((0, 1, 1), (0, END, 1)))


def product(b: Builder, x: Any, y: Any, *axes: int) -> Any:
    """The product without axes of extent 1."""
    return b("squeeze", b("matmul", x, y), axes=axes)


def swap(b: Builder, x: Any) -> Any:
    return b("transpose", x, permutation=(1, 0))


def cycle(b: Builder, x: Any) -> Any:
    return b("transpose", x, permutation=(1, 2, 0))


def choose_twice(b: Builder, condition: Any, x: Any, y: Any, *, first: bool) -> Any:
    inner = b("select", condition, x, y)
    return b("select", condition, inner, x) if first else b("select", condition, y, inner)


def compare_choice(b: Builder, comparison: str, condition: Any, other: Any) -> Any:
    choice = b("select", condition, full(1, other.dtype), full(0, other.dtype))
    return b("logical_or", b(comparison, choice, other), b(comparison, other, choice))


END = 2**63 - 1
INNER = bounds((0, 1, 1), (0, END, 2))
STOP = region(stop_axes=(0,))
ROW = {"axes": (0,), "position": 0}
ROUNDINGS = ("floor", "ceil", "trunc", "rint")

RULES = [
    Rule("add_zero", "biu", lambda b, x, y, t: b("add", x, full(0, t))),
    Rule(
        "add_zero",
        "fc",
        lambda b, x, y, t: b("add", full(complex(-0.0, -0.0) if kind(t) == "c" else -0.0, t), x),
    ),
    Rule("subtract_zero", "iufc", lambda b, x, y, t: b("subtract", x, full(0, t))),
    Rule("subtract_from_zero", "iu", lambda b, x, y, t: b("subtract", full(0, t), x)),
    Rule("subtract_from_zero", "f", lambda b, x, y, t: b("subtract", full(-0.0, t), x)),
    Rule("subtract_itself", "iu", lambda b, x, y, t: b("subtract", x, x)),
    Rule("add_negative", "iufc", lambda b, x, y, t: b("add", x, b("negative", y))),
    Rule("add_negative", "iufc", lambda b, x, y, t: b("add", b("negative", x), y)),
    Rule("subtract_negative", "iufc", lambda b, x, y, t: b("subtract", x, b("negative", y))),
    Rule("join_constants", "iu", lambda b, x, y, t: b("subtract", b("add", x, full(1, t)), full(1, t))),
    Rule(
        "join_constants", "iu", lambda b, x, y, t: b("subtract", b("subtract", x, full(99, t)), full(120, t))
    ),
    Rule("join_constants", "iu", lambda b, x, y, t: b("add", b("add", x, full(100, t)), full(90, t, (2, 3)))),
    Rule("power_of_integers", "iu", lambda b, x, y, t: b("power", x, full(3, t))),
    Rule("power_of_integers", "iu", lambda b, x, y, t: b("power", x, full(14, t))),
    Rule("select_smaller", "iu", lambda b, x, y, t: b("select", b("less", x, y), x, y)),
    Rule("select_smaller", "iu", lambda b, x, y, t: b("select", b("less_equal", y, x), x, y)),
    Rule("select_smaller", "iu", lambda b, x, y, t: b("select", b("greater", x, y), y, x)),
    Rule("select_smaller", "iu", lambda b, x, y, t: b("select", b("greater_equal", y, x), y, x)),
    Rule("multiply_by_one", "biuf", lambda b, x, y, t: b("multiply", full(1, t), x)),
    Rule("multiply_by_zero", "biu", lambda b, x, y, t: b("multiply", x, full(0, t))),
    Rule("multiply_by_minus_one", "if", lambda b, x, y, t: b("multiply", x, full(-1, t))),
    Rule("cancel_signs", "iufc", lambda b, x, y, t: b("multiply", b("negative", x), b("negative", y))),
    Rule("cancel_signs", "f", lambda b, x, y, t: b("divide", b("negative", x), b("negative", y))),
    Rule("divide_by_one", "f", lambda b, x, y, t: b("divide", x, full(1, t))),
    Rule("floor_divide_by_minus_one", "i", lambda b, x, y, t: b("floor_divide", x, full(-1, t))),
    Rule("divide_by_one", "iu", lambda b, x, y, t: b("floor_divide", x, full(1, t))),
    Rule("divide_by_power_of_two", "f", lambda b, x, y, t: b("divide", x, full(8, t))),
    Rule("divide_by_power_of_two", "f", lambda b, x, y, t: b("divide", x, full(-0.25, t, (2, 3)))),
    Rule("divide_by_power_of_two", "f", lambda b, x, y, t: b("divide", x, np.array([2, 0.5, -64], t))),
    Rule("divide_by_power_of_two", "f", lambda b, x, y, t: b("divide", x, full(1 / tiny(t), t))),
    Rule("floor_divide_by_power_of_two", "iu", lambda b, x, y, t: b("floor_divide", x, full(16, t))),
    Rule("remainder_of_power_of_two", "iu", lambda b, x, y, t: b("remainder", x, full(16, t))),
    Rule("remainder_of_power_of_two", "iu", lambda b, x, y, t: b("remainder", x, full(1, t))),
    Rule("power_of_one", "iuf", lambda b, x, y, t: b("power", x, full(1, t))),
    Rule("power_of_zero", "iuf", lambda b, x, y, t: b("power", x, full(0, t))),
    Rule("power_of_two", "iuf", lambda b, x, y, t: b("power", x, full(2, t))),
    Rule("power_of_minus_one", "f", lambda b, x, y, t: b("power", x, full(-1, t))),
    Rule("undo_twice", "iufc", lambda b, x, y, t: b("negative", b("negative", x))),
    Rule("undo_twice", "c", lambda b, x, y, t: b("conjugate", b("conjugate", x))),
    Rule("change_nothing", "iufc", lambda b, x, y, t: b("positive", x)),
    Rule("change_nothing", "iuf", lambda b, x, y, t: b("conjugate", x)),
    Rule("ignore_sign", "ifc", lambda b, x, y, t: b("absolute", b("negative", x))),
    Rule("ignore_sign", "if", lambda b, x, y, t: b("absolute", b("absolute", x))),
    Rule("ignore_sign", "iufc", lambda b, x, y, t: b("square", b("negative", x))),
    Rule("ignore_sign", "if", lambda b, x, y, t: b("square", b("absolute", x))),
    Rule("absolute_of_unsigned", "bu", lambda b, x, y, t: b("absolute", x)),
    *[
        Rule("round_rounded", "f", lambda b, x, y, t, o=outer, i=inner: b(o, b(i, x)))
        for outer in ROUNDINGS
        for inner in ROUNDINGS
    ],
    *[
        Rule("choose_between_equals", "biuf", lambda b, x, y, t, o=o: b(o, x, x))
        for o in ("maximum", "minimum", "fmax", "fmin")
    ],
    *[
        Rule("choose_again", "iu", lambda b, x, y, t, o=o: b(o, y, b(o, x, y)))
        for o in ("maximum", "minimum")
    ],
    # Bits, comparisons, choices
    *[
        Rule("combine_with_itself", "biu", lambda b, x, y, t, o=o: b(o, x, x))
        for o in ("bitwise_and", "bitwise_or")
    ],
    *[
        Rule("combine_with_itself", "b", lambda b, x, y, t, o=o: b(o, x, x))
        for o in ("logical_and", "logical_or")
    ],
    Rule("differ_from_itself", "biu", lambda b, x, y, t: b("bitwise_xor", x, x)),
    Rule("differ_from_itself", "b", lambda b, x, y, t: b("logical_xor", x, x)),
    Rule("combine_with_neutral", "biu", lambda b, x, y, t: b("bitwise_and", x, ~full(0, t))),
    Rule("combine_with_neutral", "biu", lambda b, x, y, t: b("bitwise_or", full(0, t), x)),
    Rule("combine_with_neutral", "biu", lambda b, x, y, t: b("bitwise_xor", full(0, t), x)),
    Rule("combine_with_absorbing", "biu", lambda b, x, y, t: b("bitwise_and", x, full(0, t))),
    Rule("combine_with_absorbing", "biu", lambda b, x, y, t: b("bitwise_or", x, ~full(0, t))),
    Rule("combine_with_absorbing", "b", lambda b, x, y, t: b("logical_or", full(1, t), x)),
    Rule("invert_twice", "biu", lambda b, x, y, t: b("invert", b("invert", x))),
    Rule("invert_twice", "b", lambda b, x, y, t: b("logical_not", b("invert", x))),
    *[
        Rule("invert_comparison", "biufc", lambda b, x, y, t, o=o: b("logical_not", b(o, x, y)))
        for o in ("equal", "not_equal")
    ],
    *[
        Rule("invert_comparison", "biu", lambda b, x, y, t, o=o: b("invert", b(o, x, y)))
        for o in ("less", "less_equal", "greater", "greater_equal")
    ],
    *[
        Rule("compare_with_itself", "biu", lambda b, x, y, t, o=o: b(o, x, x))
        for o in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    ],
    Rule("shift_by_nothing", "iu", lambda b, x, y, t: b("left_shift", x, full(0, t))),
    Rule("shift_by_nothing", "iu", lambda b, x, y, t: b("right_shift", x, full(0, t))),
    Rule("select_known", "biufc", lambda b, x, y, t: b("select", np.True_, x, y)),
    Rule("select_known", "biufc", lambda b, x, y, t: b("select", np.False_, x, y)),
    Rule("select_known", "biufc", lambda b, x, y, t: b("select", b("equal", x, y), y, y)),
    Rule("select_inverted", "biuf", lambda b, x, y, t: b("select", b("logical_not", b("isfinite", x)), x, y)),
    Rule("select_boolean", "biufc", lambda b, x, y, t: b("select", b("equal", x, y), np.True_, np.False_)),
    Rule("select_boolean", "biuf", lambda b, x, y, t: b("select", b("isfinite", x), np.False_, np.True_)),
    *[
        Rule(
            "select_and_or",
            "biufc",
            lambda b, x, y, t, c=c: b("select", b("equal", x, y), b("isfinite", x), c),
        )
        for c in (np.True_, np.False_)
    ],
    *[
        Rule(
            "select_and_or",
            "biufc",
            lambda b, x, y, t, c=c: b("select", b("equal", x, y), c, b("isfinite", x)),
        )
        for c in (np.True_, np.False_)
    ],
    Rule("select_again", "biufc", lambda b, x, y, t: choose_twice(b, b("equal", x, y), x, y, first=True)),
    Rule("select_again", "biufc", lambda b, x, y, t: choose_twice(b, b("equal", x, y), x, y, first=False)),
    *[
        Rule(
            "compare_chosen",
            "iuf",
            lambda b, x, y, t, o=o, n=n: compare_choice(b, o, b("equal", x, y), full(n, t)),
        )
        for o in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
        for n in (0, 1)
    ],
    # Conversions
    Rule("cast_to_same", "biufc", lambda b, x, y, t: b("cast", x, dtype=t)),
    Rule("cast_to_same", "iuf", lambda b, x, y, t: b("bitcast", x, dtype=t)),
    Rule(
        "cast_twice",
        "b",
        lambda b, x, y, t: b("cast", b("cast", x, dtype=np.dtype("int8")), dtype=np.dtype("float16")),
    ),
    Rule("bitcast_twice", "if", lambda b, x, y, t: b("bitcast", b("bitcast", x, dtype=unsigned(t)), dtype=t)),
    Rule("part_of_complex", "f", lambda b, x, y, t: b("real", b("complex", x, y))),
    Rule("part_of_complex", "f", lambda b, x, y, t: b("imag", b("complex", x, y))),
    Rule("part_of_conjugate", "c", lambda b, x, y, t: b("real", b("conjugate", x))),
    Rule("part_of_conjugate", "c", lambda b, x, y, t: b("imag", b("conjugate", x))),
    Rule("complex_of_parts", "c", lambda b, x, y, t: b("complex", b("real", x), b("imag", x))),
    # Rearrangements
    Rule("transpose_nothing", "if", lambda b, x, y, t: b("transpose", x, permutation=(0, 1))),
    Rule("transpose_twice", "if", lambda b, x, y, t: swap(b, swap(b, x))),
    Rule(
        "transpose_twice",
        "f",
        lambda b, x, y, t: b("transpose", b("transpose", x, permutation=(2, 0, 1)), permutation=(1, 0, 2)),
        (2, 3, 4),
    ),
    Rule("contract_transposed", "biu", lambda b, x, y, t: b("matmul", swap(b, x), y)),
    Rule("contract_transposed", "biu", lambda b, x, y, t: b("matmul", x, swap(b, y))),
    Rule("contract_transposed", "biu", lambda b, x, y, t: b("matmul", swap(b, x), y), (None, 3)),
    Rule(
        "contract_transposed",
        "iu",
        lambda b, x, y, t: b("contract", cycle(b, x), y, spec="ijk,kil->jl"),
        (2, 2, 2),
    ),
    Rule("contract_transposed", "biu", lambda b, x, y, t: b("matmul", swap(b, x), swap(b, y)), (2, 2)),
    Rule("transpose_contraction", "biu", lambda b, x, y, t: swap(b, b("matmul", x, swap(b, y)))),
    Rule(
        "transpose_contraction",
        "iu",
        lambda b, x, y, t: cycle(b, b("contract", x, y, spec="ijk,ilm->jkl")),
        (2, 2, 2),
    ),
    Rule("transpose_contraction", "iu", lambda b, x, y, t: cycle(b, b("matmul", cycle(b, x), y)), (2, 2, 2)),
    Rule("product_of_vectors", "biu", lambda b, x, y, t: product(b, row(b, x), column(b, y), 0, 1)),
    Rule("product_of_vectors", "biu", lambda b, x, y, t: product(b, x, column(b, y), 1)),
    Rule("product_of_vectors", "biu", lambda b, x, y, t: product(b, first_row(b, x), column(b, y), 0, 1)),
    Rule("product_of_vectors", "biu", lambda b, x, y, t: product(b, row(b, x), swap(b, y), 0)),
    Rule(
        "contract_as_product",
        "biu",
        lambda b, x, y, t: b("contract", x, b("reshape", y, shape=(3, 2)), spec="ab,bc->ac"),
    ),
    Rule("contract_as_product", "iu", lambda b, x, y, t: b("contract", x, y, spec="abc,adb->adc"), (2, 2, 2)),
    Rule("reshape_nothing", "if", lambda b, x, y, t: b("reshape", x, shape=(2, 3))),
    Rule(
        "reshape_nothing",
        "if",
        lambda b, x, y, t: b("reshape", x, b("dim", x, axis=0), shape=(-1, 3)),
        (None, 3),
    ),
    Rule(
        "reshape_reshaped", "if", lambda b, x, y, t: b("reshape", b("reshape", x, shape=(6,)), shape=(3, 2))
    ),
    Rule(
        "reshape_reshaped",
        "if",
        lambda b, x, y, t: b("reshape", b("expand_dims", x, axes=(1,)), shape=(3, 2)),
    ),
    Rule(
        "expand_or_squeeze_nothing",
        "if",
        lambda b, x, y, t: b("squeeze", b("expand_dims", x, axes=()), axes=()),
    ),
    Rule(
        "expand_and_squeeze", "if", lambda b, x, y, t: b("squeeze", b("expand_dims", x, axes=(1,)), axes=(1,))
    ),
    Rule(
        "expand_and_squeeze",
        "if",
        lambda b, x, y, t: b("expand_dims", b("squeeze", x, axes=(0,)), axes=(0,)),
        (1, 3),
    ),
    Rule("broadcast_nothing", "if", lambda b, x, y, t: b("broadcast_to", x, shape=(2, 3))),
    Rule(
        "broadcast_broadcast",
        "if",
        lambda b, x, y, t: b("broadcast_to", b("broadcast_to", x, shape=(4, 2, 3)), shape=(2, 4, 2, 3)),
    ),
    Rule(
        "broadcast_broadcast",
        "if",
        lambda b, x, y, t: b("broadcast_to", b("expand_dims", x, axes=(0,)), shape=(4, 2, 3)),
    ),
    Rule(
        "broadcast_operand",
        "if",
        lambda b, x, y, t: b("multiply", b("broadcast_to", full(3, t), shape=(2, 3)), y),
    ),
    Rule(
        "broadcast_operand",
        "if",
        lambda b, x, y, t: b("select", b("broadcast_to", np.array([True, False, True]), shape=(2, 3)), x, y),
    ),
    Rule(
        "stretch_nothing",
        "if",
        lambda b, x, y, t: b("stretch", x, b("dim", x, axis=0), shape=(-1, 3)),
        (None, 3),
    ),
    Rule(
        "stretch_repeated",
        "if",
        lambda b, x, y, t: b(
            "stretch",
            b("broadcast_to", full(1, t), b("dim", x, axis=0), shape=(-1,)),
            b("dim", y, axis=0),
            shape=(-1,),
        ),
        (None, 3),
    ),
    Rule("concat_nothing", "if", lambda b, x, y, t: b("concat", x, full(0, t, (0, 3)), axis=0)),
    Rule("concat_nothing", "if", lambda b, x, y, t: b("concat", full(0, t, (0, 3)), x, axis=0)),
    Rule("copy_once", "if", lambda b, x, y, t: b("tile", x, counts=(1, 1))),
    Rule("copy_once", "if", lambda b, x, y, t: b("repeat", x, count=1, axis=0)),
    Rule("copy_once", "if", lambda b, x, y, t: b("pad", x, full(1, t), low=(0, 0), high=(0, 0))),
    Rule("roll_nothing", "if", lambda b, x, y, t: b("roll", x, shift=0, axis=1)),
    Rule("roll_twice", "if", lambda b, x, y, t: b("roll", b("roll", x, shift=5, axis=1), shift=-1, axis=1)),
    # Slices
    Rule(
        "slice_everything",
        "if",
        lambda b, x, y, t: b("slice", x, **bounds((0, END, 1), (0, END, 1))),
        (None, 3),
    ),
    Rule(
        "slice_updated",
        "if",
        lambda b, x, y, t: with_number(
            b, y, lambda i: b("gather", b("scatter", x, full(1, t, (3,)), i, **ROW, mode="set"), i, **ROW)
        ),
    ),
    Rule(
        "update_with_itself",
        "if",
        lambda b, x, y, t: with_number(
            b, y, lambda i: b("scatter", x, b("gather", x, i, **ROW), i, **ROW, mode="set")
        ),
    ),
    Rule(
        "update_with_itself",
        "if",
        lambda b, x, y, t: with_number(
            b, y, lambda i: b("dynamic_slice_update", x, b("dynamic_slice", x, i, **STOP), i, **STOP)
        ),
    ),
    Rule(
        "update_updated",
        "if",
        lambda b, x, y, t: with_number(
            b,
            y,
            lambda i: b(
                "scatter",
                b("scatter", x, full(1, t, (3,)), i, **ROW, mode="set"),
                full(2, t, (3,)),
                i,
                **ROW,
                mode="set",
            ),
        ),
    ),
    Rule(
        "slice_updated",
        "if",
        lambda b, x, y, t: with_number(
            b,
            y,
            lambda i: b(
                "dynamic_slice",
                b("dynamic_slice_update", x, b("dynamic_slice", y, i, **STOP), i, **STOP),
                i,
                **STOP,
            ),
        ),
    ),
    Rule("bounds_known", "if", lambda b, x, y, t: b("dynamic_slice", x, np.int64(-1), **STOP)),
    Rule(
        "bounds_known",
        "if",
        lambda b, x, y, t: b(
            "dynamic_slice", x, np.int64(1), np.int64(9), **region(start_axes=(0,), stop_axes=(0,))
        ),
    ),
    Rule(
        "bounds_known",
        "if",
        lambda b, x, y, t: b(
            "dynamic_slice", x, number(b, y), np.int64(9), **region(start_axes=(0,), stop_axes=(0,))
        ),
    ),
    Rule(
        "bounds_known",
        "if",
        lambda b, x, y, t: b("dynamic_slice", x, b("dim", x, axis=0), **region(1, stop_axes=(0,))),
        (None, 3),
    ),
    Rule(
        "bounds_known",
        "if",
        lambda b, x, y, t: b(
            "dynamic_slice",
            b("slice_update", x, full(1, t, (1, 3)), **bounds((0, 1, 1), (0, 3, 1))),
            b("dim", x, axis=0),
            **STOP,
        ),
        (None, 3),
    ),
    Rule("slice_everything", "if", lambda b, x, y, t: b("slice", x, **bounds((0, END, 1), (-3, 3, 1)))),
    Rule(
        "slice_slice",
        "if",
        lambda b, x, y, t: b("slice", b("slice", x, **bounds((0, END, 1), (END, -END - 1, -1))), **INNER),
    ),
    Rule("gather_evenly_spaced", "if", lambda b, x, y, t: b("gather", x, np.int64([1, 0]), **ROW)),
    Rule(
        "gather_evenly_spaced",
        "if",
        lambda b, x, y, t: b(
            "gather", x, b("arange", np.int64(0), np.int64(2), shape=(2,)), axes=(1,), position=1
        ),
    ),
    Rule(
        "slice_updated",
        "if",
        lambda b, x, y, t: b("slice", b("slice_update", x, b("slice", y, **INNER), **INNER), **INNER),
    ),
    Rule(
        "update_everything",
        "if",
        lambda b, x, y, t: b("slice_update", x, y, **bounds((0, 2, 1), (0, END, 1))),
    ),
    Rule(
        "update_with_itself", "if", lambda b, x, y, t: b("slice_update", x, b("slice", x, **INNER), **INNER)
    ),
    Rule(
        "update_updated",
        "if",
        lambda b, x, y, t: b(
            "slice_update", b("slice_update", x, b("slice", y, **INNER), **INNER), full(1, t, (1, 2)), **INNER
        ),
    ),
    # Extents
    Rule(
        "maximum_of_extent",
        "f",
        lambda b, x, y, t: b("maximum", b("dim", x, axis=0), np.array(0)),
        (None, 3),
    ),
    Rule("extent_of_operand", "f", lambda b, x, y, t: b("dim", swap(b, x), axis=1), (None, 3)),
    Rule(
        "extent_of_operand",
        "f",
        lambda b, x, y, t: b("dim", b("reshape", x, b("dim", x, axis=0), shape=(-1, 1, 3)), axis=0),
        (None, 3),
    ),
    Rule(
        "extent_of_operand",
        "f",
        lambda b, x, y, t: b("dim", b("expand_dims", x, axes=(0,)), axis=1),
        (None, 3),
    ),
    Rule(
        "extent_of_operand",
        "f",
        lambda b, x, y, t: b("dim", b("squeeze", x, axes=(0,)), axis=0),
        (1, None),
    ),
    Rule("extent_of_operand", "f", lambda b, x, y, t: b("dim", b("add", x, full(1, t)), axis=0), (None, 3)),
]


def tiny(dtype: np.dtype[Any]) -> float:
    """The smallest normal number."""
    return float(np.finfo(dtype).tiny) if dtype.kind == "f" else 2.0**-126


def unsigned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{dtype.itemsize}")


def dtypes_of(rule: Rule) -> list[np.dtype[Any]]:
    """The dtypes of the rule's kinds for which the ops exist."""
    wanted = [dtype for dtype in ALL_DTYPES if kind(dtype) in rule.kinds]
    if "complex" in rule.pattern or "part_of" in rule.pattern:
        return [dtype for dtype in wanted if dtype.name in ("float32", "float64", "complex64", "complex128")]
    return wanted
