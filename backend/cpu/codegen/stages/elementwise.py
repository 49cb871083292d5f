"""Which ops compute a new tensor of known extents, each element by itself and wherever it lies."""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Operation, ir
from .....passes.rewriting import operations_in

ARITHMETIC = ("arith.", "math.", "linalg.yield")
"""How the names of ops on real numbers begin, and that of what ends a body of them."""


def is_elementwise(operation: Operation, body_ops: Sequence[str] = ARITHMETIC) -> bool:
    """Whether a `linalg.generic` does, by ops whose names begin as `body_ops` say."""
    if len(operation.results) != 1:
        return False
    type = operation.results[0].type
    if not type.has_static_shape or not type.rank or 0 in type.shape:
        return False
    if any("parallel" not in str(kind) for kind in operation.attributes["iterator_types"]):
        return False
    block = operation.regions[0].blocks[0]
    if any(True for _ in block.arguments[len(block.arguments) - 1].uses):
        return False
    if any(not op.name.startswith(tuple(body_ops)) for op in operations_in(block)):
        return False
    maps = list(operation.attributes["indexing_maps"])
    return bool(maps[-1].value == ir.AffineMap.get_identity(type.rank))
