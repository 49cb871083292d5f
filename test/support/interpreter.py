"""The reference interpreter: runs functions of the weft dialect op by op with NumPy.

It is the oracle that passes and compiled code are tested against, so it takes every op at its word
(`Op.compute`) and shares nothing with the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from support.scalar_ops import SCALAR_OPS, check_tensor
from weft.dialect.attributes import type_from_mlir
from weft.dialect.callbacks import Callback, call_back
from weft.dialect.errors import InternalError, WeftTypeError, WeftValueError
from weft.dialect.host_calls import callback_of
from weft.dialect.mlir import Block, Module, Operation, Value, ir
from weft.dialect.op import Array, Op
from weft.dialect.ops.indexing import Gather, PutAlongAxis, Reading, Scatter, TakeAlongAxis
from weft.dialect.ops.state import AllocRef, ReadRef, WriteRef
from weft.dialect.records import dataclass
from weft.dialect.register import decode_attributes, op_class_of
from weft.dialect.types import RefType, TensorType, compatible_shapes, type_of


def interpret(
    module: Module, name: str, arrays: Sequence[Array], callbacks: Sequence[Callback] = ()
) -> list[Array]:
    """Call the function `name` of a module of the weft dialect and return its results.

    An array that is passed for a `!weft.ref` argument is written in place. A `weft.raise_if` that holds
    raises its exception; what was written before stays written. `callbacks` is the table of the Python functions
    that the program calls. Raises `WeftValueError` when there is no such
    function or the arguments do not fit it.
    """
    with module.context:
        functions = {
            operation.name.value: operation
            for operation in module.body.operations
            if operation.operation.name == "func.func" and not operation.is_external
        }
        if name not in functions:
            raise WeftValueError(f"there is no function {name}; there are: {', '.join(functions) or 'none'}")
        return _Interpreter(functions, callbacks).call(
            functions[name], [np.asarray(array) for array in arrays]
        )


@dataclass
class _ArgumentCell:
    """A cell that the caller owns: reads take a copy, writes go into the array."""

    array: Array

    def read(self) -> Array:
        copy: Array = self.array.copy()
        return copy

    def write(self, value: Array) -> None:
        self.array[...] = value.copy()  # the value may be a view of the array


@dataclass
class _LocalCell:
    """A cell that the function makes; values never change, so it keeps them as they are."""

    array: Array

    def read(self) -> Array:
        return self.array

    def write(self, value: Array) -> None:
        self.array = value


Cell: TypeAlias = "_ArgumentCell | _LocalCell"
Environment: TypeAlias = "dict[Value, Any]"
"""What every SSA value stands for: an array or a cell."""


@dataclass(frozen=True)
class _Step:
    """An op, ready to run: computes the results from the operands."""

    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    run: Callable[[list[Any], Environment], Sequence[Any]]


@dataclass(frozen=True)
class _Body:
    """A block, ready to run."""

    parameters: tuple[Value, ...]
    types: tuple[Any, ...]
    """The weft types of the parameters; None for scalars."""
    steps: list[_Step]
    returned: tuple[Value, ...]


_TERMINATORS = frozenset({"func.return", "scf.condition", "scf.yield"})


@dataclass
class _Interpreter:
    functions: Mapping[str, Any]
    callbacks: Sequence[Callback]
    bodies: dict[Block, _Body] = field(default_factory=dict)
    """The blocks that ran before: loops and recursive functions run them again."""

    def call(self, function: Any, arguments: Sequence[Any]) -> list[Any]:
        """Run a function on arrays and cells."""
        block = function.regions[0].blocks[0]
        if len(arguments) != len(block.arguments):
            counts = f"{len(block.arguments)} arguments, not {len(arguments)}"
            raise WeftValueError(f"{function.name.value} takes {counts}")
        environment: Environment = {
            parameter: _bind(argument, type_from_mlir(parameter.type))
            for parameter, argument in zip(block.arguments, arguments, strict=True)
        }
        return self.run_block(self._prepare(block), environment)

    def run_block(self, body: _Body, environment: Environment) -> list[Any]:
        """Run the ops of a block; returns what its terminator passes on."""
        for step in body.steps:
            operands = [environment[operand] for operand in step.operands]
            environment.update(zip(step.results, step.run(operands, environment), strict=True))
        return [environment[value] for value in body.returned]

    def enter(self, body: _Body, arguments: Sequence[Any], environment: Environment) -> list[Any]:
        """Run a block inside an op, with its parameters bound."""
        for parameter, declared, argument in zip(body.parameters, body.types, arguments, strict=True):
            environment[parameter] = _checked("a block argument", declared, argument)
        return self.run_block(body, environment)

    # Making steps

    def _prepare(self, block: Block) -> _Body:
        body = self.bodies.get(block)
        if body is None:
            operations = [view.operation for view in block.operations]
            if not operations or operations[-1].name not in _TERMINATORS:
                raise InternalError("a block ends without a terminator")
            parameters = tuple(block.arguments)
            body = self.bodies[block] = _Body(
                parameters,
                tuple(_tensor_type(parameter) for parameter in parameters),
                [self._step(operation) for operation in operations[:-1]],
                tuple(operations[-1].operands),
            )
        return body

    def _step(self, operation: Operation) -> _Step:
        return _Step(tuple(operation.operands), tuple(operation.results), self._runner(operation))

    def _runner(self, operation: Operation) -> Callable[[list[Any], Environment], Sequence[Any]]:
        op_class = op_class_of(operation)
        if op_class is not None:
            return _weft_runner(op_class, operation)
        name: str = operation.name
        if name in SCALAR_OPS:
            evaluate = SCALAR_OPS[name](operation)
            return lambda operands, environment: [_quietly(evaluate, operands)]
        if name in self._handlers:
            return self._handlers[name](self, operation)
        raise WeftTypeError(f"the interpreter cannot run {name}")

    def _call_op(self, operation: Operation) -> Callable[[list[Any], Environment], Sequence[Any]]:
        callback = callback_of(operation)
        if callback is not None:
            return self._host_call(operation, callback)
        callee = operation.attributes["callee"].value
        if callee not in self.functions:
            raise WeftTypeError(f"the interpreter cannot call {callee}, which has no body")
        return lambda operands, environment: self.call(self.functions[callee], operands)

    def _host_call(
        self, operation: Operation, callback: int
    ) -> Callable[[list[Any], Environment], Sequence[Any]]:
        if callback >= len(self.callbacks):
            raise WeftValueError(
                f"the program calls the Python function number {callback}, but the table has {len(self.callbacks)}"
            )
        types = [_tensor_type(result) for result in operation.results]

        def run(operands: list[Any], environment: Environment) -> list[Any]:
            return call_back(self.callbacks[callback], [operand.copy() for operand in operands], types)

        return run

    def _if_op(self, operation: Operation) -> Callable[[list[Any], Environment], Sequence[Any]]:
        branches = [[self._prepare(block) for block in region] for region in operation.regions]
        types = [_tensor_type(result) for result in operation.results]

        def run(operands: list[Any], environment: Environment) -> list[Any]:
            yielded: list[Any] = []
            for body in branches[0 if operands[0] else 1]:
                yielded = self.run_block(body, environment)
            return [_checked("scf.if", t, value) for t, value in zip(types, yielded, strict=True)]

        return run

    def _for_op(self, operation: Operation) -> Callable[[list[Any], Environment], Sequence[Any]]:
        body = self._prepare(operation.regions[0].blocks[0])
        types = [_tensor_type(result) for result in operation.results]

        def run(operands: list[Any], environment: Environment) -> list[Any]:
            (lower, upper, step), carried = operands[:3], operands[3:]
            if step <= 0:
                raise InternalError(f"the step of scf.for is {step}")
            for number in range(int(lower), int(upper), int(step)):
                carried = self.enter(body, [np.int64(number), *carried], environment)
            return [_checked("scf.for", t, value) for t, value in zip(types, carried, strict=True)]

        return run

    def _while_op(self, operation: Operation) -> Callable[[list[Any], Environment], Sequence[Any]]:
        before, after = (self._prepare(region.blocks[0]) for region in operation.regions)
        types = [_tensor_type(result) for result in operation.results]

        def run(operands: list[Any], environment: Environment) -> list[Any]:
            condition, *passed = self.enter(before, operands, environment)
            while condition:
                condition, *passed = self.enter(before, self.enter(after, passed, environment), environment)
            return [_checked("scf.while", t, value) for t, value in zip(types, passed, strict=True)]

        return run

    _handlers: ClassVar[Mapping[str, Callable[..., Callable[[list[Any], Environment], Sequence[Any]]]]] = (
        MappingProxyType(
            {"func.call": _call_op, "scf.for": _for_op, "scf.if": _if_op, "scf.while": _while_op}
        )
    )
    """What runs the ops that run blocks."""


def _bind(argument: Any, parameter: Any) -> Any:
    """What a parameter stands for: cells of a caller are passed on, arrays are checked against the type."""
    if isinstance(argument, (_ArgumentCell, _LocalCell)):
        return argument
    tensor: TensorType = parameter.tensor if isinstance(parameter, RefType) else parameter
    given = type_of(argument)
    if given.dtype != tensor.dtype or not compatible_shapes(given.shape, tensor.shape):
        raise WeftValueError(f"an argument of type {parameter} cannot be {given}")
    return _ArgumentCell(argument) if isinstance(parameter, RefType) else argument


def _weft_runner(
    op_class: type[Op], operation: Operation
) -> Callable[[list[Any], Environment], Sequence[Any]]:
    if op_class is AllocRef:
        return lambda operands, environment: [_LocalCell(operands[0])]
    if op_class is ReadRef:
        return lambda operands, environment: [operands[0].read()]
    if op_class is WriteRef:
        return lambda operands, environment: operands[0].write(operands[1]) or ()
    attributes = decode_attributes(op_class, operation)
    types = [type_from_mlir(result.type) for result in operation.results]
    what = op_class.mlir_name()
    compute = partial(_at_places, op_class) if op_class in _FIRST_PLACES else op_class.compute

    def run(operands: list[Any], environment: Environment) -> list[Any]:
        """What an op computes must be what its type says: the oracle checks the rules of shapes and dtypes."""
        values = compute(operands, attributes)
        return [check_tensor(what, t, value) for t, value in zip(types, values, strict=True)]

    return run


_FIRST_PLACES = MappingProxyType({Gather: 1, PutAlongAxis: 1, Scatter: 2, TakeAlongAxis: 1})
"""Which operand of ops that read or write at places is the first that holds these."""


def _at_places(op_class: type[Op], operands: Sequence[Any], attributes: dict[str, Any]) -> tuple[Array, ...]:
    """What ops compute at places that may be out of bounds, as in compiled code: checks are ops of their own.

    What is read there is not defined, but no error: it is the first element. What is written there is so to one more
    place behind the others of an axis, which is cut off.
    """
    x, moved = operands[0], list(operands)
    axes = attributes["axes"] if "axes" in attributes else (attributes["axis"],)
    is_reading, is_inside = issubclass(op_class, Reading), True
    for number, axis in enumerate(axes, _FIRST_PLACES[op_class]):
        places, n = operands[number], x.shape[axis]
        outside = (places < -n) | (places >= n)
        is_inside &= not outside.any()
        moved[number] = np.where(outside, 0 if is_reading else n, places % max(n, 1))
    if is_reading or is_inside:
        return op_class.compute(moved, attributes)
    moved[0] = np.pad(x, [(0, int(axis in axes)) for axis in range(x.ndim)])
    (written,) = op_class.compute(moved, attributes)
    return (written[tuple(map(slice, x.shape))],)


def _quietly(evaluate: Callable[..., Any], operands: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        return evaluate(*operands)


def _tensor_type(value: Value) -> Any:
    """The weft type of a tensor; None for scalars."""
    return type_from_mlir(value.type) if isinstance(value.type, ir.RankedTensorType) else None


def _checked(what: str, declared: Any, value: Any) -> Any:
    return value if declared is None else check_tensor(what, declared, value)
