"""A function is traced, optimised and compiled for one signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend.compiler import machine_code
from ...backend.gpu.devices.names import device_number
from ...backend.gpu.devices.on_device import ARRAYS, OnDevice, memory_of
from ...backend.gpu.devices.targets import target_of
from ...backend.planning.packed_layout import CONSTANT_ARGUMENTS
from ...backend.planning.plan import MachineCode
from ...dialect.errors import TraceRecursionError, UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.mlir import Module, ir
from ...dialect.records import dataclass
from ...dialect.register import context
from ...dialect.types import TensorType
from ...passes.differentiation.memory import DEFAULT_MEMORY, MEMORY
from ...passes.timing import CompileTimes, phase
from ..autograph.operators.branches import diverging
from ..autograph.operators.lists.kept_items import require_unchanged
from ..autograph.operators.values.resolve_grown_lists import resolve_grown_lists
from ..guards.captures import Capture
from ..guards.dependencies import Dependencies
from ..guards.inputs import Decisions
from ..guards.packed_inputs import PackedInput, is_constant
from ..python_state.early_stores import StoringState
from ..python_state.generators import DRAWN_WHILE_TRACING, state_of_functions
from ..python_state.state import PythonState
from ..python_state.updates import copies_in
from ..python_state.write_back import WriteBack
from ..runtime_values.outputs import Outputs
from ..runtime_values.result_spec import Result
from ..runtime_values.values import holds_traced
from ..settings import settings
from ..signature.layout_keys import LayoutKey, layout_key, row_major_key
from ..signature.signature import signature_of, unflatten
from ..tracing.array import USE_WEFT_ARRAYS
from ..tracing.current import set_current_trace
from ..tracing.layouts import layout_of, row_major
from ..tracing.recorder import ItemChanged
from ..tracing.trace import Trace
from .array_behaviour import install_behaviour
from .diagnostics import explain, explained_at_their_place
from .program import CallSignature, Program
from .stages import optimize, stage_text, to_linalg

install_behaviour()


@dataclass(frozen=True)
class Recorded:
    """What tracing found besides the ops."""

    result: Result
    write_back: WriteBack
    computed_types: list[TensorType]
    state: PythonState


def compile_function(
    function: Callable[..., Any],
    convert: Callable[[], Callable[..., Any]],
    signature: CallSignature,
    leaves: Sequence[Any],
    decisions: Decisions,
) -> tuple[Program, Dependencies]:
    """Compile a function for a signature; `leaves` are arguments that have it, or specs.

    Tells also what the trace depends on.
    """
    times = CompileTimes()
    target = settings.target
    with times.recording():
        with phase("trace"):
            trace, recorded = _recorded(function, convert, signature, leaves, decisions)
        device = _device(trace, signature)
        if device != signature.device:
            target = target_of(device)
        with context(), ir.Location.unknown():
            _mark_constants(trace)
            _mark_memory(trace)
            traced = trace.module.operation.clone()
            written = _written_arguments(trace.module, trace.symbol, signature.position_of)
            code = code_of(trace.module, trace.symbol, target, [t.dtype for t in recorded.computed_types])
    state = recorded.state
    program = Program(
        code,
        trace.callbacks,
        lambda stage: stage_text(traced, stage, target),
        recorded.result,
        recorded.computed_types,
        [*trace.extra, *_packed_inputs(trace, code)],
        written,
        _layouts(trace, signature, leaves),
        state.shared,
        trace.captures,
        [guard for guard in state.guards if not guard.is_gone()],
        recorded.write_back.updates and recorded.write_back.updates.apply,
        state.stores_early,
        bool(state.inputs),
        times,
        device,
    )
    state.forget()
    return program, trace.dependencies


def code_of(module: Module, symbol: str, target: str, dtypes: Sequence[np.dtype[Any]]) -> MachineCode:
    """The machine code of a recorded function, with the dtypes of its results; the module is used up."""
    with explained_at_their_place():
        optimize(module)
    to_linalg(module)
    return machine_code(module, symbol, target, result_dtypes=dtypes, verify=settings.verify)


def _device(trace: Trace, signature: CallSignature) -> str | None:
    """The GPU on which the arrays are that the function found outside of its arguments; else that of the call."""
    device = signature.device
    for extra in trace.extra:
        found = extra.array if isinstance(extra, Capture) else extra.value
        if not isinstance(found, OnDevice):
            continue
        trace.dependencies.refuse("an array on a device")
        if device is not None and device_number(device) != device_number(found.device):
            raise WeftValueError(
                f"{signature.name} uses {extra.name}, which lies on {found.device}, and runs on {device}, where its "
                f"other arrays are; copy one with weft.device_put"
            )
        device = device or found.device
    return device


def _layouts(trace: Trace, signature: CallSignature, leaves: Sequence[Any]) -> list[tuple[int, LayoutKey]]:
    """The arrays of a call, by their positions, that have to lie in memory in one way, and in which."""
    first = len(trace.arguments)
    found = []
    for argument in sorted(trace.layouts_used):
        position = signature.position_of(argument)
        array = memory_of(trace.extra[argument - first].value if argument >= first else leaves[position])
        found.append(
            (
                position,
                layout_key(array)
                if isinstance(array, np.ndarray)
                else row_major_key(signature.types[position].rank),
            )
        )
    return found


def _mark_constants(trace: Trace) -> None:
    """Tell which arguments of the function are arrays from outside that cannot change."""
    first = len(trace.arguments)
    values = (extra.array if isinstance(extra, Capture) else extra.value for extra in trace.extra)
    constants = [first + number for number, value in enumerate(values) if is_constant(value)]
    if constants:
        trace.function.attributes[CONSTANT_ARGUMENTS] = ir.DenseI64ArrayAttr.get(constants)


def _mark_memory(trace: Trace) -> None:
    """Let the module say what gradients may keep, where that is not what it always is."""
    if settings.gradient_memory != DEFAULT_MEMORY:
        number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), settings.gradient_memory)
        trace.module.operation.attributes[MEMORY] = number


def _packed_inputs(trace: Trace, code: MachineCode) -> list[PackedInput]:
    """The further arguments that the compiled function takes: packed copies of constants."""
    first = len(trace.arguments)
    return [PackedInput(trace.extra[argument - first], layout) for argument, layout in code.plan.packed]


def _written_arguments(module: Any, symbol: str, position_of: Callable[[int], int]) -> frozenset[int]:
    """The positions among the arrays of a call that the program writes to, be it what is there already."""
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    function = next(op for op in functions if op.name.value == symbol)
    entry = function.regions[0].blocks[0]
    return frozenset(
        position_of(i)
        for i in range(len(list(entry.arguments)))
        if not isinstance(entry.arguments[i].type, ir.RankedTensorType)
    )


def _recorded(
    function: Callable[..., Any],
    convert: Callable[[], Callable[..., Any]],
    signature: CallSignature,
    leaves: Sequence[Any],
    decisions: Decisions,
) -> tuple[Trace, Recorded]:
    """Trace the function; again when items of lists turn out to be changed that were taken for values."""
    while True:
        try:
            return _record(function, convert, signature, leaves, decisions)
        except ItemChanged as change:
            decisions.own_items |= {change.is_array}


def _record(
    function: Callable[..., Any],
    convert: Callable[[], Callable[..., Any]],
    signature: CallSignature,
    leaves: Sequence[Any],
    decisions: Decisions,
) -> tuple[Trace, Recorded]:
    """Trace the user's function on traced arrays and note how its results are to be made."""
    types = [signature.types[i] for i in signature.distinct]
    names = [signature.names[i] for i in signature.distinct]
    position = {argument: place for place, argument in enumerate(signature.distinct)}
    scalars = {position[argument] for argument in signature.distinct if argument in signature.scalars}
    layouts = [
        layout_of(leaf, frozenset([place]))
        if isinstance(leaf, np.ndarray)
        else row_major(types[place].rank, frozenset([place]))
        for place, leaf in enumerate(memory_of(leaves[argument]) for argument in signature.distinct)
    ]
    code = getattr(function, "__code__", None)
    place = ("", 0) if code is None else (code.co_filename, code.co_firstlineno)
    trace = Trace(signature.name, types, names, scalars, layouts, place)
    trace.own_items = decisions.own_items
    for argument, number in signature.numbers.items():
        trace.make_number(position[argument], number, argument)
    args, kwargs = unflatten(signature.structure, lambda i: trace.arguments[position[signature.aliases[i]]])
    known = [
        (leaf, trace.arguments[position[first]], first)
        for leaf, first in zip(leaves, signature.aliases, strict=True)
        if isinstance(leaf, ARRAYS)
    ]
    bound = (args, kwargs)
    state = trace.python_state = StoringState(
        trace, bound, copies_in(bound), known, _named(function, bound), decisions
    )
    previous = set_current_trace(trace)
    try:
        state.meet_callable(function)
        state.replace_numbers()
        traced = convert()
        if traced is function:
            state.meet_plain(function)
            trace.dependencies.refuse(f"{signature.name}, which is traced as it is")
        before = state_of_functions() if traced is function else None
        returned = resolve_grown_lists(trace, _returned(trace, traced, args, kwargs))
        if before is not None and state_of_functions() != before:
            raise UnsupportedError(DRAWN_WHILE_TRACING)
        outputs = Outputs(trace, signature.position_of)
        write_back = WriteBack(state, outputs)
        recorded = Recorded(outputs.collect(returned), write_back, outputs.types, state)
        require_unchanged(trace)
        state.settle()
    except RecursionError as error:
        raised = TraceRecursionError(
            f"{signature.name} recursed without end while it was traced: Python decides when to stop, so the "
            "condition must not depend on traced arrays; write a loop, or pass the depth as a Python int"
        ).with_traceback(error.__traceback__)
        explain(raised)
        raise raised from None
    except Exception as error:
        if isinstance(error.__cause__, WeftTypeError):
            # NumPy asked a traced array for its value and hides our answer behind a message of its own.
            error.__cause__.args = (f"{error} {error.__cause__}; {USE_WEFT_ARRAYS}",)
            explained = error.__cause__.with_traceback(error.__traceback__)
            explain(explained)
            raise explained from None
        explain(error)
        raise
    finally:
        decisions.has_data = bool(trace.extra)
        state.restore()
        set_current_trace(previous)
        trace.active = False
    trace.finish(outputs.values)
    return trace, recorded


def _named(function: Callable[..., Any], bound: Any) -> list[tuple[str, Any]]:
    """The arguments with the names of their parameters."""
    args, kwargs = bound
    parameters = signature_of(function).parameters
    return [*zip(parameters, args, strict=False), *kwargs.items()]


def _returned(trace: Trace, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What the user's function returns; None where it always raises when it runs."""
    try:
        return _run_user_function(function, args, kwargs)
    except diverging.Diverged:
        return None
    except (Exception, SystemExit) as error:
        state = trace.python_state
        does_something = (
            trace.has_effects or holds_traced(error, depth=3) or bool(state and state.has_changed())
        )
        if diverging.refuses(error) or isinstance(error.__cause__, WeftTypeError) or not does_something:
            raise
        diverging.require_own(trace, error)
        diverging.record_raise(trace, error)  # after what the call does before
        return None


def _run_user_function(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call the user's function; frames above this one belong to the caller (see `locations.TRACE_ENTRY`)."""
    return function(*args, **kwargs)


__all__ = ["Recorded", "compile_function"]
