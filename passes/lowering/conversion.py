"""The machinery of the lowering: which function lowers which op, and builders for linalg on tensors.

A lowering is a function from an `OpInstance` (the op with its operands already converted) to the converted
results. Storage types differ from the weft dialect's in two ways: integers are signless, and a boolean is an i8
in memory (0 or 1), because LLVM does not vectorise memory of i1; bodies compute with i1 (`Conversion.load`,
`Conversion.store`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from ...dialect.dtypes import element_type, kind
from ...dialect.made_ops import filled, operation_of, value_of
from ...dialect.mlir import Attribute, Location, Operation, Type, Value, dialect, ir
from ...dialect.op import Op
from ...dialect.ops.shape import Stretch
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..index_arithmetic import Extent as Extent
from ..index_arithmetic import IndexArithmetic
from ..rewriting import new_generic

arith = dialect("arith")
tensor = dialect("tensor")

Body: TypeAlias = Callable[..., "Value | Sequence[Value]"]
"""Computes the scalars of one element from the scalars of the inputs, at the current insertion point."""


@dataclass(frozen=True)
class OpInstance:
    """An op to lower."""

    op_class: type[Op]
    operands: list[Value]
    """The converted operands, flat, in storage types."""
    operand_types: list[TensorType]
    """Their types in the weft dialect."""
    result_types: list[TensorType]
    attributes: dict[str, Any]
    location: Location
    operation: Operation | None = None
    """The op as it was, where it is of the program."""

    @property
    def result_type(self) -> TensorType:
        """The type of the only result."""
        return self.result_types[0]


Lowering: TypeAlias = Callable[["Conversion", OpInstance], "Value | Sequence[Value] | None"]

LOWERINGS: dict[type[Op], Lowering] = {}


def lowers(*op_classes: type[Op]) -> Callable[[Lowering], Lowering]:
    """Register a function as the lowering of op classes."""

    def register(lowering: Lowering) -> Lowering:
        for op_class in op_classes:
            LOWERINGS[op_class] = lowering
        return lowering

    return register


@cache
def scalar_type(dtype: np.dtype[Any]) -> Type:
    """The type that bodies compute with: i1 for bool, signless integers, floats, complex."""
    return ir.Type.parse(element_type(dtype).mlir.removeprefix("u"))


@cache
def storage_element(dtype: np.dtype[Any]) -> Type:
    """The type of an element in memory: as `scalar_type`, but i8 for bool."""
    return ir.IntegerType.get_signless(8) if kind(dtype) == "b" else scalar_type(dtype)


@cache
def storage_type(tensor_type: TensorType) -> Type:
    """The tensor type that a value of the weft dialect becomes."""
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [dynamic if extent is None else extent for extent in tensor_type.shape]
    return ir.RankedTensorType.get(shape, storage_element(tensor_type.dtype))


@dataclass
class Conversion:
    """Builds linalg on tensors at the current insertion point and location (both set by the driver)."""

    module_body: Any
    """Block of the module, for private declarations of library functions."""
    declared: dict[str, Type] = field(default_factory=dict)
    collectives: dict[str, str] = field(default_factory=dict)
    """What is called for collectives, by its signature."""
    joined: dict[Value, list[tuple[Value, Any]]] = field(default_factory=dict)
    """What is to be inserted into empty tensors, and where; only a join with more reads them, and inserts it."""

    # Scalars and constants

    def constant(self, value: complex | bool | int | float, dtype: np.dtype[Any]) -> Value:
        """A scalar constant of a dtype, in its compute type."""
        mlir_type = scalar_type(dtype)
        if kind(dtype) == "c":
            part = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
            parts = [
                ir.FloatAttr.get(scalar_type(part), float(p))
                for p in (complex(value).real, complex(value).imag)
            ]
            return self.operation("complex.constant", [], [mlir_type], {"value": ir.ArrayAttr.get(parts)})
        if kind(dtype) == "f":
            return arith.ConstantOp(mlir_type, ir.FloatAttr.get(mlir_type, float(value.real))).result
        bits = int(value.real)
        width = 1 if kind(dtype) == "b" else dtype.itemsize * 8
        if bits >= 1 << (width - 1):
            bits -= 1 << width
        return arith.ConstantOp(mlir_type, ir.IntegerAttr.get(mlir_type, bits)).result

    def index(self, value: Extent) -> Value:
        """An index value: the constant of an int, or the value itself."""
        return IndexArithmetic().value(value)

    def load(self, stored: Value, dtype: np.dtype[Any]) -> Value:
        """Turn an element as it is in memory into one to compute with (bool: i8 to i1)."""
        if kind(dtype) != "b":
            return stored
        zero = arith.ConstantOp(stored.type, ir.IntegerAttr.get(stored.type, 0)).result
        return arith.CmpIOp(arith.CmpIPredicate.ne, stored, zero).result

    def store(self, computed: Value, dtype: np.dtype[Any]) -> Value:
        """Turn a computed element into one for memory (bool: i1 to i8)."""
        if kind(dtype) != "b":
            return computed
        return arith.ExtUIOp(storage_element(dtype), computed).result

    def operation(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[Type],
        attributes: dict[str, Attribute] | None = None,
    ) -> Value:
        """Build an op by name and return its first result: for ops whose Python module is slow to import."""
        return operation_of(name, operands, results, **(attributes or {})).results[0]

    def call(self, symbol: str, arguments: Sequence[Value], result: Type) -> Value:
        """Call a library function on scalars (libm), declared private in the module once."""
        function_type = ir.FunctionType.get([a.type for a in arguments], [result])
        if symbol not in self.declared:
            with ir.InsertionPoint.at_block_begin(self.module_body):
                declaration = dialect("func").FuncOp(symbol, function_type, visibility="private")
            self.declared[symbol] = declaration
        callee = ir.FlatSymbolRefAttr.get(symbol)
        return self.operation("func.call", arguments, [result], {"callee": callee})

    # Shapes

    def extent(self, value: Value, axis: int) -> Extent:
        """The extent of an axis of a converted tensor."""
        ranked = ir.RankedTensorType(value.type)
        if not ranked.is_dynamic_dim(axis):
            return int(ranked.shape[axis])
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.operation.name == Stretch.mlir_name():
            _, *dims = owner.operation.operands
            shape = list(owner.operation.attributes["shape"])
            return self.extent_of_scalar(dims[shape[:axis].count(-1)])
        return tensor.DimOp(value, self.index(axis)).result

    def extents(self, value: Value) -> list[Extent]:
        """The extents of all axes of a converted tensor."""
        return [self.extent(value, axis) for axis in range(ir.RankedTensorType(value.type).rank)]

    def extent_of_scalar(self, value: Value) -> Value:
        """Turn a converted i64[] tensor (a `dims` operand) into an index value."""
        scalar = tensor.ExtractOp(value, []).result
        return arith.IndexCastOp(ir.IndexType.get(), scalar).result

    def target_extents(self, shape: Sequence[int], dims: Sequence[Value]) -> list[Extent]:
        """The extents that a `shape` attribute and its `dims` operands give (-1 entries are taken from `dims`)."""
        remaining = iter(dims)
        return [self.extent_of_scalar(next(remaining)) if extent == -1 else extent for extent in shape]

    def broadcast_extents(self, operands: Sequence[Value], result: TensorType) -> list[Extent]:
        """The extents of the broadcast of converted operands to a result type."""
        found: list[Extent] = []
        for axis, known in enumerate(result.shape):
            if known is not None:
                found.append(known)
                continue
            for operand in operands:
                ranked = ir.RankedTensorType(operand.type)
                own = axis - (result.rank - ranked.rank)
                if own >= 0 and ranked.is_dynamic_dim(own):
                    found.append(self.extent(operand, own))
                    break
        return found

    def empty(self, result: TensorType, extents: Sequence[Extent]) -> Value:
        """An uninitialised tensor; dynamic axes of the type take their value from `extents`."""
        dynamic = [self.index(e) for e, known in zip(extents, result.shape, strict=True) if known is None]
        return self.operation("tensor.empty", dynamic, [storage_type(result)])

    def cast_to(self, value: Value, result: TensorType) -> Value:
        """The value with exactly the storage type of `result` (static and dynamic extents reconciled)."""
        wanted = storage_type(result)
        return value if value.type == wanted else tensor.CastOp(wanted, value).result

    def fill(self, scalar: Value, result: TensorType, extents: Sequence[Extent]) -> Value:
        """A tensor filled with a scalar in its compute type."""
        return filled(self.store(scalar, result.dtype), self.empty(result, extents))

    # linalg.generic

    def generic(
        self,
        inputs: Sequence[Value],
        destinations: Sequence[Value],
        maps: Sequence[Any],
        iterators: Sequence[str],
        body: Callable[..., Sequence[Value]],
    ) -> list[Value]:
        """Build a `linalg.generic`; `body` gets one stored scalar per input and destination and returns what to yield.

        `maps` are affine maps, inputs first; `iterators` are "parallel" or "reduction".
        """
        op = new_generic(inputs, destinations, maps, iterators)
        block = op.regions[0].blocks[0]
        with ir.InsertionPoint(block):
            operation_of("linalg.yield", body(*block.arguments))
        return list(op.results)

    def map_elements(
        self,
        inputs: Sequence[Value],
        input_types: Sequence[TensorType],
        result_types: Sequence[TensorType],
        body: Body,
        extents: Sequence[Extent] | None = None,
    ) -> list[Value]:
        """Apply a scalar function to every element of broadcast inputs: `body(*scalars)` in compute types."""
        shape = result_types[0]
        if extents is None:
            extents = self.broadcast_extents(inputs, shape)
        maps = [broadcast_map(t, shape.rank) for t in input_types]
        maps += [_identity_map(shape.rank)] * len(result_types)

        def stored_body(*stored: Value) -> list[Value]:
            scalars = [self.load(s, t.dtype) for s, t in zip(stored, input_types, strict=False)]
            computed = body(*scalars)
            several = list(computed) if isinstance(computed, (list, tuple)) else [computed]
            return [self.store(c, t.dtype) for c, t in zip(several, result_types, strict=True)]

        destinations = [self.empty(t, extents) for t in result_types]
        return self.generic(inputs, destinations, maps, ["parallel"] * shape.rank, stored_body)


def broadcast_map(operand: TensorType, rank: int) -> Any:
    """The indexing map of an operand that broadcasts to a rank: axes of extent 1 are read at 0."""
    return _broadcast_map(tuple(extent == 1 for extent in operand.shape), rank)


@cache
def _broadcast_map(repeated: tuple[bool, ...], rank: int) -> Any:
    offset = rank - len(repeated)
    expressions = [
        ir.AffineConstantExpr.get(0) if is_repeated else ir.AffineDimExpr.get(offset + axis)
        for axis, is_repeated in enumerate(repeated)
    ]
    return ir.AffineMap.get(rank, 0, expressions)


@cache
def _identity_map(rank: int) -> Any:
    return ir.AffineMap.get_identity(rank)


def linalg_index(axis: int) -> Value:
    """The current iteration index of an axis, inside the body of a `linalg.generic`."""
    attributes = {"dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)}
    return value_of("linalg.index", [], ir.IndexType.get(), **attributes)
