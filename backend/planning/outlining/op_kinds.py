"""What becomes of the top-level ops of a function: which stay in it, which are kernels, which are copied into these.

The kind of most ops follows from their name. Control flow is a kernel itself where it only reads and updates elements
of arrays, and stays around kernels else.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType

from ....dialect.mlir import Block, Operation, Value, ir
from ....dialect.ops.shape import Stretch
from ....dialect.ops.state import RaiseIf
from ....passes.rewriting import (
    constant_integer,
    holds,
    is_defined_inside,
    operations_in,
    operations_of,
    terminator,
)
from ..calls import is_function_call
from .destinations import VIEWS, Origins, destination_of, has_shape_of, origin

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


_FEW = 32
"""So few iterations are not worth that the host waits for a number of the device."""


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


_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        **dict.fromkeys(_EFFECTS, Kind.EFFECT),
        **dict.fromkeys(VIEWS, Kind.VIEW),
        **dict.fromkeys(_CHEAP, Kind.CHEAP),
        "complex.constant": Kind.CONSTANT,
    }
)
"""What the name of an op tells."""


class Known:
    """What was found of branches and loops, by their first blocks, while none is made and what they do stays."""

    def __init__(self) -> None:
        self.scalar: dict[Block, bool] = {}
        self.elements: dict[Block, bool] = {}


def classify(op: Operation, device: bool = False, known: Known | None = None) -> Kind:
    """The class of a top-level op, where kernels are for a GPU or not.

    With what is `known`, a nest of branches and loops is looked through once, not once for each of those around.
    """
    name: str = op.name
    kind = _KINDS.get(name)
    if kind is not None:
        return kind
    if is_function_call(op):
        return Kind.EFFECT
    if name == "arith.constant":
        constant = op.attributes["value"]
        if not isinstance(constant, ir.DenseElementsAttr) or constant.is_splat:
            return Kind.CONSTANT
        return Kind.TABLE
    known = known or Known()
    if _is_scalar(op, known):
        return Kind.SCALAR
    if name not in _CONTROL_FLOW:
        return Kind.ROOT
    is_choice = device and name == "scf.if" and _chooses_loops(op)
    return Kind.REGION if is_choice or not _works_on_elements(op, known) else Kind.ROOT


def is_copied(op: Operation) -> bool:
    """Whether an op is copied into every kernel that uses it; asks for no more than its name and value."""
    kind = _KINDS.get(op.name)
    if kind is None and op.name == "arith.constant":
        kind = classify(op)
    return kind in (Kind.CHEAP, Kind.CONSTANT)


def _chooses_loops(op: Operation) -> bool:
    """Whether both ways have loops that write where data says, which a device does by many threads: the host asks then
    which way it goes."""
    blocks = (block for region in op.regions for block in region)
    return all(
        any(_may_be_long(inner) and _scatters(inner) for inner in operations_in(block)) for block in blocks
    )


def _may_be_long(op: Operation) -> bool:
    """Whether an op is a loop of more than a few iterations, as far as one knows."""
    if op.name != "scf.for":
        return False
    first, end, step = (constant_integer(bound) for bound in list(op.operands)[:3])
    return first is None or end is None or step is None or end - first > _FEW * step


def _scatters(loop: Operation) -> bool:
    """Whether a loop writes elements at indices that it reads from arrays."""
    inserts = (inner for inner in operations_of(loop) if inner.name == "tensor.insert")
    return any(_is_read(index, loop) for insert in inserts for index in list(insert.operands)[2:])


def _is_read(value: Value, loop: Operation) -> bool:
    if isinstance(value.owner, ir.Block) or not is_defined_inside(value, loop):
        return False
    op = value.owner.operation
    return op.name == "tensor.extract" or any(_is_read(operand, loop) for operand in op.operands)


_NOT_ELEMENTS = (
    "bufferization.materialize_in_destination",
    "bufferization.to_tensor",
    "linalg.fill",
    "tensor.extract_slice",
)


def _works_on_elements(op: Operation, known: Known) -> bool:
    """Whether control flow only reads and updates elements of arrays; then it is a kernel itself."""
    first = op.regions[0].blocks[0]
    found = known.elements.get(first)
    if found is None:
        inside = (inner for region in op.regions for block in region for inner in operations_in(block))
        is_beyond = any(_is_beyond_elements(inner, known) for inner in inside)
        found = known.elements[first] = not is_beyond and _updates_arrays(op)
    return found


def _updates_arrays(op: Operation) -> bool:
    """Whether all arrays that control flow results in are ones from before it, changed in their elements."""
    results = [result for result in op.results if isinstance(result.type, ir.RankedTensorType)]
    updated = [origin(result, {op}) for result in results]
    distinct = {value for value in updated if value is not None}
    return len(distinct) == len(results) and all(_is_updated(op, result) for result in results)


def _is_beyond_elements(op: Operation, known: Known) -> bool:
    """Whether an op does more than to read and update elements, or calls a function, which no kernel may do."""
    name: str = op.name
    if name in _CONTROL_FLOW:
        return not _works_on_elements(op, known)
    return name in _NOT_ELEMENTS or is_function_call(op) or classify(op, known=known) is Kind.ROOT


def _is_updated(op: Operation, result: Value) -> bool:
    """Whether a result of control flow is one array all the time, changed in its elements only."""
    if op.name == "scf.if":
        return True  # both branches update the same value
    first, last = op.regions[0].blocks[0], op.regions[len(op.regions) - 1].blocks[0]
    number, ends = result.result_number, list(terminator(last).operands)
    if op.name == "scf.for":
        return _leads_to(ends[number], first.arguments[1 + number])
    passed = terminator(first).operands[1 + number]
    carried = (argument for argument in first.arguments if argument.type == result.type)
    return any(
        _leads_to(passed, argument) and _leads_to(ends[argument.arg_number], last.arguments[number])
        for argument in carried
    )


def _leads_to(value: Value, argument: Value) -> bool:
    """Whether a value is an argument of its block with some elements updated."""
    step: Value | None = value
    is_reshaped = False
    while step is not None and not isinstance(step.owner, ir.Block):
        op = step.owner.operation
        is_reshaped = is_reshaped or op.name in VIEWS
        step = op.operands[0] if op.name in VIEWS else destination_of(op, step)
    return step is not None and step == argument and (not is_reshaped or has_shape_of(step, value))


def _is_scalar(op: Operation, known: Known) -> bool:
    """Whether an op and everything in it works on scalars only."""
    for values in (op.results, op.operands):
        for value in values:
            if isinstance(value.type, ir.ShapedType):
                return False
    if may_end_call(op):
        return False
    if not len(op.regions):
        return True
    blocks = [block for region in op.regions for block in region]
    found = known.scalar.get(blocks[0]) if blocks else True
    if found is None:
        inside = (inner for block in blocks for inner in operations_in(block))
        found = known.scalar[blocks[0]] = all(_is_scalar(inner, known) for inner in inside)
    return found


def may_end_call(op: Operation) -> bool:
    """Whether an op, apart from what it holds or calls, may end the call with an error."""
    return op.name == RaiseIf.mlir_name() or is_function_call(op)


def updated_value(value: Value, inside: set[Operation], known: Origins | None = None) -> Value | None:
    """The value from outside some ops whose memory a result of theirs may take over, if there is one."""
    first = origin(value, inside, known)
    if first is None or isinstance(first.owner, ir.Block):
        return first
    return None if is_copied(first.owner.operation) else first


def contains(op: Operation, name: str) -> bool:
    """Whether an op is, or has inside its regions, an op of the given name."""
    return op.name == name or (len(op.regions) > 0 and holds(op, {name}))


__all__ = ["VIEWS", "Kind", "Known", "classify", "contains", "is_copied", "may_end_call", "updated_value"]
