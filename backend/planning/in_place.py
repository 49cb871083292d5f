"""Elementwise ops that may overwrite an operand: `x += 1`, and temporaries that nobody needs afterwards.

Such an op is rewritten to accumulate into the operand instead of writing to new memory:

    ins(%x) outs(%empty)  { f(%in) }    becomes    ins(%x) outs(%x)  { f(%out) }

This is a hint: whether the memory is really overwritten is decided when buffers are planned.
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Value, ir
from .clusters import Cluster, Graph, Kind, Node


def overwrite_operand(cluster: Cluster, graph: Graph) -> None:
    """Let the only op of a cluster overwrite an operand that dies there, if there is such an operand."""
    node = cluster.root
    if len(cluster.members) > 1 or node.structure is None or not node.structure.elementwise:
        return
    op = node.op
    if _reads_destination(op):
        return
    for original in node.captures:
        if _dies_at(original, node, graph) and not _belongs_elsewhere(original, node, graph):
            index = _only_operand(op, graph.current(original))
            if index is not None:
                _accumulate(op, index)
                return


def _reads_destination(op: Operation) -> bool:
    """Whether the body uses what the destination holds, as a sum over no axes does."""
    return next(iter(op.regions[0].blocks[0].arguments[-1].uses), None) is not None


def _dies_at(value: Value, node: Node, graph: Graph) -> bool:
    """Whether nobody needs a value after a node: a temporary, or what an argument held that gets the result."""
    producer = graph.node_of.get(value)
    # Users are in program order: all are looked at for the last one only.
    if producer is None or producer.users[-1].position > node.position:
        return False
    if any(user.kind is Kind.VIEW for user in producer.users):
        return False
    if producer.kind is Kind.ROOT:
        return True
    if producer.op.name != "bufferization.to_tensor":
        return False
    argument = producer.op.operands[0]
    return any(
        user.op.name == "bufferization.materialize_in_destination" and user.op.operands[1] == argument
        for user in node.users
    )


def _belongs_elsewhere(value: Value, node: Node, graph: Graph) -> bool:
    """Whether a result is stored to an argument whose memory a temporary cannot have: to overwrite the temporary would
    make a copy of what can be written where it belongs.

    The temporary cannot be in the argument if the argument's old value is read when the temporary is made, or later.
    """
    producer = graph.node_of.get(value)
    if producer is None or producer.kind is not Kind.ROOT:
        return False
    stored = {
        user.op.operands[1]
        for user in node.users
        if user.op.name == "bufferization.materialize_in_destination"
    }
    if not stored:
        return False
    old = [n for n in graph.nodes if n.op.name == "bufferization.to_tensor" and n.op.operands[0] in stored]
    if any(graph.current(n.op.results[0]) in _destinations(producer.op) for n in old):
        return False  # it is there
    return any(producer.position <= user.position < node.position for n in old for user in n.users)


def _destinations(op: Operation) -> list[Value]:
    return list(op.operands)[-len(op.results) :]


def _only_operand(op: Operation, value: Value) -> int | None:
    """The index of the one input that is the value, when each element is read where the result has its own."""
    indices = [index for index, operand in enumerate(op.operands) if operand == value]
    if len(indices) != 1 or indices[0] == len(op.operands) - 1 or value.type != op.results[0].type:
        return None
    rank = len(value.type.shape)
    indexing = op.attributes["indexing_maps"][indices[0]].value
    return indices[0] if indexing == ir.AffineMap.get_identity(rank) else None


def _accumulate(op: Operation, index: int) -> None:
    destination = len(op.operands) - 1
    arguments = list(op.regions[0].blocks[0].arguments)
    arguments[index].replace_all_uses_with(arguments[destination])
    op.operands[destination] = op.operands[index]
