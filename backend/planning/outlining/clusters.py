"""Deciding which ops of a function share a kernel.

Each top-level op that does not stay in the function, and is not copied into kernels (`op_kinds`), is the root of a
kernel. A root joins the kernel of its only consumers when the kernel scheduler can run both in one loop nest: a
contraction with the elementwise op that follows it, the ops of a row-wise computation such as softmax, the computation
of what a slice is updated with. Joining is never needed for correctness.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property

from ....dialect.mlir import Block, Operation, Value, ir
from ....dialect.ops.state import RaiseIf
from ....dialect.records import dataclass
from ....passes.rewriting import operations_in
from ..captures import Captures, captured_values
from .loop_structure import Structure
from .op_kinds import Kind, Known, classify, contains, updated_value

MAX_CLUSTER = 12
"""Ops that work on data in one kernel; long fused loops run out of registers and take long to compile."""

JOINS = "weft.joins"
"""On an op that joins the kernel of its only consumers, whatever they are: the kernel's schedule knows the whole."""


@dataclass(eq=False)
class Node:
    """A top-level op, the values it uses from outside itself, and where its results are used."""

    op: Operation
    position: int
    kind: Kind
    captures: list[Value]
    users: list[Node] = field(default_factory=list)

    @cached_property
    def structure(self) -> Structure | None:
        """The loop structure, when the op is one that may share its loops."""
        return Structure.of(self.op)


@dataclass
class Cluster:
    """The nodes of one kernel; only the root and others that end in it, if there are any, have users outside."""

    root: Node
    """The last one."""
    members: list[Node]
    others: list[Node] = field(default_factory=list)
    """In program order: slices of other tensors that are updated with results of one op."""

    @property
    def ends(self) -> list[Node]:
        """What has users outside."""
        return [*self.others, self.root]


class Graph:
    """The top-level ops of a function with their uses."""

    def __init__(
        self, block: Block, captures: Captures, device: bool = False, known: Known | None = None
    ) -> None:
        self.nodes: list[Node] = []
        self.node_of: dict[Value, Node] = {}
        self.replaced: dict[Value, Value] = {}  # results of outlined ops, by those of the calls
        self.superseded: list[Operation] = []  # ops to erase that belong to no node any more
        self.updates: dict[Value, list[int]] = {}  # where the memory of a value is overwritten
        readers: dict[Value, list[Value]] = {}
        for position, op in enumerate(operations_in(block)):
            kind = classify(op, device, known)
            # What regions use of blocks further out may have been replaced since; nobody asks for that.
            captured = captures.of(op) if kind is Kind.REGION else captured_values(op)
            node = Node(op, position, kind, captured)
            self.nodes.append(node)
            for result in op.results:
                self.node_of[result] = node
            for value in node.captures:
                producer = self.node_of.get(value)
                if producer is not None:
                    producer.users.append(node)
            self._note_updates(node, readers)
        for node in self.nodes:
            if _is_narrowed_slice(node, self.node_of):
                node.kind = Kind.CHEAP

    def _note_updates(self, node: Node, readers: dict[Value, list[Value]]) -> None:
        op = node.op
        if op.name == "bufferization.to_tensor":
            readers.setdefault(op.operands[0], []).append(op.results[0])
        elif op.name == "bufferization.materialize_in_destination" or node.kind in (Kind.ROOT, Kind.REGION):
            for value in node.captures:
                for reader in readers.get(value, ()):
                    self.updates.setdefault(reader, []).append(node.position)
        if node.kind in (Kind.ROOT, Kind.REGION) or op.name == "tensor.insert":
            for result in op.results:
                destination = updated_value(result, {op})
                if destination is not None:
                    self.updates.setdefault(destination, []).append(node.position)

    def current(self, value: Value) -> Value:
        """The value that stands for a value of the original function now."""
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def replace(self, node: Node, op: Operation) -> None:
        """Put another op in the place of a node's, which has no uses any more."""
        for old, new in zip(node.op.results, op.results, strict=True):
            self.node_of[new] = node
            self.replaced[old] = new
        self.superseded.append(node.op)
        node.op, node.captures = op, captured_values(op)

    def overwritten_between(self, value: Value, first: int, last: int, besides: Sequence[Node] = ()) -> bool:
        """Whether the memory of a value is overwritten by an op strictly between two positions, but for some."""
        positions = self.updates.get(value, ())
        if besides:
            positions = [place for place in positions if all(place != node.position for node in besides)]
        following = bisect_right(positions, first)
        return following < len(positions) and positions[following] < last

    def clusters(self) -> list[Cluster]:
        """All kernels, in the order of their roots."""
        cluster_of: dict[Node, Cluster] = {}
        found: list[Cluster] = []
        for node in reversed(self.nodes):
            if node.kind is Kind.CHEAP and self._needs_memory(node, cluster_of):
                node.kind = Kind.ROOT
            if node.kind is not Kind.ROOT or not (node.users or _has_effect(node)):
                continue
            cluster = self._consumer(node, cluster_of)
            if cluster is None and len(node.op.results) > 1:
                cluster = self._joined(node, cluster_of, found)
            elif cluster is None or not self._may_join(node, cluster):
                cluster = None
            if cluster is None:
                cluster = Cluster(node, [])
                found.append(cluster)
            cluster.members.append(node)
            cluster_of[node] = cluster
        for cluster in found:
            cluster.members.reverse()
        found.reverse()
        return found

    def _needs_memory(self, node: Node, cluster_of: dict[Node, Cluster]) -> bool:
        """Whether a cheap op cannot simply be recomputed where it is used."""
        if node.op.name in ("tensor.empty", "tensor.from_elements"):
            return False
        for user in node.users:
            if user.kind not in (Kind.ROOT, Kind.CHEAP) and user.op.name != "tensor.dim":
                return True
            cluster = cluster_of.get(user)
            place, others = (cluster.root.position, cluster.others) if cluster else (user.position, ())
            if any(self.overwritten_between(value, node.position, place, others) for value in node.captures):
                return True
        return False

    def _joined(self, node: Node, cluster_of: dict[Node, Cluster], found: list[Cluster]) -> Cluster | None:
        """One kernel of the updates of slices, each of another tensor, with the results of an op, if that can be.

        The call stands where the last one does: nobody may use what the others make before.
        """
        clusters = [cluster_of.get(user) for user in node.users]
        if len(clusters) != len(node.op.results) or len(set(map(id, clusters))) != len(clusters):
            return None
        updates = [cluster for cluster in clusters if cluster is not None and _is_update_of(cluster, node)]
        if len(updates) != len(clusters):
            return None
        *others, last = sorted(updates, key=lambda cluster: cluster.root.position)
        ends = [cluster.root for cluster in others]
        place = last.root.position
        destinations = {updated_value(end.op.results[0], {end.op}) for end in (*ends, last.root)}
        if len(destinations) != len(clusters) or None in destinations:
            return None
        if any(user.position <= place for end in ends for user in end.users):
            return None
        if any(self.overwritten_between(value, node.position, place, ends) for value in node.captures):
            return None
        last.others = ends
        for cluster in reversed(others):
            found.remove(cluster)
            last.members.append(cluster.root)
            cluster_of[cluster.root] = last
        return last

    def _consumer(self, node: Node, cluster_of: dict[Node, Cluster]) -> Cluster | None:
        """The one kernel that uses all results of a node, if there is one."""
        consumers: set[int] = set()
        result: Cluster | None = None
        for user in _users_through_cheap(node):
            result = cluster_of.get(user)
            if result is None:
                return None
            consumers.add(id(result))
        return result if len(consumers) == 1 else None

    def _may_join(self, node: Node, cluster: Cluster) -> bool:
        joins = JOINS in node.op.attributes
        if not joins and (len(cluster.members) >= MAX_CLUSTER or len(node.op.results) != 1):
            return False
        last = cluster.root.position
        if any(self.overwritten_between(value, node.position, last) for value in node.captures):
            return False
        if joins:
            return True
        structure = node.structure
        if structure is None:
            return False
        result = node.op.results[0]
        update = cluster.root.op.name == "tensor.insert_slice"
        working = [member for member in cluster.members if not (update and member is cluster.root)]
        if not working:
            return bool(cluster.root.op.operands[0] == result)
        if structure.contraction:
            return _is_epilogue(working, result)
        return _shares_rows(structure, working, result)


def _is_update_of(cluster: Cluster, node: Node) -> bool:
    """Whether a cluster does nothing but to update a slice with a result of a node."""
    op = cluster.root.op
    return (
        len(cluster.members) == 1 and op.name == "tensor.insert_slice" and op.operands[0] in node.op.results
    )


def _is_narrowed_slice(node: Node, node_of: dict[Value, Node]) -> bool:
    """Whether a cast tells kernels alone more about the extents of a slice: it is then taken where the slice is."""
    if node.op.name != "tensor.cast" or not node.users:
        return False
    source = node_of.get(node.op.operands[0])
    is_slice = source is not None and source.op.name == "tensor.extract_slice"
    return is_slice and all(user.kind is Kind.ROOT for user in node.users)


def _has_effect(node: Node) -> bool:
    """Whether a root must run even when no result is used."""
    return any(isinstance(value.type, ir.MemRefType) for value in node.captures) or contains(
        node.op, RaiseIf.mlir_name()
    )


def _users_through_cheap(node: Node) -> Iterator[Node]:
    for user in node.users:
        if user.kind is Kind.CHEAP:
            yield from _users_through_cheap(user)
        else:
            yield user


def _operand_maps(node: Node, value: Value) -> list[ir.AffineMap]:
    maps = node.op.attributes["indexing_maps"]
    return [maps[i].value for i, operand in enumerate(node.op.operands) if operand == value]


def _is_epilogue(working: list[Node], result: Value) -> bool:
    """Whether all ops after a contraction read its result at their own place."""
    rank = len(result.type.shape)
    identity = ir.AffineMap.get_identity(rank)
    for member in working:
        structure = member.structure
        if structure is None or not structure.elementwise or structure.parallel != rank:
            return False
        if any(indexing != identity for indexing in _operand_maps(member, result)):
            return False
    return True


def _shares_rows(structure: Structure, working: list[Node], result: Value) -> bool:
    """Whether an op and its consumers all run over the same outermost dimension, row by row."""
    reductions = structure.reduction > 0
    if structure.parallel == 0 or structure.parallel + structure.reduction < 2:
        return False
    for member in working:
        other = member.structure
        if other is None or other.contraction or other.parallel == 0:
            return False
        if other.parallel + other.reduction != structure.parallel + structure.reduction:
            return False
        reductions = reductions or other.reduction > 0
        for indexing in _operand_maps(member, result):
            if not indexing.results or indexing.results[0] != ir.AffineDimExpr.get(0):
                return False
    return reductions
