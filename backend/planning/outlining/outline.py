"""Outlining: every cluster of a function becomes a kernel, a private function of its own.

Before: one function with linalg, tensor and scf ops on tensors. After: that function holds scalar arithmetic,
views, effects and calls; a kernel takes its inputs and then one destination for every tensor it returns:

    func.func private @kernel_0(%input: tensor<8xf32>, %destination: tensor<8xf32>) -> tensor<8xf32>

A destination is a `tensor.empty` of the caller, or the value that the kernel updates. Equal clusters share a
kernel, whatever their locations; each is scheduled and compiled once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import field

from ....dialect.mlir import Attribute, Block, Module, Operation, Type, Value, dialect, ir
from ....dialect.ops.state import RaiseIf
from ....dialect.records import dataclass, replace
from ....passes.base import Pass, Statistics
from ....passes.index_arithmetic import IndexArithmetic, SharedConstants
from ....passes.preconditions import refuse, require_lowered
from ....passes.rewriting import constant_integer, operations_in, operations_of, replace_operands
from ..captures import Captures, captured_values, says_all
from ..names import is_kernel_name, kernel_name
from ..shapes import Sizes
from ..varying import varying_sizes
from .carried_arrays import align_carried_arrays
from .clusters import Cluster, Graph, Node
from .fills import separate_fills
from .in_place import overwrite_operand
from .op_kinds import Kind, Known, classify, contains, is_copied, updated_value
from .scalars import scalarize
from .slices import make_offsets_operands, simplify_slices

_LOOPS = ("scf.for", "scf.while")


@dataclass(frozen=True)
class OutlineKernels(Pass):
    """Move clusters of ops into kernel functions, equal ones into one."""

    device: bool = False
    """Whether kernels are for a GPU."""

    def require(self, module: Module) -> None:
        require_lowered(module, _TAKEN, before="convert-weft-to-linalg")
        for function in entry_functions(module):
            for operation in operations_of(function):
                if operation.name == "func.call" and is_kernel_name(operation.attributes["callee"].value):
                    refuse(operation, "the kernels of this function are outlined already")
                if operation.name in _ALLOCATIONS:
                    refuse(
                        operation,
                        "this pass takes functions on tensors, and this one allocates memory itself",
                    )

    def run(self, module: Module, statistics: Statistics) -> None:
        kernels = Kernels(module, self.device)
        for function in entry_functions(module):
            statistics["clusters outlined"] += outline(function, kernels)
        statistics["kernels made"] += len(kernels.names)


_TAKEN = (
    *("raise_if", "stretch", "sort", "argsort", "partition", "partition_at", "fill_random"),
    *("call_loop", "call_library"),
)
"""The ops of weft that are left among those of linalg."""

_ALLOCATIONS = ("memref.alloc", "memref.alloca")

_REMOVABLE = (Kind.ROOT, Kind.CHEAP, Kind.VIEW, Kind.TABLE, Kind.CONSTANT)


def entry_functions(module: Module) -> list[Operation]:
    """The functions with a body that are no kernels."""
    return [
        op.operation
        for op in module.body.operations
        if op.operation.name == "func.func"
        and not is_kernel_name(op.attributes["sym_name"].value)
        and op.regions[0].blocks
    ]


def outline(function: Operation, kernels: Kernels) -> int:
    """Outline the clusters of one function; return how many there were."""
    scalarize(function)
    align_carried_arrays(function)
    separate_fills(function)
    simplify_slices(function, SharedConstants())
    sizes = Sizes(SharedConstants(), varying=varying_sizes(function))
    block = function.regions[0].blocks[0]
    known = Known()
    sink_cheap_values(block, kernels.device, known)
    return _outline_block(block, sizes, kernels, Captures(), known)


def _outline_block(block: Block, sizes: Sizes, kernels: Kernels, captures: Captures, known: Known) -> int:
    graph = Graph(block, captures, kernels.device, known)
    clusters = graph.clusters()
    at_root = {cluster.root: cluster for cluster in clusters}
    count = len(clusters)
    for node in graph.nodes:
        if node.op.name == "tensor.dim":
            _resolve_dim(node.op, graph, sizes)
        elif node in at_root:
            _outline_cluster(at_root[node], graph, sizes, kernels)
        elif node.kind is Kind.REGION:
            for region in node.op.regions:
                for inner in region:
                    with sizes.scope(inner):
                        count += _outline_block(inner, sizes, kernels, captures, known)
    # Outlined ops are erased last: the graph holds on to their results until then.
    for op in graph.superseded:
        op.erase()
    for node in reversed(graph.nodes):
        if (node.kind in _REMOVABLE or node.op.name == "tensor.dim") and _is_unused(node.op):
            node.op.erase()
    return count


def sink_cheap_values(block: Block, device: bool, known: Known) -> None:
    """Recompute what is cheap inside the regions of a block's ops, where it becomes part of the kernels that use it.

    Slices are not cheap here: what they are taken from may change in a loop.
    """
    for op in operations_in(block):
        if classify(op, device, known) is Kind.REGION:
            for region in op.regions:
                for inner in region:
                    _sink_into(inner, device, known)
                    sink_cheap_values(inner, device, known)


def _sink_into(block: Block, device: bool, known: Known) -> None:
    """Recompute in a block what is cheap of what its ops use, those in regions around kernels excepted."""
    mapping: dict[Value, Value] = {}
    operations = [(op, classify(op, device, known) is Kind.REGION) for op in operations_in(block)]
    with ir.InsertionPoint(operations[0][0]):
        for op, is_region in operations:
            for value in op.operands if is_region else captured_values(op):
                _sink(value, block, mapping)
    for op, is_region in operations:
        if is_region:
            replace_operands(op, mapping)
        else:
            remap(op, mapping)


def _sink(value: Value, block: Block, mapping: dict[Value, Value]) -> None:
    if value in mapping or isinstance(value.owner, ir.Block):
        return
    op = value.owner.operation
    if op.name == "tensor.extract_slice" or not is_copied(op) or op.block == block:
        return
    for operand in op.operands:
        _sink(operand, block, mapping)
    clone(op, mapping)


def _is_unused(op: Operation) -> bool:
    return not any(True for result in op.results for _ in result.uses)


def _resolve_dim(op: Operation, graph: Graph, sizes: Sizes) -> None:
    """Replace a `tensor.dim` of a computed tensor by arithmetic on the sizes of arguments."""
    axis = constant_integer(op.operands[1])
    if axis is None:
        return
    with ir.InsertionPoint(op), op.location:
        extent = sizes.of(op.operands[0])[axis]
        value = sizes.builder.value(extent)
    if value.owner != op:
        op.results[0].replace_all_uses_with(value)
        graph.replaced[op.results[0]] = value


def _outline_cluster(cluster: Cluster, graph: Graph, sizes: Sizes, kernels: Kernels) -> None:
    root = cluster.root.op
    overwrite_operand(cluster, graph)
    _share_offsets(cluster, graph, sizes.builder)
    draft = Draft.of(cluster, graph)
    with ir.InsertionPoint(root), root.location:
        destinations = []
        for result, updated in zip(draft.tensors, draft.updated, strict=True):
            if updated is None:
                updated = dialect("tensor").empty(sizes.typed(result), result.type.element_type)
            destinations.append(updated)
        results = [result.type for result in draft.tensors + draft.scalars]
        name, draft = kernels.for_draft(draft)
        call = dialect("func").CallOp(results, name, [*draft.inputs, *destinations])
    for old, new in zip(draft.tensors + draft.scalars, call.results, strict=True):
        old.replace_all_uses_with(new)
        graph.replaced[old] = new


def _share_offsets(cluster: Cluster, graph: Graph, builder: IndexArithmetic) -> None:
    """Pass the offsets of slices to the kernel, so that clusters that differ in nothing else share one.

    Not where a tensor is used twice: whether two slices of it overlap is better known at compile time.
    """
    included = with_cheap_producers(cluster, graph)
    uses = Counter(graph.current(value) for node in included for value in node.captures)
    for node in included:
        name = node.op.name
        if name not in ("tensor.extract_slice", "tensor.insert_slice"):
            continue
        sliced = node.captures[0 if name == "tensor.extract_slice" else 1]
        new = make_offsets_operands(node.op, builder) if uses[graph.current(sliced)] == 1 else None
        if new is not None:
            graph.replace(node, new)


@dataclass
class Draft:
    """A cluster with everything it recomputes: what a kernel is made of, and is compared by."""

    ops: list[Operation]
    inputs: list[Value]
    updated: list[Value | None]  # for every tensor result: the value it updates
    tensors: list[Value]  # used tensor results of the ends
    scalars: list[Value]  # used scalar results of the ends

    @staticmethod
    def of(cluster: Cluster, graph: Graph) -> Draft:
        """Collect what the cluster needs."""
        included = with_cheap_producers(cluster, graph)
        ops = [node.op for node in included]
        results = (result for end in cluster.ends for result in end.op.results)
        used = [result for result in results if any(True for _ in result.uses) or _is_workspace(result)]
        tensors = [result for result in used if isinstance(result.type, ir.RankedTensorType)]
        scalars = [result for result in used if not isinstance(result.type, ir.RankedTensorType)]
        updated: list[Value | None] = []
        taken: set[Value] = set()
        inside = set(ops)
        for result in tensors:
            value = updated_value(result, inside)
            if value is not None and value in taken:
                value = None
            if value is not None:
                taken.add(value)
            updated.append(value)
        defined = {result for op in ops for result in op.results}
        captures = (graph.current(value) for node in included for value in node.captures)
        inputs = dict.fromkeys(value for value in captures if value not in defined)
        return Draft(ops, [value for value in inputs if value not in taken], updated, tensors, scalars)

    def key(self) -> Hashable:
        """Equal for clusters that do the same, wherever they stand in the program."""
        numbers: dict[Value, int] = {}
        arguments = [*self.inputs, *(value for value in self.updated if value is not None)]
        for value in arguments:
            numbers[value] = len(numbers)
        parts: list[Hashable] = [value.type for value in arguments]
        parts.extend(value is None for value in self.updated)
        for op in self.ops:
            _describe(op, numbers, parts)
        parts.extend(numbers[value] for value in self.tensors + self.scalars)
        return tuple(parts)

    def with_inputs(self, constants: list[Operation]) -> Draft:
        """The same cluster with some of its scalar constants passed in."""
        ops = [op for op in self.ops if op not in constants]
        inputs = [*self.inputs, *(op.results[0] for op in constants)]
        return replace(self, ops=ops, inputs=inputs)

    def arguments(self) -> list[Type]:
        """The argument types: inputs, then a destination for every tensor."""
        return [value.type for value in self.inputs + self.tensors]


def _is_workspace(result: Value) -> bool:
    """Whether a loop writes to an array that nobody reads behind it: in the place of its start, if that is free."""
    return result.owner.operation.name in _LOOPS and isinstance(result.type, ir.RankedTensorType)


def with_cheap_producers(cluster: Cluster, graph: Graph) -> list[Node]:
    """The members of a cluster, each after the cheap ops it uses; the order does not depend on the rest."""
    ordered: dict[Node, None] = {}

    def visit(node: Node) -> None:
        for value in node.captures:
            producer = graph.node_of.get(value)
            if (
                producer is not None
                and producer not in ordered
                and producer.kind in (Kind.CHEAP, Kind.CONSTANT)
            ):
                visit(producer)
        ordered[node] = None

    for member in cluster.members:
        visit(member)
    return list(ordered)


def _describe(op: Operation, numbers: dict[Value, int], parts: list[Hashable]) -> None:
    """Append everything about an op but its location to the parts of a key."""
    parts.append(op.name)
    attributes = op.attributes
    parts.extend(attributes.items())
    parts.extend(numbers[operand] for operand in op.operands)
    for result in op.results:
        numbers[result] = len(numbers)
        parts.append(result.type)
    if says_all(op):
        return
    for region in op.regions:
        for block in region:
            parts.append("block")
            for argument in block.arguments:
                numbers[argument] = len(numbers)
                parts.append(argument.type)
            for inner in operations_in(block):
                _describe(inner, numbers, parts)


VARIANTS = 4
"""Clusters that differ in floating-point constants alone and have a kernel each; the following share one.

A kernel takes about 5 ms to compile, and a constant that is passed in is a broadcast before the loop.
"""

MAX_VARYING = 32
"""Constants that a kernel gets passed; with more, its calls take as long to compile as another kernel."""


@dataclass
class Family:
    """Clusters that differ in floating-point constants alone."""

    constants: list[Attribute]
    """Those of the first."""
    size: int = 0
    varying: set[int] = field(default_factory=set)
    """Which of the constants another one has a different value for."""


class Kernels:
    """The kernel functions of a module, by what they do."""

    def __init__(self, module: Module, device: bool = False) -> None:
        self.device = device
        self._module = module
        self._families: dict[Hashable, Family] = {}
        self.names: dict[Hashable, str] = {}

    def for_draft(self, draft: Draft) -> tuple[str, Draft]:
        """The name of the kernel for a cluster, made at the end of the module when there is none yet.

        Comes with the draft to call it for, which may have more inputs.
        """
        # An error names the line that raised it, so clusters that raise are never shared.
        raises = any(contains(op, RaiseIf.mlir_name()) for op in draft.ops)
        key = (len(self.names), draft.ops[-1].location) if raises else draft.key()
        name = self.names.get(key)
        if name is None and not raises:
            varying = self._with_varying_inputs(draft)
            if varying is not draft:
                draft, key = varying, varying.key()
                name = self.names.get(key)
        if name is None:
            name = self.names[key] = kernel_name(len(self.names))
            self._build(name, draft)
        return name, draft

    def _with_varying_inputs(self, draft: Draft) -> Draft:
        """The draft with the constants passed in that vary among many clusters that are the same otherwise."""
        constants = [op for op in draft.ops if _is_float_constant(op)]
        if not constants:
            return draft
        values = [op.attributes["value"] for op in constants]
        # A constant that is passed in looks like any other input: drafts with as many of them are a family.
        key = (len(values), draft.with_inputs(constants).key())
        family = self._families.setdefault(key, Family(values))
        family.size += 1
        pairs = enumerate(zip(values, family.constants, strict=True))
        family.varying.update(number for number, (value, first) in pairs if value != first)
        if family.size <= VARIANTS or len(family.varying) > MAX_VARYING:
            return draft
        return draft.with_inputs([constants[number] for number in sorted(family.varying)])

    def _build(self, name: str, draft: Draft) -> None:
        func, bufferization = dialect("func"), dialect("bufferization")
        results = [value.type for value in draft.tensors + draft.scalars]
        with ir.InsertionPoint(self._module.body), draft.ops[-1].location:
            function = func.FuncOp(name, (draft.arguments(), results), visibility="private")
            block = function.add_entry_block()
        arguments = list(block.arguments)
        mapping = dict(zip(draft.inputs, arguments, strict=False))
        destinations = arguments[len(draft.inputs) :]
        for value, destination in zip(draft.updated, destinations, strict=True):
            if value is not None:
                mapping[value] = destination
        with ir.InsertionPoint(block), draft.ops[-1].location:
            for op in draft.ops:
                clone(op, mapping)
            stored = [
                bufferization.materialize_in_destination(value.type, mapping[value], destination)
                for value, destination in zip(draft.tensors, destinations, strict=True)
            ]
            func.ReturnOp([*stored, *(mapping[value] for value in draft.scalars)])


def _is_float_constant(op: Operation) -> bool:
    return op.name == "arith.constant" and isinstance(op.attributes["value"], ir.FloatAttr)


def clone(op: Operation, mapping: dict[Value, Value]) -> Operation:
    """Copy an op to the current insertion point with its operands mapped, and map its results."""
    copy = op.clone()
    remap(copy.operation, mapping)
    mapping.update(zip(op.results, copy.results, strict=True))
    return copy.operation


def remap(op: Operation, mapping: dict[Value, Value]) -> None:
    """Replace operands of an op and of all ops in it."""
    if not mapping:
        return
    replace_operands(op, mapping)
    if says_all(op):
        return
    for region in op.regions:
        for block in region:
            for inner in operations_in(block):
                remap(inner, mapping)
