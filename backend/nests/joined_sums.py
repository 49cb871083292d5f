"""Reductions of the same array in one nest with several results, which reads it once.

    %sum = linalg.generic ins(%x) outs(%zero) { addf }
    %squares = linalg.generic ins(%x) outs(%zero) { mulf, addf }
                                          becomes   %sum, %squares = linalg.generic ins(%x) outs(%zero, %zero)

What is made of each number right behind, a mean or the rounding, becomes one op, too: `join-followers` finds it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ...passes.lowering.accumulators import ROUNDED
from ...passes.rewriting import indexing_maps, new_generic, operations_in, operations_of, parallel_dimensions
from ..planning.captures import captured_values
from .reductions import KINDS

_FRESH = ("linalg.fill", "tensor.empty", "arith.constant")
"""What may be made earlier than it is."""
_MOST = 4
"""Numbers that a thread, or a loop, has of a column or row at once."""
_FAR = 100
"""Siblings are looked for among so many reductions: long programs have no end of them."""
_VIEWS = ("tensor.expand_shape", "tensor.collapse_shape")


@dataclass(frozen=True)
class JoinSums(Pass):
    """Compute reductions of the same array, over the same dimensions, in one nest.

    Those whose results are read where rows are gone over again are left: the loops over a row share a kernel.
    """

    widened: bool = True
    """Whether sums of f32 in f64 are joined with others, too; alone, they may have vector code of their own."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for block in list(_blocks(function.operation)):
                statistics["reductions joined"] += _join_in(block, self.widened)


def _blocks(function: Operation) -> Iterator[Block]:
    for op in (function, *operations_of(function)):
        if op.name in ("func.func", "scf.for", "scf.if", "scf.while"):
            for region in op.regions:
                yield from region.blocks


def _join_in(block: Block, widened: bool) -> int:
    count = 0
    order = [op for op in operations_in(block) if _is_reduction(op, widened)]
    while order:
        first, *order = order
        # Looked up now: the hash of an op changes with its operands, and joining replaces these.
        readers = {use.owner.operation for value in _read_whole(first) for use in value.uses}
        for second in [op for op in order[:_FAR] if op in readers]:
            if _are_siblings(first, second) and _may_be_earlier(second, first):
                order.remove(second)
                first = _merged(first, second)
                count += 1
        _join_followers(first)
    return count


def _join_followers(reduction: Operation) -> None:
    """Make one op of those that make something of each number, if that is all that is done with these."""
    if len(reduction.results) == 1:
        return
    users = dict.fromkeys(use.owner.operation for result in reduction.results for use in result.uses)
    rank = ir.RankedTensorType(reduction.results[0].type).rank
    if not all(_is_elementwise(user, rank) and user.block == reduction.block for user in users):
        return
    first, *others = sorted(users, key=_place)
    for second in others:
        if _types(first) == _types(second) and _may_be_earlier(second, first):
            first = _merged(first, second)


def _place(op: Operation) -> int:
    return operations_in(op.block).index(op)


def _types(op: Operation) -> list[int]:
    """The extents of the results."""
    return list(ir.RankedTensorType(op.results[0].type).shape)


def _is_plain(op: Operation) -> bool:
    is_on_tensors = op.name == "linalg.generic" and len(op.results) > 0
    return is_on_tensors and not any(name.startswith("weft.") for name in op.attributes)


def _is_elementwise(op: Operation, rank: int) -> bool:
    if not _is_plain(op) or not all(parallel_dimensions(op)) or len(parallel_dimensions(op)) != rank:
        return False
    identity = ir.AffineMap.get_identity(rank)
    return all(indexing == identity for indexing in indexing_maps(op)[len(op.operands) - len(op.results) :])


def _is_reduction(op: Operation, widened: bool) -> bool:
    """Whether an op combines elements of which one array has each once, to numbers that no loop goes over again."""
    if not _is_plain(op) or all(parallel_dimensions(op)):
        return False
    block = op.regions[0].blocks[0]
    *_, terminator = operations_in(block)
    outputs = list(block.arguments)[-len(op.results) :]
    for value, argument in zip(terminator.operands, outputs, strict=True):
        if isinstance(value.owner, ir.Block) or value.owner.operation.name not in KINDS:
            return False
        if not widened and ROUNDED in value.owner.attributes:
            return False
        if [use.owner.operation for use in argument.uses] != [value.owner.operation]:
            return False
    if not _read_whole(op):
        return False
    return not ir.RankedTensorType(op.results[0].type).rank or all(map(_leaves_rows, op.results))


def _leaves_rows(numbers: Value) -> bool:
    """Whether what uses a number of each row does not go over the rows again: that shares a kernel by itself."""
    pending, seen = [numbers], set[Value]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        rank = ir.RankedTensorType(value.type).rank
        for user in (use.owner.operation for use in value.uses):
            if user.name in _VIEWS or (
                user.name == "linalg.generic" and len(parallel_dimensions(user)) == rank
            ):
                pending += user.results
            elif user.name != "func.return":
                return False
    return True


def _read_whole(op: Operation) -> set[Value]:
    """The arrays that an op reads by all of its loops."""
    inputs = len(op.operands) - len(op.results)
    rank = len(parallel_dimensions(op))
    reads = zip(list(op.operands)[:inputs], indexing_maps(op), strict=False)
    return {value for value, indexing in reads if indexing == ir.AffineMap.get_identity(rank)}


def _are_siblings(first: Operation, second: Operation) -> bool:
    if first.attributes["iterator_types"] != second.attributes["iterator_types"]:
        return False
    if len(first.results) + len(second.results) > _MOST:
        return False
    return indexing_maps(first)[-1] == indexing_maps(second)[-1] and bool(
        _read_whole(first) & _read_whole(second)
    )


def _may_be_earlier(op: Operation, place: Operation) -> bool:
    """Whether all that an op takes is there at an earlier one, or can be, with no check of its reads in between."""
    if op.block != place.block or (_may_read_outside(op) and _raises_between(place, op)):
        return False
    return all(
        _is_there(value, place) or _can_be(value.owner.operation, place) for value in captured_values(op)
    )


def _may_read_outside(op: Operation) -> bool:
    """Whether an op reads at places of an array that may be empty: those are moved into bounds, and there are none."""
    sources = [inner.operands[0].type for inner in operations_of(op) if inner.name == "tensor.extract"]
    return any(
        type.is_dynamic_dim(axis) or not type.shape[axis] for type in sources for axis in range(type.rank)
    )


def _raises_between(first: Operation, last: Operation) -> bool:
    ops = operations_in(first.block)
    between = ops[ops.index(first) : ops.index(last)]
    return any(inner.name == RaiseIf.mlir_name() for op in between for inner in (op, *operations_of(op)))


def _is_there(value: Value, place: Operation) -> bool:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.block != place.block:
        return True
    return bool(owner.operation.is_before_in_block(place))


def _can_be(op: Operation, place: Operation) -> bool:
    return op.name in _FRESH and all(
        _is_there(value, place) or _can_be(value.owner.operation, place) for value in op.operands
    )


def _bring(op: Operation, place: Operation) -> None:
    """Move what an op takes, and that is there later, before an earlier op."""
    for value in captured_values(op):
        if not _is_there(value, place):
            _bring(value.owner.operation, place)
            value.owner.operation.move_before(place)


def _own(value: Value, outputs: list[tuple[Value, ir.AffineMap]], place: Operation) -> Value:
    """A fill, or memory, for one output alone."""
    if all(value != other for other, _ in outputs) or isinstance(value.owner, ir.Block):
        return value
    with ir.InsertionPoint(place):
        return value.owner.operation.clone().results[0]


def _merged(first: Operation, second: Operation) -> Operation:
    """One op for two, in the place of the first."""
    _bring(second, first)
    both = (first, second)
    inputs: dict[tuple[Value, ir.AffineMap], int] = {}
    outputs: list[tuple[Value, ir.AffineMap]] = []
    for op in both:
        reads = list(zip(op.operands, indexing_maps(op), strict=True))
        count = len(reads) - len(op.results)
        for read in reads[:count]:
            inputs.setdefault(read, len(inputs))
        outputs += [(_own(value, outputs, first), indexing) for value, indexing in reads[count:]]
    with ir.InsertionPoint(first), first.location:
        results = [result for op in both for result in op.results]
        merged = new_generic(
            [value for value, _ in inputs],
            [value for value, _ in outputs],
            [indexing for _, indexing in (*inputs, *outputs)],
            first.attributes["iterator_types"],
        )
    block = merged.regions[0].blocks[0]
    yielded: list[Value] = []
    for op in both:
        body = op.regions[0].blocks[0]
        count = len(op.operands) - len(op.results)
        for number, (argument, read) in enumerate(
            zip(body.arguments, zip(op.operands, indexing_maps(op), strict=True), strict=True)
        ):
            place = inputs[read] if number < count else len(inputs) + len(yielded) + number - count
            argument.replace_all_uses_with(block.arguments[place])
        *ops, terminator = operations_in(body)
        for inner in ops:
            block.append(inner)
        yielded += terminator.operands
    with ir.InsertionPoint(block), first.location:
        ir.Operation.create("linalg.yield", [], yielded)
    for old, new in zip(results, merged.results, strict=True):
        old.replace_all_uses_with(new)
    for op in both:
        op.erase()
    return merged
