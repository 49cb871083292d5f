"""Attention of one query that is a vector becomes that of one row, which is known.

    scores = linalg.contract ins(%keys, %query : tensor<2048x64xf32>, tensor<64xf32>)    reads a tensor<1x64xf32>
    largest : tensor<f32>                                                                is a tensor<1xf32>
    result = linalg.contract ins(%shares, %values) : tensor<64xf32>                      is a tensor<1x64xf32>

All that is between the products gets a leading loop of one row. It stays what it was where that is no attention.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import indexing_maps, operations_in, operations_of, reassociation
from .attention import match_attention, match_quotient
from .joined_attention import source_in_block

_MOST = 16
"""Ops that attention is made of, at most."""


@dataclass(frozen=True)
class LiftAttention(Pass):
    """Compute attention of one vector as attention of one row."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for op in operations_of(function.operation):
                if op.name in ("linalg.contract", "linalg.generic") and _rank(op) == 1:
                    statistics["attentions lifted"] += _lift(op)


def _rank(op: Operation) -> int:
    results = list(op.results)
    is_tensor = len(results) == 1 and isinstance(results[0].type, ir.RankedTensorType)
    return ir.RankedTensorType(results[0].type).rank if is_tensor else -1


def _lift(last: Operation) -> bool:
    """Lift what a vector is computed by, if it becomes attention."""
    found = _behind(last)
    if found is None:
        return False
    ops, query = found
    inside = set(ops)
    if any(use.owner.operation not in inside for op in ops[:-1] for use in op.results[0].uses):
        return False
    lifting = _Lifting(query)
    with ir.InsertionPoint(last), last.location:
        for op in ops:
            if not lifting.add(op):
                lifting.undo()
                return False
        row = lifting.values[last.results[0]]
        made = row.owner.operation
        if match_attention(made, source_in_block) is None and match_quotient(made, source_in_block) is None:
            lifting.undo()
            return False
        attributes = {"reassociation": reassociation([[0, 1]])}
        vector = ir.Operation.create("tensor.collapse_shape", [last.results[0].type], [row], attributes)
    last.results[0].replace_all_uses_with(vector.results[0])
    for op in reversed(ops):
        op.erase()
    return True


def _behind(last: Operation) -> tuple[list[Operation], Value] | None:
    """The ops that a vector is computed by, from the product with the query on, in order; and the query."""
    products = [last] if last.name == "linalg.contract" else []
    found, waiting = {last}, [last]
    query: Value | None = None
    while waiting:
        op = waiting.pop()
        makers = [source_in_block(op, number) for number in range(len(op.operands) - 1)]
        vectors = [maker for maker in makers if maker is not None and _rank(maker) in (0, 1)]
        if op.name == "linalg.contract" and op not in products:
            products.append(op)
        if op.name == "linalg.contract" and not any(maker.name == "linalg.generic" for maker in vectors):
            flat = [value for value in list(op.operands)[:2] if value.type.rank == 1]
            if query is not None or len(flat) != 1:
                return None
            (query,) = flat
            continue
        for maker in vectors:
            if maker not in found:
                found.add(maker)
                waiting.append(maker)
        if len(found) > _MOST:
            return None
    if query is None or len(products) != 2 or len(found) < 5:
        return None
    order = [op for op in operations_in(last.block) if op in found]
    return order, query


class _Lifting:
    """Makes the same ops with a leading loop of one iteration."""

    def __init__(self, query: Value) -> None:
        self.values: dict[Value, Value] = {}
        self._query = query
        self._made: list[Operation] = []

    def undo(self) -> None:
        """Erase what was made."""
        for op in reversed(self._made):
            op.erase()

    def add(self, op: Operation) -> bool:
        """Make one op more; whether that can be done."""
        maps = indexing_maps(op)
        if not all(isinstance(e, ir.AffineDimExpr) for indexing in maps for e in indexing.results):
            return False
        operands, lifted = [], []
        *inputs, output = op.operands
        for value, indexing in zip(inputs, maps, strict=False):
            new = self._row(value) if value == self._query else self.values.get(value, value)
            operands.append(new)
            lifted.append(_shifted(indexing, new != value))
        initial = self._output(output)
        if initial is None:
            return False
        copy = op.clone()
        self._made.append(copy)
        for number, value in enumerate([*operands, initial]):
            copy.operands[number] = value
        copy.results[0].set_type(initial.type)
        lifted.append(_shifted(maps[-1], True))
        copy.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in lifted])
        if "iterator_types" in op.attributes:
            kinds = list(op.attributes["iterator_types"])
            parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
            copy.attributes["iterator_types"] = ir.ArrayAttr.get([parallel, *kinds])
        for inner in operations_in(copy.regions[0].blocks[0]):
            if inner.name == "linalg.index":
                number = inner.attributes["dim"].value + 1
                inner.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
        self.values[op.results[0]] = copy.results[0]
        return True

    def _row(self, vector: Value) -> Value:
        """A vector as the one row of a matrix."""
        if vector in self.values:
            return self.values[vector]
        type = ir.RankedTensorType(vector.type)
        if not type.has_static_shape:
            return vector
        result = ir.RankedTensorType.get([1, *type.shape], type.element_type)
        row = dialect("tensor").expand_shape(result, vector, [[0, 1]], [], [1, *type.shape])
        self._made.append(row.owner.operation)
        self.values[vector] = row
        return row

    def _output(self, value: Value) -> Value | None:
        """Memory of one row, with what there is in all places of a vector."""
        if value in self.values:
            return self.values[value]
        if isinstance(value.owner, ir.Block):
            return None
        op = value.owner.operation
        if op.name == "linalg.fill":
            inner = self._output(op.operands[1])
            if inner is None:
                return None
            copy = op.clone()
            copy.operands[1] = inner
            copy.results[0].set_type(inner.type)
        elif op.name == "tensor.empty":
            type = ir.RankedTensorType(value.type)
            copy = op.clone()
            copy.results[0].set_type(ir.RankedTensorType.get([1, *type.shape], type.element_type))
        else:
            return None
        self._made.append(copy)
        self.values[value] = copy.results[0]
        return copy.results[0]


def _shifted(indexing: ir.AffineMap, has_row: bool) -> ir.AffineMap:
    """The map with one loop more outside, by which an operand may have an axis."""
    results = [ir.AffineDimExpr.get(0)] if has_row else []
    results += [ir.AffineDimExpr.get(e.position + 1) for e in indexing.results]
    return ir.AffineMap.get(indexing.n_dims + 1, 0, results)
