"""Attention, and what its parts are: a product, the softmax of its rows, and the product of that with values.

    scores  = queries @ keys.T                linalg.contract
    changes : scores * scale, masks           linalg.generic, element by element
    largest = scores.max(-1)                  reduction of rows
    weights = exp(scores - largest)           linalg.generic
    total   = weights.sum(-1)                 reduction of rows
    shares  = weights / total                 linalg.generic
    result  = shares @ values                 linalg.contract

Halves are rounded on the way, which is passed over: numbers in between are as they are computed.
"""

from __future__ import annotations

from collections.abc import Callable

from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.rewriting import indexing_maps, operations_in, parallel_dimensions
from ...nests.reductions import KINDS

Source = Callable[[Operation, int], "Operation | None"]
"""What made an operand of an operation, if an operation of the function did."""

MOST_COLUMNS = 256
"""Of queries, keys and values: what a block of threads keeps of a row."""

_ROUNDINGS = ("arith.extf", "arith.truncf")
_ROUND_ON_BITS = [
    *("arith.bitcast", "arith.shrui", "arith.andi", "arith.addi", "arith.addi", "arith.shrui", "arith.cmpf"),
    *("arith.select", "arith.trunci", "arith.extui", "arith.shli", "arith.bitcast"),
]
"""What makes a float32 one that a bfloat16 holds."""


@dataclass(frozen=True)
class Attention:
    """The operations that attention is made of, in linalg on tensors or on memrefs."""

    scores: Operation
    changes: tuple[Operation, ...]
    """In their order."""
    largest: Operation
    weights: Operation
    total: Operation
    shares: Operation
    result: Operation
    place: int
    """Which factor of the last product the shares are."""
    in_halves: bool
    """Whether shares are rounded to halves."""

    @property
    def softmax(self) -> tuple[Operation, ...]:
        """All but the products."""
        return (*self.changes, self.largest, self.weights, self.total, self.shares)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All of them."""
        return (self.scores, *self.softmax, self.result)


def match_attention(result: Operation, source: Source) -> Attention | None:
    """The attention that a product is the last part of."""
    if contraction_maps(result) is None:
        return None
    found = [made for place in range(2) if (made := _match(result, place, source)) is not None]
    return found[0] if len(found) == 1 else None


def _match(result: Operation, place: int, source: Source) -> Attention | None:
    shares = source(result, place)
    if shares is None or not is_elementwise(shares):
        return None
    makers = _two_makers(shares, source)
    total = next((op for op in makers if _reduces(op, "arith.addf")), None)
    weights = None if total is None else source(total, 0)
    if total is None or weights is None or not is_elementwise(weights):
        return None
    if weights not in makers:
        return None
    makers_of_weights = _two_makers(weights, source)
    largest = next((op for op in makers_of_weights if _reduces(op, "arith.maximumf")), None)
    if largest is None:
        return None
    changed = source(largest, 0)
    if changed is None or changed not in makers_of_weights:
        return None
    chain = _scores_of(changed, source)
    if chain is None:
        return None
    divided = denominator(shares, makers.index(weights))
    if divided is None or not _is_exponential(weights, makers_of_weights.index(changed)):
        return None
    scores, *changes = chain
    attention = Attention(
        scores, tuple(changes), largest, weights, total, shares, result, place, divided.in_halves
    )
    return attention if _fits(attention) and _reads_in_place(attention, source) else None


def _two_makers(op: Operation, source: Source) -> list[Operation]:
    """What makes the inputs of an operation, if these are two, and operations of the function make both."""
    makers = [source(op, number) for number in range(_inputs_of(op))]
    known = [maker for maker in makers if maker is not None]
    return known if len(known) == len(makers) == 2 else []


def match_quotient(division: Operation, source: Source) -> tuple[Operation, Operation, int] | None:
    """The product that an operation divides by the sums of rows of its factor, the sums, and which factor that is.

    Dividing the factor itself comes to the same.
    """
    makers = _two_makers(division, source)
    if not makers or not is_elementwise(division):
        return None
    if not all(isinstance(e, ir.AffineDimExpr) for map in indexing_maps(division) for e in map.results):
        return None
    total = next((op for op in makers if _reduces(op, "arith.addf")), None)
    result = next((op for op in makers if contraction_maps(op) is not None), None)
    if total is None or result is None:
        return None
    order = list(range(len(positions(division)[2])))
    for number, maker in enumerate(makers):
        if positions(division)[number] != (order if maker == result else order[:-1]):
            return None
    own = denominator(division, makers.index(result))
    weights = source(total, 0)
    if weights is None:
        return None
    factors = [source(result, place) for place in range(2)]
    places = [place for place, factor in enumerate(factors) if factor is not None and factor == weights]
    types = {str(op.results[0].type.element_type) for op in (division, result, weights)}
    if own is None or own.in_halves or len(places) != 1 or len(types) != 1:
        return None
    *rows, _ = positions(result)[2]
    return (result, total, places[0]) if positions(result)[places[0]][:-1] == rows else None


def _inputs_of(op: Operation) -> int:
    """How many operands are no outputs."""
    return int(next(iter(op.attributes["operandSegmentSizes"])))


def is_elementwise(op: Operation) -> bool:
    """Whether each element of the result is made of one place in every operand."""
    if op.name != "linalg.generic" or len(op.operands) != _inputs_of(op) + 1:
        return False
    rank = len(parallel_dimensions(op))
    if any(True for _ in list(op.regions[0].blocks[0].arguments)[-1].uses):
        return False
    return (
        all(parallel_dimensions(op))
        and indexing_maps(op)[-1] == ir.AffineMap.get_identity(rank)
        and rank >= 2
    )


def _reduces(op: Operation, combiner: str) -> bool:
    """Whether an operation combines the elements of rows."""
    if op.name != "linalg.generic" or len(op.operands) != 2:
        return False
    kinds = parallel_dimensions(op)
    if not kinds:
        return False
    *outer, last = kinds
    rows = [ir.AffineDimExpr.get(dim) for dim in range(len(outer))]
    whole, reduced = indexing_maps(op)
    if last or not all(outer) or whole != ir.AffineMap.get_identity(len(outer) + 1):
        return False
    if list(reduced.results) != rows:
        return False
    block = op.regions[0].blocks[0]
    *ops, terminator = operations_in(block)
    last_op = ops[-1] if ops else None
    if last_op is None or last_op.name != combiner or terminator.operands[0] != last_op.results[0]:
        return False
    combined = [_unrounded(operand) for operand in last_op.operands]
    return block.arguments[1] in last_op.operands and set(combined) == set(block.arguments)


def _scores_of(op: Operation, source: Source) -> list[Operation] | None:
    """The product whose elements an operation changes, and what changes them, in order."""
    if contraction_maps(op) is not None:
        return [op]
    if not is_elementwise(op):
        return None
    makers = [source(op, number) for number in range(_inputs_of(op))]
    chains = [chain for maker in makers if maker is not None and (chain := _scores_of(maker, source))]
    return [*chains[0], op] if len(chains) == 1 else None


def contraction_maps(op: Operation) -> list[ir.AffineMap] | None:
    """The maps of an operation with two factors that is summed over one dimension."""
    if op.name not in ("linalg.contract", "linalg.generic") or len(op.operands) != 3 or _inputs_of(op) != 2:
        return None
    maps = indexing_maps(op)
    if not all(isinstance(e, ir.AffineDimExpr) for map in maps for e in map.results):
        return None
    dims = [[ir.AffineDimExpr(e).position for e in map.results] for map in maps]
    if any(len(set(own)) < len(own) for own in dims) or len(dims[2]) != maps[2].n_dims - 1:
        return None
    names = [inner.name for inner in operations_in(op.regions[0].blocks[0])]
    return maps if "arith.mulf" in names and "arith.addf" in names else None


def positions(op: Operation) -> list[list[int]]:
    """Which dimensions the operands of an operation are addressed by, of one that has no other addresses."""
    return [[ir.AffineDimExpr(e).position for e in map.results] for map in indexing_maps(op)]


def _fits(attention: Attention) -> bool:
    """Whether rows, keys and columns are where they are looked for, and short enough where they have to be."""
    left, right, scores = positions(attention.scores)
    types = [op.operands[2].type.element_type for op in (attention.scores, attention.result)]
    if len(scores) < 2 or not isinstance(types[0], ir.F32Type | ir.F64Type) or types[0] != types[1]:
        return False
    *_, row, key = scores
    queries, keys = (left, right) if row in left else (right, left)
    (summed,) = set(range(len(scores) + 1)) - set(scores)
    if row not in queries or key in queries or key not in keys or row in keys or not {summed} <= set(queries):
        return False
    if summed not in keys or _extent(attention.scores, summed) is None:
        return False
    *factors, result = positions(attention.result)
    shares, values = factors[attention.place], factors[1 - attention.place]
    (key,) = set(range(len(result) + 1)) - set(result)
    if len(shares) != len(scores) or shares[-1] != key or key not in values or shares[-2] in values:
        return False
    column = result[-1]
    if column in shares or column not in values or len(result) != len(shares):
        return False
    return _extent(attention.result, column) is not None


def _extent(op: Operation, dim: int) -> int | None:
    """The extent of a dimension, if it is known and small enough."""
    for dims, operand in zip(positions(op), op.operands, strict=True):
        if dim in dims:
            extent = operand.type.shape[dims.index(dim)]
            if extent != ir.ShapedType.get_dynamic_size():
                return int(extent) if 0 < extent <= MOST_COLUMNS else None
    return None


def _reads_in_place(attention: Attention, source: Source) -> bool:
    """Whether what the softmax makes of scores it reads at the same place, or the same row."""
    own = {attention.scores, *attention.softmax}
    rows = {attention.largest, attention.total}
    order = list(range(len(positions(attention.scores)[2])))
    for op in attention.softmax:
        for number in range(_inputs_of(op)):
            maker = source(op, number)
            if maker in own:
                expected = order[:-1] if maker in rows else order
                if list(indexing_maps(op)[number].results) != [ir.AffineDimExpr.get(dim) for dim in expected]:
                    return False
    return True


@dataclass(frozen=True)
class Denominator:
    """What weights are divided by."""

    value: Value
    is_factor: bool
    """Whether they are multiplied with it instead."""
    in_halves: bool
    """Whether the quotient is rounded to halves."""


def denominator(shares: Operation, place: int) -> Denominator | None:
    """What an operation divides its operand of a number by, if it does nothing else with it."""
    block = shares.regions[0].blocks[0]
    *ops, terminator = operations_in(block)
    given = block.arguments[place]
    users = [op for op in ops if given in map(_unrounded, op.operands) and op.name not in _ROUNDINGS]
    if len(users) != 1 or users[0].name not in ("arith.divf", "arith.mulf"):
        return None
    (division,) = users
    own = [_unrounded(operand) == given for operand in division.operands]
    if own == [True, False]:
        other = division.operands[1]
    elif own == [False, True] and division.name == "arith.mulf":
        other = division.operands[0]
    else:
        return None
    quotient, result = division.results[0], terminator.operands[0]
    behind = [op for op in ops if _follows(op, division)]
    on_bits = [op.name for op in behind] == _ROUND_ON_BITS and behind[-1].results[0] == result
    if not on_bits and _unrounded(result) != quotient:
        return None
    in_halves = on_bits or any(_is_half(op.results[0]) for op in behind)
    return Denominator(other, division.name == "arith.mulf", in_halves)


def _follows(op: Operation, first: Operation) -> bool:
    """Whether an operation uses, if by way of others, what another one makes."""
    makers = [value.owner.operation for value in op.operands if not isinstance(value.owner, ir.Block)]
    return any(maker == first or (maker.block == op.block and _follows(maker, first)) for maker in makers)


def _is_half(value: Value) -> bool:
    return isinstance(value.type, ir.F16Type | ir.BF16Type)


def _is_exponential(weights: Operation, place: int) -> bool:
    """Whether an operation is the exponential function of one operand minus the other one."""
    block = weights.regions[0].blocks[0]
    exponential = _maker(operations_in(block)[-1].operands[0])
    difference = _maker(exponential.operands[0]) if exponential and exponential.name == "math.exp" else None
    if difference is None or difference.name != "arith.subf":
        return False
    own = [block.arguments[place], block.arguments[1 - place]]
    return [_unrounded(operand) for operand in difference.operands] == own


def _maker(value: Value) -> Operation | None:
    """What made a value before it was rounded."""
    value = _unrounded(value)
    return None if isinstance(value.owner, ir.Block) else value.owner.operation


def _unrounded(value: Value) -> Value:
    """The value before it was rounded, or made wider."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in _ROUNDINGS:
        value = value.owner.operation.operands[0]
    return value


def starts_right(attention: Attention, initial: Callable[[Operation], Value | None]) -> bool:
    """Whether sums start from zero, and the largest from less than all."""
    for op, combiner in (
        (attention.scores, "arith.addf"),
        (attention.largest, "arith.maximumf"),
        (attention.total, "arith.addf"),
    ):
        value = initial(op)
        if value is None or isinstance(value.owner, ir.Block):
            return False
        maker = value.owner.operation
        if maker.name != "arith.constant" or maker.attributes["value"].value != KINDS[combiner].floating:
            return False
    return True
