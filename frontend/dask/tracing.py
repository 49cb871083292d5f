"""A function is traced for arrays in blocks, as for arrays of their shapes, and becomes a program that can be cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dialect.errors import PartitionError, UnsupportedError
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.state import RaiseIf, WriteRef
from ...dialect.register import context
from ...passes.control_flow.structure import FOR, trip_count
from ...passes.control_flow.unroll_loops import write_out
from ...passes.pieces.masked import reduce_by_masks
from ...passes.pieces.programs import Program
from ...passes.pieces.rule import AxisCuts
from ...passes.rewriting import operations_of, settle_signature, terminator
from ..calls.traced_alone import traced_alone
from ..compiling.diagnostics import explained_at_their_place
from ..compiling.program import CallSignature
from ..compiling.record_function import Recorded
from ..compiling.stages import optimize
from ..runtime_values.result_spec import (
    PLACES,
    ArgumentResult,
    ComputedResult,
    ConstantResult,
    KeptResult,
    SelectedResult,
    ViewResult,
    of_one_type,
)
from ..signature.signature import Structure
from ..tracing.trace import Trace


class Output(NamedTuple):
    """A result that is an array: an output of the program."""

    number: int


class Given(NamedTuple):
    """A result that is known."""

    value: Any


class Traced(NamedTuple):
    """A function for arrays in blocks."""

    program: Program
    name: str
    extra: list[Any]
    """Where what it gets besides its arguments is fetched, for each call."""
    structure: Structure
    results: list[Output | Given]
    guards: list[Any]

    def holds(self) -> bool:
        """Whether it would be traced in the same way again, as far as what is outside of its arguments goes."""
        return all(guard.holds() for guard in self.guards) and all(e.fetch() is not None for e in self.extra)


def traced(
    function: Any,
    signature: CallSignature,
    leaves: Sequence[Any],
    cuts: Callable[[Any], AxisCuts],
) -> Traced:
    """Trace a function for arguments, whose blocks `cuts` tells."""
    with traced_alone(function, signature, leaves) as (trace, recorded):
        return _program_of(trace, recorded, signature, leaves, cuts)


def _program_of(
    trace: Trace,
    recorded: Recorded,
    signature: CallSignature,
    leaves: Sequence[Any],
    cuts: Callable[[Any], AxisCuts],
) -> Traced:
    guards = [*trace.captures, *recorded.state.guards]
    extra = list(trace.extra)
    arrays = [*(leaves[position] for position in signature.distinct), *(found.fetch() for found in extra)]
    module, symbol = trace.module, trace.symbol
    with context(), ir.Location.unknown(), explained_at_their_place(symbol):
        _require_no_writes(module, symbol, recorded)
        results = _Results(module, symbol, trace, signature, recorded).of_all()
        optimize(module)
        function = _function_named(module, symbol)
        _require_no_calls(module, symbol)
        reduce_by_masks(function)
        _let_results_wait_for_checks(function)
        blocks = [cuts(array) for array in arrays]
        program = Program(module, function, blocks)
        while _write_out_loops(program):
            optimize(module)
            program = Program(module, _function_named(module, symbol), blocks)
    return Traced(program, signature.name, extra, recorded.portable_result.structure, results, guards)


def _function_named(module: Module, symbol: str) -> Operation:
    functions = (view.operation for view in module.body.operations)
    return next(f for f in functions if f.name == "func.func" and f.attributes["sym_name"].value == symbol)


def _require_no_calls(module: Module, symbol: str) -> None:
    """Refuse what calls functions that stay functions, at its line."""
    for op in operations_of(_function_named(module, symbol)):
        if op.name == "func.call":
            raise _refused("calls Python, or prints", str(op.location))


_MOST_TRIPS = 100
"""So many times a loop over arrays in blocks is written out: each makes tasks of its own."""
SMALL = 1 << 25
"""Bytes that may come together for a loop: to compile its iterations one by one would take longer."""


def _write_out_loops(program: Program) -> bool:
    """Let loops for which arrays would come together be iterations one after the other, which are cut in pieces."""
    found = dict.fromkeys(gathered.site.operation for gathered in program.gathered if gathered.size > SMALL)
    loops = [(loop, trip_count(loop)) for loop in found if loop.name == FOR]
    short = [(loop, trips) for loop, trips in loops if trips is not None and trips <= _MOST_TRIPS]
    for loop, trips in short:
        write_out(loop, trips)
    return bool(short)


def _let_results_wait_for_checks(function: Operation) -> None:
    """Make each result by an op of its own where something may be raised: pieces that make results look for that."""
    checks = [op for op in operations_of(function) if op.name == RaiseIf.mlir_name()]
    if not checks:
        return
    end = terminator(function.regions[0].blocks[0])
    if not len(end.operands):
        raise PartitionError(
            "this may raise as arrays in blocks decide, in a function that returns nothing that is computed of them: "
            "nobody would find out; return something that is",
            str(checks[0].location),
        )
    with ir.InsertionPoint(end):
        b = OpEmitter(end.location)
        for number, value in enumerate(end.operands):
            tensor = b.value(value)
            end.operands[number] = b.cast(tensor, dtype=tensor.dtype).handle


_AWAY = (
    "in a function that was given arrays in blocks: its pieces run in other processes, in any order, and again where a "
    "worker dies; do it outside of the function, or return what it needs"
)


def _refused(what: str, place: str) -> PartitionError:
    return PartitionError(f"this {what}, {_AWAY}", place)


def _require_no_writes(module: Module, symbol: str, recorded: Recorded) -> None:
    """Refuse changes of arguments and of Python's state, at the lines that make them."""
    function = _function_named(module, symbol)
    for op in operations_of(function):
        if op.name != WriteRef.mlir_name():
            continue
        owner = op.operands[0].owner
        if isinstance(owner, ir.Block) and owner.owner == function:
            raise _refused("writes to an array from outside", str(op.location))
    updates = recorded.write_back.updates
    remaining = updates and updates.remaining()
    if remaining:
        names = ", ".join(dict.fromkeys(update.handle.name for update in remaining.updates))
        raise PartitionError(f"this function changes {names}, {_AWAY}")


class _Results:
    """Makes the arrays that a function returns outputs of its module."""

    def __init__(
        self, module: Module, symbol: str, trace: Trace, signature: CallSignature, recorded: Recorded
    ) -> None:
        self._function = _function_named(module, symbol)
        self._entry = self._function.regions[0].blocks[0]
        self._end = terminator(self._entry)
        self._signature = signature
        self._recorded = recorded
        self._outputs: list[Value] = []

    def of_all(self) -> list[Output | Given]:
        """What is returned, in the order of the leaves."""
        found = [self._of(of_one_type(leaf)) for leaf in self._recorded.portable_result.leaves]
        end = self._end
        with ir.InsertionPoint(end):
            ir.Operation.create("func.return", operands=self._outputs, loc=end.location)
        end.erase()
        settle_signature(self._function)
        return found

    def _of(self, leaf: Any) -> Output | Given:
        if isinstance(leaf, KeptResult):
            leaf = leaf.result
        if isinstance(leaf, ConstantResult):
            return Given(leaf.value)
        if isinstance(leaf, (ComputedResult, ViewResult, ArgumentResult)):
            return self._output(self._value_of(leaf))
        if isinstance(leaf, SelectedResult):
            return self._output(self._selected(leaf))
        raise UnsupportedError(
            "a function of arrays in blocks returns arrays and numbers; this one returns something of which only the "
            "run tells what it is: None, one of several constants, or a list"
        )

    def _number_of(self, argument: int) -> int:
        """The argument of the module at a position of a call."""
        signature = self._signature
        if argument < len(signature.aliases):
            return signature.distinct.index(signature.aliases[argument])
        return len(signature.distinct) + argument - len(signature.aliases)

    def _output(self, value: Value) -> Output:
        if not isinstance(value.type, ir.RankedTensorType):  # an argument that may be written
            raise UnsupportedError("a function of arrays in blocks does not return arrays that it writes to")
        self._outputs.append(value)
        return Output(len(self._outputs) - 1)

    def _selected(self, leaf: SelectedResult) -> Value:
        """The one of several arrays that the program chose, as an array of its own."""
        options = [self._value_of(option) for option in leaf.options]
        if len({str(option.type) for option in options}) > 1:
            raise UnsupportedError(
                "a function of arrays in blocks returns one of several arrays as a condition decides, and these have "
                "different shapes"
            )
        with ir.InsertionPoint(self._end):
            b = OpEmitter(self._end.location)
            number = b.bitwise_and(b.value(self._end.operands[leaf.choice.position]), PLACES - 1)
            found, *others = map(b.value, options)
            for place, option in enumerate(others, 1):
                found = b.select(number.equals(place), option, found)
        return found.handle

    def _value_of(self, leaf: ComputedResult | ViewResult | ArgumentResult) -> Value:
        if isinstance(leaf, ArgumentResult):
            return self._viewed(self._entry.arguments[self._number_of(leaf.argument)], leaf)
        made = self._end.operands[leaf.position]
        return self._viewed(made, leaf) if isinstance(leaf, ViewResult) else made

    def _viewed(self, base: Value, leaf: ArgumentResult | ViewResult) -> Value:
        """A view as an array of its own."""
        with ir.InsertionPoint(self._end):
            b = OpEmitter(self._end.location)
            for step, positions in zip(leaf.path, leaf.bounds or ((),) * len(leaf.path), strict=True):
                if positions is None:
                    raise UnsupportedError("a view whose place a condition decides: return a copy")
                operands = [b.value(base), *(b.value(self._end.operands[p]) for p in positions)]
                base = b.emit(step.op_class, operands, dict(step.attributes))[0].handle
        return base


def array_of(value: Any) -> np.ndarray[Any, Any]:
    """What a function found outside of its arguments, as an array."""
    return np.asarray(getattr(value, "value", value))
