"""Arrays that may have to be repeated: kernels read them as they are, or a repeated copy where that is needed.

An elementwise op reads `weft.stretch` of what may turn out to have an extent of 1. Which it is is decided in front of
the loops that read it, all of which would share a kernel:

    if all extents agree:
        loops over the arrays themselves
    else:
        the same loops over copies, in which the axes of extent 1 are repeated

so that it costs a comparison where nothing is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....dialect.errors import InternalError
from ....dialect.mlir import Block, Module, Operation, Type, Value, dialect, ir
from ....dialect.ops.shape import Stretch
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.index_arithmetic import Extent, IndexArithmetic
from ....passes.lowering.conversion import Conversion
from ....passes.lowering.regions import Region, extract_region, read_elements
from ....passes.rewriting import constant_integer, operations_in, type_of
from ..captures import Captures
from ..shapes import static_shape
from .clusters import Cluster, Graph, Node
from .op_kinds import Kind, classify
from .outline import clone, entry_functions, with_cheap_producers
from .slices import Slice


@dataclass(frozen=True)
class VersionStretches(Pass):
    """Choose at run time between arrays as they are and arrays whose extents of 1 are repeated."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Rewrite all functions in which something is stretched."""
        for function in entry_functions(module):
            if _sink_stretches(function):
                statistics["kernels versioned"] += _version_block(function.regions[0].blocks[0])


def _sink_stretches(function: Operation) -> bool:
    """Stretch arrays where they are used, also in loops; returns whether there are any."""
    found: list[Operation] = []

    def visit(op: Operation) -> Any:
        if op.name == Stretch.mlir_name():
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    for op in found:
        made: dict[Block, Value] = {}
        for use in list(op.results[0].uses):
            user = _in_control_flow(use.owner.operation)
            if user.block == op.block:
                continue
            if user.block not in made:
                with ir.InsertionPoint.at_block_begin(user.block):
                    made[user.block] = op.clone().operation.results[0]
            use.owner.operation.operands[use.operand_number] = made[user.block]
    return bool(found)


def _in_control_flow(op: Operation) -> Operation:
    """The op of a function, branch or loop that an op is or is in."""
    while True:
        around = op.parent.operation
        if around.name == "func.func" or classify(around) is Kind.REGION:
            return op
        op = around


def _version_block(block: Block) -> int:
    """Version the kernels of a block and of the blocks in it; returns how many."""
    count = 0
    for op in operations_in(block):
        if classify(op) is Kind.REGION:
            count += sum(_version_block(inner) for region in op.regions for inner in region)
    _give_extents(block)
    graph = Graph(block, Captures())
    found = [node for node in graph.nodes if node.op.name == Stretch.mlir_name()]
    if not found:
        return count
    clusters, replaced = graph.clusters(), set[Node]()
    for cluster in clusters:
        ops = [node.op for node in with_cheap_producers(cluster, graph)]
        stretches = [op for op in ops if op.name == Stretch.mlir_name()]
        if stretches:
            _version(cluster, ops, stretches)
            replaced.update(cluster.members)
            count += 1
    _give_extents(block)  # of what was stretched, and is stretched again
    # What was replaced is erased last: the graph asks for it until then.
    roots = {cluster.root for cluster in clusters}
    for node in reversed(graph.nodes):
        # What has uses left is asked for its extents only, which needs no kernel.
        is_used = any(True for result in node.op.results for _ in result.uses)
        if not is_used and (node in replaced or (node.kind is Kind.CHEAP and node not in roots)):
            node.op.erase()
    return count


def _give_extents(block: Block) -> None:
    """Answer what is asked of the extents of stretched arrays."""
    for op in operations_in(block):
        owner = op.operands[0].owner if op.name == "tensor.dim" else None
        axis = constant_integer(op.operands[1]) if owner is not None else None
        if owner is None or isinstance(owner, ir.Block) or owner.name != Stretch.mlir_name() or axis is None:
            continue
        with ir.InsertionPoint(op), op.location:
            wanted = _wanted(owner.operation)[axis]
            known = owner.operation.results[0].type.shape[axis] if wanted is None else wanted
            op.results[0].replace_all_uses_with(IndexArithmetic().value(known))
        op.erase()


def _version(cluster: Cluster, ops: Sequence[Operation], stretches: Sequence[Operation]) -> None:
    """Make the ops of a kernel twice, on arrays as they are and on repeated ones."""
    root = cluster.root.op
    with ir.InsertionPoint(root), root.location:
        agree = _all_agree(stretches)
        types = [result.type for result in root.results]
        choice = ir.Operation.create("scf.if", results=types, operands=[agree], regions=2)
        for region, make in zip(choice.regions, (_as_it_is, _repeated), strict=True):
            mapping: dict[Value, Value] = {}
            with ir.InsertionPoint(region.blocks.append()):
                for op in ops:
                    if op in stretches:
                        mapping[op.results[0]] = make(op, mapping)
                    else:
                        clone(op, mapping)
                ir.Operation.create("scf.yield", operands=[mapping[result] for result in root.results])
    for old, new in zip(root.results, choice.results, strict=True):
        old.replace_all_uses_with(new)


def _all_agree(stretches: Sequence[Operation]) -> Value:
    """Whether no array has to be repeated."""
    arith = dialect("arith")
    agree: Value | None = None
    compared: set[tuple[Value, int]] = set()
    for op in stretches:
        x = op.operands[0]
        for axis, wanted in enumerate(_wanted(op)):
            if wanted is None or (x, axis) in compared:
                continue
            compared.add((x, axis))
            builder = IndexArithmetic()
            extent = builder.value(_extent(x, axis))
            equal = arith.cmpi(arith.CmpIPredicate.eq, extent, builder.value(wanted))
            agree = equal if agree is None else arith.andi(agree, equal)
    if agree is None:
        raise InternalError("nothing is stretched", at=str(stretches[0].location))
    return agree


def _extent(x: Value, axis: int) -> Extent:
    """The extent of an axis of an array; of one that a loop makes, which may move into the kernel, as it was made."""
    owner = x.owner
    while not isinstance(owner, ir.Block) and owner.operation.name.startswith("linalg."):
        inputs, _ = owner.operation.attributes["operandSegmentSizes"]
        x = owner.operation.operands[inputs + ir.OpResult(x).result_number]
        owner = x.owner
    if (
        not isinstance(owner, ir.Block)
        and owner.operation.name == "tensor.empty"
        and x.type.is_dynamic_dim(axis)
    ):
        return owner.operation.operands[sum(map(x.type.is_dynamic_dim, range(axis)))]
    return Conversion(None).extent(x, axis)


def _wanted(op: Operation) -> list[Extent | None]:
    """The extents that axes are stretched to; None for those that are known to have it."""
    _, *dims = op.operands
    given = iter(dims)
    conversion = Conversion(None)
    known = list(op.operands[0].type.shape)
    wanted: list[Extent | None] = []
    for axis, extent in enumerate(op.attributes["shape"]):
        value: Extent = conversion.extent_of_scalar(next(given)) if extent == -1 else int(extent)
        wanted.append(None if value == known[axis] else value)
    return wanted


def _as_it_is(op: Operation, mapping: dict[Value, Value]) -> Value:
    """An array whose extents are those that it would be stretched to."""
    x, wanted = op.operands[0], op.results[0].type
    if x.type == wanted:
        return mapping.get(x, x)
    made = _slice_of_known_sizes(x, wanted, mapping)
    if made is not None and made.type == wanted:
        return made
    return dialect("tensor").cast(wanted, mapping.get(x, x) if made is None else made)


def _slice_of_known_sizes(x: Value, wanted: Type, mapping: dict[Value, Value]) -> Value | None:
    """A slice with sizes that are known here: a cast of it would stand between it and the loops that read it."""
    owner = x.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "tensor.extract_slice":
        return None
    slice_ = Slice.of(owner.operation)
    strides = [stride for stride in slice_.strides if isinstance(stride, int)]
    if len(slice_.kept) < len(slice_.sizes) or len(strides) < len(slice_.sizes):
        return None
    pairs = zip(slice_.sizes, static_shape(wanted), strict=True)
    sizes = [size if known is None else known for size, known in pairs]
    base = owner.operation.operands[0]
    limits = zip(sizes, static_shape(base.type), strict=True)
    if any(limit is not None and isinstance(size, int) and size > limit for size, limit in limits):
        return None  # no such slice: these loops never run
    return extract_region(mapping.get(base, base), Region(slice_.offsets, sizes, strides))


def _repeated(op: Operation, mapping: dict[Value, Value]) -> Value:
    """A copy of an array with its axes of extent 1 repeated."""
    x = mapping.get(op.operands[0], op.operands[0])
    conversion, math = Conversion(None), IndexArithmetic()
    own = conversion.extents(x)
    wanted = _wanted(op)
    extents = [size if extent is None else extent for size, extent in zip(own, wanted, strict=True)]
    last = [
        None if extent is None else math.subtract(size, 1) for size, extent in zip(own, wanted, strict=True)
    ]

    def place(indices: list[Value]) -> list[Extent]:
        pairs = zip(indices, last, strict=True)
        return [index if end is None else math.minimum(index, end) for index, end in pairs]

    return read_elements(conversion, x, type_of(op.results[0]), extents, place)
