"""The table of the ops of weft that StableHLO can say, and what its writers are written in.

A writer gets the operands and attributes of an op by its fields, as `Op.evaluate` does, and a builder: an emitter of
`dialect/emitter.py`, so that what StableHLO has not is written in other ops of weft: `b.exp(x)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ....dialect.attributes import elements_to_mlir, type_to_mlir
from ....dialect.dtypes import kind
from ....dialect.emitter import INT64, Emitter, Extent, Tensor
from ....dialect.mlir import Attribute, Location, Operation, ir
from ....dialect.op import Op
from ....dialect.register import tensor_type
from ....dialect.types import TensorType

BOOL = np.dtype(np.bool_)


class Unsaid(Exception):
    """What StableHLO cannot say; the message says why."""


class Builder(Emitter):
    """Makes ops of StableHLO for those of weft."""

    def __init__(self) -> None:
        self.location: Location = ir.Location.unknown()

    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """Write an op of weft."""
        writer = WRITERS.get(op_class.name)
        if writer is None:
            raise Unsaid("is none of StableHLO")
        found = writer(self, *op_class.group_operands(operands), **attributes)
        return [found] if isinstance(found, Tensor) else list(found)

    def value(self, handle: Any) -> Tensor:
        """An SSA value as a value of this emitter."""
        return Tensor(self, handle, tensor_type(handle))

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """A value whose type says more of its sizes, or less."""
        if value.type == wanted:
            return value
        return self.make("reshape" if wanted.is_static else "convert", [value], wanted)

    def number(self, value: Any, dtype: Any) -> Tensor:
        """A scalar."""
        return self.array(np.asarray(value, dtype))

    def array(self, value: Any) -> Tensor:
        """A constant."""
        value = np.asarray(value)
        kind_of = TensorType(value.shape, value.dtype)
        return self.make("constant", [], kind_of, value=elements_to_mlir(value))

    # Ops of StableHLO

    def operation(
        self,
        name: str,
        operands: Sequence[Tensor],
        results: Sequence[TensorType],
        regions: Sequence[Callable[..., Sequence[Tensor]]] = (),
        arguments: Sequence[TensorType] = (),
        **attributes: Attribute,
    ) -> Operation:
        """Make an op; `regions` make what their blocks return for `arguments`."""
        operation = ir.Operation.create(
            f"stablehlo.{name}",
            operands=[operand.handle for operand in operands],
            results=list(map(type_to_mlir, results)),
            attributes={key: value for key, value in attributes.items() if value is not None},
            regions=len(regions),
            loc=self.location,
        )
        for region, body in zip(operation.regions, regions, strict=True):
            types = list(map(type_to_mlir, arguments))
            block = region.blocks.append(*types, arg_locs=[self.location] * len(types))
            with ir.InsertionPoint(block):
                made = body(*map(self.value, block.arguments))
                ir.Operation.create(
                    "stablehlo.return", operands=[value.handle for value in made], loc=self.location
                )
        operation.verify()  # raises
        return operation

    def make(
        self, name: str, operands: Sequence[Tensor], result: TensorType, **attributes: Attribute
    ) -> Tensor:
        """The result of an op that has one and no regions."""
        return self.value(self.operation(name, operands, [result], **attributes).results[0])

    def same(self, name: str, *operands: Tensor) -> Tensor:
        """The result of an op of elements that has the type of its first operand; they are broadcast."""
        spread = self.spread(*operands)
        return self.make(name, spread, spread[0].type)

    # Shapes

    def spread(self, *operands: Tensor) -> list[Tensor]:
        """Operands in the shape to which they broadcast."""
        if all(operand.shape == operands[0].shape for operand in operands):
            return list(operands)
        rank = max(operand.rank for operand in operands)
        extents: list[Extent] = [1] * rank
        for operand in operands:
            for axis, extent in enumerate(operand.shape, rank - operand.rank):
                if extents[axis] == 1 and extent != 1:
                    extents[axis] = self.extent(operand, axis - rank + operand.rank)
        return [self.broadcast(operand, extents) for operand in operands]

    def placed(self, x: Tensor, extents: Sequence[Extent], axes: Sequence[int]) -> Tensor:
        """x in a shape of which its axes are some."""
        shape = tuple(None if isinstance(extent, Tensor) else extent for extent in extents)
        wanted = TensorType(shape, x.dtype)
        if wanted == x.type and list(axes) == list(range(x.rank)):
            return x
        places = ir.DenseI64ArrayAttr.get(list(axes))
        if wanted.is_static:
            return self.make("broadcast_in_dim", [x], wanted, broadcast_dimensions=places)
        sizes = self.shape_of(extents)
        return self.make("dynamic_broadcast_in_dim", [x, sizes], wanted, broadcast_dimensions=places)

    def shape_of(self, extents: Sequence[Extent]) -> Tensor:
        """A shape as a tensor."""
        one = TensorType((1,), INT64)
        parts = [self.make("reshape", [self.as_scalar(extent)], one) for extent in extents]
        whole = TensorType((len(parts),), INT64)
        if len(parts) == 1:
            return parts[0]
        return self.make("concatenate", parts, whole, dimension=integer(0))


Writer: TypeAlias = Callable[..., "Tensor | Sequence[Tensor]"]

WRITERS: dict[str, Writer] = {}
"""The ops of weft that can be written, by their names."""


W = TypeVar("W", bound=Writer)


def writer(*names: str) -> Callable[[W], W]:
    """Register a function as the writer of some ops."""

    def register(function: W) -> W:
        WRITERS.update(dict.fromkeys(names, function))
        return function

    return register


def plain(names: dict[str, str]) -> None:
    """Register ops of elements that have their operands' type, under the names that StableHLO has for them."""

    def writer_of(name: str) -> Writer:
        return lambda b, *operands: b.same(name, *operands)

    WRITERS.update({own: writer_of(name) for own, name in names.items()})


def integer(value: int) -> Attribute:
    """An attribute that is an i64."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def integers(values: Sequence[int]) -> Attribute:
    """An attribute that holds i64."""
    return ir.DenseI64ArrayAttr.get(list(values))


def require_real(x: Tensor) -> None:
    """Refuse complex numbers."""
    if kind(x.dtype) == "c":
        raise Unsaid(f"has no form for {x.dtype.name}")


def require_known(*operands: Tensor) -> None:
    """Refuse sizes that are known at run time only."""
    for operand in operands:
        if None in operand.shape:
            raise Unsaid(f"has no form for {operand.type}, whose sizes are known when it runs only")


__all__ = [
    "BOOL",
    "WRITERS",
    "Builder",
    "Unsaid",
    "Writer",
    "integer",
    "integers",
    "plain",
    "require_known",
    "require_real",
    "writer",
]
