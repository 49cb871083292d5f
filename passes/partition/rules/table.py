"""Which rule an op class has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from ....dialect.batching import Along, Looped, on_last_axes
from ....dialect.op import Elementwise, Op
from ....dialect.ops.arrangement import Concat, Diagonal, Extend, Pad, Repeat, Roll, Stack, Tile, Tril, Triu
from ....dialect.ops.contraction import Contract, Matmul
from ....dialect.ops.convolution import Conv
from ....dialect.ops.indexing import FindOutOfBounds, Gather, Scatter
from ....dialect.ops.random import RandomFloats
from ....dialect.ops.reductions import ArgReduction, Mean, Reduction, Spread
from ....dialect.ops.scans import Scan
from ....dialect.ops.selection import Nonzero
from ....dialect.ops.shape import BroadcastTo, Dim, ExpandDims, Reshape, Squeeze, Transpose
from ....dialect.ops.slicing import DynamicSlice, DynamicSliceUpdate, Slice, SliceUpdate
from ....dialect.ops.sorting import Argsort, Partition, Searchsorted, Sort
from ....dialect.ops.windows import WindowReduction
from ..parts import Part, Site
from . import along, contraction, elementwise, indexing, packed, random, reductions, shapes, slices, sorting

Rule: TypeAlias = "Callable[[Site, Sequence[Part]], list[Part]]"
"""From what a rank has of operands to what it has of results."""

RULES: Mapping[type[Op], Rule] = MappingProxyType(
    {
        Elementwise: elementwise.elementwise,
        Mean: reductions.moments,
        Spread: reductions.moments,
        Reduction: reductions.reduction,
        ArgReduction: reductions.arg_reduction,
        Scan: along.scan,
        Tril: along.triangle,
        Triu: along.triangle,
        Diagonal: along.diagonal,
        Contract: contraction.contract,
        Matmul: contraction.matmul,
        Slice: slices.slice_,
        SliceUpdate: slices.slice_update,
        DynamicSlice: slices.dynamic_slice,
        DynamicSliceUpdate: slices.dynamic_slice_update,
        Concat: slices.concat,
        Pad: slices.pad,
        Extend: slices.extend,
        Roll: slices.roll,
        Conv: slices.windows,
        WindowReduction: slices.windows,
        Transpose: shapes.transpose,
        ExpandDims: shapes.expand_dims,
        Squeeze: shapes.squeeze,
        Dim: shapes.dim,
        BroadcastTo: shapes.broadcast,
        Stack: shapes.stack,
        Repeat: shapes.repeat,
        Tile: shapes.tile,
        Reshape: shapes.reshape,
        Gather: indexing.gather,
        Scatter: indexing.scatter,
        Nonzero: packed.nonzero,
        Argsort: sorting.argsort,
        Sort: sorting.sort,
        Partition: sorting.sort,
        Searchsorted: indexing.searchsorted,
        FindOutOfBounds: indexing.find_out_of_bounds,
        RandomFloats: random.random_floats,
    }
)
"""The rules of op classes, and of what is derived from them."""


def whole(site: Site, parts: Sequence[Part]) -> list[Part]:
    """The last resort: every rank gathers the operands, and does all of it."""
    reason = f"weft.{site.op_class.name} is done on the whole array by every rank"
    values = [site.whole(part, reason).value for part in parts]
    made = site.emitted(values)
    return [Part(value, shape, (None,) * len(shape)) for value, shape in zip(made, site.shapes, strict=True)]


def rule_of(op_class: type[Op]) -> Rule:
    """The rule of an op class: its own, the one that says along which axes it works, or the last resort."""
    for base in op_class.__mro__:
        if base in RULES:
            return RULES[base]
    batching = op_class.batching
    if isinstance(batching, Looped):
        return along.looped
    return along.along if isinstance(batching, Along) or batching is on_last_axes else whole
