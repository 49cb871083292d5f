"""Which launches of planned functions are one graph of the driver: many that follow each other, with nothing between.

Their grids have to be the same each time, so that the graph is the same but for its parameters. They may stand in a
loop, where the graph is that of an iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ....dialect.mlir import Block, Operation, ir
from ....dialect.records import dataclass
from ....passes.rewriting import operations_in, operations_of
from ...planning.failures import FailureSites
from ..code.captures import is_pure
from ..code.kernel import is_tensor_map
from .graph_code import NODES, weft_device_graph_begin, weft_device_graph_end
from .host_functions import DriverCalls, HostFunction

GRAPHS = "weft.graphs"
"""The attribute of a module: where the words of each graph begin, and how many they are."""

_FEWEST = 4
"""So many launches are worth a graph."""
_LAUNCH = "gpu.launch_func"
_ALLOCATIONS = ("memref.alloc", "gpu.alloc")
_VIEWS = ("memref.view", "memref.reinterpret_cast")


@dataclass(frozen=True)
class _Size:
    """What a kernel function brings to a graph."""

    launches: int
    words: int
    """The most parameters of a launch."""
    blocks: int
    """Memory that launches share."""


class LaunchGraphs:
    """The graphs of a module."""

    def __init__(self, failures: FailureSites, kernels: Mapping[str, Operation]) -> None:
        self._failures = failures
        self._sizes = {name: _size(kernel) for name, kernel in kernels.items()}
        self.words: list[tuple[int, int]] = []
        """Where the words of each graph begin, and how many they are."""

    def mark(self, host: HostFunction) -> set[str]:
        """Let a function begin and end its graphs; the kernel functions that launch for them."""
        names: set[str] = set()
        for run in list(self._runs(host.function)):
            names.update(_callee(call) for call in run)
            self._mark(host, run)
        return names

    def _runs(self, function: Operation) -> Iterator[list[Operation]]:
        """Calls that follow each other, of which each launches and does nothing else."""
        for block in _blocks(function):
            run: list[Operation] = []
            for op in operations_in(block):
                if op.name == "func.call" and self._sizes.get(_callee(op)) is not None:
                    run.append(op)
                elif not (is_pure(op) or op.name in _VIEWS):
                    yield from self._if_many(run)
                    run = []
            yield from self._if_many(run)

    def _if_many(self, run: list[Operation]) -> Iterator[list[Operation]]:
        if sum(size.launches for size in self._sizes_of(run)) >= _FEWEST:
            yield run

    def _sizes_of(self, run: Sequence[Operation]) -> list[_Size]:
        sizes = [self._sizes[_callee(call)] for call in run]
        return [size for size in sizes if size is not None]

    def _mark(self, host: HostFunction, run: Sequence[Operation]) -> None:
        sizes, calls = self._sizes_of(run), DriverCalls(self._failures, host.record)
        start = sum(self.words[-1]) if self.words else 0
        stride = 1 + max(0, *(size.words for size in sizes))
        list_ = NODES + stride * sum(size.launches for size in sizes)
        blocks = 1 + sum(size.blocks for size in sizes)  # native code writes one place ahead
        self.words.append((start, list_ + blocks))
        with ir.InsertionPoint(run[0]), run[0].location:
            calls.call(weft_device_graph_begin, start, stride, list_)
        with ir.InsertionPoint.after(run[-1]), run[-1].location:
            calls.call(weft_device_graph_end)
            calls.exit_on_failure()


def words_of(launch: Operation) -> int:
    """The words of the parameters of a launch, by which its node is known to be the same; -1 where they do not tell."""
    operands = list(launch.opview.kernelOperands)
    around = launch.parent.operation
    if around.name != "func.func" or any(is_tensor_map(operand.type) for operand in operands):
        return -1
    return len(operands)


def _callee(call: Operation) -> str:
    return str(ir.FlatSymbolRefAttr(call.attributes["callee"]).value)


def _blocks(function: Operation) -> list[Block]:
    """All blocks of a function, those of loops and branches in it, too."""
    regions = [region for op in (function, *operations_of(function)) for region in op.regions]
    return [block for region in regions for block in region]


def _size(kernel: Operation) -> _Size | None:
    """What a kernel function brings to a graph; None where its launches are not the same each time."""
    found: list[Operation] = []
    for op in operations_in(kernel.regions[0].blocks[0]):
        own = [inner for inner in (op, *operations_of(op)) if inner.name == _LAUNCH]
        ways = [sum(inner.name == _LAUNCH for inner in _inside(region)) for region in op.regions]
        if own and op.name != _LAUNCH and (op.name != "scf.if" or ways != [1, 1]):
            return None
        if not all(_has_constant_grid(launch) for launch in own):
            return None
        found += own[:1]
    if not found:
        return None
    blocks = sum(op.name in _ALLOCATIONS for op in operations_of(kernel))
    return _Size(len(found), max(map(words_of, found)), blocks)


def _inside(region: ir.Region) -> list[Operation]:
    """All operations in a region."""
    return [inner for block in region for op in operations_in(block) for inner in (op, *operations_of(op))]


def _has_constant_grid(launch: Operation) -> bool:
    view = launch.opview
    sizes = (view.gridSizeX, view.gridSizeY, view.gridSizeZ)
    return all(
        not isinstance(size.owner, ir.Block) and size.owner.operation.name == "arith.constant"
        for size in sizes
    )
