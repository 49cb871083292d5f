"""Independent kernels side by side.

A row of kernel calls falls into chains that have nothing to do with each other: no memory that one of them writes is
touched by another. Where there are several chains that are long enough, each becomes an iteration of a function like
those that loops.py makes, and threads share these. Kernels whose loops are shared themselves are no part of
it: a large one keeps all threads busy by itself. Chains to which the buffer plan gives the same memory, one after the
other, are one chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from .....dialect.mlir import Block, Module, Operation, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.control_flow.structure import constant_index
from .....passes.rewriting import constant_integer, function_around, operations_in, replace_operands
from ....nests.emit import compare, create
from ....nests.nest import nested
from ....planning.names import is_own_name, is_parallel_name, parallel_name
from ..vectors.temporaries import element_bytes
from .captures import Captures, is_pure, make_function
from .costs import cost_of_body
from .loops import GRAIN

LONGEST_ROW = 16
"""Calls that are looked at together."""

_READS = {"memref.load", "vector.load", "vector.maskedload", "vector.gather", "memref.dim", "memref.prefetch"}
_VIEWS = {"memref.cast", "memref.collapse_shape", "memref.expand_shape", "memref.subview"}


@dataclass(frozen=True)
class ShareKernels(Pass):
    """Let long independent kernels run side by side."""

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["rows of kernels shared"] += len(_share_kernels(module))


def _share_kernels(module: Module) -> list[Operation]:
    """Let independent kernels of the functions of a module run side by side; returns the functions that were made."""
    functions = [view.operation for view in module.body.operations if view.operation.name == "func.func"]
    kernels = {
        function.attributes["sym_name"].value: _Kernel(function)
        for function in functions
        if "sym_visibility" in function.attributes and function.regions[0].blocks
    }
    made: list[Operation] = []
    for function in functions:
        if "sym_visibility" in function.attributes:
            continue
        for row in [row for block in _blocks(function) for row in _rows(block, kernels)]:
            found = _best_chains(row)
            if found is not None:
                chains, last = found
                name = f"{function.attributes['sym_name'].value}.kernels_{len(made)}"
                shared = _share([[call.op for call in chain] for chain in chains], last.op, name)
                made += [] if shared is None else [shared]
    return made


@dataclass
class _Kernel:
    """What is known of a kernel."""

    function: Operation

    @cached_property
    def stays(self) -> bool:
        """Whether it must run where it is: its loops are shared, or it may end the call or ask Python something."""
        calls = (op.operation for op in nested(self.function) if op.operation.name == "func.call")
        return any(map(_is_of_the_call, calls))

    @cached_property
    def steps(self) -> float:
        """What a call costs; 0 where that is not known."""
        cost = cost_of_body(self.function)
        return cost.steps if cost.is_static else 0.0

    @cached_property
    def written(self) -> list[bool]:
        """For every parameter, whether it may be written."""
        return [not _is_only_read(argument) for argument in self.function.regions[0].blocks[0].arguments]


def _is_of_the_call(call: Operation) -> bool:
    callee = call.attributes["callee"].value
    return is_parallel_name(callee) or is_own_name(callee)


def _is_only_read(value: Value) -> bool:
    for use in value.uses:
        op = use.owner.operation
        if op.name in _VIEWS:
            if not all(map(_is_only_read, op.results)):
                return False
        elif op.name not in _READS:
            return False
    return True


@dataclass
class _Call:
    """A call of a kernel, and the memory it touches."""

    op: Operation
    kernel: _Kernel

    @cached_property
    def pieces(self) -> list[tuple[_Piece, bool]]:
        """The memory of each argument, and whether it may be written."""
        operands = zip(self.op.operands, self.kernel.written, strict=True)
        return [
            (_piece(value), written) for value, written in operands if isinstance(value.type, ir.MemRefType)
        ]

    def depends_on(self, other: _Call) -> bool:
        """Whether the two must run in order."""
        return any(
            (mine_written or other_written) and mine.overlaps(piece)
            for mine, mine_written in self.pieces
            for piece, other_written in other.pieces
        )


@dataclass
class _Piece:
    """Bytes of an allocation or argument; all of it where not more is known, anything where not even that is."""

    base: Value | None
    begin: int = 0
    end: int | None = None

    def overlaps(self, other: _Piece) -> bool:
        """Whether a byte may be in both."""
        if self.base is None or other.base is None:
            return True
        if self.base != other.base:
            return False
        if self.end is None or other.end is None:
            return True
        return self.begin < other.end and other.begin < self.end


def _piece(memref: Value) -> _Piece:
    if isinstance(memref.owner, ir.Block):
        is_parameter = memref.owner.owner.operation.name == "func.func"
        return _Piece(memref if is_parameter else None)
    op = memref.owner.operation
    if op.name == "memref.alloc":
        return _Piece(memref)
    if op.name == "memref.view":
        base, offset = _piece(op.operands[0]), constant_integer(op.operands[1])
        if base.end is not None or offset is None or not memref.type.has_static_shape:
            return _Piece(base.base)
        size = element_bytes(memref.type.element_type)
        for extent in memref.type.shape:
            size *= extent
        return _Piece(base.base, offset, offset + size)
    if op.name in _VIEWS:
        return _piece(op.operands[0])
    if op.name == "memref.reinterpret_cast":
        return _Piece(_piece(op.operands[0]).base)
    return _Piece(None)


def _blocks(function: Operation) -> Iterator[Block]:
    for region in function.regions:
        for block in region:
            yield block
            for op in operations_in(block):
                if op.regions:
                    yield from _blocks(op)


def _rows(block: Block, kernels: dict[str, _Kernel]) -> Iterator[list[_Call]]:
    """The kernel calls of a block that follow each other, with nothing but arithmetic and views in between."""
    row: list[_Call] = []
    for op in operations_in(block):
        kernel = kernels.get(op.attributes["callee"].value) if op.name == "func.call" else None
        if kernel is not None and not op.results and not kernel.stays:
            row.append(_Call(op, kernel))
        elif not is_pure(op):
            yield from _windows(row)
            row = []
    yield from _windows(row)


def _windows(row: list[_Call]) -> Iterator[list[_Call]]:
    """Short rows at a time; those in which a kernel at most is long are left out."""
    for first in range(0, len(row), LONGEST_ROW):
        window = row[first : first + LONGEST_ROW]
        if len(window) > 1 and sum(call.kernel.steps >= GRAIN for call in window) > 1:
            yield window


def _best_chains(row: Sequence[_Call]) -> tuple[list[list[_Call]], _Call] | None:
    """The part of a row that gains most from being run as independent chains, and the last call in it."""
    best: tuple[list[list[_Call]], _Call] | None = None
    most = 0.0
    for first in range(len(row)):
        chains: list[list[_Call]] = []
        for call in row[first:]:
            joined = [chain for chain in chains if any(map(call.depends_on, chain))]
            apart = [chain for chain in chains if all(chain is not other for other in joined)]
            chains = [*apart, [*(earlier for chain in joined for earlier in chain), call]]
            costs = [sum(member.kernel.steps for member in chain) for chain in chains]
            gain = sum(costs) - max(costs)
            if gain > most and sum(cost >= GRAIN for cost in costs) > 1:
                most, best = gain, (chains, call)
    return best


def _share(chains: list[list[Operation]], last: Operation, name: str) -> Operation | None:
    """Make a function of which an iteration runs a chain, and call it where the last of the calls was."""
    calls = [call for chain in chains for call in chain]
    captures = Captures(operand for call in calls for operand in call.operands)
    if not captures.are_apart():
        return None
    index = ir.IndexType.get()
    types = [index, index, *captures.types]
    with ir.InsertionPoint(function_around(last)), last.location:
        made = make_function(name, types)
        make_function(parallel_name(name), types, has_body=False)
    with ir.InsertionPoint(last), last.location:
        operands = [constant_index(len(chains)), constant_index(1), *captures.passed]
        create("func.call", [], operands, {"callee": ir.FlatSymbolRefAttr.get(parallel_name(name))})
    entry = made.regions[0].blocks[0]
    begin, end, *arguments = entry.arguments
    with ir.InsertionPoint(entry), last.location:
        known = captures.enter(arguments)
        loop = ir.Operation.create("scf.for", [], [begin, end, constant_index(1)], regions=1)
        create("func.return", [], [])
        body = loop.regions[0].blocks.append(index, arg_locs=[last.location])
    with ir.InsertionPoint(body), last.location:
        for number, chain in enumerate(chains):
            _run_if(body.arguments[0], number, chain, known)
        create("scf.yield", [], [])
    return made


def _run_if(position: Value, number: int, chain: Sequence[Operation], known: dict[Value, Value]) -> None:
    """Run a chain in the iteration of its number."""
    chosen = compare("eq", position, constant_index(number))
    branch = ir.Operation.create("scf.if", [], [chosen], regions=2)
    with ir.InsertionPoint(branch.regions[0].blocks.append()):
        end = ir.Operation.create("scf.yield", [], [])
    for call in chain:
        call.move_before(end)
        replace_operands(call, known)
