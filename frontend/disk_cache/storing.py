"""A compiled function as data that another process can use: what is written to the disk cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..compiling.program import Program
from ..guards.dependencies import Dependencies
from ..guards.set_order import ORDER_OF_SETS
from ..source.tracebacks import places_of
from .fingerprints import Fingerprints
from .module_reads import module_reads
from .pickling import pickled
from .portable import Data, NotPortable
from .programs import program_from
from .set_order import Tests, makes_sets
from .state import Read, reads_of, sharing
from .stored_handles import ModuleAttribute, Paths


def program_data(
    function: Callable[..., Any], constants: Sequence[Any], program: Program, dependencies: Dependencies
) -> Data:
    """A program as data, for a function and the constants among its arguments.

    Raises NotPortable, which says why another process could not run it as this one does.
    """
    _require_known(dependencies)
    if not all(guard.holds() for guard in program.guards):
        raise NotPortable("state that changes while it is traced")
    fingerprints = Fingerprints(Tests(dependencies.functions).only_test)
    fingerprints.root(function)
    for constant in constants:
        fingerprints.of(constant)
    paths = Paths(function, constants, fingerprints)
    reads = [*map(Read, _module_attributes(dependencies)), *reads_of(program.guards)]
    while sum(paths.note(handle, value) for read in reads for handle, value in read.contents()):
        pass  # what was found leads to more
    values = tuple(read.data(fingerprints) for read in reads)
    unseen = [f for f in dependencies.functions if id(f.__code__) not in fingerprints.codes]
    if unseen:
        raise NotPortable(f"{unseen[0].__qualname__}, which is not found under a name")
    captures = [
        capture
        for capture in program.captures
        if capture.content is None or paths.known_path(capture.array) is not None  # others cannot change
    ]
    portable = program._replace(captures=captures, recording=None, times=None)  # type: ignore[arg-type]
    code = program.code
    told = [part.location for part in (*code.plan.sites, *code.host_kernels)]
    errors = [place for location in told for place in places_of(location)]
    handles, content = pickled(reads, paths), pickled((portable, errors), paths)
    data = (values, sharing(reads, constants)), handles, content
    program_from(function, constants, data, program.recording)  # it must be possible to make it again
    return data


def _require_known(dependencies: Dependencies) -> None:
    """Raise NotPortable where a trace did what data cannot tell."""
    if dependencies.reason is not None:
        raise NotPortable(dependencies.reason)
    if any(makes_sets(function.__code__) for function in dependencies.functions):
        raise NotPortable(ORDER_OF_SETS)


def _module_attributes(dependencies: Dependencies) -> list[ModuleAttribute]:
    """What was read of modules, but for our own."""
    read = [ModuleAttribute(module, name) for module, name in dependencies.attributes.values()]
    read += [handle for function in dependencies.functions for handle in module_reads(function)]
    handles = {handle.name: handle for handle in read if not handle.is_own}
    return [handle for _, handle in sorted(handles.items())]
