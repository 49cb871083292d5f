"""Recording without compiling: arrays that know their elements and how they were computed, for tapes of plain Python.

The traced arrays of this recorder behave as in a compiled function, and Python may look at their elements. Every op is
evaluated at once; as long as a tape is open, what depends on independent values remembers what it was computed of. A
request for a gradient walks back over that with the rules of the op classes, whose ops are recorded as well: gradients
of gradients need nothing else.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ...dialect.callbacks import Callback, call_back
from ...dialect.derivatives import (
    Part,
    cotangents,
    has_numbers,
    is_differentiable,
    tangents,
    without_derivative,
)
from ...dialect.emitter import Emitter, Tensor
from ...dialect.errors import DifferentiationError, UnsupportedError, format_message
from ...dialect.op import Op
from ...dialect.ops.differentiation import Gradient, Independent, Pairs, Pause, StopGradient, Tangent
from ...dialect.ops.state import ReadRef, WriteRef, exception_type
from ...dialect.records import dataclass
from ...dialect.types import TensorType, type_of
from ..compiling.array_behaviour import install_behaviour
from ..tracing.array import TracedArray
from ..tracing.current import set_remembering
from ..tracing.recorder import Recorder, Storage
from ..tracing.regions import Region
from .independent import has_derivative, independent

Pull: TypeAlias = "Callable[[Sequence[Node]], list[tuple[Node, Node]]]"
"""From the cotangents of values to pairs of arguments and their cotangents."""

Push: TypeAlias = "Callable[[Sequence[Node | None]], list[Node | None]]"
"""From the tangents of arguments to those of values; None for what does not move."""

_moments = itertools.count()
"""Tell what was recorded before what."""


@dataclass(eq=False)
class Step:
    """An op that was evaluated."""

    op_class: type[Op]
    operands: list[Node]
    attributes: dict[str, Any]
    results: list[Node]
    moment: int


@dataclass(eq=False)
class Node:
    """A value, and the step that computed it, where derivatives may ask for that."""

    array: np.ndarray[Any, Any]
    step: Step | None = None
    memory: np.ndarray[Any, Any] | None = None
    """The caller's array that it was taken of, to which is written what is written to it."""
    owner: ClassVar[None] = None
    """No operation of a module has made it, nor a block."""

    @functools.cached_property
    def type(self) -> TensorType:
        """The type of the elements, and the shape."""
        return type_of(self.array)

    @property
    def is_active(self) -> bool:
        """Whether it depends on an independent value."""
        return self.step is not None


@dataclass(eq=False)
class Cell:
    """A node that changes: an array that is written."""

    node: Node
    memory: np.ndarray[Any, Any] | None


class EagerRecorder(Recorder):
    """Evaluates ops, and remembers them while it is open."""

    is_eager = True

    def __init__(self) -> None:
        super().__init__("a tape")
        self.entry = self.region = Region(None, None)  # there are no blocks
        self._open = 0
        self._tape = 0
        """The number of the tape that asks for a gradient."""
        self.arrays: dict[int, tuple[Any, TracedArray]] = {}
        """NumPy's arrays that are watched, with what stands for them, by their identities."""
        self.independent: dict[Storage, Node] = {}
        """The independent values of arrays of variables."""
        self.readers: list[dict[Storage, None]] = []
        """What open tapes have seen of these."""

    @contextmanager
    def opened(self) -> Iterator[EagerRecorder]:
        """Remember what is computed."""
        self.open()
        try:
            yield self
        finally:
            self.close()

    def open(self) -> None:
        """Remember what is computed from now on."""
        self._open += 1
        set_remembering(self)

    def close(self) -> None:
        """The end of that, unless it was opened more than once."""
        self._open -= 1
        if not self._open:
            self.arrays, self.independent = {}, {}
            set_remembering(None)

    @contextmanager
    def asked_by(self, tape: int) -> Iterator[None]:
        """While a tape asks for gradients."""
        before, self._tape = self._tape, tape
        try:
            yield
        finally:
            self._tape = before

    def is_constant(self, step: Step) -> bool:
        """Whether a step made what is a constant for the tape that asks."""
        return step.op_class is Pause and step.attributes["tape"] == self._tape

    @property
    def is_open(self) -> bool:
        """Whether what is computed is remembered."""
        return self._open > 0

    def elements(self, value: Any) -> np.ndarray[Any, Any] | None:
        """The elements of a value."""
        found: np.ndarray[Any, Any] = value.array
        return found

    def data(self, array: np.ndarray[Any, Any], variable: Any = None) -> Any:
        """What stands for the array of a variable: it is watched, unless it is not to be trained."""
        known = self.arrays.get(id(array))
        if known is None:
            is_fixed = variable is not None and not variable.trainable
            if not self.is_open or is_fixed or not has_derivative(array):
                return array
            made = independent(self, array)
            made.array._storage.variable = variable
            self.arrays[id(array)] = known = (array, made.array)
            self.independent[made.array._storage] = made.value
        if known[1]._storage in self.independent:
            for seen in self.readers:
                seen[known[1]._storage] = None
        return known[1]

    def is_remembered(self, value: Any) -> bool:
        """Whether a derivative may be asked for of what is computed of a value."""
        return self.is_open and value.is_active

    # Ops

    def create(
        self, op_class: type[Op], operands: Sequence[Any], attributes: dict[str, Any]
    ) -> Sequence[Any]:
        """Evaluate an op; returns its results."""
        if op_class is ReadRef:
            return [operands[0].node]
        if op_class is WriteRef:
            self._write(operands[0], operands[1])
            return []
        if op_class is Gradient:
            return [self._gradient(*operands)]
        if op_class is Tangent:
            return [self._tangent(*operands)]
        if op_class is Pairs:
            return [Node(operands[2].array, Step(op_class, list(operands), {}, [], next(_moments)))]
        results = [
            Node(np.asarray(array))
            for array in op_class.compute([operand.array for operand in operands], attributes)
        ]
        is_kept = op_class is Independent or any(operand.is_active for operand in operands)
        if self.is_open and is_kept and op_class is not StopGradient:
            step = Step(op_class, list(operands), attributes, results, next(_moments))
            for result in results:
                result.step = step if has_numbers(result.type) else None
        return results

    def _write(self, cell: Cell, node: Node) -> None:
        cell.node = node
        if cell.memory is not None:
            np.copyto(cell.memory, node.array)

    def type_of(self, value: Any) -> TensorType:
        """The type of a value."""
        found: TensorType = value.type
        return found

    def capture(self, array: Any) -> Any:
        """An array from outside as it is now."""
        return Node(np.array(array, order="C"))

    def make_cell(self, storage: Storage) -> None:
        """Let a storage be written."""
        if storage.ref is None:
            storage.ref = Cell(storage.value, storage.value.memory)

    def raise_if(self, condition: Any, error: str, message: str, *values: Any, raised: Any = None) -> None:
        """Raise where the condition holds."""
        if condition.array.any():
            raise exception_type(error)(format_message(message, (value.array for value in values)))

    def host_call(
        self,
        callback: Callback,
        operands: Sequence[Any],
        results: Sequence[TensorType] = (),
        raised: Any = None,
    ) -> list[Any]:
        """Call Python; derivatives of what it returns are not known."""
        arrays = call_back(callback, [operand.array.copy() for operand in operands], results)
        found = list(map(Node, arrays))
        if self.is_open and any(operand.is_active for operand in operands):
            step = Step(HostCall, list(operands), {}, found, next(_moments))
            for node in found:
                node.step = step if has_numbers(node.type) else None
        return found

    # Derivatives

    def with_rule(
        self,
        values: Sequence[Node],
        arguments: Sequence[Node],
        pull: Pull,
        name: str,
        push: Push | None = None,
    ) -> list[Node]:
        """Values that were computed of arguments, whose derivative is a rule."""
        found = [Node(value.array) for value in values]
        if not self.is_open or not any(argument.is_active for argument in arguments):
            return found
        if _leaves(values, arguments):
            raise DifferentiationError(
                f"{name}, which is under weft.custom_gradient, uses an array that is differentiated and is not among "
                "its arguments, of which its rule tells nothing; pass it as an argument, or use "
                "weft.stop_gradient(array)"
            )
        step = Step(Ruled, list(arguments), {"pull": pull, "push": push}, found, next(_moments))
        for node in found:
            node.step = step if has_numbers(node.type) else None
        return found

    def _gradient(self, y: Node, cotangent: Node, x: Node) -> Node:
        found = _Sweep(self).run(_pairs(y, cotangent), x)
        return Node(np.zeros_like(x.array)) if found is None else found

    def _tangent(self, y: Node, x: Node, tangent: Node) -> Node:
        found = _forward(self, y, dict(_pairs(x, tangent)))
        return Node(np.zeros_like(y.array)) if found is None else found

    # What a recording into a module does besides

    def create_upstream(self, name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """There are no ops of other dialects."""
        raise UnsupportedError(
            f"a tape of plain Python does not record {name}: use it in a compiled function"
        )

    def location(self, raised: Any = None) -> Any:
        """Python's tracebacks tell places."""
        return None


class Ruled(Op):
    """What a function computed that has a derivative of its own."""


class HostCall(Op):
    """What Python computed, of which no derivative is known."""


class _RecordingEmitter(Emitter):
    """Lets rules of differentiation record what they compute."""

    def __init__(self, recorder: EagerRecorder) -> None:
        self._recorder = recorder

    def value(self, node: Node) -> Tensor:
        """A node as a value of this emitter."""
        return Tensor(self, node, node.type)

    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """Evaluate the op."""
        handles = [operand.handle for operand in operands]
        return list(map(self.value, self._recorder.create(op_class, handles, attributes)))

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """The value, of which everything is known."""
        return value


def _pairs(value: Node, derivative: Node) -> list[tuple[Node, Node]]:
    """The values of a request with their cotangents or tangents."""
    found: list[tuple[Node, Node]] = []
    while value.step is not None and value.step.op_class is Pairs:
        first, second, value = value.step.operands
        found.append((first, second))
    return found or [(value, derivative)]


class _Sweep:
    """Walks back over steps, last first."""

    def __init__(self, recorder: EagerRecorder) -> None:
        self._recorder = recorder
        self._b = _RecordingEmitter(recorder)
        self._cotangents: dict[Node, Tensor] = {}
        self._pending: list[tuple[int, Step]] = []
        self._met: set[int] = set()

    def run(self, seeds: Sequence[tuple[Node, Node]], x: Node) -> Node | None:
        """The cotangent of a value, from those of others; None where these do not depend on it."""
        for y, cotangent in seeds:
            self._add(y, self._b.value(cotangent))
        while self._pending:
            _, step = heapq.heappop(self._pending)
            if x.step is not None and step.moment <= x.step.moment:
                break
            self._visit(step)
        found = self._cotangents.get(x)
        return None if found is None else found.handle

    def _add(self, node: Node, cotangent: Tensor | Part) -> None:
        known = self._cotangents.get(node)
        if isinstance(cotangent, Part):
            whole = self._b.zeros_like(self._b.value(node)) if known is None else known
            total = (cotangent.write if known is None and cotangent.write else cotangent.add)(whole)
        else:
            total = cotangent if known is None else known + cotangent
        self._cotangents[node] = total
        if node.step is not None and node.step.moment not in self._met:
            self._met.add(node.step.moment)
            heapq.heappush(self._pending, (-node.step.moment, node.step))

    def _visit(self, step: Step) -> None:
        if self._recorder.is_constant(step):
            return
        value = self._b.value
        if step.op_class is not Ruled:
            _require_known(step)
        given = [self._cotangents.get(result) for result in step.results]
        if step.op_class is Ruled:
            full = [
                self._b.zeros_like(value(r)) if g is None else g
                for r, g in zip(step.results, given, strict=True)
            ]
            for argument, cotangent in step.attributes["pull"]([g.handle for g in full]):
                if argument.is_active:
                    self._add(argument, value(cotangent))
            return
        wanted = [n for n, operand in enumerate(step.operands) if operand.is_active]
        operands, results = list(map(value, step.operands)), list(map(value, step.results))
        for number, cotangent in cotangents(
            self._b, step.op_class, operands, results, given, step.attributes, wanted
        ):
            self._add(step.operands[number], cotangent)


def _forward(recorder: EagerRecorder, y: Node, known: dict[Node, Node]) -> Node | None:
    """The tangent of a value, from those of others; None where it does not depend on them."""
    b = _RecordingEmitter(recorder)
    first = min(x.step.moment if x.step is not None else 0 for x in known)
    found: dict[Node, Tensor | None] = {x: b.value(tangent) for x, tangent in known.items()}
    for step in _steps_behind(y, first, set(known)):
        given = [found.get(operand) for operand in step.operands]
        push = step.attributes.get("push") if step.op_class is Ruled else None
        if push is not None:
            pushed = push([None if tangent is None else tangent.handle for tangent in given])
            found.update({n: t and b.value(t) for n, t in zip(step.results, pushed, strict=True)})
            continue
        _require_known(step)
        operands, results = list(map(b.value, step.operands)), list(map(b.value, step.results))
        made = tangents(b, step.op_class, operands, results, given, step.attributes)
        found.update(zip(step.results, made, strict=True))
    total = found.get(y)
    return None if total is None else total.handle


def _steps_behind(y: Node, first: int, known: set[Node]) -> list[Step]:
    """The steps since a moment that a value was computed by, in order."""
    steps: dict[int, Step] = {}
    pending = [y]
    while pending:
        node = pending.pop()
        step = None if node in known else node.step
        if step is not None and step.moment >= first and step.moment not in steps:
            steps[step.moment] = step
            pending += step.operands
    return [steps[moment] for moment in sorted(steps)]


def nodes_behind(
    values: Sequence[Node], is_constant: Callable[[Step], bool] = lambda step: False
) -> set[Node]:
    """The nodes that others were computed of, and these, up to steps that make constants."""
    found: set[Node] = set()
    pending = list(values)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += [] if node.step is None or is_constant(node.step) else node.step.operands
    return found


def _leaves(values: Sequence[Node], arguments: Sequence[Node]) -> set[Node]:
    """The independent values that others were computed of otherwise than by way of arguments."""
    found: set[Node] = set()
    met: set[Node] = set(arguments)
    pending = [value for value in values if value not in met]
    while pending:
        node = pending.pop()
        if node in met or node.step is None:
            continue
        met.add(node)
        if node.step.op_class is Independent:
            found.add(node)
        pending += node.step.operands
    return found


def _require_known(step: Step) -> None:
    if step.op_class is Ruled:
        raise DifferentiationError(
            "a function under weft.custom_gradient has no tangents: it tells only cotangents; use weft.vjp or weft.grad"
        )
    if step.op_class is HostCall:
        raise DifferentiationError(
            "what Python computes has no derivative; put weft.stop_gradient around it if none is needed"
        )
    if not is_differentiable(step.op_class, step.attributes):
        raise DifferentiationError(without_derivative(step.op_class, step.attributes))


class _Recorders(threading.local):
    recorder: EagerRecorder | None = None


_recorders = _Recorders()


def eager_recorder() -> EagerRecorder:
    """The recorder of this thread."""
    if _recorders.recorder is None:
        install_behaviour()
        _recorders.recorder = EagerRecorder()
    return _recorders.recorder
