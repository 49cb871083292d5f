"""The table of the ops that StableHLO says in its own way, and what these writers are written in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ....dialect.attributes import elements_to_mlir, type_to_mlir
from ....dialect.emitter import INT64, Extent, Tensor
from ....dialect.made_ops import operation_of
from ....dialect.mlir import Attribute, Operation, ir
from ....dialect.register import tensor_type
from ....dialect.types import TensorType
from ...graph_writers.table import GraphBuilder, Register, Writers, shared_with

_OWN: Writers = {}
WRITERS = shared_with(_OWN)
"""The ops of weft that can be written, by their names."""

writer = Register(_OWN)


class Builder(GraphBuilder):
    """Makes ops of StableHLO for those of weft."""

    language: ClassVar[str] = "StableHLO"
    writers: ClassVar[Writers] = WRITERS

    def value(self, handle: Any) -> Tensor:
        """An SSA value as a value of this emitter."""
        return Tensor(self, handle, tensor_type(handle))

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """A value whose type says more of its sizes, or less."""
        if value.type == wanted:
            return value
        return self.make("reshape" if wanted.is_static else "convert", [value], wanted)

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
        operation = operation_of(
            f"stablehlo.{name}",
            [operand.handle for operand in operands],
            map(type_to_mlir, results),
            regions=len(regions),
            location=self.location,
            **{key: value for key, value in attributes.items() if value is not None},
        )
        for region, body in zip(operation.regions, regions, strict=True):
            types = list(map(type_to_mlir, arguments))
            block = region.blocks.append(*types, arg_locs=[self.location] * len(types))
            with ir.InsertionPoint(block):
                made = body(*map(self.value, block.arguments))
                operation_of("stablehlo.return", [value.handle for value in made], location=self.location)
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

    def convert(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """x in another dtype."""
        return self.make("convert", [x], x.type.with_dtype(dtype))

    def quotient(self, x: Tensor, y: Tensor) -> Tensor:
        """Integers divided towards zero."""
        return self.same("divide", x, y)

    def rest(self, x: Tensor, y: Tensor) -> Tensor:
        """What is left of a division towards zero."""
        return self.same("remainder", x, y)

    # Shapes

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

    def joined(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors one behind the other."""
        axis %= parts[0].rank
        extents = [part.shape[axis] for part in parts]
        shape = [*parts[0].shape]
        shape[axis] = None if None in extents else sum(extents)  # type: ignore[arg-type]
        return self.make(
            "concatenate", parts, parts[0].type.with_shape(tuple(shape)), dimension=integer(axis)
        )

    # Regions

    def branches(
        self,
        condition: Tensor,
        types: Sequence[TensorType],
        sides: Sequence[Callable[[], Sequence[Tensor]]],
    ) -> list[Tensor]:
        """`if`."""
        return list(map(self.value, self.operation("if", [condition], types, sides).results))

    def counted(
        self,
        bounds: Sequence[Tensor],
        start: Sequence[Tensor],
        types: Sequence[TensorType],
        body: Callable[[Tensor, Sequence[Tensor]], Sequence[Tensor]],
    ) -> list[Tensor]:
        """`while` with a counter."""
        low, high, step = bounds

        def test(*values: Tensor) -> list[Tensor]:
            return [self.one("less", values[0], high)]

        def turn(*values: Tensor) -> list[Tensor]:
            found = body(values[0], values[1:])
            return [values[0] + step, *found]

        all_types = [low.type, *types]
        made = self.operation("while", [low, *start], all_types, [test, turn], all_types)
        return list(map(self.value, made.results))[1:]

    def repeated(
        self,
        start: Sequence[Tensor],
        types: tuple[Sequence[TensorType], Sequence[TensorType]],
        test: Callable[[Sequence[Tensor]], Sequence[Tensor]],
        body: Callable[[Sequence[Tensor]], Sequence[Tensor]],
    ) -> list[Tensor]:
        """`while`, whose test is written once more in the body and behind it, for what it hands on."""

        def goes_on(*values: Tensor) -> Sequence[Tensor]:
            return test(values)[:1]

        def turn(*values: Tensor) -> Sequence[Tensor]:
            return body(test(values)[1:])

        made = self.operation("while", start, types[0], [goes_on, turn], types[0])
        return list(test(list(map(self.value, made.results)))[1:])


def integer(value: int) -> Attribute:
    """An attribute that is an i64."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def integers(values: Sequence[int]) -> Attribute:
    """An attribute that holds i64."""
    return ir.DenseI64ArrayAttr.get(list(values))
