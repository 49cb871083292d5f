"""Ops made by name at the current insertion point, of dialects whose Python modules are slow to import."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .mlir import Location, Operation, Type, Value, ir


def operation_of(
    name: str,
    operands: Iterable[Value] = (),
    results: Iterable[Type] = (),
    /,
    *,
    regions: int = 0,
    location: Location | None = None,
    **attributes: Any,
) -> Operation:
    """A new op; its regions have no blocks yet."""
    return ir.Operation.create(name, list(results), list(operands), attributes, None, regions, location)


def value_of(
    name: str,
    operands: Iterable[Value],
    result: Type,
    /,
    *,
    location: Location | None = None,
    **attributes: Any,
) -> Value:
    """The result of a new op that has one."""
    return operation_of(name, operands, [result], location=location, **attributes).results[0]


def function_of(
    symbol: str,
    inputs: Sequence[Type],
    results: Sequence[Type] = (),
    /,
    *,
    private: bool = False,
    location: Location | None = None,
    **attributes: Any,
) -> Operation:
    """A new `func.func` without a body, private where it is only declared."""
    type = ir.TypeAttr.get(ir.FunctionType.get(list(inputs), list(results)))
    own = {"sym_name": ir.StringAttr.get(symbol), "function_type": type}
    if private:
        own["sym_visibility"] = ir.StringAttr.get("private")
    return operation_of("func.func", regions=1, location=location, **own, **attributes)


def constant_index(value: int) -> Value:
    """An `arith.constant` of type index."""
    attribute = ir.IntegerAttr.get(ir.IndexType.get(), value)
    return value_of("arith.constant", [], ir.IndexType.get(), value=attribute)


def extracted(tensor: Value) -> Value:
    """The scalar in a tensor of rank 0, extracted."""
    element = ir.RankedTensorType(tensor.type).element_type
    return value_of("tensor.extract", [tensor], element)


def tensor_from(scalar: Value) -> Value:
    """A scalar as a tensor of rank 0; an index becomes an i64."""
    if str(scalar.type) == "index":
        scalar = value_of("arith.index_cast", [scalar], ir.IntegerType.get_signless(64))
    return value_of("tensor.from_elements", [scalar], ir.RankedTensorType.get([], scalar.type))


def index_from(tensor: Value) -> Value:
    """An i64 tensor of rank 0 as an index."""
    return value_of("arith.index_cast", [extracted(tensor)], ir.IndexType.get())


def filled(scalar: Value, destination: Value) -> Value:
    """A tensor with one number all over, in the place of another one."""
    segments = ir.DenseI32ArrayAttr.get([1, 1])
    types = [destination.type]
    fill = operation_of("linalg.fill", [scalar, destination], types, regions=1, operandSegmentSizes=segments)
    block = fill.regions[0].blocks.append(scalar.type, destination.type.element_type)
    with ir.InsertionPoint(block):
        operation_of("linalg.yield", [block.arguments[0]])
    return fill.results[0]


def slice_of(
    name: str,
    operands: Sequence[Value],
    result: Type,
    offsets: Sequence[int | Value],
    sizes: Sequence[int | Value],
    strides: Sequence[int | Value] | None = None,
) -> Operation:
    """An op on a part of a tensor or memref, or one that replaces it; strides are one where they are not given."""
    groups = {"offsets": offsets, "sizes": sizes, "strides": [1] * len(sizes) if strides is None else strides}
    dynamic = [[n for n in group if isinstance(n, ir.Value)] for group in groups.values()]
    unknown = ir.ShapedType.get_dynamic_size()
    static = {
        f"static_{of}": ir.DenseI64ArrayAttr.get([unknown if isinstance(n, ir.Value) else n for n in group])
        for of, group in groups.items()
    }
    segments = ir.DenseI32ArrayAttr.get([*(1 for _ in operands), *map(len, dynamic)])
    given = [*operands, *(value for values in dynamic for value in values)]
    return operation_of(name, given, [result], operandSegmentSizes=segments, **static)
