"""Every op, on every dtype that it takes, in every case that it lists: rules, verifier, compiled result.

All of it is derived from the op classes; an op that is added is tested by its `cases`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from support.interpreter import interpret
from support.linalg_programs import compile_module
from support.native import STRESS
from support.op_uses import WITHOUT_CASES, Use, is_close, uses_of
from support.op_values import edge_values
from support.programs import NAME, Builder, build, same_bits, transform
from weft.dialect.dtypes import ALL_DTYPES
from weft.dialect.mlir import ir
from weft.dialect.op import OPS
from weft.dialect.register import context, create
from weft.dialect.types import TensorType, compatible_shapes, type_of

NAMES = [name for name in OPS if name not in WITHOUT_CASES]
DYNAMIC = {"dynamic_slice"}
"""Ops whose results have extents that depend on the values of operands."""


def test_every_op_has_cases() -> None:
    assert {name for name, op in OPS.items() if not op.cases} == WITHOUT_CASES
    assert all(list(uses_of(OPS[name])) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_rules_say_what_numpy_computes(name: str) -> None:
    for use in uses_of(OPS[name]):
        computed = [type_of(array) for array in use.op.compute(use.operands(), use.case.attributes)]
        assert (list(use.op.result_types(use.types, use.case.attributes)) == computed) or name in DYNAMIC
        for types in (use.types, use.dynamic_types):
            for less, exact in zip(use.op.result_types(types, use.case.attributes), computed, strict=True):
                assert less.dtype == exact.dtype, str(use)
                assert compatible_shapes(less.shape, exact.shape), str(use)


@pytest.mark.parametrize("name", NAMES)
def test_the_verifier_takes_right_and_refuses_wrong_results(name: str) -> None:
    for use in uses_of(OPS[name]):
        right = use.op.result_types(use.types, use.case.attributes)
        build(use.types, lambda b, *operands, use=use: b(use.op.name, *operands, **use.case.attributes))
        first = right[0]
        other_dtype = np.dtype(np.int8 if first.dtype != np.int8 else np.int16)
        for wrong in (first.with_dtype(other_dtype), first.with_shape((*first.shape, 1))):
            with pytest.raises(ir.MLIRError, match=f"'weft.{name}' op returns"):
                build(
                    use.types,
                    lambda b, *operands, use=use, types=(wrong, *right[1:]): made(use, operands, types),
                )


def made(use: Use, operands: Any, types: tuple[TensorType, ...]) -> None:
    """Build the op with given result types."""
    create(use.op, list(operands), use.case.attributes, types=types)


@pytest.mark.parametrize("name", NAMES)
def test_text_is_read_back(name: str) -> None:
    for use in uses_of(OPS[name]):
        module = build(use.types, lambda b, *operands, use=use: b(name, *operands, **use.case.attributes))
        text = str(module)
        with context():
            assert str(ir.Module.parse(text)) == text, str(use)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_constants_keep_their_bits(dtype: np.dtype[Any]) -> None:
    values = edge_values(dtype)
    for array in (values, values[:1], values[:0], values.reshape(1, -1), np.full((2, 3), values[-1])):
        module = build([], lambda b, array=array: b.constant(array))
        with context():
            again = ir.Module.parse(str(module))
        (kept,) = interpret(again, NAME, [])
        assert same_bits(kept, array), array


@pytest.mark.parametrize(
    "dynamic",
    [
        pytest.param(False, id="static", marks=[pytest.mark.optimised, pytest.mark.sampled(6)]),
        pytest.param(True, id="dynamic", marks=pytest.mark.sampled(3)),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_compiled_results_are_those_of_the_reference(name: str, dynamic: bool) -> None:
    uses = list(uses_of(OPS[name]))
    if dynamic:
        uses = for_shapes(uses)
    elif STRESS == 1:
        uses = for_dtypes_and_shapes(uses)
    for use, got in zip(uses, run_compiled(uses, dynamic), strict=True):
        expected = use.op.compute(use.operands(), use.case.attributes)
        for g, e in zip(got, expected, strict=True):
            assert (g.dtype, g.shape) == (e.dtype, e.shape), str(use)
            assert is_close(use.op, g, e), f"{use} of {use.operands()} gives\n{g}\nand not\n{e}"


def for_dtypes_and_shapes(uses: list[Use]) -> list[Use]:
    """Every case with float32, and every combination of dtypes in two cases, which are others for the next one.

    Casts, whose cases are dtypes, in all.
    """
    cases = len(uses[0].op.cases)
    return [
        use
        for number, use in enumerate(uses)
        if (number - 2 * (number // cases)) % cases < 2
        or np.dtype(np.float32) in use.dtypes
        or any(isinstance(value, np.dtype) for value in use.case.attributes.values())
    ]


def for_shapes(uses: list[Use]) -> list[Use]:
    """Every case once, with float32 where the op takes it: extents do not depend on dtypes."""
    preferred = sorted(uses, key=lambda use: np.dtype(np.float32) in use.dtypes)
    return list({(use.case.shapes, repr(use.case.attributes)): use for use in preferred}.values())


def run_compiled(uses: list[Use], dynamic: bool) -> Iterator[list[Any]]:
    """Compile all uses as one function and run it."""
    types = [t for use in uses for t in (use.dynamic_types if dynamic else use.types)]
    result_types: list[TensorType] = []

    def body(b: Builder, *arguments: Any) -> list[Any]:
        values = []
        remaining = iter(arguments)
        for use in uses:
            made = b(use.op.name, *(next(remaining) for _ in use.types), **use.case.attributes)
            values += made if isinstance(made, tuple) else [made]
            result_types.extend(use.op.result_types(use.types, use.case.attributes))
        return values

    module = build(types, body)
    transform(module, "weft-optimize,weft-to-linalg")
    with context(), ir.Location.unknown():
        executable = compile_module(module, NAME, result_dtypes=[t.dtype for t in result_types])
    results = iter(executable(*(np.ascontiguousarray(array) for use in uses for array in use.operands())))
    for use in uses:
        yield [next(results) for _ in range(use.op.results)]
