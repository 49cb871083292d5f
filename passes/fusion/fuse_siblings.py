"""Fuse elementwise ops that read the same, or each other's results, in one loop nest with several results.

    %pivot = linalg.generic ins(%d, %b) { subf }
    %x = linalg.generic ins(%r, %pivot) { divf }       becomes      %x, %y = linalg.generic ins(%d, %b, %r, %s)
    %y = linalg.generic ins(%s, %pivot) { divf }                                 { subf, divf, divf }

`weft-fuse-elementwise` lets an op join its only consumer; what has several consumers is computed into memory there.
Here the consumers are one op, and what is read by both is read once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...dialect.mlir import Block, Module, Operation, Value, dialect, ir
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import blocks_of, is_unused, new_generic, operations_in, operations_of
from .groups import Generic, Maps

_LEAST_ELEMENTS = 16
"""Smaller ones are scalars of a program rather than arrays."""

_FAR = 100
"""Siblings are looked for among so many ops: long programs have no end of them."""

_PRODUCTS = frozenset({"linalg.contract", "linalg.matvec", "linalg.vecmat", "linalg.matmul", "linalg.dot"})

_PASSED = ("arith.", "tensor.empty", "tensor.extract", "tensor.from_elements", "tensor.dim")
"""Ops that another one may move across: they neither write to memory nor take another value's over."""


@dataclass(frozen=True)
class FuseSiblings(Pass):
    """Compute neighbouring elementwise ops with equal loops in one nest, where one reads what the other reads or makes.

    An op moves to the last of its siblings if all that stands between is scalar arithmetic or reads; what puts its
    result into a tensor moves behind it. Only ops on known sizes are taken, all of one type of elements, where
    `mixed` does not say otherwise; those beside reductions and products, and between two products, are left to the
    kernels of these.
    """

    max_operands: int = 12
    """Arrays that one nest reads and writes at most: each takes registers, and a stream of the memory."""
    max_ops: int = 128
    """The cost of a nest at most, in simple instructions."""
    mixed: bool = False
    """Whether results of one nest may differ in their types, and sizes may be unknown: where code has no vectors."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Go through the blocks of all functions."""
        maps = Maps()
        for block in list(_blocks(module)):  # ops go away meanwhile
            statistics["ops fused"] += _BlockFuser(block, maps, self).run()


def _blocks(module: Module) -> Iterator[Block]:
    for operation in operations_of(module.operation):
        if operation.name in ("func.func", "scf.for", "scf.if", "scf.while"):
            yield from blocks_of(operation)


class _BlockFuser:
    """Fuses the ops of one block, each with the next one that it can be fused with."""

    def __init__(self, block: Block, maps: Maps, options: FuseSiblings) -> None:
        self._block = block
        self._maps = maps
        self._options = options
        self._between = _between_products(block)

    def run(self) -> int:
        """Fuse; how many ops went into others."""
        count = 0
        order = operations_in(self._block)
        place = 0
        while place < len(order):
            first = self._candidate(order[place])
            found = first and self._sibling(first, order[place + 1 :])
            if first is None or not found:
                place += 1
                continue
            second, between, dependents = found
            fused = _fused(first, second, self._maps)
            for operation in reversed(dependents):
                operation.move_after(fused)
            count += 1
            rest = [operation for operation in between if operation not in dependents]
            order[place : place + len(between) + 2] = [*rest, fused, *dependents]
        return count

    def _candidate(self, operation: Operation) -> Generic | None:
        """An elementwise op that may have siblings."""
        if operation.name != "linalg.generic" or any(n.startswith("weft.") for n in operation.attributes):
            return None
        types = [result.type for result in operation.results]
        if not all(isinstance(type, ir.RankedTensorType) and type.shape for type in types):
            return None
        if not self._options.mixed and not (len(set(types)) == 1 and _is_large(types[0])):
            return None
        generic = Generic(operation, {}, {}, self._maps)
        makers = (destination.owner for destination in generic.destinations)
        fresh = all(
            not isinstance(maker, ir.Block) and maker.operation.name == "tensor.empty" for maker in makers
        )
        identity = ir.AffineMap.get_identity(generic.output_maps[0].n_dims)
        same = all(indexing == identity for indexing in generic.output_maps)
        taken = fresh and same and generic.is_elementwise and generic.is_movable
        if self._options.mixed and any(_lies_across(read.operand_map) for read in generic.reads):
            return None  # which is better turned by itself
        if not taken or operation in self._between:
            return None
        left = _makes_of_sums(generic) if self._options.mixed else _is_beside_sums(operation)
        return None if left else generic

    def _sibling(
        self, first: Generic, following: list[Operation]
    ) -> tuple[Generic, list[Operation], list[Operation]] | None:
        """The next op to be fused with, the ops between, and those of them that use what the first one makes."""
        made = set(first.op.results)
        dependents: list[Operation] = []
        users = set(self._users_of(first.op))
        known = {read.operand for read in first.reads} | made
        for place, operation in enumerate(following[:_FAR]):
            operands = list(operation.operands)
            uses = operation in users
            second = self._candidate(operation) if not known.isdisjoint(operands) else None
            if second is not None and self._are_siblings(first, second, made):
                return second, following[:place], dependents
            if uses:
                if operation.name != "tensor.insert_slice" or operation.operands[0] not in first.op.results:
                    return None
                made.update(operation.results)
                users.update(self._users_of(operation))
                dependents.append(operation)
            elif not self._may_move_across(first, operation):
                return None
        return None

    def _users_of(self, operation: Operation) -> Iterator[Operation]:
        """The ops of the block that use what one makes, as operands or in their bodies."""
        for user in (use.owner.operation for result in operation.results for use in result.uses):
            while user.block != self._block:
                user = user.parent.operation
            yield user

    def _may_move_across(self, generic: Generic, operation: Operation) -> bool:
        if operation.name.startswith(_PASSED) or _is_scalar(operation):
            return True
        return self._options.mixed and _leaves_alone(operation, generic)

    def _are_siblings(self, first: Generic, second: Generic, made: set[Value]) -> bool:
        """Whether the second op has the loops of the first, and reads what the first reads or makes there only."""
        if not self._has_loops_of(first, second) or self._is_too_long(first, second):
            return False
        results = set(first.op.results)
        identity = first.output_maps[0]
        for read in second.reads:
            if read.operand in made and (read.operand not in results or read.operand_map != identity):
                return False
        known = {(read.operand, read.operand_map) for read in first.reads} | {(r, identity) for r in results}
        return any(
            (read.operand, read.operand_map) in known and _is_array(read.operand) for read in second.reads
        )

    def _has_loops_of(self, first: Generic, second: Generic) -> bool:
        """Whether both have the same extents, and types of elements that may stand beside each other."""
        one, other = (ir.RankedTensorType(generic.op.results[0].type) for generic in (first, second))
        if not self._options.mixed:
            return bool(one == other)
        if list(one.shape) != list(other.shape):
            return False
        if one.has_static_shape:
            return True
        # What both read by all of their loops has the extents of both.
        identity = first.output_maps[0]
        whole = {read.operand for read in first.reads if read.operand_map == identity}
        whole.update(first.op.results)
        return any(read.operand in whole and read.operand_map == identity for read in second.reads)

    def _is_too_long(self, first: Generic, second: Generic) -> bool:
        read = {(r.operand, r.operand_map) for g in (first, second) for r in g.reads}
        operands = len(read) + len(first.op.results) + len(second.op.results)
        options = self._options
        return operands > options.max_operands or first.cost + second.cost > options.max_ops


def _between_products(block: Block) -> set[Operation]:
    """Ops that compute what one product is made of from what another one makes: `join-products` may take them.

    Ops that are made later are not among them; they are made of ops that are not, either.
    """
    order = operations_in(block)
    products = [operation for operation in order if operation.name in _PRODUCTS]
    if len(products) < 2:
        return set()
    behind = set(products)
    for operation in order:
        makers = (value.owner for value in operation.operands if not isinstance(value.owner, ir.Block))
        if any(maker.operation in behind for maker in makers):
            behind.add(operation)
    before = set(products)
    for operation in reversed(order):
        if any(use.owner.operation in before for result in operation.results for use in result.uses):
            before.add(operation)
    return (behind & before) - set(products)


def _is_beside_sums(operation: Operation) -> bool:
    """Whether an op reads what a reduction or a product makes, or makes what one reads: their kernels take it."""
    makers = (value.owner for value in operation.operands if not isinstance(value.owner, ir.Block))
    users = (use.owner for result in operation.results for use in result.uses)
    return any(_is_sum(neighbour.operation) for neighbours in (makers, users) for neighbour in neighbours)


def _makes_of_sums(generic: Generic) -> bool:
    """Whether an op makes what a reduction or a product reads, or needs more of one than a product's sum in place."""
    users = (use.owner.operation for result in generic.op.results for use in result.uses)
    if any(map(_is_sum, users)):
        return True
    made = [read for read in generic.reads if not isinstance(read.operand.owner, ir.Block)]
    sums = [read for read in made if _is_sum(read.operand.owner.operation)]
    identity = generic.output_maps[0]
    return any(r.operand_map != identity or r.operand.owner.name not in _PRODUCTS for r in sums)


def _leaves_alone(operation: Operation, generic: Generic) -> bool:
    """Whether another op may move across one that computes with arrays, and does not overwrite what that reads."""
    if not operation.name.startswith("linalg."):
        return operation.name in ("tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape")
    outputs = list(operation.operands)[-len(operation.results) :]
    return not any(read.operand in outputs for read in generic.reads)


def _is_sum(operation: Operation) -> bool:
    if not operation.name.startswith("linalg.") or operation.name == "linalg.fill":
        return False
    if operation.name != "linalg.generic":
        return True
    return not all("parallel" in str(kind) for kind in operation.attributes["iterator_types"])


def _lies_across(indexing: ir.AffineMap) -> bool:
    """Whether neighbours along the last loop are no neighbours of an operand."""
    places = [e.position for e in indexing.results if isinstance(e, ir.AffineDimExpr)]
    return places != sorted(places)


def _is_large(type: ir.Type) -> bool:
    """Whether a tensor is known to have many elements, real ones."""
    tensor = ir.RankedTensorType(type)
    if not tensor.has_static_shape or isinstance(tensor.element_type, ir.ComplexType):
        return False
    return bool(math.prod(tensor.shape) >= _LEAST_ELEMENTS)


def _is_scalar(operation: Operation) -> bool:
    """Whether an op computes single numbers."""
    types = [value.type for values in (operation.operands, operation.results) for value in values]
    return operation.name == "linalg.generic" and all(not ir.RankedTensorType(type).shape for type in types)


def _is_array(value: Value) -> bool:
    return bool(ir.RankedTensorType(value.type).shape)


def _fused(first: Generic, second: Generic, maps: Maps) -> Operation:
    """Put an op that does what both do in the place of the second one."""
    kept = [
        (result, destination)
        for result, destination in zip(first.op.results, first.destinations, strict=True)
        if any(use.owner.operation != second.op for use in result.uses)
    ]
    inputs: dict[tuple[Value, ir.AffineMap], int] = {}
    for generic in (first, second):
        for read in generic.reads:
            if read.operand not in first.op.results:
                inputs.setdefault((read.operand, read.operand_map), len(inputs))
    results, outputs = (
        list(values)
        for values in zip(*kept, *zip(second.op.results, second.destinations, strict=True), strict=True)
    )
    identity = first.output_maps[0]
    with ir.InsertionPoint(second.op), second.op.location:
        destinations = [output.owner.operation.clone().results[0] for output in outputs]
        indices = [*(indexing for _, indexing in inputs), *[identity] * len(results)]
        kinds = second.op.attributes["iterator_types"]
        fused = new_generic([value for value, _ in inputs], destinations, indices, kinds)
    _move_bodies(first, second, fused.regions[0].blocks[0], inputs, results)
    for old, new in zip(results, fused.results, strict=True):
        old.replace_all_uses_with(new)
    for generic in (second, first):
        generic.op.erase()
        for destination in set(generic.destinations):
            if is_unused(destination.owner.operation):
                destination.owner.operation.erase()
    return fused


def _move_bodies(
    first: Generic,
    second: Generic,
    block: Block,
    inputs: dict[tuple[Value, ir.AffineMap], int],
    results: list[Value],
) -> None:
    """Fill the body of a fused op with the bodies of two."""
    yielded: dict[Value, Value] = {}
    for generic in (first, second):
        for argument, read in zip(generic.arguments, generic.reads, strict=False):
            made = yielded.get(read.operand)
            argument.replace_all_uses_with(
                block.arguments[inputs[read.operand, read.operand_map]] if made is None else made
            )
        for operation in generic.body:
            block.append(operation)
        yielded.update(zip(generic.op.results, generic.terminator.operands, strict=True))
    with ir.InsertionPoint(block), second.op.location:
        dialect("linalg").YieldOp([yielded[result] for result in results])
