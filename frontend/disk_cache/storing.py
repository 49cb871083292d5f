"""A compiled function as data that another process can use: what is written to the disk cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..compiling.program import Program
from ..guards.dependencies import Dependencies
from ..guards.packed_inputs import PackedInput
from ..source.tracebacks import places_of
from .closures import ClosureWriter
from .fingerprints import Fingerprints
from .guards import GuardWriter, inside, sharing
from .module_reads import module_reads
from .parts import code_data, type_data
from .portable import Data, NotPortable
from .programs import attribute_data, program_from
from .purity import why_impure
from .set_order import Tests, makes_sets
from .stored_handles import ModuleAttribute, Places


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
    attributes = tuple((places.describe(handle), attribute_data(fingerprints, handle)) for handle in read)
    guards = [writer.guard(guard) for guard in program.guards]
    unseen = [f for f in dependencies.functions if id(f.__code__) not in fingerprints.codes]
    if unseen:
        raise NotPortable(f"{unseen[0].__qualname__}, which is not found under a name")
    closures = ClosureWriter(places, fingerprints)
    result = closures.results.result_data(program.result)
    made: Data = (closures.data(program.write_back), tuple(map(closures.data, program.callbacks)))
    if program.write_back is None and not program.callbacks and not closures.made_functions:
        made = None
    data = (
        (attributes, sharing(program.guards, read, constants)),
        tuple(guards),
        (
            code_data(program.code),
            result,
            tuple(map(type_data, program.computed_types)),
            tuple(
                writer.extra(found, program.captures)
                for found in program.extra
                if not isinstance(found, PackedInput)
            ),
            tuple(sorted(program.written)),
            tuple((places.describe(handle), position) for handle, position in program.shared),
            tuple(map(writer.capture, program.captures)),
            program.stores_early,
            program.has_inputs,
            made,
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


def _error_places(program: Program) -> Data:
    """The places of the user's program that errors are raised at, with their ends."""
    sites = program.code.plan.sites
    return tuple(tuple(place) for site in sites for place in places_of(site.location))


__all__ = ["program_data"]
