"""The reference interpreter: runs functions of the weft dialect op by op with NumPy.

It is the oracle that passes and compiled code are tested against, so it takes every op at its word
(`Op.compute`) and shares nothing with the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from .attributes import type_from_mlir
from .errors import InternalError, WeftTypeError, WeftValueError
from .mlir import Block, Module, Operation, Value
from .op import Array, Op
from .ops.state import AllocRef, ReadRef, WriteRef
from .register import decode_attributes, op_class_of
from .types import RefType, TensorType, compatible_shapes, type_of


def interpret(module: Module, name: str, arrays: Sequence[Array]) -> list[Array]:
    """Call the function `name` of a module of the weft dialect and return its results.

    An array that is passed for a `!weft.ref` argument is written in place. A `weft.raise_if` that holds
    raises its exception; what was written before stays written. Raises `WeftValueError` when there is no such
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
        return _Interpreter(functions).call(functions[name], [np.asarray(array) for array in arrays])


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


@dataclass
class _Interpreter:
    functions: Mapping[str, Any]
    handlers: dict[str, Callable[[Operation, Environment], Sequence[Any]]] = field(init=False)
    """What runs the ops of other dialects."""

    def __post_init__(self) -> None:
        self.handlers = {"func.call": self._call_op}

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
        return self.run_block(block, environment)

    def run_block(self, block: Block, environment: Environment) -> list[Any]:
        """Run the ops of a block; returns what its terminator returns."""
        for view in block.operations:
            operation = view.operation
            if operation.name == "func.return":
                return [environment[operand] for operand in operation.operands]
            op_class = op_class_of(operation)
            if op_class is not None:
                results = _run_op(op_class, operation, environment)
            elif operation.name in self.handlers:
                results = self.handlers[operation.name](operation, environment)
            else:
                raise WeftTypeError(f"the interpreter cannot run {operation.name}")
            environment.update(zip(operation.results, results, strict=True))
        raise InternalError("a block ends without a terminator")

    def _call_op(self, operation: Operation, environment: Environment) -> list[Any]:
        callee = operation.attributes["callee"].value
        if callee not in self.functions:
            raise WeftTypeError(f"the interpreter cannot call {callee}, which has no body")
        return self.call(self.functions[callee], [environment[operand] for operand in operation.operands])


def _bind(argument: Any, parameter: Any) -> Any:
    """What a parameter stands for: cells of a caller are passed on, arrays are checked against the type."""
    if isinstance(argument, (_ArgumentCell, _LocalCell)):
        return argument
    tensor: TensorType = parameter.tensor if isinstance(parameter, RefType) else parameter
    given = type_of(argument)
    if given.dtype != tensor.dtype or not compatible_shapes(given.shape, tensor.shape):
        raise WeftValueError(f"an argument of type {parameter} cannot be {given}")
    return _ArgumentCell(argument) if isinstance(parameter, RefType) else argument


def _run_op(op_class: type[Op], operation: Operation, environment: Environment) -> Sequence[Any]:
    operands = [environment[operand] for operand in operation.operands]
    if op_class is AllocRef:
        return [_LocalCell(operands[0])]
    if op_class is ReadRef:
        return [operands[0].read()]
    if op_class is WriteRef:
        operands[0].write(operands[1])
        return []
    results = op_class.compute(operands, decode_attributes(op_class, operation))
    for result, value in zip(operation.results, results, strict=True):
        _check_result(op_class, type_from_mlir(result.type), value)
    return results


def _check_result(op_class: type[Op], declared: Any, value: Array) -> None:
    """What an op computes must be what its type says: the oracle checks the rules of shapes and dtypes."""
    actual = type_of(value)
    if actual.dtype != declared.dtype or not compatible_shapes(actual.shape, declared.shape):
        raise InternalError(f"weft.{op_class.name} computed {actual} where its type is {declared}")
