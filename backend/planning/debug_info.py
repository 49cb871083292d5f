"""Whether debuggers and profilers are to know the lines of a program: an attribute of its module."""

from __future__ import annotations

from ...dialect.mlir import Location, Module, ir
from ...passes.rewriting import blocks_of, operations_of

DEBUG_INFO = "weft.debug_info"


def mark_debugged(module: Module, is_wanted: bool) -> None:
    """Let the backend keep the lines of a module, if that is wanted."""
    if is_wanted:
        module.operation.attributes[DEBUG_INFO] = ir.UnitAttr.get(module.operation.context)


def is_debugged(module: Module) -> bool:
    """Whether the lines of a module are kept."""
    return DEBUG_INFO in module.operation.attributes


def locate_calls(module: Module) -> None:
    """Give calls that come from no line the place of the function that they are in.

    LLVM refuses a call without a place of a function that has one, and ends the process.
    """
    for function in operations_of(module.operation):
        if function.name != "llvm.func":
            continue
        place = function.location
        if not isinstance(place, ir.FileLineColLoc):
            place = ir.Location.file(NO_FILE, 1, 0)
        for block in blocks_of(function):
            for inner in block.operations:
                call = inner.operation
                if call.name in _CALLS and not _has_line(call.location):
                    call.location = place


def _has_line(location: Location) -> bool:
    """Whether a location leads to a line of a file."""
    if isinstance(location, ir.CallSiteLoc):
        return _has_line(location.callee)
    if isinstance(location, ir.FusedLoc):
        return any(map(_has_line, location.locations))
    if isinstance(location, ir.NameLoc):
        return _has_line(location.child_loc)
    return isinstance(location, ir.FileLineColLoc)


_CALLS = ("llvm.call", "llvm.invoke")

NO_FILE = "<unknown>"
"""What debug information calls the file of what comes from no file."""
