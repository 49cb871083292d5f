"""A compiled function as data: what is written to the disk cache, and how a program is made of it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...passes.timing import CompileTimes
from ..dependencies import Dependencies
from ..packed_inputs import PackedInput
from ..program import Program
from ..tracebacks import places_of, recall
from .fingerprints import Data, Fingerprints, NotPortable
from .guards import GuardReader, GuardWriter, inside
from .module_reads import is_pure, module_reads
from .parts import Results, code_data, code_from, type_data, type_from
from .places import ModuleAttribute, Places
from .purity import why_impure


def program_data(function: Callable[..., Any], program: Program, dependencies: Dependencies) -> Data:
    """A program as data; raises NotPortable, which says why another process could not run it as this one does."""
    if dependencies.reason is not None:
        raise NotPortable(dependencies.reason)
    if program.callbacks:
        raise NotPortable("calls of Python")
    if program.write_back is not None or program.stores_early:
        raise NotPortable("changes of Python's state")
    for called, takes_functions in dependencies.calls.values():
        reason = why_impure(called, takes_functions)
        if reason is not None:
            raise NotPortable(reason)
    fingerprints = Fingerprints()
    fingerprints.of(function)
    places = Places(function)
    writer = GuardWriter(places, fingerprints)
    read = _module_attributes(dependencies)
    for handle in read:
        for place, value in inside(handle, handle.get()):
            writer.note(place, value)
    attributes = tuple((places.describe(handle), fingerprints.of(handle.get())) for handle in read)
    for guard in program.guards:
        writer.reach(guard)
    guards = [writer.guard(guard) for guard in program.guards]
    unseen = [f for f in dependencies.functions if id(f.__code__) not in fingerprints.codes]
    if unseen:
        raise NotPortable(f"{unseen[0].__qualname__}, which is not found under a name")
    results = Results(fingerprints)
    return (
        attributes,
        tuple(guards),
        (
            code_data(program.code),
            results.result_data(program.result),
            tuple(map(type_data, program.computed_types)),
            tuple(
                writer.extra(found, program.captures)
                for found in program.extra
                if not isinstance(found, PackedInput)
            ),
            tuple(sorted(program.written)),
            tuple((places.describe(handle), position) for handle, position in program.shared),
            tuple(map(writer.capture, program.captures)),
            program.has_inputs,
            _error_places(program),
        ),
    )


def _module_attributes(dependencies: Dependencies) -> list[ModuleAttribute]:
    """What was read of modules."""
    read = [ModuleAttribute(module, name) for module, name in dependencies.attributes.values()]
    read = [handle for handle in read if not is_pure(handle.module.__name__)]
    read += [handle for function in dependencies.functions for handle in module_reads(function)]
    places = {(handle.module.__name__, handle.attribute): handle for handle in read}
    return [handle for _, handle in sorted(places.items())]


def _error_places(program: Program) -> Data:
    """The places of the user's program that errors are raised at, with their ends."""
    sites = program.code.plan.sites
    return tuple(tuple(place) for site in sites for place in places_of(site.location))


def program_from(function: Callable[..., Any], data: Data, text: Callable[[str], str]) -> Program:
    """The program of data; raises NotPortable where something that it depends on is not what it was."""
    (
        attributes,
        guards_data,
        (code, result, types, extra, written, shared, captures_data, has_inputs, errors),
    ) = data
    places = Places(function)
    reader = GuardReader(places)
    fingerprints = Fingerprints()
    for path, expected in attributes:
        if fingerprints.of(places.find(path).get()) != expected:
            raise NotPortable("another value in a module")
    guards = [guard for guard_data in guards_data for guard in reader.guard(guard_data)]
    captures = [reader.capture(capture) for capture in captures_data]
    found = [reader.extra(one, captures) for one in extra]
    machine_code = code_from(code)
    plan = machine_code.plan
    first = len(plan.inputs) - len(plan.packed) - len(found)
    packed = [PackedInput(found[argument - first], layout) for argument, layout in plan.packed]
    recall(errors)
    return Program(
        machine_code,
        (),
        text,
        Results(fingerprints).result_from(result),
        [type_from(type) for type in types],
        [*found, *packed],
        frozenset(written),
        [(places.find(path), position) for path, position in shared],
        [capture for capture in captures if capture is not None],
        guards,
        None,
        False,
        has_inputs,
        CompileTimes(),
    )


__all__ = ["program_data", "program_from"]
