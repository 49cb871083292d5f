"""Pack operands of contractions that stay what they are: once before a loop, at compile time, or once for many calls.

The right operand of a contraction is packed where that pays anyway (see `plan`): its columns in panels, in the order in
which the contraction reads them. Here that becomes a copy of its own, on tensors, in front of all loops in which the
operand does not change. A constant is packed now. Of an argument that is constant, as the attribute
`weft.constant_arguments` of the function says, the caller passes a packed copy as a further argument; which, is
told by `weft.packed_arguments`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .....dialect.made_ops import filled, operation_of, slice_of, value_of
from .....dialect.mlir import Block, Module, Operation, Type, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.lowering.convolution import CONVOLUTIONS
from .....passes.lowering.reshapes import expand
from .....passes.rewriting import indexing_maps, new_generic, settle_signature
from ....nests.contraction import Contraction, match_contraction
from ....nests.nest import Access, LoopNest, nested
from ....planning.outlining.outline import clone, entry_functions
from ....planning.packed_layout import CONSTANT_ARGUMENTS, PACKED_ARGUMENTS, PackedArgument, PackedLayout
from ....planning.plan_attributes import packed_attribute
from .plan import plan

_LOOPS = ("scf.for", "scf.while")


@dataclass(frozen=True)
class PackOperands(Pass):
    """Pack operands of contractions that do not change before the loops around them, or at compile time."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in entry_functions(module):
            packed = PackedOperands(function)
            for view in list(nested(function)):
                if view.operation.name in _NAMED and packed.rewrite(view.operation):
                    statistics["operands packed once"] += 1
            packed.finish()


class PackedOperands:
    """The packed operands of one function."""

    def __init__(self, function: Operation) -> None:
        self._function = function
        self._entry: Block = function.regions[0].blocks[0]
        self._known: dict[Hashable, Value] = {}
        self._constant: set[int] = set()
        if CONSTANT_ARGUMENTS in function.attributes:
            self._constant = set(ir.DenseI64ArrayAttr(function.attributes[CONSTANT_ARGUMENTS]))
        self._arguments: list[PackedArgument] = []

    def rewrite(self, op: Operation) -> bool:
        """Let a contraction read a packed operand, where that can be packed elsewhere."""
        if not any(self._may_stay(op, value) for value in list(op.operands)[:2]):
            return False
        contraction = _contraction(op)
        panel = None if contraction is None else _panel(contraction)
        if contraction is None or panel is None:
            return False
        right: Value = contraction.right.access.memref.value
        layout = _layout(contraction, panel)
        packed = self._packed(op, right, layout)
        if packed is None:
            return False
        _replace(op, contraction, packed, panel)
        return True

    def _may_stay(self, op: Operation, value: Value) -> bool:
        """Whether an operand, if it is one that is packed, can be packed elsewhere; contractions are analysed after."""
        owner = value.owner
        if isinstance(owner, ir.Block):
            if owner == self._entry and value.arg_number in self._constant:
                return True
        elif owner.operation.name == "arith.constant":
            return True
        return _outermost_loop(op, value) is not None

    def finish(self) -> None:
        """Tell the further arguments."""
        if not self._arguments:
            return
        settle_signature(self._function)
        self._function.attributes[PACKED_ARGUMENTS] = packed_attribute(self._arguments)

    def _packed(self, op: Operation, value: Value, layout: PackedLayout) -> Value | None:
        """The packed operand; None if it is made for this contraction alone."""
        if isinstance(value.owner, ir.Block):
            if value.owner == self._entry and value.arg_number in self._constant:
                return self._packed_argument(value, layout)
        elif value.owner.operation.name == "arith.constant":
            return self._packed_constant(value, layout)
        loop = _outermost_loop(op, value)
        if loop is None:
            return None
        key = (value, layout, loop)
        if key not in self._known:
            with ir.InsertionPoint(loop), op.location:
                self._known[key] = _pack(value, layout)
        return self._known[key]

    def _packed_argument(self, value: Value, layout: PackedLayout) -> Value:
        key = (value, layout)
        if key not in self._known:
            shape = layout.shape(tuple(value.type.shape))
            type = ir.RankedTensorType.get(shape, value.type.element_type)
            self._known[key] = self._entry.add_argument(type, ir.Location.unknown())
            self._arguments.append(PackedArgument(value.arg_number, layout))
        return self._known[key]

    def _packed_constant(self, value: Value, layout: PackedLayout) -> Value | None:
        attribute = value.owner.operation.attributes["value"]
        if not isinstance(attribute, ir.DenseElementsAttr) or attribute.is_splat:
            return None
        key = (value, layout)
        if key not in self._known:
            elements = layout.pack(np.array(attribute).reshape(value.type.shape))
            type = ir.RankedTensorType.get(elements.shape, value.type.element_type)
            dense = ir.DenseElementsAttr.get(elements, type=value.type.element_type, shape=elements.shape)
            with ir.InsertionPoint(value.owner.operation), value.owner.operation.location:
                self._known[key] = value_of("arith.constant", [], type, value=dense)
        return self._known[key]


# What a contraction reads


@dataclass(frozen=True)
class _Tensor:
    """A tensor as the memref that it will be."""

    value: Value
    type: Type


def _contraction(op: Operation) -> Contraction | None:
    """A named operation on tensors as a contraction of real numbers or integers; extents not known are None."""
    types = [operand.type for operand in op.operands]
    if len(types) != 3 or not all(isinstance(type, ir.RankedTensorType) for type in types):
        return None
    if any(isinstance(type.element_type, ir.ComplexType) for type in types):
        return None
    maps = _NAMED[op.name](op)
    accesses = [
        Access(
            _Tensor(operand, ir.MemRefType.get(type.shape, type.element_type)),
            list(indexing.results),
            is_scalar=False,
        )
        for operand, type, indexing in zip(op.operands, types, maps, strict=True)
    ]
    dims = range(maps[0].n_dims)
    parallel = [accesses[2].mentions(dim) for dim in dims]
    nest = LoopNest(op, accesses[:2], accesses[2:], parallel, [_extent(accesses, dim) for dim in dims])
    return match_contraction(nest, None)


def _extent(accesses: Sequence[Access], dim: int) -> Any:
    for access in accesses:
        axis = access.axis_of(dim)
        if axis is not None and not access.memref.type.is_dynamic_dim(axis):
            return access.memref.type.shape[axis]
    return None


def _conv_maps(op: Operation) -> list[ir.AffineMap]:
    """Array, kernel and result by batch, places, results, elements of the kernel, channel."""
    strides, dilations = (
        [int(n) for n in np.array(op.attributes[name])] for name in ("strides", "dilations")
    )
    rank = len(strides)
    n, *dims = (ir.AffineDimExpr.get(d) for d in range(2 * rank + 3))
    places, f, elements, channel = dims[:rank], dims[rank], dims[rank + 1 : -1], dims[-1]
    seen = [
        place * stride + element * dilation
        for place, stride, element, dilation in zip(places, strides, elements, dilations, strict=True)
    ]
    operands = [n, *seen, channel], [*elements, channel, f], [n, *places, f]
    return [ir.AffineMap.get(2 * rank + 3, 0, expressions) for expressions in operands]


_NAMED = {"linalg.contract": indexing_maps, **dict.fromkeys(CONVOLUTIONS.values(), _conv_maps)}


def _panel(contraction: Contraction) -> int | None:
    """The columns of a panel; None where the right operand is not packed, or cannot be beforehand."""
    right = contraction.right.access
    if not right.memref.type.has_static_shape:
        return None
    choice = plan(contraction)
    if choice is None or not choice.pack_right or choice.by_rows:
        return None
    # Without masks vectors at the end overlap those before, which panels do not.
    whole = isinstance(contraction.columns, int) and contraction.columns % choice.lanes == 0
    return choice.panel if choice.masked or whole else None


def _layout(contraction: Contraction, panel: int) -> PackedLayout:
    """Outer axes, panels, what is summed in the order of its loops, columns."""
    right = contraction.right.access
    axis = right.axis_of(contraction.column)
    assert axis is not None

    def place(dim: int) -> int:
        own = right.axis_of(dim)
        assert own is not None
        return own + (own > axis)

    outer = [place(dim) for dim in contraction.outer if right.mentions(dim)]
    summed = [place(dim) for dim in contraction.summed]
    return PackedLayout(axis, panel, (*outer, axis, *summed, axis + 1))


# Where it is packed


def _outermost_loop(op: Operation, value: Value) -> Operation | None:
    """The outermost loop around an operation that a value is made before."""
    home = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    block, found = op.block, None
    while block != home:
        around = block.owner.operation
        if around.name in _LOOPS:
            found = around
        block = around.block
    return found


def _pack(value: Value, layout: PackedLayout) -> Value:
    """Operations that make a packed copy of a tensor."""
    element, shape = value.type.element_type, list(value.type.shape)
    split = list(layout.split(tuple(shape)))
    wide = [*shape[: layout.axis], split[layout.axis] * layout.panel, *shape[layout.axis + 1 :]]
    if wide != shape:
        value = _widened(value, shape, wide)
    groups = [[axis] for axis in range(len(split))]
    groups[layout.axis : layout.axis + 2] = [[layout.axis, layout.axis + 1]]
    value = expand(value, groups, split)
    shape = [split[axis] for axis in layout.order]
    dims = [ir.AffineDimExpr.get(layout.order.index(axis)) for axis in range(len(split))]
    rank = len(split)
    maps = [ir.AffineMap.get(rank, 0, dims), ir.AffineMap.get_identity(rank)]
    op = new_generic([value], [_empty(shape, element)], maps, ["parallel"] * rank)
    block = op.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        operation_of("linalg.yield", [block.arguments[0]])
    return op.results[0]


def _widened(value: Value, shape: Sequence[int], wide: Sequence[int]) -> Value:
    """A tensor with zeros behind one of its axes."""
    element = value.type.element_type
    into = _empty(wide, element)
    is_float = isinstance(element, ir.FloatType)
    zero = ir.FloatAttr.get(element, 0.0) if is_float else ir.IntegerAttr.get(element, 0)
    scalar = value_of("arith.constant", [], element, value=zero)
    zeros = filled(scalar, into)
    return slice_of("tensor.insert_slice", [value, zeros], into.type, [0] * len(shape), shape).results[0]


def _empty(shape: Sequence[int], element: Type) -> Value:
    return value_of("tensor.empty", [], ir.RankedTensorType.get(list(shape), element))


def _replace(op: Operation, contraction: Contraction, packed: Value, panel: int) -> None:
    """Write the contraction with the packed operand in the place of its right one."""
    right, column = contraction.right.access, ir.AffineDimExpr.get(contraction.column)
    outer = [ir.AffineDimExpr.get(dim) for dim in contraction.outer if right.mentions(dim)]
    summed = [ir.AffineDimExpr.get(dim) for dim in contraction.summed]
    panels, within = (ir.AffineExpr.get_floor_div(column, panel), ir.AffineExpr.get_mod(column, panel))
    count = len(contraction.nest.parallel)
    own = ir.AffineMap.get(count, 0, [*outer, panels, *summed, within])
    maps = list(_NAMED[op.name](op))
    operands = list(op.operands)
    position = next(i for i in (0, 1) if contraction.nest.inputs[i] is right)
    maps[position], operands[position] = own, packed
    iterators = ["parallel" if parallel else "reduction" for parallel in contraction.nest.parallel]
    with ir.InsertionPoint(op), op.location:
        generic = new_generic(operands[:-1], operands[-1:], maps, iterators)
    old, block = (each.regions[0].blocks[0] for each in (op, generic))
    mapping = dict(zip(old.arguments, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        for inner in old.operations:
            clone(inner.operation, mapping)
    op.results[0].replace_all_uses_with(generic.results[0])
    op.erase()
