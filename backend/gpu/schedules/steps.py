"""The nests of a run, each with the number that its output starts from: what a fill sets needs no launch of its own.

Bufferisation lets several sums share a fill, by copies of what it filled; such copies are fills, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.rewriting import operations_in
from ...nests.independence import base
from ...nests.nest import LoopNest
from ..code.reduce import Reduction


@dataclass
class Step:
    """A nest of a run, and what is known of its outputs."""

    nest: LoopNest
    starts: tuple[Value, ...] = ()
    """The numbers that the outputs of a reduction start from, for all points; none where they hold them."""
    number: Value | None = None
    """The number that is stored to all points, and nothing else is done."""
    absorbed: frozenset[Operation] = frozenset()
    """The fills of the run that are not done, as reductions start from their numbers."""

    @property
    def initial(self) -> Value | None:
        """The number that the only output of a reduction starts from, for all points."""
        return self.starts[0] if len(self.starts) == 1 else None

    def alone_touch(self, steps: Sequence[Step], memref: Value) -> bool:
        """Whether nothing but some steps of the run, this among them, touches memory that the kernel allocates."""
        memory = base(memref)
        if (
            isinstance(memory.owner, ir.Block)
            or memory.owner.operation.name != "memref.alloc"
            or memory != memref
        ):
            return False
        own = {step.nest.operation for step in steps} | self.absorbed
        users = [use.owner.operation for use in memref.uses]
        return all(
            user in own or user.name == "memref.dealloc" or _asks_for_no_element(user) for user in users
        )


def _asks_for_no_element(op: Operation) -> bool:
    """Whether an operation asks for an extent, or is a view, of schedules that were tried, of which all do."""
    users = [use.owner.operation for result in op.results for use in result.uses]
    is_view = op.name == "memref.collapse_shape" and all(map(_asks_for_no_element, users))
    return is_view or op.name == "memref.dim"


def steps_of(nests: Sequence[LoopNest]) -> list[Step]:
    """The steps of nests that follow each other, without the fills that nobody reads."""
    run = _Run()
    for nest in nests:
        run.add(nest)
    run.settle(list(run.filled))
    done = {step.nest.operation for step in run.steps}
    absorbed = frozenset(nest.operation for nest in nests if nest.operation not in done)
    for step in run.steps:
        step.absorbed = absorbed
    return run.steps


class _Run:
    """The steps so far, and the memory of which all elements are to be one number, but are not yet."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.filled: dict[Value, Step] = {}

    def add(self, nest: LoopNest) -> None:
        """One more nest."""
        fill = self._fill(nest)
        if fill is not None:
            memref = nest.outputs[0].memref
            self.filled.pop(memref, None)
            self._settle_views_of([memref])
            self.filled[memref] = fill
            return
        read = [access.memref for access in nest.inputs if not access.is_scalar]
        self._settle_views_of([*read, *_read_by_body(nest)])
        outputs = [access.memref for access in nest.outputs]
        starts: list[Value] = []
        if not all(nest.parallel) and Reduction.of(nest) is not None and self.filled.keys() >= set(outputs):
            numbers = [self.filled.pop(output).number for output in outputs]
            starts = [number for number in numbers if number is not None]
        self._settle_views_of(outputs)
        self.steps.append(Step(nest, tuple(starts)))

    def settle(self, memrefs: Sequence[Value]) -> None:
        """Fill memory, as somebody asks for what is in it."""
        self.steps += [self.filled.pop(memref) for memref in memrefs]

    def _settle_views_of(self, memrefs: Sequence[Value]) -> None:
        memory = {base(memref) for memref in memrefs}
        self.settle([memref for memref in self.filled if base(memref) in memory])

    def _fill(self, nest: LoopNest) -> Step | None:
        """A nest that sets all elements of its output to one number."""
        if len(nest.inputs) != 1 or len(nest.outputs) != 1 or not all(nest.parallel):
            return None
        ops = operations_in(nest.body)
        identity = [ir.AffineExpr.get_dim(dim) for dim in range(len(nest.parallel))]
        is_copy = len(ops) == 1 and ops[0].operands[0] == nest.body.arguments[0]
        source, output = nest.inputs[0], nest.outputs[0]
        if not is_copy or list(output.expressions) != identity:
            return None
        if source.is_scalar:
            return Step(nest, number=source.memref)
        fill = self.filled.get(source.memref) if list(source.expressions) == identity else None
        return None if fill is None else Step(nest, number=fill.number)


def _read_by_body(nest: LoopNest) -> list[Value]:
    """The memrefs that the body of a nest reads by itself."""
    return [v for op in operations_in(nest.body) for v in op.operands if isinstance(v.type, ir.MemRefType)]
