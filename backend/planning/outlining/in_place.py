"""Elementwise ops that may overwrite an operand: `x += 1`, and temporaries that nobody needs afterwards.

Such an op is rewritten to accumulate into the operand instead of writing to new memory:

    ins(%x) outs(%empty)  { f(%in) }    becomes    ins(%x) outs(%x)  { f(%out) }

This is a hint: whether the memory is really overwritten is decided when buffers are planned.
"""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, ir
from .clusters import Cluster, Graph, Node
from .op_kinds import Kind


def overwrite_operand(cluster: Cluster, graph: Graph) -> None:
    """Let the only op of a cluster overwrite operands that die there, for each result one, if there are any."""
    node = cluster.root
    if len(cluster.members) > 1 or not _is_elementwise(node) or _reads_destination(node.op):
        return
    op = node.op
    for result in range(len(op.results)):
        for original in node.captures:
            if not _dies_at(original, node, result, graph) or _belongs_elsewhere(
                original, node, result, graph
            ):
                continue
            index = _only_operand(op, graph.current(original), result)
            if index is not None:
                _accumulate(op, index, result)
                break


def _is_elementwise(node: Node) -> bool:
    if len(node.op.results) == 1:
        return node.structure is not None and node.structure.elementwise
    return node.op.name == "linalg.generic" and all(
        "parallel" in str(k) for k in node.op.attributes["iterator_types"]
    )


def _reads_destination(op: Operation) -> bool:
    """Whether the body uses what a destination holds, as a sum over no axes does."""
    arguments = list(op.regions[0].blocks[0].arguments)[-len(op.results) :]
    return any(next(iter(argument.uses), None) is not None for argument in arguments)


def _stored_to(node: Node, result: int) -> set[Value]:
    """The arguments that get a result."""
    return {
        user.op.operands[1]
        for user in node.users
        if user.op.name == "bufferization.materialize_in_destination"
        and user.op.operands[0] == node.op.results[result]
    }


def _dies_at(value: Value, node: Node, result: int, graph: Graph) -> bool:
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
    return producer.op.operands[0] in _stored_to(node, result)


def _belongs_elsewhere(value: Value, node: Node, result: int, graph: Graph) -> bool:
    """Whether a result is stored to an argument whose memory a temporary cannot have: to overwrite the temporary would
    make a copy of what can be written where it belongs.

    The temporary cannot be in the argument if the argument's old value is read when the temporary is made, or later.
    """
    producer = graph.node_of.get(value)
    if producer is None or producer.kind is not Kind.ROOT:
        return False
    stored = _stored_to(node, result)
    if not stored:
        return False
    old = [n for n in graph.nodes if n.op.name == "bufferization.to_tensor" and n.op.operands[0] in stored]
    if any(graph.current(n.op.results[0]) in _destinations(producer.op) for n in old):
        return False  # it is there
    return any(producer.position <= user.position < node.position for n in old for user in n.users)


def _destinations(op: Operation) -> list[Value]:
    return list(op.operands)[-len(op.results) :]


def _only_operand(op: Operation, value: Value, result: int) -> int | None:
    """The index of the one input that is the value, when each element is read where the result has its own."""
    inputs = len(op.operands) - len(op.results)
    indices = [index for index, operand in enumerate(op.operands) if operand == value]
    if len(indices) != 1 or indices[0] >= inputs or value.type != op.results[result].type:
        return None
    maps = op.attributes["indexing_maps"]
    return (
        indices[0]
        if maps[indices[0]] == maps[inputs + result] and _is_identity(maps[indices[0]].value)
        else None
    )


def _is_identity(indexing: ir.AffineMap) -> bool:
    return bool(indexing == ir.AffineMap.get_identity(indexing.n_dims))


def _accumulate(op: Operation, index: int, result: int) -> None:
    destination = len(op.operands) - len(op.results) + result
    arguments = list(op.regions[0].blocks[0].arguments)
    arguments[index].replace_all_uses_with(arguments[destination])
    op.operands[destination] = op.operands[index]
