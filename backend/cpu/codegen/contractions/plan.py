"""How a contraction is tiled: rows and vectors held in registers, which operands are packed, and in which blocks."""

from __future__ import annotations

import math

from .....dialect.mlir import ir
from .....dialect.records import dataclass, replace
from ....nests.contraction import Contraction
from ....nests.emit import Index
from ....nests.nest import Access
from ....target import processor
from ..vectors.temporaries import element_bytes
from ..vectors.width import vector_bytes, vector_registers

PACKED = 2
"""A right operand of so many times the first-level cache is copied panel by panel, so that its lines do not evict each
other."""

NEAR = 2
"""Panels of up to so many times the second-level cache may all be read for one row of an image after the other."""

FEW_TILES = 5
FAR_APART = 2048
"""For so few tiles it is not copied, unless its rows are so many bytes apart that the processor does not fetch them
ahead."""

WHOLE_DEPTH = 1024
DEPTH_BLOCK = 672
"""Longer sums than `WHOLE_DEPTH` are made in parts of this length: a panel of the right operand must stay cached."""

UNBLOCKED_DEPTH = 1536
"""Up to so long sums, a left operand of any size is read for every panel that is packed on the way: that takes less
time than adding up in blocks, or copying it."""

LEAST_STRETCH = 128
"""Adding so few products at a time takes longer than reading the operands again."""

MOST_ROWS = 256
LEAST_ROWS = 64
"""Rows of a block."""

SHALLOW = 64
"""With so short sums, writing the result takes most of the time: it is written in memory order."""

FEW_ROWS = 4
"""Up to so many rows, reading the right operand once in memory order is best."""

LOADS = 0.6
"""Tiles that load more vectors for each product give way to others that take as long by count: with 16 registers, 4
rows of 3 vectors are up to 7 % faster than 6 of 2 (Zen 3)."""

EXACT_WORK = 1 << 20
EXACT_SHARE = 0.025
"""From so many products on, code for two heights of tiles is worth compiling if that saves this share of the rows."""


@dataclass(frozen=True)
class Tiles:
    """Tiles of equal height: `count` of them from row `first` on, or as many as fit where rows are not known."""

    height: int
    first: int = 0
    count: int | None = None


@dataclass(frozen=True)
class Plan:
    """The choices for one contraction."""

    lanes: int
    vectors: int
    """Vectors of a panel: the columns that are computed together."""
    tail: int
    """Vectors of the last panel, where that has fewer; 0 if there is no such panel."""
    parts: int
    exact: bool
    """Cover rows by tiles of two heights; else the last tile computes some rows again, with half the code."""
    pack_left: bool
    pack_right: bool
    pack_on_the_way: bool
    """Copy a panel of the right operand while the first tile reads it."""
    depth_block: int | None
    """Sum so many products at a time, and add them to the result in memory."""
    row_block: int | None
    """Rows of the left operand that are used together while they are in the second-level cache."""
    rows_first: bool
    """Compute all panels for a tile of rows, with the whole right operand at hand, instead of all tiles for a panel."""
    inside_first: bool
    """Compute all panels for a step of the loops that the right operand does not depend on (rows of an image, batches):
    what they need of the left operand stays in the cache."""
    masked: bool
    """Whether lanes beyond the end may be masked; else the last vector overlaps the one before."""
    by_rows: bool
    """Few rows: run over the right operand in memory order and add to the result in memory."""

    @property
    def pack_whole(self) -> bool:
        """Whether a copy of the right operand has all panels, and not one at a time."""
        return self.rows_first or self.inside_first or self.row_block is not None

    @property
    def panel(self) -> int:
        """Columns computed together."""
        return self.lanes * self.vectors

    def exactly(self) -> Plan:
        """The same with no row computed twice."""
        return replace(self, exact=True)

    def tiles(self, rows: Index, width: int) -> list[Tiles]:
        """Cover the rows of a panel of so many vectors."""
        highest = tile_height(width, self.parts)
        if not isinstance(rows, int):
            return [Tiles(height) for height in dict.fromkeys((highest, min(4, highest), 1))]
        count = -(-rows // highest)
        height = -(-rows // count)
        if not self.exact or height * count == rows:
            return [Tiles(height, 0, count)]
        high = rows - count * (height - 1)
        return [Tiles(height, 0, high), Tiles(height - 1, high * height, count - high)]


def plan(contraction: Contraction) -> Plan | None:
    """Choose tiles and packing; None when plain loops do better."""
    if not is_supported(contraction):
        return None
    columns, rows = contraction.columns, contraction.extent(contraction.row)
    if columns == 0 or rows == 0 or columns == contraction.parts:
        return None
    masked = masks_are_cheap(contraction)
    lanes = _lanes(contraction, masked)
    packed = contraction.packed
    if packed is not None and (packed % lanes or tile_height(packed // lanes, contraction.parts) < 1):
        return None
    contiguous = packed is not None or contraction.right.is_contiguous_in(contraction.column)
    few = isinstance(rows, int) and rows <= FEW_ROWS and contraction.parts == 1
    size = _bytes(contraction, contraction.extent(contraction.column))
    if few and (not contiguous or (isinstance(rows, int) and rows == 1 and size is None)):
        return None
    by_rows = (
        packed is None and few and size is not None and (rows == 1 or size > processor().first_level_cache)
    )
    if by_rows and (len(contraction.summed) != 1 or contraction.element != contraction.stored):
        return None
    vectors, tail = _widths(contraction, lanes)
    if by_rows and rows == 1 and vectors > 1:
        vectors, tail = 4, 0
    depth_block, row_block = (None, None) if by_rows else _blocks(contraction)
    known = all(isinstance(contraction.extent(dim), int) for dim in contraction.summed)
    rows_first = known and _depth(contraction) <= SHALLOW and row_block is None
    pack_right = _pack_right(contraction, rows, vectors, size, rows_first)
    return Plan(
        lanes,
        vectors,
        tail,
        contraction.parts,
        exact=row_block is not None or _exact(contraction, vectors),
        pack_left=(depth_block is None or row_block is not None)
        and _pack_left(contraction, rows, lanes * vectors, row_block is not None),
        pack_right=pack_right,
        pack_on_the_way=pack_right and not rows_first and row_block is None and _once(contraction),
        depth_block=depth_block,
        row_block=row_block,
        rows_first=rows_first,
        inside_first=_inside_first(contraction, vectors) and not rows_first and row_block is None,
        masked=masked,
        by_rows=by_rows,
    )


def plan_rows(contraction: Contraction) -> Plan | None:
    """The choices where few rows are best computed by running over the right operand; else None."""
    found = plan(contraction)
    return found if found is not None and found.by_rows else None


def plan_tiles(contraction: Contraction) -> Plan | None:
    """The choices where tiles are best; else None."""
    found = plan(contraction)
    return None if found is not None and found.by_rows else found


def is_supported(contraction: Contraction) -> bool:
    """Whether tiles can add up numbers of the type."""
    element = contraction.element
    if contraction.logical:
        return isinstance(element, ir.IntegerType) and element.width == 8
    if isinstance(element, ir.F32Type | ir.F64Type):
        return True
    return isinstance(element, ir.IntegerType) and element.width in (16, 32, 64)


def masks_are_cheap(contraction: Contraction) -> bool:
    """Whether the machine has loads and stores under a mask: of all elements with AVX-512, of wide ones with AVX2."""
    memory = [contraction.left.access, contraction.right.access, contraction.result]
    types = [contraction.element, *(access.memref.type.element_type for access in memory)]
    return vector_bytes() == 64 or (vector_bytes() == 32 and min(map(element_bytes, types)) >= 4)


def tile_height(vectors: int, parts: int = 1) -> int:
    """Rows of a tile, so that sums, a row of the right operand and an element of the left one fit the registers."""
    registers = vector_registers()
    if vectors == 1:
        return registers // 2 // parts
    return max(1, (registers - vectors - 1) // vectors // parts)


def _lanes(contraction: Contraction, masked: bool) -> int:
    lanes = vector_bytes() // element_bytes(contraction.element)
    columns = contraction.columns
    if not isinstance(columns, int):
        return lanes
    nearest = 1 << ((columns - 1).bit_length() if masked else columns.bit_length() - 1)
    return max(contraction.parts, min(lanes, nearest))


def _widths(contraction: Contraction, lanes: int) -> tuple[int, int]:
    """The vectors of a panel, and of the last one if it differs, with the least work."""
    columns, rows = contraction.columns, contraction.extent(contraction.row)
    if contraction.packed is not None and isinstance(columns, int):
        width = contraction.packed // lanes
        return width, -(-columns // lanes) % width
    if not isinstance(columns, int):
        return 2, 1
    total, depth = -(-columns // lanes), _depth(contraction)
    choices = [
        width for width in (2, 3, 4, 1) if width <= total and tile_height(width, contraction.parts) > 1
    ]
    far = _is_far(contraction) and _stretch(contraction) is None

    def cost(width: int) -> float:
        work = _work(total, width, rows, depth, contraction.parts)
        loads = 1 / width + 1 / (tile_height(width, contraction.parts) * contraction.parts)
        return (
            work
            * (1 + 0.02 * (total % width > 0))
            * (1 + max(0.06 * (far and width < 3), 0.03 * (loads > LOADS)))
        )

    best = min(choices, key=cost)
    return best, total % best


def _is_far(contraction: Contraction) -> bool:
    """Whether the right operand comes from beyond the second-level cache while it is packed: then more of a line of it
    should be read at once."""
    size = _bytes(contraction, contraction.extent(contraction.column))
    return size is not None and size >= processor().second_level_cache // 2 and _once(contraction)


def _work(total: int, width: int, rows: Index, depth: int, parts: int) -> float:
    """About how many cycles a step of the sums takes for all rows and vectors."""
    cycles = 0.0
    for count, vectors in ((total // width, width), (1, total % width)):
        if vectors == 0:
            continue
        highest = tile_height(vectors, parts)
        height = highest if not isinstance(rows, int) else -(-rows // -(-rows // highest))
        tiles = 8.0 if not isinstance(rows, int) else rows / height
        sums = height * vectors * parts
        # Two loads can start per cycle, and a sum waits four cycles for the one before, or one more.
        step = max(
            sums / processor().multiplications, (height * parts + vectors) / 2, processor().addition_wait
        )
        cycles += count * tiles * (step + (1.5 * sums + 15) / depth)
    return cycles


def _depth(contraction: Contraction) -> int:
    """The number of products in a sum; a guess where it is not known."""
    extents = [contraction.extent(dim) for dim in contraction.summed]
    return max(1, math.prod(extent if isinstance(extent, int) else 64 for extent in extents))


def _exact(contraction: Contraction, vectors: int) -> bool:
    columns, rows = contraction.columns, contraction.extent(contraction.row)
    if not isinstance(columns, int) or not isinstance(rows, int):
        return False
    outer = [contraction.extent(dim) for dim in contraction.outer]
    times = math.prod(extent if isinstance(extent, int) else 1 for extent in outer)
    highest = tile_height(vectors, contraction.parts)
    count = -(-rows // highest)
    again = -(-rows // count) * count - rows
    return columns * rows * times * _depth(contraction) >= EXACT_WORK and again > EXACT_SHARE * rows


def _blocks(contraction: Contraction) -> tuple[int | None, int | None]:
    """Depth and rows of the blocks of a left operand that is too large for the second-level cache."""
    rows = contraction.extent(contraction.row)
    if (
        len(contraction.summed) != 1
        or contraction.row is None
        or contraction.left.access.axis_of(contraction.row) is None
    ):
        return None, None
    depth = contraction.extent(contraction.summed[0])
    if any(not contraction.right.access.mentions(dim) for dim in contraction.outer):
        return None, None
    stretch = _stretch(contraction)
    if stretch is not None:
        return stretch, None
    if not isinstance(rows, int) or not isinstance(depth, int):
        return None, None
    if _unblocked(contraction):
        return None, None
    size = element_bytes(contraction.element) * contraction.parts
    if rows * depth * size < 2 * processor().second_level_cache or rows < 2 * LEAST_ROWS:
        return None, None
    block = depth
    if depth > WHOLE_DEPTH and (contraction.parts == 2 or contraction.element == contraction.stored):
        block = -(-depth // -(-depth // DEPTH_BLOCK))
    most = max(LEAST_ROWS, min(MOST_ROWS, processor().second_level_cache // (block * size)))
    return (None if block == depth else block), -(-rows // -(-rows // most))


def _stretch(contraction: Contraction) -> int | None:
    """How many products are added at a time where sums are far longer than the result has rows and columns, as those of
    `x.T @ x` of a table are; None for other shapes.

    Panels and tiles would read the table from memory again and again: a stretch of it is read once, and all sums go on.
    """
    rows, columns = contraction.extent(contraction.row), contraction.columns
    depth = contraction.extent(contraction.summed[0])
    if not isinstance(rows, int) or not isinstance(columns, int) or contraction.element != contraction.stored:
        return None
    if contraction.parts == 2 or contraction.packed is not None:
        return None
    width = element_bytes(contraction.element)
    if rows <= tile_height(1) and columns * width <= 2 * vector_bytes():
        return None
    cache, same = (
        processor().second_level_cache,
        contraction.left.access.memref == contraction.right.access.memref,
    )
    size = max(rows, columns) * width if same else (rows + columns) * width
    if isinstance(depth, int) and depth * size < 2 * cache:
        return None
    stretch = min(DEPTH_BLOCK, cache // (2 * size) // 8 * 8)
    return stretch if stretch >= LEAST_STRETCH and stretch >= max(rows, columns) else None


def _pack_right(
    contraction: Contraction, rows: Index, vectors: int, size: int | None, rows_first: bool
) -> bool:
    right = contraction.right
    if contraction.packed is not None:
        return False
    if not right.is_contiguous_in(contraction.column):
        return True
    tiles = _tiles(contraction, rows, vectors)
    if tiles is not None and tiles <= 1:
        return False
    if right.conversion is not None:
        return True
    if not rows_first and _once(contraction):
        return size is None or size > processor().first_level_cache
    if tiles is not None and tiles <= FEW_TILES and _row_bytes(right.access) < FAR_APART:
        return False
    return size is None or size > (
        processor().first_level_cache if rows_first else PACKED * processor().first_level_cache
    )


def _tiles(contraction: Contraction, rows: Index, vectors: int) -> int | None:
    """How many tiles read a panel of the right operand; None where it is not known."""
    inside = [
        contraction.extent(dim) for dim in contraction.outer if not contraction.right.access.mentions(dim)
    ]
    extents = [rows, *inside]
    known = [extent for extent in extents if isinstance(extent, int)]
    if len(known) < len(extents):
        return None
    height = tile_height(vectors, contraction.parts)
    return -(-known[0] // height) * math.prod(known[1:])


def _unblocked(contraction: Contraction) -> bool:
    """Whether rows of the left operand are so short, and so near to each other, that it is read as it is."""
    left, depth = contraction.left, contraction.extent(contraction.summed[-1])
    if contraction.parts == 2 or left.conversion is not None or not isinstance(depth, int):
        return False
    return depth <= UNBLOCKED_DEPTH and _once(contraction) and left.is_contiguous_in(contraction.summed[-1])


def _inside_first(contraction: Contraction, vectors: int) -> bool:
    """Whether the left operand, which every panel needs, does not fit the second-level cache, and all panels together
    are not much larger: panels are read in order, and come as fast from further away. Convolutions of 3x3 with 100 to
    160 channels, whose panels have 0.7 to 1.8 times the size of that cache, gain a tenth (Zen 3); with 2.6 times, none.
    """
    left, right = contraction.left.access, contraction.right.access
    inside = [dim for dim in contraction.outer if not right.mentions(dim)]
    columns, lanes = contraction.columns, vector_bytes() // element_bytes(contraction.element)
    if not any(left.mentions(dim) for dim in inside) or not isinstance(columns, int):
        return False
    extents = [contraction.extent(dim) for dim in (contraction.row, *inside)]
    whole = _bytes(contraction, contraction.extent(contraction.column))
    size = math.prod(left.memref.type.shape) if left.memref.type.has_static_shape else None
    if whole is None or size is None or not all(isinstance(extent, int) for extent in extents):
        return False
    size *= element_bytes(left.memref.type.element_type)
    return (
        columns > lanes * vectors
        and size >= processor().second_level_cache
        and whole <= NEAR * processor().second_level_cache
    )


def _once(contraction: Contraction) -> bool:
    """Whether the rows that a panel of the right operand is multiplied with are one loop, of known length, and its
    vectors can be read as they are."""
    right, known = contraction.right, isinstance(contraction.extent(contraction.row), int)
    inside = any(not right.access.mentions(dim) for dim in contraction.outer)
    return known and not inside and right.is_contiguous_in(contraction.column)


def _row_bytes(access: Access) -> int:
    """How far apart the lines of the right operand are."""
    strides = access.memref.type.get_strides_and_offset()[0]
    known = len(strides) > 1 and strides[-2] != ir.ShapedType.get_dynamic_stride_or_offset()
    return strides[-2] * element_bytes(access.memref.type.element_type) if known else FAR_APART


def _pack_left(contraction: Contraction, rows: Index, panel: int, in_blocks: bool) -> bool:
    """Whether it pays to copy the left operand: to convert it, or because its lines evict each other."""
    left, row = contraction.left, contraction.row
    access = left.access
    if row is None or access.axis_of(row) is None:
        return False
    if any(access.axis_of(dim) is None for dim in contraction.summed):
        return False
    if any(access.mentions(dim) for dim in contraction.outer if not contraction.right.access.mentions(dim)):
        return False
    size = _bytes(contraction, rows)
    if size is None or size <= processor().first_level_cache:
        return False
    if size >= 2 * processor().second_level_cache and _unblocked(contraction):
        return False
    # In whole numbers: the parts of complex ones are always neighbours.
    access = contraction.whole[0] if contraction.whole is not None else access
    if access.is_contiguous_in(row) and len(contraction.summed) == 1:
        several = not isinstance(contraction.columns, int) or contraction.columns > panel
        large = in_blocks or size >= processor().second_level_cache // 2 or _collides(access, contraction)
        return several and (large or left.conversion is not None)
    return left.conversion is not None or _collides(access, contraction)


def _collides(access: Access, contraction: Contraction) -> bool:
    """Whether what a tile reads together falls on the same lines of the first-level cache."""
    strides = access.memref.type.get_strides_and_offset()[0]
    across = [dim for dim in (contraction.row, *contraction.summed) if dim is not None]
    steps = [strides[access.axis_of(dim)] for dim in across if not access.is_contiguous_in(dim)]
    size = element_bytes(access.memref.type.element_type)
    return any(step * size % processor().way == 0 for step in steps)


def _bytes(contraction: Contraction, across: Index) -> int | None:
    """The size of an operand with that many rows or columns, if it is known."""
    total = element_bytes(contraction.element) * contraction.parts
    for extent in [across, *(contraction.extent(dim) for dim in contraction.summed)]:
        if not isinstance(extent, int):
            return None
        total *= extent
    return total
