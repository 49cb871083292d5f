"""Small functions of the weft dialect, built op by op, and exact comparison of what they compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from support.op_values import edge_values
from weft.dialect.attributes import type_to_mlir
from weft.dialect.dtypes import bfloat16, kind
from weft.dialect.mlir import Module, Value, dialect, ir
from weft.dialect.op import OPS
from weft.dialect.register import context, create
from weft.dialect.types import ValueType
from weft.passes.pipeline import Observer, Step, run_pipeline
from weft.passes.pipelines import PIPELINES

NAME = "main"


class Builder:
    """Builds weft ops at the current insertion point: `b("add", x, y)`; arrays as operands are constants."""

    def __call__(self, op_name: str, *operands: Any, **attributes: Any) -> Any:
        values = [
            self.constant(operand) if isinstance(operand, (np.ndarray, np.generic)) else operand
            for operand in operands
        ]
        results = create(OPS[op_name], values, attributes).results
        return results[0] if len(results) == 1 else tuple(results)

    def constant(self, array: Any) -> Value:
        """A constant of the array's own dtype and shape."""
        return self("constant", value=np.asarray(array))


def build(
    types: Sequence[ValueType], body: Callable[..., Any], prepare: Callable[[Module], None] | None = None
) -> Module:
    """A module with the function `main` of these arguments; `body` gets a builder and the arguments.

    What it returns, a value or a sequence of values, is what the function returns. `prepare` may add functions before.
    """
    func = dialect("func")
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        if prepare is not None:
            prepare(module)
        with ir.InsertionPoint(module.body):
            function = func.FuncOp(NAME, ir.FunctionType.get([type_to_mlir(t) for t in types], []))
            entry = function.add_entry_block()
        with ir.InsertionPoint(entry):
            returned = body(Builder(), *entry.arguments)
            values = (
                []
                if returned is None
                else list(returned)
                if isinstance(returned, (list, tuple))
                else [returned]
            )
            func.ReturnOp(values)
        signature = ir.FunctionType.get([a.type for a in entry.arguments], [v.type for v in values])
        function.attributes["function_type"] = ir.TypeAttr.get(signature)
        module.operation.verify()
    return module


class Counting(Observer):
    """Adds up the statistics of all passes of a run."""

    def __init__(self) -> None:
        self.statistics: Counter[str] = Counter()

    def after(self, step: Step, module: Module, seconds: float, statistics: Counter[str]) -> None:
        self.statistics += statistics


def transform(module: Module, pipeline: str) -> Counter[str]:
    """Run a pipeline in place, verifying after every pass; returns what the passes counted."""
    counting = Counting()
    run_pipeline(
        module, f"builtin.module({pipeline})", pipelines=PIPELINES, observers=[counting], verify=True
    )
    return counting.statistics


def op_names(module: Module) -> list[str]:
    """The names of the weft ops in a module, without the prefix, in program order."""
    names: list[str] = []

    def visit(operation: Any) -> Any:
        if operation.name.startswith("weft."):
            names.append(operation.name[5:])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return names


def same_bits(left: Any, right: Any) -> bool:
    """Whether two arrays have one dtype, one shape and the same bits; every NaN counts as the same.

    >>> zero, nan = np.float32(0), np.float32(np.nan)
    >>> same_bits(nan, -nan), same_bits(zero, -zero)
    (True, False)
    """
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if kind(left.dtype) == "c":
        return same_bits(left.real, right.real) and same_bits(left.imag, right.imag)
    if kind(left.dtype) != "f":
        return bool(np.array_equal(left, right))
    bits = np.dtype(f"u{left.dtype.itemsize}")
    equal = np.ascontiguousarray(left).view(bits) == np.ascontiguousarray(right).view(bits)
    with np.errstate(invalid="ignore"):
        return bool(np.all(equal | ((left != left) & (right != right))))


def random_bits(generator: np.random.Generator, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """An array of any bits, among them many NaNs, infinities and zeros; booleans are 0 or 1."""
    if kind(dtype) == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    raw = np.frombuffer(generator.bytes(int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape).copy()
    if kind(dtype) in "iu":
        return np.where(generator.integers(0, 2, shape) == 0, raw, raw % 5).astype(dtype)
    chosen = np.where(generator.integers(0, 2, shape) == 0, raw, generator.choice(edge_values(dtype), shape))
    return quiet(chosen.astype(dtype))


def quiet(array: Any) -> Any:
    """The array with every NaN, or part of one, replaced by NumPy's NaN, which does not signal."""
    if kind(array.dtype) != "c":
        with np.errstate(invalid="ignore"):
            return np.where(array != array, array.dtype.type(np.nan), array)
    result = np.empty_like(array)
    result.real, result.imag = quiet(array.real), quiet(array.imag)
    return result


__all__ = ["NAME", "Builder", "bfloat16", "build", "op_names", "random_bits", "same_bits", "transform"]
