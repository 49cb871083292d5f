"""What Python returned in a loop, for the second run of that loop, which does not call Python again.

The first run writes the results behind each other into buffers that are doubled when they are full, one for each dtype;
the second run reads them in the same order. Branches and loops inside carry the buffers, or the places in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...dialect.emitter import INT64, Extent, Tensor
from ...dialect.host_calls import callback_of
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.types import TensorType
from ..control_flow.structure import (
    CONTROL,
    FOR,
    IF,
    WHILE,
    add_yield,
    body,
    constant_tensor,
    has_else,
    replace_terminator,
    yielded,
)
from ..rewriting import operations_in, operations_of
from .activity import OF_PYTHON
from .residuals import LOGGED, rebuilt
from .stacks import ONE_AXIS, empty, with_room
from .sweep import Sweep

_ROOM = 64
"""How many elements a buffer has room for at first."""

Visit = Callable[[Operation, list[Value]], list[Value]]
"""Is given a call and what is carried to it, and returns what is carried on."""


class Replay:
    """The results of Python in a loop: marked, logged by the first run, read by the second.

    A call is marked before the second run is made as a copy of the first, so that both have the same calls.
    """

    def __init__(self, sweep: Sweep, loop: Operation) -> None:
        self._sweep = sweep
        calls = [op for op in operations_of(loop) if callback_of(op) is not None and len(op.results)]
        for call in calls:
            call.attributes[LOGGED] = ir.UnitAttr.get()
            if any(result in sweep.activity for result in call.results):
                call.attributes[OF_PYTHON] = ir.UnitAttr.get()
        found = {type.dtype for call in calls for type in map(_type_of, call.results)}
        if any(None in _type_of(result).shape for call in calls for result in call.results):
            found.add(INT64)
        self._dtypes = sorted(found, key=str)
        self._now: dict[Value, Value] = {}
        """What stands for results of calls, branches and loops that others took the place of."""

    def now(self, value: Value) -> Value:
        """A value of what was passed to `log` and `read`, after that."""
        while value in self._now:
            value = self._now[value]
        return value

    def log(self, loop: Operation) -> tuple[Operation, list[Value]]:
        """The first run with the results in buffers, which are returned; it takes the place of the loop."""
        if not self._dtypes:
            return loop, []
        b = OpEmitter(loop.location)
        with ir.InsertionPoint(loop):
            rooms = [
                b.refined(empty(b, [_ROOM], dtype), TensorType((None,), dtype)).handle
                for dtype in self._dtypes
            ]
            places = [constant_tensor(0) for _ in self._dtypes]
        made, states = self._through(loop, [*rooms, *places], self._write)
        return made, states[: len(rooms)]

    def read(
        self, loop: Operation, behind: list[Operation], buffers: list[Value]
    ) -> tuple[Operation, list[Operation]]:
        """The second run, and what comes behind it at the current insertion point, with reads in place of calls."""
        if not self._dtypes:
            return loop, behind
        end = ir.InsertionPoint.current.ref_operation

        def visit(call: Operation, places: list[Value]) -> list[Value]:
            return self._read(call, buffers, places)

        with ir.InsertionPoint(loop):
            places = [constant_tensor(0) for _ in buffers]
        made, places = self._through(loop, places, visit)
        self._along(behind, places, visit)
        return made, _between(made, end)

    # Carrying values through branches and loops

    def _through(
        self, control: Operation, states: list[Value], visit: Visit
    ) -> tuple[Operation, list[Value]]:
        """Let a branch or loop carry values, and what is inside of it; returns what it leaves of them."""
        is_loop = control.name in (FOR, WHILE)
        made = rebuilt(control, states if is_loop else [], states)
        self._sweep.retire(control, made)
        self._now.update(zip(control.results, made.results, strict=False))
        if made.name == IF and not has_else(made):
            with ir.InsertionPoint(made.regions[1].blocks.append()):
                add_yield([], made.location)
        for number in range(1 if made.name == FOR else 2):
            block = body(made, number)
            given = [block.add_argument(s.type, made.location) for s in states] if is_loop else states
            left = self._along(operations_in(block)[:-1], given, visit)
            replace_terminator(block, [*yielded(block), *left])
        return made, list(made.results)[len(made.results) - len(states) :]

    def _along(self, operations: Sequence[Operation], states: list[Value], visit: Visit) -> list[Value]:
        for operation in operations:
            if LOGGED in operation.attributes:
                states = visit(operation, states)
            elif operation.name in CONTROL and any(
                LOGGED in op.attributes for op in operations_of(operation)
            ):
                _, states = self._through(operation, states, visit)
        return states

    # Writing and reading

    def _write(self, call: Operation, states: list[Value]) -> list[Value]:
        """Write the results of a call behind those before."""
        del call.attributes[LOGGED]
        b, count = OpEmitter(call.location), len(self._dtypes)
        buffers, places = list(map(b.value, states[:count])), list(map(b.value, states[count:]))
        with ir.InsertionPoint.after(call):
            for result in map(b.value, call.results):
                unknown = [axis for axis, extent in enumerate(result.shape) if extent is None]
                for value in [*(b.dim(result, axis=axis) for axis in unknown), result]:
                    which = self._dtypes.index(value.dtype)
                    length = b.as_scalar(b.count(value, range(value.rank)))
                    end = places[which] + length
                    room = with_room(b, buffers[which], end)
                    flat = b.reshaped(value, [length if unknown and value.rank else _known(value)])
                    buffers[which] = b.dynamic_slice_update(room, flat, places[which], end, **ONE_AXIS)
                    places[which] = end
        return [tensor.handle for tensor in (*buffers, *places)]

    def _read(self, call: Operation, buffers: list[Value], states: list[Value]) -> list[Value]:
        """Read the results of a call, which is taken out of the program."""
        b, places = OpEmitter(call.location), list(states)
        with ir.InsertionPoint(call):
            for result in list(call.results):
                wanted = b.value(result).type
                extents: list[Extent] = [
                    self._next(b, buffers, places, INT64, ()) if extent is None else extent
                    for extent in wanted.shape
                ]
                found = b.refined(self._next(b, buffers, places, wanted.dtype, extents), wanted)
                if OF_PYTHON in call.attributes:
                    found.handle.owner.operation.attributes[OF_PYTHON] = ir.UnitAttr.get()
                result.replace_all_uses_with(found.handle)
                self._now[result] = found.handle
        self._sweep.set_aside(call)
        return places

    def _next(
        self,
        b: OpEmitter,
        buffers: list[Value],
        places: list[Value],
        dtype: np.dtype[np.generic],
        extents: Sequence[Extent],
    ) -> Tensor:
        """The next elements of a dtype; the place moves on."""
        which = self._dtypes.index(dtype)
        start = b.value(places[which])
        length: Extent = 1
        for extent in extents:
            length = extent * length
        end = start + length
        places[which] = end.handle
        flat = b.dynamic_slice(b.value(buffers[which]), start, end, **ONE_AXIS)
        return b.reshaped(flat, list(extents))


def _type_of(value: Value) -> TensorType:
    return OpEmitter(value.owner.operation.location).value(value).type


def _known(value: Tensor) -> int:
    """How many elements a value has whose extents are known."""
    return int(np.prod([extent or 0 for extent in value.shape], dtype=int))


def _between(first: Operation, end: Operation | None) -> list[Operation]:
    """The ops of a block behind one, as far as another or the end."""
    operations = operations_in(first.block)
    last = len(operations) if end is None else operations.index(end)
    return operations[operations.index(first) + 1 : last]
