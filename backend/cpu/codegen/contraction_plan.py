"""How a contraction is tiled: rows and vectors held in registers, and which operands are packed."""

from __future__ import annotations

from dataclasses import dataclass

from ....dialect.mlir import Type, ir
from .contraction import Contraction
from .emit import Index
from .loop_nest import Access
from .temporaries import element_bytes
from .vector_width import vector_bytes, vector_registers

FIRST_LEVEL_CACHE = 32 * 1024
PACK_BYTES = 64 * 1024
"""A larger right operand is copied panel by panel, so that its lines do not evict each other."""

CACHE_WAY = 4096
"""Addresses this far apart compete for the same lines of the first-level cache."""

PACK_LEFT_BYTES = 128 * 1024
FEW_ROWS = 4
"""Up to so many rows, reading the right operand once in memory order is best."""


@dataclass(frozen=True)
class Plan:
    """The choices for one contraction."""

    lanes: int
    vectors: int
    heights: tuple[int, ...]
    """Rows in a tile: as many tiles of the first height as fit, then of the next."""
    pack_left: bool
    pack_right: bool
    by_rows: bool
    """Few rows: run over the right operand in memory order and add to the result in memory."""

    @property
    def panel(self) -> int:
        """Columns computed together."""
        return self.lanes * self.vectors


def plan(contraction: Contraction) -> Plan | None:
    """Choose tiles and packing; None when plain loops do better."""
    if not _supported(contraction.element):
        return None
    columns, rows = contraction.extent(contraction.column), contraction.extent(contraction.row)
    if columns == 0 or rows == 0 or columns == 1:
        return None
    lanes = vector_bytes() // element_bytes(contraction.element)
    if isinstance(columns, int):
        lanes = min(lanes, 1 << (columns - 1).bit_length())
    vectors = 1 if isinstance(columns, int) and columns <= lanes else 2
    right = contraction.right.access
    contiguous = right.is_contiguous_in(contraction.column)
    few = isinstance(rows, int) and rows <= FEW_ROWS
    size = _bytes(contraction, columns)
    if few and (not contiguous or (isinstance(rows, int) and rows == 1 and size is None)):
        return None
    by_rows = few and size is not None and (rows == 1 or size > FIRST_LEVEL_CACHE)
    if by_rows and len(contraction.summed) != 1:
        return None
    height = _tile_height(vectors)
    several_tiles = not isinstance(rows, int) or rows > height
    large = size is None or size > PACK_BYTES
    return Plan(
        lanes,
        4 if by_rows and rows == 1 and vectors > 1 else vectors,
        _heights(rows, height),
        pack_left=_pack_left(contraction, rows),
        pack_right=not contiguous or (large and several_tiles),
        by_rows=by_rows,
    )


def _supported(element: Type) -> bool:
    if isinstance(element, ir.F32Type | ir.F64Type):
        return True
    return isinstance(element, ir.IntegerType) and element.width in (32, 64)


def _tile_height(vectors: int) -> int:
    return (vector_registers() - 4) // vectors if vectors > 1 else vector_registers() // 2


def _heights(rows: Index, highest: int) -> tuple[int, ...]:
    """Cover a known number of rows by tiles of nearly the same height, else by tiles of falling height."""
    if not isinstance(rows, int):
        return (highest, 4, 1)
    height = -(-rows // -(-rows // highest))
    return (height, rows % height) if rows % height else (height,)


def _pack_left(contraction: Contraction, rows: Index) -> bool:
    """Whether the left operand is read across its rows so far apart that it pays to copy it."""
    access, row = contraction.left.access, contraction.row
    if row is None or not isinstance(rows, int) or access.axis_of(row) is None:
        return False
    if any(access.axis_of(dim) is None for dim in contraction.summed):
        return False
    size = _bytes(contraction, rows)
    if size is None or size <= PACK_LEFT_BYTES:
        return False
    across = not any(access.is_contiguous_in(dim) for dim in contraction.summed)
    return across or _collides(access, row)


def _collides(access: Access, row: int) -> bool:
    """Whether the rows of a tile fall on the same lines of the first-level cache."""
    axis = access.axis_of(row)
    stride = access.memref.type.get_strides_and_offset()[0][axis]
    return bool(stride * element_bytes(access.memref.type.element_type) % CACHE_WAY == 0)


def _bytes(contraction: Contraction, across: Index) -> int | None:
    """The size of an operand with that many rows or columns, if it is known."""
    total = element_bytes(contraction.element)
    for extent in [across, *(contraction.extent(dim) for dim in contraction.summed)]:
        if not isinstance(extent, int):
            return None
        total *= extent
    return total
