"""Write the stages of a stencil tile by tile.

    for all tiles: for each nest: compute what the tile needs of it, into memory for one tile

What a nest reads of another one lies in that memory; of arguments it reads a part. The nests of a tile are ops like
those they come from, on smaller memory, and are written as any others. Tiles at the end overlap those before them.

Meanwhile nests ask for what the next tile reads, to come to the second-level cache: horizontal diffusion on 128x128x80
cells takes 2.8 ms instead of 3.6, and 3.5 where it is to come to the first level (Zen 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from .....dialect.mlir import Operation, Value, dialect, ir
from ....nests.emit import Emitter, Index
from ....nests.independence import base
from ....nests.nest import Access, LoopNest, loop_nest
from ..loops.prefetch import first_readers
from ..loops.vector_body import body_weight
from ..vectors.temporaries import element_bytes, scratch
from .tiles import Halo, Read, Stage, best_tile, halos

Sources: TypeAlias = "dict[Value, int]"
"""The nest that computes a temporary."""


def tiled(nests: Sequence[LoopNest], emitter: Emitter) -> Iterator[list[LoopNest]]:
    """Write loops over tiles where nests are stages of a stencil, and yield those of a tile; else nothing."""
    sources = _temporaries(nests)
    stages = None if sources is None else _stages(nests, sources)
    tile = None if stages is None else best_tile(stages)
    around = None if stages is None or tile is None else halos(stages)
    if sources is None or tile is None or around is None:
        return
    extents = [int(extent) for extent in nests[-1].extents if isinstance(extent, int)]
    with _loops(extents, tile, emitter) as starts:
        written = [loop_nest(op) for op in _tile(nests, sources, around, tile, starts, emitter)]
        for nest, ahead in zip(written, _next_tile(nests, sources, tile), strict=True):
            nest.ahead.update(ahead)
        yield written
    for nest in nests:
        nest.operation.erase()


def _next_tile(nests: Sequence[LoopNest], sources: Sources, tile: Sequence[int]) -> Iterator[dict[int, int]]:
    """What each nest asks for of the arrays that it is the first to read, and of the result: as the next tile needs it.

    A stage reads an array at several places, of which the last one is that where its elements come to the cache.
    """
    seen: set[Value] = set()
    for nest in nests:
        found: dict[int, int] = {}
        inputs = [
            access for access in nest.accesses if not access.is_scalar and base(access.memref) not in sources
        ]
        new = [access for access in inputs if base(access.memref) not in seen]
        for access in first_readers(new):
            distance = _distance(access, nest.extents, tile)
            if distance:
                found[nest.accesses.index(access)] = distance
        seen.update(base(access.memref) for access in new)
        yield found


def _distance(access: Access, extents: Sequence[Index], tile: Sequence[int]) -> int | None:
    """How many elements further in memory an array has what the next tile reads."""
    dims = [ir.AffineExpr.get_dim(dim) for dim in range(len(tile))]
    strides, _ = access.memref.type.get_strides_and_offset()
    tiled = [dim for dim, size in enumerate(tile) if size != extents[dim]]
    if list(access.expressions) != dims or not tiled:
        return None
    stride = strides[tiled[-1]]
    return None if stride == ir.ShapedType.get_dynamic_stride_or_offset() else tile[tiled[-1]] * stride


def _temporaries(nests: Sequence[LoopNest]) -> Sources | None:
    """What nests but the last one write, memory of the kernel's own that is used here alone; None where they do not."""
    if len(nests) < 2 or not all(_is_stage(nest) for nest in nests):
        return None
    sources = {nest.outputs[0].memref: number for number, nest in enumerate(nests[:-1])}
    own = [nest.operation for nest in nests]
    for memref in sources:
        made = memref.owner
        if isinstance(made, ir.Block) or made.operation.name != "memref.alloc":
            return None
        if not _is_used_by(memref, own):
            return None
    result = base(nests[-1].outputs[0].memref)
    read = [base(access.memref) for nest in nests for access in nest.inputs if not access.is_scalar]
    return None if len(sources) < len(nests) - 1 or result in sources or result in read else sources


def _is_stage(nest: LoopNest) -> bool:
    """Whether a nest computes each element of a result of known extents by itself."""
    if len(nest.outputs) != 1 or not all(nest.parallel) or nest.uses_index():
        return False
    if not all(isinstance(extent, int) and extent for extent in nest.extents):
        return False
    dims = [ir.AffineExpr.get_dim(dim) for dim in range(len(nest.parallel))]
    is_read = any(True for _ in nest.body.arguments[len(nest.inputs)].uses)
    plain = all(
        isinstance(expression, ir.AffineDimExpr)
        for access in nest.accesses
        for expression in access.expressions
    )
    return plain and not is_read and list(nest.outputs[0].expressions) == dims and len(dims) > 1


def _is_used_by(memref: Value, operations: Sequence[Operation]) -> bool:
    for use in memref.uses:
        user = use.owner.operation
        if user.name == "memref.subview":
            if not _is_used_by(user.results[0], operations):
                return False
        elif user not in operations:
            return False
    return True


def _stages(nests: Sequence[LoopNest], sources: Sources) -> list[Stage] | None:
    stages = []
    for nest in nests:
        reads = []
        dims = [ir.AffineExpr.get_dim(dim) for dim in range(len(nest.parallel))]
        for access in nest.inputs:
            if access.is_scalar or base(access.memref) not in sources:
                continue
            offsets = _offsets(access.memref, base(access.memref))
            if offsets is None or list(access.expressions) != dims:
                return None
            reads.append(Read(sources[base(access.memref)], offsets))
        size = element_bytes(nest.outputs[0].memref.type.element_type)
        extents = tuple(int(extent) for extent in nest.extents if isinstance(extent, int))
        stages.append(Stage(extents, size, body_weight(nest.body), tuple(reads)))
    return stages


def _offsets(memref: Value, whole: Value) -> tuple[int, ...] | None:
    """Where a part of an array begins; None where that is not known, or elements or axes are left out."""
    if memref == whole:
        return (0,) * int(whole.type.rank)
    view = memref.owner.operation
    if view.name != "memref.subview" or view.operands[0] != whole or len(view.operands) > 1:
        return None
    if (
        any(stride != 1 for stride in view.attributes["static_strides"])
        or memref.type.rank != whole.type.rank
    ):
        return None
    return tuple(int(offset) for offset in view.attributes["static_offsets"])


@contextmanager
def _loops(extents: Sequence[int], tile: Sequence[int], emitter: Emitter) -> Iterator[list[Index]]:
    """Loops over tiles; yields where a tile begins."""
    if not extents:
        yield []
        return
    with emitter.loop(extents[0], tile[0], parallel=True) as position:
        start = position if extents[0] % tile[0] == 0 else emitter.minimum(position, extents[0] - tile[0])
        with _loops(extents[1:], tile[1:], emitter) as others:
            yield [start, *others]


def _tile(
    nests: Sequence[LoopNest],
    sources: Sources,
    around: Sequence[Halo],
    tile: Sequence[int],
    starts: Sequence[Index],
    emitter: Emitter,
) -> Iterator[Operation]:
    """The ops of a tile, made at the insertion point."""
    buffers: list[Value] = []
    for nest, halo in zip(nests, around, strict=True):
        sizes = [size + span.high - span.low for size, span in zip(tile, halo, strict=True)]
        firsts = [emitter.add(start, span.low) for start, span in zip(starts, halo, strict=True)]
        operation = nest.operation.clone().operation
        for place, access in enumerate(nest.accesses):
            if access.is_scalar:
                continue
            dims = [expression.position for expression in access.expressions]
            number = sources.get(base(access.memref))
            if number == len(buffers):
                buffers.append(scratch(emitter, sizes, access.memref.type.element_type))
                part = buffers[-1]
            elif number is not None:
                offsets = _offsets(access.memref, base(access.memref)) or ()
                moved = [
                    span.low + offset - own.low
                    for span, offset, own in zip(halo, offsets, around[number], strict=True)
                ]
                part = _part(buffers[number], moved, sizes)
            else:
                part = _part(access.memref, [firsts[dim] for dim in dims], [sizes[dim] for dim in dims])
            operation.operands[place] = part
        yield operation


def _part(memref: Value, offsets: Sequence[Index], sizes: Sequence[int]) -> Value:
    """A part of an array, without gaps."""
    strides, offset = memref.type.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    place: int = offset
    for stride, by in zip(strides, offsets, strict=True):
        known = isinstance(by, int) and dynamic not in (stride, place)
        place = place + stride * by if known and isinstance(by, int) else dynamic
    layout = ir.StridedLayoutAttr.get(place, strides)
    type = ir.MemRefType.get(list(sizes), memref.type.element_type, layout, memref.type.memory_space)
    part: Value = dialect("memref").subview(
        memref, list(offsets), list(sizes), [1] * len(sizes), result_type=type
    )
    return part
