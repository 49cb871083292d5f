"""How a compiled function is made again of what the disk cache holds of it, if all that it depends on is the same.

A file holds the data of what the program read of Python's state, the handles by which it is read, and the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...passes.timing import CompileTimes
from ..compiling.program import Program, Recording
from .fingerprints import Fingerprints
from .portable import Data, Elsewhere
from .state import sharing
from .stored_handles import Paths
from .unpickling import unpickled


def program_from(
    function: Callable[..., Any], constants: Sequence[Any], data: Data, recording: Callable[[], Recording]
) -> Program:
    """The program of data; raises Elsewhere where something that it depends on is not what it was."""
    (values, pattern), handles, content = data
    fingerprints = Fingerprints()
    paths = Paths(function, constants, fingerprints)
    reads = unpickled(handles, paths)
    for read, expected in zip(reads, values, strict=True):
        if read.data(fingerprints) != expected:
            raise Elsewhere(f"{read.handle.name} is another one")
    if sharing(reads, constants) != pattern:
        raise Elsewhere("objects that are no longer the same")
    program, errors = unpickled(content, paths)
    if not all(capture.holds() for capture in program.captures):
        raise Elsewhere("another array")
    if errors:
        from ..source.tracebacks import remember  # which many programs do without
    for place in errors:
        remember(place)
    made: Program = program._replace(recording=recording, times=CompileTimes())
    return made
