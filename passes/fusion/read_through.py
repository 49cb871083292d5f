"""Read elements of a row where the row lies, instead of in a copy of it.

    row = rows[i]                         while not found:
    while not found:          becomes         x = rows[i, number]
        x = row[number]

What one block makes and the blocks of a loop read is written to memory in between: all of the row, for one element.
"""

from __future__ import annotations

from ...dialect.mlir import Module, Operation, Value
from ...dialect.ops.indexing import Gather
from ...dialect.ops.shape import Dim
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ..base import Pass, Statistics
from ..control_flow.structure import is_inside
from ..rewriting import Graph, defined_functions, terminator, type_of


@dataclass(frozen=True)
class ReadThrough(Pass):
    """Let reads of single elements of what a read has made read the same tensor.

    Not where the tensor may be written in the meantime, which would have to be copied then: all that uses it reads it,
    or is behind all of these, as the ends of blocks around are. Nor columns, whose elements lie far apart.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Go through all functions; rows of rows are read through one after the other."""
        for function in defined_functions(module):
            graph = Graph(function)
            pending = list(graph.operations)
            for operation in pending:  # which grows
                pending += _read_through(graph, operation)
            count = len(pending) - len(graph.operations)
            if count:
                statistics["reads redirected"] += count
                graph.erase_unused()


def _read_through(graph: Graph, row: Operation) -> list[Operation]:
    """Let the reads of a row read what it is a row of; the reads that this makes."""
    if graph.is_replaced(row) or not _is_single(row):
        return []
    axes = decode_attributes(Gather, row)["axes"]
    readers = [user for user in _users(graph, row.results[0]) if op_class_of(user) is not Dim]
    are_rows = all(
        _is_single(user) and user.operands[0] == row.results[0] for user in readers
    )  # and no places
    if axes != tuple(range(len(axes))) or not are_rows:
        return []
    if not all(_leaves(user, row) for user in _users(graph, row.operands[0])):
        return []
    made = []
    for reader in readers:
        attributes = decode_attributes(Gather, reader)
        inside = tuple(axis + len(axes) for axis in attributes["axes"])
        operands = [*row.operands, *list(reader.operands)[1:]]
        made.append(graph.create(reader, Gather, operands, axes=(*axes, *inside), position=0))
        graph.replace(reader, list(made[-1].results))
    return made


def _users(graph: Graph, value: Value) -> list[Operation]:
    return [user for user in graph.users.get(value, ()) if not graph.is_replaced(user)]


def _is_single(operation: Operation) -> bool:
    """Whether an op reads at single places."""
    return op_class_of(operation) is Gather and type_of(operation.operands[1]).rank == 0


def _leaves(user: Operation, row: Operation) -> bool:
    """Whether what uses the tensor of a row leaves it as it is, as long as the row is read."""
    is_end = user == terminator(user.block) and is_inside(row, user.block)
    return is_end or op_class_of(user) in (Gather, Dim)
