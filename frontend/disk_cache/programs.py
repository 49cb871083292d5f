"""How a compiled function is made again of what the disk cache holds of it, if all that it depends on is the same."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from ...passes.timing import CompileTimes
from ..compiling.program import Program
from ..guards.packed_inputs import PackedInput
from ..source.tracebacks import recall
from .fingerprints import Fingerprints
from .generated import is_library
from .guards import GuardReader, sharing
from .parts import Results, code_from, type_from
from .portable import Data, NotPortable
from .stored_handles import ModuleAttribute, Places


def attribute_data(fingerprints: Fingerprints, handle: ModuleAttribute) -> Data:
    """What an attribute of a module is; an object of a library by its class, as it is made anew in each process."""
    value = handle.get()
    try:
        return fingerprints.named(handle.attribute, value)
    except NotPortable:
        kind = type(value)
        if isinstance(value, io.TextIOBase) and handle.name in _STREAMS:
            return ("stream", kind.__module__, kind.__qualname__, value.encoding, value.isatty())
        if not handle.is_known or not is_library(kind.__module__):
            raise
        return ("of a library", kind.__module__, kind.__qualname__)


_STREAMS = ("sys.stdout", "sys.stderr")
"""What prints write to when they run."""


def program_from(
    function: Callable[..., Any], constants: Sequence[Any], data: Data, text: Callable[[str], str]
) -> Program:
    """The program of data; raises NotPortable where something that it depends on is not what it was."""
    (
        (attributes, pattern),
        guards_data,
        (code, result, types, extra, written, shared, captures_data, stores_early, has_inputs, made, errors),
    ) = data
    places = Places(function, constants)
    fingerprints = Fingerprints()
    reader = GuardReader(places, fingerprints)
    read = [places.find(path) for path, _ in attributes]
    for handle, (_, expected) in zip(read, attributes, strict=True):
        if not isinstance(handle, ModuleAttribute) or attribute_data(fingerprints, handle) != expected:
            raise NotPortable("another value in a module")
    guards = [guard for guard_data in guards_data for guard in reader.guard(guard_data)]
    captures = [reader.capture(capture) for capture in captures_data]
    if sharing(guards, read, constants) != pattern:
        raise NotPortable("objects that are no longer the same")
    results, write_back, callbacks = _functions_from(made, places, fingerprints)
    found = [reader.extra(one, captures) for one in extra]
    machine_code = code_from(code)
    plan = machine_code.plan
    first = len(plan.inputs) - len(plan.packed) - len(found)
    packed = [PackedInput(found[argument - first], layout) for argument, layout in plan.packed]
    recall(errors)
    return Program(
        machine_code,
        callbacks,
        text,
        results.result_from(result),
        [type_from(type) for type in types],
        [*found, *packed],
        frozenset(written),
        [(places.find(path), position) for path, position in shared],
        [capture for capture in captures if capture is not None],
        guards,
        write_back,
        stores_early,
        has_inputs,
        CompileTimes(),
    )


def _functions_from(made: Data, places: Places, fingerprints: Fingerprints) -> tuple[Results, Any, Any]:
    """What makes results, what changes Python's state, and the functions that are called."""
    if made is None:
        return Results(fingerprints), None, ()
    from .closures import ClosureReader  # most programs need none, and what it imports takes long

    closures = ClosureReader(places, fingerprints)
    write_back, callbacks = made
    return closures.results, closures.value(write_back), tuple(map(closures.value, callbacks))


__all__ = ["attribute_data", "program_from"]
