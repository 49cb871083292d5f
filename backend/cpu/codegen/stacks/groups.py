"""Library loops as code for groups of problems, and the loop itself where the results of a group are not reliable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....dialect.mlir import Operation, Value, ir
from .....dialect.ufunc_loops import signature_of
from ....functions.number import Integer, any_lane, rarely
from ....nests.emit import Emitter, ForLoop, Index, create, either, load, store
from ..loop_calls import LoopCall
from ..vectors.temporaries import scratch


class Groups:
    """A call of a loop on many problems, as many of which at a time as vectors have lanes, or as there are.

    The last group is filled up with the last problem.
    """

    def __init__(self, operation: Operation, emitter: Emitter, lanes: int) -> None:
        self._emitter = emitter
        self.loop = LoopCall(operation, emitter)
        count = self.loop.count
        self.lanes = min(lanes, 1 << (max(count, 1) - 1).bit_length()) if isinstance(count, int) else lanes
        self._count = emitter.divide_up(count, self.lanes)

    def write(self, compute: Callable[[Sequence[Index]], Value]) -> None:
        """Write the loop over groups, and store whether the library found a problem invalid.

        `compute` writes code for the problems at some places, and says in which lanes it may be relied on.
        """
        emitter = self._emitter
        failed = scratch(emitter, [self._count], ir.IntegerType.get_signless(8))
        last = emitter.subtract(self.loop.count, 1)
        with emitter.loop(self._count, parallel=True) as group:
            first = emitter.multiply(group, self.lanes)
            inside = [emitter.minimum(emitter.add(first, lane), last) for lane in range(self.lanes)]
            unreliable = any_lane((Integer(compute(inside)) ^ 1).value)
            flag = create("arith.extui", [failed.type.element_type], [unreliable])
            store(flag, failed, [emitter.value(group)])
        self.loop.store_status(self._ask_library(failed))

    def _ask_library(self, failed: Value) -> Value:
        """Call the loop on the groups that failed; not 0 where it fails, too."""
        emitter, word = self._emitter, ir.IntegerType.get_signless(64)
        loop = ForLoop(emitter, 0, self._count, 1, [emitter.splat(0, word)])
        with loop.body():
            group, (status,) = loop.position, loop.carried
            no = emitter.splat(0, failed.type.element_type)
            wrong = Integer(load(failed, [group])).compare("!=", Integer(no))

            def joined() -> Value:
                found = self._call(emitter.multiply(group, self.lanes))
                return create("arith.ori", [word], [status, found])

            loop.end([either(rarely(wrong), word, joined, lambda: status)])
        return loop.results[0]

    def _call(self, first: Index) -> Value:
        """Call the loop on the group that begins with a problem."""
        emitter, loop = self._emitter, self.loop
        starts = zip(loop.addresses(), loop.steps, strict=True)
        addresses = [emitter.add(address, emitter.multiply(first, step)) for address, step in starts]
        return loop.call(addresses, emitter.minimum(self.lanes, emitter.subtract(loop.count, first)))


def cores_of(op: Operation) -> list[list[int]]:
    """The extents of a problem, an array or a number, of every operand and result of a call."""
    signature = signature_of(op.attributes["function"].value)
    shapes = (list(operand.type.shape) for operand in op.operands)
    axes = (*signature.operands, *signature.results)
    return [shape[len(shape) - len(core) :] for shape, core in zip(shapes, axes, strict=True)]
