"""A call of a function from a file under a tape of plain Python: its module is one step, which runs compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.mlir import ir
from ...dialect.register import context
from ...dialect.types import RefType, TensorType, ValueType
from ..gradients.compiled_steps import CompiledStep
from ..gradients.eager import Cell, EagerRecorder, Node, eager_recorder
from ..tracing.array import TracedArray, wrap
from ..tracing.current import required_trace
from .checked_modules import functions_of, name_of
from .described_functions import described
from .descriptions import Argument, StateArray
from .recorded import Recorded
from .replaying import Replay


class EagerReplay(Replay):
    """One call of a function from a file in plain Python."""

    def __init__(self, recorder: EagerRecorder, recorded: Recorded, name: str) -> None:
        super().__init__(recorder, recorded.module, recorded.description, name)
        self._recorder = recorder
        if recorded.step is None:
            recorded.step = _step_of(recorded, name)
        self._step: CompiledStep = recorded.step
        self._given: list[tuple[np.ndarray[Any, Any], TracedArray]] = []
        """NumPy's arrays among the arguments, with what stands for them."""

    @classmethod
    def of(cls, traced: Sequence[TracedArray], recorded: Recorded, name: str) -> EagerReplay:
        """A call on arrays, some of which are remembered, or else the state is."""
        for array in traced:
            array._value()  # raises if its trace is over
        recorder = traced[0]._storage.trace if traced else eager_recorder()
        return cls(cast(EagerRecorder, recorder), recorded, name)

    def call(self, leaves: Sequence[Any], state: Mapping[str, np.ndarray[Any, Any]]) -> Any:
        """The result for the arguments and the arrays of the state."""
        held = [self._held(state[array.key], array) for array in self._description.state]
        return self.run(leaves, held)

    def _held(self, array: np.ndarray[Any, Any], described: StateArray) -> TracedArray:
        """What stands for an array of the state: it is watched, as variables are."""
        found = self._recorder.data(array)
        if not isinstance(found, TracedArray):
            return self._standing_for(array)
        if not np.array_equal(found._value().array, array, equal_nan=True):
            raise WeftValueError(
                f"the state {described.key!r} of {self._name} was written while a tape looks at it: write it when the "
                "`with` block has ended"
            )
        return found

    def _standing_for(self, array: np.ndarray[Any, Any]) -> TracedArray:
        """What stands for an array of NumPy's, to which is written what is written to it."""
        node = Node(np.array(array, order="C"), None, array)
        return wrap(self._recorder, node, made_at=self._recorder.place)._as_array()

    # What a recording into a module does otherwise

    def _array(self, leaf: Any, argument: Argument) -> TracedArray:
        """An argument as an array of the type that the file says."""
        if not isinstance(leaf, np.ndarray):
            return super()._array(leaf, argument)
        known = [array for given, array in self._given if given is leaf]
        array = super()._array(known[0] if known else self._standing_for(leaf), argument)
        self._given.append((leaf, array))
        return array

    def _entry_for(
        self, given: Sequence[TracedArray], parameters: Sequence[Argument | StateArray]
    ) -> tuple[Any, list[ValueType]]:
        pairs = zip(given, parameters, strict=True)
        return None, [RefType(array.type) if to.is_written else array.type for array, to in pairs]

    def _operand(self, array: TracedArray, wanted: ValueType) -> Any:
        if isinstance(wanted, RefType) and array._path:
            return Cell(array._value(), None)
        return super()._operand(array, wanted)

    def _cast(self, value: Any, found: TensorType, wanted: TensorType) -> Any:
        return value

    def _call(self, entry: Any, operands: Sequence[Any]) -> list[Any]:
        nodes = [operand.node if isinstance(operand, Cell) else operand for operand in operands]
        found = self._step.run(self._recorder, nodes)
        cells = [operand for operand in operands if isinstance(operand, Cell)]
        count = len(found) - len(cells)
        for cell, node in zip(cells, found[count:], strict=True):
            self._require_seen(cell, node)
            self._recorder._write(cell, node)
        return found[:count]

    def _require_seen(self, cell: Cell, node: Node) -> None:
        """Refuse to write to an array of NumPy's what a gradient may be asked for."""
        if node.is_active and any(array is cell.memory for array, _ in self._given):
            raise UnsupportedError(
                f"{self._name} writes to an array of NumPy's what depends on an array by which a gradient may be asked "
                "for, and what is computed of it would have none: pass an array made with weft (weft.zeros), or what "
                "tape.watch(array) gave"
            )

    def _if(self, condition: Any, present: Callable[[], Any], absent: Callable[[], Any]) -> Any:
        return present() if condition else absent()

    def _result(
        self, leaf: Any, outputs: list[TracedArray], arrays: list[TracedArray], kept: dict[int, Any]
    ) -> Any:
        found = super()._result(leaf, outputs, arrays, kept)
        return next((given for given, array in self._given if array is found), found)


def _step_of(recorded: Recorded, name: str) -> CompiledStep:
    """The module as a function of its arrays, which gives its results and what it would write."""
    with context(), ir.Location.unknown():
        symbol = recorded.description.symbol
        entry = next(f for f in functions_of(recorded.module) if name_of(f) == symbol)
        plain = described(entry, name)
    written = [place for place, argument in enumerate(plain.arguments) if argument.is_written]

    def step(*arrays: Any) -> Sequence[Any]:
        given = [array.copy() if place in written else array for place, array in enumerate(arrays)]
        trace = required_trace()
        found = Replay(trace, recorded.module, plain, name).run(given, [])
        results = found if isinstance(found, tuple) else (found,)
        return (*results, *(given[place] for place in written))

    return CompiledStep(step, name)
