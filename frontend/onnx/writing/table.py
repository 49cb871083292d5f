"""The table of the ops that ONNX says in its own way, and what these writers are written in."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ....dialect.dtypes import as_dtype, kind
from ....dialect.emitter import INT64, Extent, Tensor
from ....dialect.op import Op
from ....dialect.types import Shape, TensorType, broadcast_shapes
from ...graph_writers.table import BOOL, SINGLE, GraphBuilder, Register, Unsaid, Writers, shared_with
from .nodes import Dim, Nodes, element_type, takes

_OWN: Writers = {}
WRITERS = shared_with(_OWN)
"""The ops of weft that can be written, by their names."""

writer = Register(_OWN)

DOUBLE = np.dtype(np.float64)
INT32 = np.dtype(np.int32)

_COMPUTED_IN = {
    np.dtype(own): np.dtype(wide)
    for own, wide in (
        (np.bool_, np.int32), (np.int8, np.int32), (np.int16, np.int32), (np.uint8, np.int32),
        (np.uint16, np.int32), (np.uint32, np.int64),
    )
}  # fmt: skip
"""The integers in which runtimes compute with narrow ones, which have all of their values."""


class Builder(GraphBuilder):
    """Makes nodes of ONNX for the ops of weft; what an emitter hands around are the names of values."""

    language: ClassVar[str] = "ONNX"
    writers: ClassVar[Writers] = WRITERS

    nodes: Nodes

    def __init__(self) -> None:
        super().__init__()
        self._symbols: dict[tuple[str, int], str] = {}
        """What extents are called: of an axis of a value, or with -1 of a value that is one."""

    # Ops of weft

    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """Write an op of weft; the types of its results are those that it infers."""
        if kind_of := next((str(x.dtype) for x in operands if x.is_complex), None):
            raise Unsaid(f"has no form for {kind_of}")
        given = [operand.type for operand in operands]
        types = op_class.result_types(given, attributes)
        if op_class.name in self.writers and (nothing := self._nothing(types)) is not None:
            return nothing
        found = super().emit(op_class, operands, attributes)
        results = []
        for place, (value, wanted) in enumerate(zip(found, types, strict=True)):
            assert isinstance(wanted, TensorType)
            assert value.dtype == wanted.dtype, f"{op_class.name} of {given} is {value.type}, not {wanted}"
            results.append(self.refined(value, wanted))
            for axis in (axis for axis, extent in enumerate(wanted.shape) if extent is None):
                source = op_class.source_of_result(given, attributes, place, axis)
                if source is not None and (symbol := self.symbol(operands[source[0]].handle, source[1])):
                    self._symbols.setdefault((value.handle, axis), symbol)
        return results

    def _nothing(self, types: Sequence[Any]) -> list[Tensor] | None:
        """Results that have no elements, if no result has any: runtimes know many ops of such tensors badly."""
        if not types or any(None in found.shape or 0 not in found.shape for found in types):
            return None
        return [self.array(np.zeros(found.shape, found.dtype)) for found in types]

    def symbol(self, name: str, axis: int) -> str | None:
        """What the extent of an axis of a value is called; with -1, what a value is called that is an extent."""
        return self._symbols.get((name, axis))

    def name_extents(self, name: str, given: TensorType) -> None:
        """Let the extents of an argument that are not known be called after it."""
        for axis, extent in enumerate(given.shape):
            if extent is None:
                self._symbols[name, axis] = f"{name}_{axis}"

    def dims(self, name: str, shape: Shape, words: str) -> list[Dim]:
        """The extents of a value of the model: numbers, or names, for which there are words."""
        return [
            (self.symbol(name, axis) or f"{words}_{axis}") if extent is None else extent
            for axis, extent in enumerate(shape)
        ]

    # Nodes

    def value(self, name: str, found: TensorType) -> Tensor:
        """A value of a name."""
        return Tensor(self, name, found)

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """A value with all that is known of its shape: ONNX has one type for all of them."""
        if value.rank != wanted.rank:
            return self.value(value.handle, wanted)
        shape = tuple(e if e is not None else w for e, w in zip(value.shape, wanted.shape, strict=True))
        return self.value(value.handle, wanted.with_shape(shape))

    def array(self, value: Any) -> Tensor:
        """A constant."""
        array = np.asarray(value)
        return self.value(self.nodes.array(array), TensorType(array.shape, array.dtype))

    def vector(self, numbers: Sequence[int]) -> Tensor:
        """Some i64 in a row."""
        return self.array(np.array(numbers, np.int64).reshape(-1))

    def known(self, x: Tensor) -> np.ndarray[Any, Any] | None:
        """The value of a constant; None of anything else."""
        return self.nodes.known(x.handle)

    def is_number(self, x: Tensor, value: int) -> bool:
        """Whether x is a constant of one value."""
        known = self.known(x)
        return known is not None and bool((known == value).all())

    def takes(self, op_type: str, dtype: np.dtype[Any], place: int = 0) -> bool:
        """Whether an input of an op may have a dtype."""
        return takes(op_type, self.nodes.opset, place, dtype)

    def several(
        self, op_type: str, inputs: Sequence[Tensor | None], results: Sequence[TensorType], **attributes: Any
    ) -> list[Tensor]:
        """The results of a node."""
        for place, x in enumerate(inputs):
            if x is not None and not self.takes(op_type, x.dtype, place):
                opset = self.nodes.opset
                raise Unsaid(f"has no form for {x.dtype.name}: {op_type} of opset {opset} does not take it")
        names = ["" if x is None else x.handle for x in inputs]
        made = self.nodes.add(op_type, names, len(results), **attributes)
        return [self.value(name, found) for name, found in zip(made, results, strict=True)]

    def make(
        self, op_type: str, inputs: Sequence[Tensor | None], result: TensorType, **attributes: Any
    ) -> Tensor:
        """The result of a node that has one."""
        return self.several(op_type, inputs, [result], **attributes)[0]

    def same(self, op_type: str, *operands: Tensor, **attributes: Any) -> Tensor:
        """The result of a node that has the dtype of its operands, which it broadcasts.

        Where it does not take that dtype, the node computes in a wider one.
        """
        dtype = operands[0].dtype
        return self.converted(self.made_wide(op_type, operands, **attributes), dtype)

    def made_wide(self, op_type: str, operands: Sequence[Tensor], **attributes: Any) -> Tensor:
        """As `same`, in the dtype in which the node computes."""
        if (straight := self._straight(operands)) is not None:
            order, given = straight
            return self.transposed(self.made_wide(op_type, given, **attributes), order)
        wide = self.wide_for(op_type, operands[0].dtype)
        given = [self.converted(operand, wide) for operand in operands]
        return self.make(op_type, given, self.made_shape(*given), **attributes)

    def _straight(self, operands: Sequence[Tensor]) -> tuple[list[int], list[Tensor]] | None:
        """Operands of which one is turned, and the others are constants, before that; and how they are turned then.

        Images stay as ONNX has them so, from one convolution to the next.
        """
        turned = [x for x in operands if self.nodes.inputs(x.handle, "Transpose") is not None]
        others = [known for x in operands if x not in turned and (known := self.known(x)) is not None]
        if len(turned) != 1 or len(others) != len(operands) - 1:
            return None
        (x,) = turned
        if any(known.ndim > x.rank for known in others):
            return None
        order: list[int] = list(self.nodes.attribute(x.handle, "perm"))
        back = [order.index(axis) for axis in range(x.rank)]
        made = []
        for operand in operands:
            known = self.known(operand)
            if known is None:
                made.append(self.transposed(x, back))
            elif known.ndim:
                made.append(
                    self.array(known.reshape((1,) * (x.rank - known.ndim) + known.shape).transpose(back))
                )
            else:
                made.append(operand)
        return order, made

    def wide_for(self, op_type: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The dtype itself, or the first wider one, that a node takes."""
        for wide in (dtype, computed_in(dtype), SINGLE, DOUBLE):
            fits = wide == dtype or (kind(wide) == "f") == (kind(dtype) == "f")
            if fits and wide.itemsize >= dtype.itemsize and self.takes(op_type, wide):
                return wide
        return dtype

    def made_shape(self, *operands: Tensor) -> TensorType:
        """The type of what operands broadcast to, with the dtype of the first one."""
        return operands[0].type.with_shape(broadcast_shapes([operand.shape for operand in operands]))

    def bits_as(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """The bits of x as a dtype of the same width."""
        return self.make("BitCast", [x], x.type.with_dtype(dtype), to=element_type(dtype))

    # What all writers need

    def convert(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        """x in another dtype."""
        dtype = as_dtype(dtype)
        if x.dtype == dtype:
            return x
        if kind(dtype) == "c":
            raise Unsaid(f"has no form for {dtype.name}")
        known = self.known(x)
        if known is not None and known.size == 1 and kind(dtype) != "b" and kind(x.dtype) in "biu":
            return self.array(known.astype(dtype))
        return self.make("Cast", [x], x.type.with_dtype(dtype), to=element_type(dtype))

    def quotient(self, x: Tensor, y: Tensor) -> Tensor:
        """Integers divided towards zero: nothing is left of the division, so that all roundings are one."""
        return self.same("Div", x - self.rest(x, y), y)

    def rest(self, x: Tensor, y: Tensor) -> Tensor:
        """What is left of a division towards zero."""
        return self.same("Mod", x, y, fmod=1)

    def spread(self, *operands: Tensor) -> list[Tensor]:
        """Nodes broadcast their operands."""
        return list(operands)

    def placed(self, x: Tensor, extents: Sequence[Extent], axes: Sequence[int]) -> Tensor:
        """x in a shape of which its axes are some."""
        others = [axis for axis in range(len(extents)) if axis not in axes]
        wide = self.unsqueezed(x, others)
        shape = tuple(None if isinstance(extent, Tensor) else extent for extent in extents)
        if wide.shape == shape and None not in shape:
            return wide
        return self.make("Expand", [wide, self.shape_of(extents)], x.type.with_shape(shape))

    def unsqueezed(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """x with axes of one element in some places."""
        if not axes:
            return x
        own = iter(x.shape)
        shape = tuple(1 if axis in axes else next(own) for axis in range(x.rank + len(axes)))
        return self.make("Unsqueeze", [x, self.vector(axes)], x.type.with_shape(shape))

    def joined(self, parts: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors one behind the other."""
        axis %= parts[0].rank
        if len(parts) == 1:
            return parts[0]
        extents = [part.shape[axis] for part in parts]
        shape = [*parts[0].shape]
        shape[axis] = None if None in extents else sum(extents)  # type: ignore[arg-type]
        return self.make("Concat", parts, parts[0].type.with_shape(tuple(shape)), axis=axis)

    def transposed(self, x: Tensor, permutation: Sequence[int]) -> Tensor:
        """The axes in another order; constants are laid out anew."""
        if list(permutation) == list(range(x.rank)):
            return x
        known = self.known(x)
        if known is not None:
            return self.array(np.ascontiguousarray(known.transpose(permutation)))
        inner = self.nodes.inputs(x.handle, "Transpose")
        if inner is not None:  # which is turned once, or not at all
            order = self.nodes.attribute(x.handle, "perm")
            shape = tuple(x.shape[order.index(axis)] for axis in range(x.rank))
            base = self.value(inner[0], x.type.with_shape(shape))
            return self.transposed(base, [order[axis] for axis in permutation])
        shape = tuple(x.shape[axis] for axis in permutation)
        return self.make("Transpose", [x], x.type.with_shape(shape), perm=list(permutation))

    def note_extent(self, extent: Tensor, x: Tensor, axis: int) -> None:
        """Take note that a value is the extent of an axis."""
        if symbol := self.symbol(x.handle, axis):
            self._symbols[extent.handle, -1] = symbol

    def shape_of(self, extents: Sequence[Extent]) -> Tensor:
        """A shape as a tensor."""
        if not any(isinstance(extent, Tensor) for extent in extents):
            return self.vector(extents)  # type: ignore[arg-type]
        return self.joined([self.as_vector(extent) for extent in extents], 0)

    def as_vector(self, extent: Extent) -> Tensor:
        """An extent as an i64[1]."""
        return self.unsqueezed(extent, [0]) if isinstance(extent, Tensor) else self.vector([extent])

    # Regions

    def branches(
        self,
        condition: Tensor,
        types: Sequence[TensorType],
        sides: Sequence[Callable[[], Sequence[Tensor]]],
    ) -> list[Tensor]:
        """`If`."""
        graphs = [self.inner("branch", [], functools.partial(_without_inputs, side)) for side in sides]
        if not types:
            return []  # nothing is left of what the sides do
        return self.several("If", [condition], types, then_branch=graphs[0], else_branch=graphs[1])

    def inner(
        self,
        name: str,
        inputs: Sequence[tuple[str, TensorType]],
        body: Callable[[list[Tensor]], Sequence[Tensor]],
    ) -> Any:
        """A graph inside of a node."""
        types = [found for _, found in inputs]

        def made(names: list[str]) -> list[tuple[str, TensorType]]:
            return [(x.handle, x.type) for x in body(list(map(self.value, names, types)))]

        return self.nodes.graph(name, inputs, made)

    def counted(
        self,
        bounds: Sequence[Tensor],
        start: Sequence[Tensor],
        types: Sequence[TensorType],
        body: Callable[[Tensor, Sequence[Tensor]], Sequence[Tensor]],
    ) -> list[Tensor]:
        """`Loop` with a count."""
        low, high, step = bounds
        from_zero, by_one = self.is_number(low, 0), self.is_number(step, 1)
        count = self.maximum(high if from_zero else high - low, 0)
        if not by_one:
            count = self.quotient(count + (step - 1), step)

        def turn(inputs: list[Tensor]) -> list[Tensor]:
            number, goes_on, *values = inputs
            counter = self.converted(number, low.dtype)
            counter = counter if by_one else counter * step
            return [goes_on, *body(counter if from_zero else counter + low, values)]

        always = self.number(True, BOOL)  # which may be left out, but ONNX's reference takes that for false
        return self._loop(self.converted(count, INT64), always, start, types, turn)

    def repeated(
        self,
        start: Sequence[Tensor],
        types: tuple[Sequence[TensorType], Sequence[TensorType]],
        test: Callable[[Sequence[Tensor]], Sequence[Tensor]],
        body: Callable[[Sequence[Tensor]], Sequence[Tensor]],
    ) -> list[Tensor]:
        """`Loop` with a condition, which is tested in front of it and at its end."""
        goes_on, *values = test(start)
        return self._loop(None, goes_on, values, types[1], lambda inputs: test(body(inputs[2:])))

    def _loop(
        self,
        count: Tensor | None,
        condition: Tensor,
        start: Sequence[Tensor],
        types: Sequence[TensorType],
        turn: Callable[[list[Tensor]], Sequence[Tensor]],
    ) -> list[Tensor]:
        inputs = [("turn", TensorType((), INT64)), ("goes_on", TensorType((), BOOL))]
        graph = self.inner("body", [*inputs, *(("value", found) for found in types)], turn)
        if not types:
            return []
        return self.several("Loop", [count, condition, *start], types, body=graph)


def _without_inputs(side: Callable[[], Sequence[Tensor]], inputs: list[Tensor]) -> Sequence[Tensor]:
    return side()


def computed_in(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which runtimes compute with a narrow integer; any other one is its own."""
    return _COMPUTED_IN.get(dtype, dtype)


def moved_as(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which runtimes choose and move elements: few do with 16 bits, or 64 without sign."""
    if kind(dtype) == "u" and dtype.itemsize == 8:
        return INT64
    return computed_in(dtype) if dtype.itemsize == 2 else dtype
