"""Deciding which ops of a function share a kernel.

The top-level ops of a function are put into classes: scalar arithmetic, views and effects stay in the
function, cheap ops are recomputed in every kernel that uses them, and everything else is the root of a
kernel. A root joins the kernel of its only consumers when the kernel scheduler can run both in one loop nest:
a contraction with the elementwise op that follows it, the ops of a row-wise computation such as softmax, the
computation of what a slice is updated with. Joining is never needed for correctness.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum, auto
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.ops.shape import Stretch
from ...dialect.ops.state import RaiseIf
from ...dialect.ops.ufunc_loops import CallLoop
from ...dialect.records import dataclass
from ...passes.rewriting import holds, operations_in, terminator
from .calls import is_function_call
from .captures import Captures, captured_values
from .names import is_kernel_name

MAX_CLUSTER = 12
"""Ops that work on data in one kernel; long fused loops run out of registers and take long to compile."""

JOINS = "weft.joins"
"""On an op that joins the kernel of its only consumers, whatever they are: the kernel's schedule knows the whole."""

VIEWS = frozenset({"tensor.collapse_shape", "tensor.expand_shape", "tensor.cast"})
_CHEAP = frozenset(
    {
        "tensor.empty",
        "linalg.fill",
        "tensor.extract_slice",
        "tensor.from_elements",
        "tensor.splat",
        Stretch.mlir_name(),
    }
)
_EFFECTS = frozenset(
    {
        "func.return",
        RaiseIf.mlir_name(),
        "bufferization.to_tensor",
        "bufferization.materialize_in_destination",
        "tensor.dim",
        "tensor.extract",
        "tensor.insert",
        "memref.dim",
        "scf.condition",
        "scf.yield",
    }
)
_CONTROL_FLOW = frozenset({"scf.for", "scf.if", "scf.while"})
_CONTRACTIONS = frozenset(
    {
        "linalg.matmul",
        "linalg.batch_matmul",
        "linalg.matvec",
        "linalg.vecmat",
        "linalg.batch_matvec",
        "linalg.conv_2d_nhwc_hwcf",
        "linalg.contract",
    }
)


class Kind(Enum):
    """What becomes of a top-level op."""

    SCALAR = auto()  # stays: arithmetic on scalars
    EFFECT = auto()  # stays: reads or writes memory, ends the call
    VIEW = auto()  # stays: another shape of the same memory
    CONSTANT = auto()  # scalar or splat: copied into every kernel that uses it
    TABLE = auto()  # constant with different elements: one global, an input of kernels
    CHEAP = auto()  # copied into every kernel that uses it
    REGION = auto()  # stays: control flow around kernels
    ROOT = auto()  # becomes a kernel


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


@dataclass(frozen=True)
class Structure:
    """How an op runs over its iteration space."""

    parallel: int  # leading parallel loops
    reduction: int  # trailing reduction loops
    contraction: bool

    @staticmethod
    def of(op: Operation) -> Structure | None:
        """The structure of a linalg op with parallel loops outside and reductions inside, else None."""
        if op.name in _CONTRACTIONS:
            return Structure(0, 0, contraction=True)
        if op.name != "linalg.generic" or len(op.results) != 1:
            return None
        kinds = ["parallel" in str(kind) for kind in op.attributes["iterator_types"]]
        parallel = kinds.index(False) if False in kinds else len(kinds)
        maps = [attribute.value for attribute in op.attributes["indexing_maps"]]
        if any(kinds[parallel:]):
            return Structure(0, 0, contraction=True) if _is_contraction(kinds, maps) else None
        reduction = len(kinds) - parallel
        if reduction and _is_contraction(kinds, maps):
            return Structure(parallel, reduction, contraction=True)
        if maps[-1] != ir.AffineMap.get(len(kinds), 0, [ir.AffineDimExpr.get(i) for i in range(parallel)]):
            return None
        return Structure(parallel, reduction, contraction=False)

    @property
    def elementwise(self) -> bool:
        """Whether every element of the result depends on one element of the iteration space."""
        return not self.contraction and self.reduction == 0


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

    def __init__(self, block: Block, captures: Captures) -> None:
        self.nodes: list[Node] = []
        self.node_of: dict[Value, Node] = {}
        self.replaced: dict[Value, Value] = {}  # results of outlined ops, by those of the calls
        self.superseded: list[Operation] = []  # ops to erase that belong to no node any more
        self.updates: dict[Value, list[int]] = {}  # where the memory of a value is overwritten
        readers: dict[Value, list[Value]] = {}
        for position, op in enumerate(operations_in(block)):
            kind = classify(op)
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


_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        **dict.fromkeys(_EFFECTS, Kind.EFFECT),
        **dict.fromkeys(VIEWS, Kind.VIEW),
        **dict.fromkeys(_CHEAP, Kind.CHEAP),
        "complex.constant": Kind.CONSTANT,
    }
)
"""What the name of an op tells."""


def classify(op: Operation) -> Kind:
    """The class of a top-level op."""
    name: str = op.name
    known = _KINDS.get(name)
    if known is not None:
        return known
    if is_function_call(op):
        return Kind.EFFECT
    if name == "arith.constant":
        constant = op.attributes["value"]
        if not isinstance(constant, ir.DenseElementsAttr) or constant.is_splat:
            return Kind.CONSTANT
        return Kind.TABLE
    if _is_scalar(op):
        return Kind.SCALAR
    return Kind.REGION if name in _CONTROL_FLOW and not _works_on_elements(op) else Kind.ROOT


def _is_narrowed_slice(node: Node, node_of: dict[Value, Node]) -> bool:
    """Whether a cast tells kernels alone more about the extents of a slice: it is then taken where the slice is."""
    if node.op.name != "tensor.cast" or not node.users:
        return False
    source = node_of.get(node.op.operands[0])
    is_slice = source is not None and source.op.name == "tensor.extract_slice"
    return is_slice and all(user.kind is Kind.ROOT for user in node.users)


_NOT_ELEMENTS = (
    "bufferization.materialize_in_destination",
    "bufferization.to_tensor",
    "linalg.fill",
    "tensor.extract_slice",
)


def _works_on_elements(op: Operation) -> bool:
    """Whether control flow only reads and updates elements of arrays; then it is a kernel itself."""
    inside = (inner for region in op.regions for block in region for inner in operations_in(block))
    if any(_is_beyond_elements(inner) for inner in inside):
        return False
    results = [result for result in op.results if isinstance(result.type, ir.RankedTensorType)]
    updated = [origin(result, {op}) for result in results]
    distinct = {value for value in updated if value is not None}
    return len(distinct) == len(results) and all(_is_updated(op, result) for result in results)


def _is_beyond_elements(op: Operation) -> bool:
    """Whether an op does more than to read and update elements, or calls a function, which no kernel may do."""
    name: str = op.name
    if name in _CONTROL_FLOW:
        return not _works_on_elements(op)
    return name in _NOT_ELEMENTS or is_function_call(op) or classify(op) is Kind.ROOT


def _is_updated(op: Operation, result: Value) -> bool:
    """Whether a result of control flow is one array all the time, changed in its elements only."""
    if op.name == "scf.if":
        return True  # both branches update the same value
    first, last = op.regions[0].blocks[0], op.regions[len(op.regions) - 1].blocks[0]
    argument = first.arguments[result.result_number + (op.name == "scf.for")]
    yielded = terminator(last).operands[result.result_number]
    if op.name == "scf.for":
        return _leads_to(yielded, argument)
    passed = terminator(first).operands[1 + result.result_number]
    return _leads_to(passed, argument) and _leads_to(yielded, last.arguments[result.result_number])


def _leads_to(value: Value, argument: Value) -> bool:
    """Whether a value is an argument of its block with some elements updated."""
    step: Value | None = value
    while step is not None and not isinstance(step.owner, ir.Block):
        step = _destination_operand(step.owner.operation, step)
    return step is not None and step == argument


def _is_scalar(op: Operation) -> bool:
    """Whether an op and everything in it works on scalars only."""
    for values in (op.results, op.operands):
        for value in values:
            if isinstance(value.type, ir.ShapedType):
                return False
    if may_end_call(op):
        return False
    return not len(op.regions) or all(
        _is_scalar(inner) for region in op.regions for block in region for inner in operations_in(block)
    )


def may_end_call(op: Operation) -> bool:
    """Whether an op, apart from what it holds or calls, may end the call with an error."""
    return op.name == RaiseIf.mlir_name() or is_function_call(op)


Origins: TypeAlias = "dict[Value, Value | None]"
"""What was found for results of branches, in a function that stays what it is."""


def updated_value(value: Value, inside: set[Operation], known: Origins | None = None) -> Value | None:
    """The value from outside some ops whose memory a result of theirs may take over, if there is one."""
    first = origin(value, inside, known)
    if first is None or isinstance(first.owner, ir.Block):
        return first
    return None if classify(first.owner.operation) in (Kind.CHEAP, Kind.CONSTANT) else first


def origin(value: Value, inside: set[Operation], known: Origins | None = None) -> Value | None:
    """The value from outside some ops that a result of theirs is an update of, if there is one.

    Follows `tensor.insert_slice`, the initial values of loops and the accumulators of reductions back to a
    value that is not defined by the ops in `inside`.
    """
    while True:
        owner = value.owner
        if isinstance(owner, ir.Block):
            parent = owner.owner.operation
            if not _is_within(parent, inside):
                return value
            step = _initial_value(parent, value.arg_number)
        else:
            op = owner.operation
            if not _is_within(op, inside):
                return value
            if known is not None and value in known:
                step = known[value]
            else:
                step = _destination_operand(op, value, known)
                if known is not None and op.name == "scf.if":
                    known[value] = step
        if step is None:
            return None
        value = step


def _is_within(op: Operation, inside: set[Operation]) -> bool:
    while op.name != "func.func":
        if op in inside:
            return True
        op = op.parent.operation
    return False


def _initial_value(loop: Operation, argument: int) -> Value | None:
    if loop.name == "scf.for":
        return loop.operands[2 + argument]
    if loop.name == "scf.while":
        return loop.operands[argument]
    return None


def _destination_operand(op: Operation, result: Value, known: Origins | None = None) -> Value | None:
    name: str = op.name
    if name in ("tensor.insert_slice", "tensor.insert"):
        return op.operands[1]
    if name == "scf.for":
        return op.operands[3 + result.result_number]
    if name == "func.call" and is_kernel_name(op.attributes["callee"].value):
        # The last arguments of a kernel are the destinations of its tensor results.
        tensors = sum(isinstance(value.type, ir.RankedTensorType) for value in op.results)
        return op.operands[len(op.operands) - tensors + result.result_number]
    if name.startswith("linalg."):
        return _accumulator(op, result)
    if name == CallLoop.mlir_name():
        written = result.result_number + 1 < len(op.results)
        return op.operands[len(op.operands) - len(op.results) + 1 + result.result_number] if written else None
    if name == "scf.while":
        condition = terminator(op.regions[0].blocks[0])
        carried = condition.operands[1 + result.result_number]
        return carried if isinstance(carried.owner, ir.Block) else None
    if name == "scf.if":
        inside = {op}
        ends = [terminator(region.blocks[0]).operands[result.result_number] for region in op.regions]
        first, second = (origin(end, inside, known) for end in ends)
        return first if first is not None and second is not None and first == second else None
    return None


def _accumulator(op: Operation, result: Value) -> Value | None:
    """The operand that a linalg op accumulates into, None when it does not read what it overwrites."""
    index = len(op.operands) - len(op.results) + result.result_number
    if op.name == "linalg.generic" and not any(True for _ in op.regions[0].blocks[0].arguments[index].uses):
        return None
    return op.operands[index]


def _has_effect(node: Node) -> bool:
    """Whether a root must run even when no result is used."""
    return any(isinstance(value.type, ir.MemRefType) for value in node.captures) or contains(
        node.op, RaiseIf.mlir_name()
    )


def contains(op: Operation, name: str) -> bool:
    """Whether an op is, or has inside its regions, an op of the given name."""
    return op.name == name or (len(op.regions) > 0 and holds(op, {name}))


def _users_through_cheap(node: Node) -> Iterator[Node]:
    for user in node.users:
        if user.kind is Kind.CHEAP:
            yield from _users_through_cheap(user)
        else:
            yield user


def _is_contraction(parallel: list[bool], maps: list[ir.AffineMap]) -> bool:
    """Whether two inputs are multiplied along a reduced dimension, judged by the indexing."""
    reduced = {i for i, flag in enumerate(parallel) if not flag}
    if len(maps) != 3 or not reduced:
        return False
    used = [_dimensions(indexing) for indexing in maps]
    return reduced <= used[0] & used[1] and used[0] != used[1]


def _dimensions(indexing: ir.AffineMap) -> set[int]:
    found: set[int] = set()
    for dimension in range(indexing.n_dims):
        if any(f"d{dimension}" in _terms(expression) for expression in indexing.results):
            found.add(dimension)
    return found


def _terms(expression: ir.AffineExpr) -> list[str]:
    return str(expression).replace("(", " ").replace(")", " ").split()


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
