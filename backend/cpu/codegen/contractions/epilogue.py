"""Elementwise work that follows a contraction, done on its results while they are in registers."""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Operation, Type, Value, ir
from .....dialect.records import dataclass
from ....nests.contraction import Contraction
from ....nests.emit import Emitter, Index
from ....nests.independence import base
from ....nests.nest import Access, LoopNest
from ..loops.vector_body import body_weight, is_vectorisable, vector_of, vectorise_body
from ..vectors.code import broadcast, broadcast_load, vector_load, vector_store

MOST_OPERATIONS = 12
"""A longer body would be repeated for every row and vector of the tile: it runs as a loop of its own."""


@dataclass
class Epilogue:
    """An elementwise nest that reads the result of a contraction, and how their dimensions correspond."""

    nest: LoopNest
    dims: dict[int, int]
    """From dimensions of the nest to those of the contraction."""
    source: Access
    """The access of the nest to the result of the contraction."""
    lanes: int
    emitter: Emitter

    def finish(self, vector: Value, point: list[Index], mask: Value | None) -> None:
        """Write the nest for one vector of results, at a point of the contraction."""
        self.follow({self.source.memref: vector}, point, mask)

    def follow(self, made: dict[Value, Value], point: list[Index], mask: Value | None) -> None:
        """Write the nest for vectors that were made of some memory; those that it makes are added."""
        here = [point[self.dims[dim]] for dim in range(len(self.nest.parallel))]
        known: dict[Value, Value] = {}
        for argument, access in zip(self.nest.body.arguments, self.nest.accesses, strict=True):
            if any(True for _ in argument.uses):
                vector = made.get(access.memref)
                known[argument] = self._operand(access, here, mask) if vector is None else vector
        results = vectorise_body(self.nest.body, known, self.lanes)
        for result, access in zip(results, self.nest.outputs, strict=True):
            vector_store(result, access.memref, access.indices(self.emitter, here), mask)
            made[access.memref] = result

    def updates(self) -> bool:
        """Whether the nest reads what it writes: then it must see every element once."""
        count = len(self.nest.inputs)
        outputs = [access.memref for access in self.nest.outputs]
        arguments = list(self.nest.body.arguments)[count:]
        return any(access.memref in outputs for access in self.nest.inputs) or any(
            any(True for _ in argument.uses) for argument in arguments
        )

    def _operand(self, access: Access, here: Sequence[Index], mask: Value | None) -> Value:
        if access.is_scalar:
            return broadcast(access.memref, self._type(access.memref.type))
        type, indices = self._type(access.memref.type.element_type), access.indices(self.emitter, here)
        if access.mentions(column_dim(self.source)):
            return vector_load(self.emitter, access.memref, indices, type, mask)
        return broadcast_load(access.memref, indices, None, type)

    def _type(self, element: Type) -> Type:
        return vector_of(element, self.lanes)


def match_epilogue(
    contraction: Contraction, own: Sequence[Operation], nest: LoopNest, lanes: int, emitter: Emitter
) -> Epilogue | None:
    """See a nest as the epilogue of the contraction before it.

    `own` are the operations that make the result. It is not stored: nothing but they and the nest may use it.
    """
    result = contraction.nest.outputs[0].memref
    if not is_used_only_by(result, [*own, nest.operation]):
        return None
    return match_follower(contraction, [result], nest, lanes, emitter, MOST_OPERATIONS)


def is_used_only_by(memory: Value, operations: Sequence[Operation]) -> bool:
    """Whether memory is there for some operations alone."""
    if isinstance(memory.owner, ir.Block) or memory.owner.operation.name != "memref.alloc":
        return False
    return {use.owner.operation for use in memory.uses} <= set(operations)


def match_follower(
    contraction: Contraction,
    made: Sequence[Value],
    nest: LoopNest,
    lanes: int,
    emitter: Emitter,
    most: int,
) -> Epilogue | None:
    """See a nest as what makes something of each element of what was made, if its body has at most so many operations.

    That is the result of a contraction, and what followers of the same made of its elements.
    """
    if not all(nest.parallel) or nest.fixed or nest.uses_index():
        return None
    if not is_vectorisable(nest.body) or body_weight(nest.body) > most:
        return None
    sources = [access for access in nest.inputs if access.memref in made]
    if not sources or len({access.memref for access in sources}) < len(sources):
        return None
    source = sources[0]
    if not all(isinstance(expression, ir.AffineDimExpr) for expression in source.expressions):
        return None
    if len(source.expressions) != len(nest.parallel):
        return None
    if any(access.expressions != source.expressions for access in sources):
        return None
    column = column_dim(source)
    if not all(_readable(access, column) for access in nest.inputs if access not in sources):
        return None
    # Other rows of the result read what is in the arrays of the factors, views of them included.
    factors = [base(side.access.memref) for side in (contraction.left, contraction.right)]
    if not all(a.is_contiguous_in(column) and base(a.memref) not in factors for a in nest.outputs):
        return None
    pairs = zip(source.expressions, contraction.result.expressions, strict=True)
    dims = {mine.position: theirs.position for mine, theirs in pairs}
    return Epilogue(nest, dims, source, lanes, emitter)


def column_dim(access: Access) -> int:
    """The dimension that addresses the last axis."""
    return int(access.expressions[-1].position)


def _readable(access: Access, column: int) -> bool:
    return access.is_scalar or not access.mentions(column) or access.is_contiguous_in(column)
