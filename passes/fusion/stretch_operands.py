"""Stretch the operands of elementwise ops instead of their results.

    stretch(x * y, n)    becomes    stretch(x, n) * stretch(y, n)

Chains of elementwise ops stay together then and are fused; where an extent turns out to be 1, what is stretched are the
arrays that they read. Not where something else uses the result, too: it is there anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ...dialect.mlir import Module, Operation, Value
from ...dialect.op import Elementwise
from ...dialect.ops.shape import Dim, Stretch
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..rewriting import Graph, defined_functions, type_of


@dataclass(frozen=True)
class StretchOperands(Pass):
    """Move `weft.stretch` from the results of elementwise ops to their operands; two in a row become one."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Rewrite all functions in which something is stretched."""
        for function in defined_functions(module):
            graph = Graph(function)
            if any(op_class_of(operation) is Stretch for operation in graph.operations):
                statistics["ops moved"] += _Mover(graph).run()
                graph.erase_unused()


class _Mover:
    """Goes through a function backwards, so that what uses an op has its final form."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._moved: set[int] = set()
        """Ops of whose results at most the extents are used any more, by identity."""

    def run(self) -> int:
        """Move what can be moved; returns how many ops were."""
        for operation in reversed(self._graph.operations):
            op_class = op_class_of(operation)
            if op_class is None or not issubclass(op_class, Elementwise) or op_class.results != 1:
                continue
            users = self._stretches_of(operation)
            if users:
                self._move(operation, users)
                self._moved.add(id(operation))
        return len(self._moved)

    def _stretches_of(self, operation: Operation) -> list[Operation]:
        """The ops that stretch a result, all alike, in its block, and all that use its elements; else none."""
        users = [
            user
            for user in dict.fromkeys(self._graph.users.get(operation.results[0], ()))
            if not self._graph.is_replaced(user)
            and id(user) not in self._moved
            and op_class_of(user) is not Dim
        ]
        for user in users:
            first = users[0]
            if op_class_of(user) is not Stretch or user.block != operation.block:
                return []
            if operation.results[0] in list(user.operands)[1:]:  # an extent, which is computed
                return []
            if (
                list(user.operands) != list(first.operands)
                or user.attributes["shape"] != first.attributes["shape"]
            ):
                return []
        return users

    def _move(self, operation: Operation, users: Sequence[Operation]) -> None:
        """Compute an op anew on stretched operands, where its result is stretched first."""
        before = reduce(lambda one, other: other if other.is_before_in_block(one) else one, users)
        shape: list[int] = list(before.attributes["shape"])
        dims = list(before.operands)[1:]
        op_class = op_class_of(operation)
        assert op_class is not None
        operands = [self._stretched(before, operand, shape, dims) for operand in operation.operands]
        attributes = decode_attributes(op_class, operation)
        made = self._graph.create(before, op_class, operands, **attributes)
        for user in users:
            self._graph.replace(user, list(made.results))

    def _stretched(self, before: Operation, operand: Value, shape: list[int], dims: list[Value]) -> Value:
        """An operand of an elementwise op whose result is stretched."""
        offset = len(shape) - type_of(operand).rank
        own = list(type_of(operand).shape)
        wanted = [1 if extent == 1 else shape[offset + axis] for axis, extent in enumerate(own)]
        if None not in own and wanted == own:
            return operand
        given = iter(dims)
        extents = [next(given) if extent == -1 else None for extent in shape][offset:]
        kept = [dim for dim, extent in zip(extents, wanted, strict=True) if dim is not None and extent == -1]
        inner = self._graph.producer(operand, Stretch)
        source = operand if inner is None else inner.operands[0]
        made = self._graph.create(before, Stretch, [source, *kept], shape=tuple(wanted))
        return made.results[0]
