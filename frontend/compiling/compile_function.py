"""A function is traced, optimised and compiled for one signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...backend.compiler import machine_code
from ...backend.gpu.devices.names import device_number
from ...backend.gpu.devices.on_device import OnDevice, memory_of
from ...backend.gpu.devices.targets import target_of
from ...backend.planning.debug_info import mark_debugged
from ...backend.planning.packed_layout import CONSTANT_ARGUMENTS
from ...backend.planning.plan import MachineCode
from ...dialect.errors import WeftValueError
from ...dialect.mlir import Module, ir
from ...dialect.register import context
from ...passes.differentiation.memory import DEFAULT_MEMORY, MEMORY
from ...passes.notes import Note, noting
from ...passes.timing import CompileTimes, phase
from ..guards.captures import Capture
from ..guards.dependencies import Dependencies
from ..guards.guards import Guard
from ..guards.inputs import Decisions
from ..guards.packed_inputs import PackedInput, is_constant
from ..python_state.state import PythonState
from ..settings import settings
from ..signature.layout_keys import LayoutKey, layout_key, row_major_key
from ..tracing.trace import Trace
from .array_behaviour import install_behaviour
from .code_by_text import code_by_text
from .diagnostics import explained_at_their_place
from .program import CallSignature, Program, Recording
from .record_function import record_function
from .stages import optimize, to_linalg

install_behaviour()


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
        with phase("trace"), noting([]) as notes:
            trace, recorded = record_function(function, convert, signature, leaves, decisions)
        device = _device(trace, signature)
        if device != signature.device:
            target = target_of(device)
        with context(), ir.Location.unknown():
            _mark_constants(trace)
            _mark_memory(trace)
            traced = trace.module.operation.clone()
            written = _written_arguments(trace.module, trace.symbol, signature.position_of)
            _require_written_as_data(
                trace, recorded.state, [leaves[place] for place in written if place < len(leaves)]
            )
            dtypes = [type.dtype for type in recorded.computed_types]
            make = partial(code_of, trace.module, trace.symbol, target, dtypes)
            is_looked_up = trace.dependencies.reason is None
            code = make() if is_looked_up else code_by_text(trace.module, trace.symbol, target, dtypes, make)
    state, updates = recorded.state, recorded.write_back.updates
    guards, shared, has_inputs, stores_early = (
        state.guards,
        state.shared,
        bool(state.inputs),
        state.stores_early,
    )
    layouts = _layouts(trace, signature, leaves)  # of arrays that are forgotten now
    state.forget()
    _drop_gone(guards)
    updates = updates and updates.remaining()
    types = recorded.computed_types
    recording = Recording(
        traced, trace.symbol, target, recorded.portable_result, types, list(trace.extra), updates
    )
    program = Program(
        code,
        trace.callbacks,
        lambda: recording,
        recorded.result,
        recorded.computed_types,
        [*trace.extra, *_packed_inputs(trace, code)],
        written,
        layouts,
        shared,
        trace.captures,
        guards,
        updates and updates.apply,
        stores_early,
        has_inputs,
        times,
        device,
        tuple(dict.fromkeys(notes)),
    )
    return program, trace.dependencies


def _drop_gone(guards: list[Guard]) -> None:
    """Drop what is in objects that the trace itself has made, which are gone with it; some keep others alive."""
    while gone := [number for number, guard in enumerate(guards) if guard.is_gone()]:
        for number in reversed(gone):
            del guards[number]


def code_of(module: Module, symbol: str, target: str, dtypes: Sequence[np.dtype[Any]]) -> MachineCode:
    """The machine code of a recorded function, with the dtypes of its results; the module is used up."""
    with explained_at_their_place(symbol):
        optimize(module)
        to_linalg(module)
        return machine_code(module, symbol, target, result_dtypes=dtypes, verify=settings.verify)


def decisions_of_code(recording: Recording) -> list[Note]:
    """What is decided when machine code is made of a recording: it is made once more, to be listened to."""
    with context(), ir.Location.unknown(), noting([]) as notes:
        module = ir.Module.parse(recording.module.get_asm(enable_debug_info=True))
        mark_debugged(module, True)  # what LLVM makes of loops is told by their lines
        optimize(module)
        to_linalg(module)
        machine_code(module, recording.symbol, recording.target)
    return notes


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


def _require_written_as_data(trace: Trace, state: PythonState, written: Sequence[Any]) -> None:
    """Begin again where elements of an argument that is written were compiled in, as a name outside has it, too."""
    for capture in trace.captures:
        if any(capture.array is argument for argument in written):
            state.require_data(capture.array, "the function writes to it")


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
