"""What each rank runs of a function over split arrays: it is traced for the whole arrays, and written for a rank."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import GatherWarning, InternalError, PartitionError
from ...dialect.held_interrupts import interrupts_held
from ...dialect.mlir import Module, Operation, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.state import ReadRef, WriteRef
from ...dialect.records import dataclass
from ...dialect.register import context, create
from ...dialect.types import RefType
from ...passes.partition.layouts import Grid, Layout
from ...passes.partition.messages import Message
from ...passes.partition.partition import annotate, partition_function
from ...passes.pipeline import run_pipeline
from ...passes.rewriting import operations_of, settle_signature, terminator
from ..artifacts.from_text import from_mlir
from ..calls.compile_lock import COMPILE_LOCK
from ..calls.traced_alone import traced_alone
from ..compiling.diagnostics import explained_at_their_place
from ..compiling.stages import optimize
from ..function import Function
from ..runtime_values.result_spec import (
    ArgumentResult,
    ComputedResult,
    Result,
    ViewResult,
    mapped,
)
from ..settings import settings
from ..signature.signature import TensorSpec
from ..source.tracebacks import places_of
from .mesh import Mesh

_STATE = (
    "{name} changes what is outside of its arguments, as an attribute or a weft.Variable, which each rank would do for "
    "itself: take it as an argument and return the new value"
)


@dataclass(frozen=True, eq=False)
class GlobalProgram:
    """A function as it was traced for whole arrays: stage "optimized"."""

    name: str
    symbol: str
    module: Module
    result: Result
    sources: tuple[int, ...]
    """For each argument of the module its place among the arrays of a call."""
    extra: list[Any]
    """What it gets besides the arguments."""
    guards: list[Any]
    names: list[str]
    written: frozenset[int]
    """The places among the arrays of a call that are written."""

    def holds(self) -> bool:
        """Whether what it was traced with is as it was."""
        return all(guard.holds() for guard in self.guards) and all(e.fetch() is not None for e in self.extra)


def traced(function: Function[..., Any], args: Any, kwargs: Any) -> GlobalProgram:
    """Trace a function for the types of arguments, and optimise it."""
    arguments = function._parameters.bind(args, kwargs)
    signature = function._signature_of(arguments)
    with traced_alone(function, signature, arguments.leaves) as (trace, recorded):
        guards, updates = [*trace.captures, *recorded.state.guards], recorded.write_back.updates
        changed = updates and updates.remaining()
        with context(), ir.Location.unknown():
            result = _with_views(trace.module, trace.symbol, recorded.result)
            written = _written(trace.module, trace.symbol, signature.position_of)
            outside = [n for n, place in written.items() if place >= len(signature.types)]
            with explained_at_their_place(trace.symbol):
                if changed or outside:
                    at = _first_write(trace.module, trace.symbol, outside)
                    raise PartitionError(_STATE.format(name=function.name), at)
                optimize(trace.module)
    count = len(signature.distinct) + len(trace.extra)
    return GlobalProgram(
        function.name,
        trace.symbol,
        trace.module,
        result,
        tuple(map(signature.position_of, range(count))),
        list(trace.extra),
        guards,
        list(arguments.names),
        frozenset(written.values()),
    )


def _function_in(module: Module, symbol: str) -> Operation:
    for view in module.body.operations:
        operation = view.operation
        if operation.name == "func.func" and operation.attributes["sym_name"].value == symbol:
            return operation
    raise InternalError(f"there is no function {symbol}")


def _written(module: Module, symbol: str, position_of: Callable[[int], int]) -> dict[int, int]:
    """The arguments of a function that it writes, with their places among the arrays of a call."""
    entry = _function_in(module, symbol).regions[0].blocks[0]
    types = [type_from_mlir(argument.type) for argument in entry.arguments]
    return {n: position_of(n) for n, found in enumerate(types) if isinstance(found, RefType)}


def _first_write(module: Module, symbol: str, arguments: Sequence[int]) -> str:
    """Where one of some arguments is written first, as MLIR writes it."""
    function = _function_in(module, symbol)
    cells = {function.regions[0].blocks[0].arguments[number] for number in arguments}
    for operation in operations_of(function):
        if operation.name == WriteRef.mlir_name() and operation.operands[0] in cells:
            return str(operation.location)
    return ""


def _with_views(module: Module, symbol: str, result: Result) -> Result:
    """Views of arguments and of results become results of their own: blocks have no views of the whole."""
    function = _function_in(module, symbol)
    end = terminator(function.regions[0].blocks[0])
    returned = list(end.operands)
    arguments = list(function.regions[0].blocks[0].arguments)

    def computed(leaf: Any) -> Any:
        if not isinstance(leaf, (ArgumentResult, ViewResult)) or not leaf.path:
            return mapped(leaf, computed)
        source = arguments[leaf.argument] if isinstance(leaf, ArgumentResult) else returned[leaf.position]
        with ir.InsertionPoint(end):
            b = OpEmitter(end.location)
            if isinstance(type_from_mlir(source.type), RefType):
                source = create(ReadRef, [source], {}, location=b.location).results[0]
            value = b.value(source)
            for number, step in enumerate(leaf.path):
                given = leaf.bounds[number] if leaf.bounds else ()
                if given is None:
                    raise PartitionError(
                        "which view of an argument is returned is known only at run time: return a copy"
                    )
                operands = [b.value(returned[position]) for position in given]
                (value,) = b.emit(step.op_class, [value, *operands], dict(step.attributes))
        returned.append(value.handle)
        return ComputedResult(len(returned) - 1, value.rank == 0)

    before = len(returned)
    found: Result = mapped(result, computed)
    if len(returned) > before:
        with ir.InsertionPoint(end):
            ir.Operation.create("func.return", operands=returned, loc=end.location)
        end.erase()
        settle_signature(function)
    return found


@dataclass(frozen=True, eq=False)
class RankProgram:
    """What one rank runs."""

    call: Function[..., Any]
    text: str
    layouts: tuple[Layout, ...]
    """How the results are split."""
    messages: tuple[Message, ...]


def program_of_rank(
    program: GlobalProgram, layouts: Sequence[Layout], grid: Grid, known: dict[str, Any]
) -> RankProgram:
    """Write the program of a rank; ranks whose programs are equal share the compiled function."""
    with COMPILE_LOCK, interrupts_held(), context(), ir.Location.unknown():
        module = ir.Module.parse(program.module.operation.get_asm(enable_debug_info=True))
        function = _function_in(module, program.symbol)
        with explained_at_their_place(program.name):
            made = partition_function(function, layouts, grid)
            run_pipeline(module, "builtin.module(weft-fold,cse,weft-simplify)", verify=settings.verify)
        text = module.operation.get_asm(enable_debug_info=True)
        annotate(function, layouts, made.results)
        shown = module.operation.get_asm(enable_debug_info=True)
    if text not in known:
        known[text] = from_mlir(text, program.symbol)
    return RankProgram(known[text], shown, made.results, made.messages)


def warn_of_gathers(messages: Sequence[Message]) -> None:
    """Say at the user's lines which whole arrays are gathered on every rank."""
    told: set[tuple[str, str]] = set()
    for message in messages:
        if not message.reason or (message.location, message.reason) in told:
            continue
        told.add((message.location, message.reason))
        often = ", in each iteration" if message.in_loop else ""
        text = (
            f"{message.reason}: {message.bytes:,} bytes are gathered on every rank{often}; split arrays along other "
            "axes, or write the line so that it works along axes that are not split"
        )
        places = places_of(message.location)
        if places:
            warnings.warn_explicit(text, GatherWarning, places[0].file, places[0].line)
        else:
            warnings.warn(text, GatherWarning, stacklevel=4)


def digest_of(program: GlobalProgram, layouts: Sequence[Layout]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What is the same on all ranks that run the same program on arrays that are split alike."""
    text = program.module.operation.get_asm() + repr(layouts)
    return np.frombuffer(hashlib.sha256(text.encode()).digest(), np.int64)


def specs_in_place_of(value: Any) -> TensorSpec:
    """What an array is traced as."""
    return TensorSpec(value.shape, value.dtype)


def grid_of(mesh: Mesh, rank: int) -> Grid:
    """The mesh as the pass sees it from a rank."""
    places = mesh.coordinates(rank)
    return Grid(mesh.axis_names, tuple(mesh.shape.values()), tuple(places[name] for name in mesh.axis_names))
