"""A compiled function as data: what is written to the disk cache, and how a program is made of it again."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from ...passes.timing import CompileTimes
from ..dependencies import Dependencies
from ..packed_inputs import PackedInput
from ..program import Program
from ..tracebacks import places_of, recall
from .closures import ClosureReader, ClosureWriter
from .fingerprints import Fingerprints
from .generated import is_library
from .guards import GuardReader, GuardWriter, inside, sharing
from .module_reads import module_reads
from .parts import code_data, code_from, type_data, type_from
from .places import ModuleAttribute, Places
from .portable import Data, NotPortable
from .purity import why_impure
from .set_order import Tests, makes_sets


def program_data(
    function: Callable[..., Any], constants: Sequence[Any], program: Program, dependencies: Dependencies
) -> Data:
    """A program as data, for a function and the constants among its arguments.

    Raises NotPortable, which says why another process could not run it as this one does.
    """
    _require_known(dependencies)
    fingerprints = Fingerprints(Tests(dependencies.functions).only_test)
    fingerprints.root(function)
    for constant in constants:
        fingerprints.of(constant)
    places = Places(function, constants)
    writer = GuardWriter(places, fingerprints)
    read = _module_attributes(dependencies)
    for handle in read:
        for place, value in inside(handle, handle.get()):
            writer.note(place, value)
    writer.reach(program.guards)
    attributes = tuple((places.describe(handle), _attribute_data(fingerprints, handle)) for handle in read)
    guards = [writer.guard(guard) for guard in program.guards]
    unseen = [f for f in dependencies.functions if id(f.__code__) not in fingerprints.codes]
    if unseen:
        raise NotPortable(f"{unseen[0].__qualname__}, which is not found under a name")
    closures = ClosureWriter(places, fingerprints)
    data = (
        (attributes, sharing(program.guards, read, constants)),
        tuple(guards),
        (
            code_data(program.code),
            closures.results.result_data(program.result),
            tuple(map(type_data, program.computed_types)),
            tuple(
                writer.extra(found, program.captures)
                for found in program.extra
                if not isinstance(found, PackedInput)
            ),
            tuple(sorted(program.written)),
            tuple((places.describe(handle), position) for handle, position in program.shared),
            tuple(map(writer.capture, program.captures)),
            (closures.data(program.write_back), program.stores_early, program.has_inputs),
            tuple(map(closures.data, program.callbacks)),
            _error_places(program),
        ),
    )
    program_from(function, constants, data, program.text)  # it must be possible to make it again
    return data


def _require_known(dependencies: Dependencies) -> None:
    """Raise NotPortable where a trace did what data cannot tell."""
    if dependencies.reason is not None:
        raise NotPortable(dependencies.reason)
    for called, takes_functions in dependencies.calls.values():
        reason = why_impure(called, takes_functions)
        if reason is not None:
            raise NotPortable(reason)
    if dependencies.has_sets or any(makes_sets(function.__code__) for function in dependencies.functions):
        raise NotPortable("the order of a set, which is another one in each process")


def _module_attributes(dependencies: Dependencies) -> list[ModuleAttribute]:
    """What was read of modules, but for our own."""
    read = [ModuleAttribute(module, name) for module, name in dependencies.attributes.values()]
    read += [handle for function in dependencies.functions for handle in module_reads(function)]
    places = {(handle.module.__name__, handle.attribute): handle for handle in read if not handle.is_own}
    return [handle for _, handle in sorted(places.items())]


def _attribute_data(fingerprints: Fingerprints, handle: ModuleAttribute) -> Data:
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


def _error_places(program: Program) -> Data:
    """The places of the user's program that errors are raised at, with their ends."""
    sites = program.code.plan.sites
    return tuple(tuple(place) for site in sites for place in places_of(site.location))


def program_from(
    function: Callable[..., Any], constants: Sequence[Any], data: Data, text: Callable[[str], str]
) -> Program:
    """The program of data; raises NotPortable where something that it depends on is not what it was."""
    (
        (attributes, pattern),
        guards_data,
        (code, result, types, extra, written, shared, captures_data, state, callbacks, errors),
    ) = data
    places = Places(function, constants)
    fingerprints = Fingerprints()
    reader = GuardReader(places, fingerprints)
    read = [places.find(path) for path, _ in attributes]
    for handle, (_, expected) in zip(read, attributes, strict=True):
        if not isinstance(handle, ModuleAttribute) or _attribute_data(fingerprints, handle) != expected:
            raise NotPortable("another value in a module")
    guards = [guard for guard_data in guards_data for guard in reader.guard(guard_data)]
    captures = [reader.capture(capture) for capture in captures_data]
    if sharing(guards, read, constants) != pattern:
        raise NotPortable("objects that are no longer the same")
    closures = ClosureReader(places, fingerprints)
    write_back, stores_early, has_inputs = state
    found = [reader.extra(one, captures) for one in extra]
    machine_code = code_from(code)
    plan = machine_code.plan
    first = len(plan.inputs) - len(plan.packed) - len(found)
    packed = [PackedInput(found[argument - first], layout) for argument, layout in plan.packed]
    recall(errors)
    return Program(
        machine_code,
        tuple(map(closures.value, callbacks)),
        text,
        closures.results.result_from(result),
        [type_from(type) for type in types],
        [*found, *packed],
        frozenset(written),
        [(places.find(path), position) for path, position in shared],
        [capture for capture in captures if capture is not None],
        guards,
        closures.value(write_back),
        stores_early,
        has_inputs,
        CompileTimes(),
    )


__all__ = ["program_data", "program_from"]
