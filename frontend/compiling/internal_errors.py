"""What goes wrong inside of weft while it compiles, as an error of weft's that names the step and the user's line.

A pass that meets what it was not written for ends in whatever Python raises. Which op it was at is told by the
variables of its functions: the innermost one that has an op of the module, or a result of one, was looking at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType

from ...dialect.errors import InternalError
from ...dialect.mlir import Module, Operation, ir
from ...passes.pipeline import Step
from ...passes.rewriting import operations_of

_NOWHERE = "loc(unknown)"


def internal_error(error: Exception, name: str) -> InternalError:
    """The error of weft for an exception that came out of the compilation of a function of some name."""
    frames = list(_frames(error))
    step, module = _step_of(frames)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    doing = f"in the step {step} of compiling {name}" if step else f"while {name} was compiled"
    message = f"{what} {doing}; this is a mistake of weft: please report it, with the line"
    return InternalError(message, at="" if module is None else _place(frames, module))


def _frames(error: Exception) -> Iterator[FrameType]:
    """The frames that an exception came through, outermost first."""
    entry = error.__traceback__
    while entry is not None:
        yield entry.tb_frame
        entry = entry.tb_next


def _step_of(frames: list[FrameType]) -> tuple[str, Module | None]:
    """The pass that ran, and the module that it ran on."""
    for frame in reversed(frames):
        step = frame.f_locals.get("step")
        if isinstance(step, Step):
            return step.name, frame.f_locals.get("module")
    return "", None


def _place(frames: list[FrameType], module: Module) -> str:
    """The location of the op that the innermost function was at; that of the function where none is known."""
    alive = _by_handle(module)
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            found = _found(value, alive)
            if found is not None and str(found.location) != _NOWHERE:
                return str(found.location)
    functions = (str(view.operation.location) for view in module.body.operations)
    return next((place for place in functions if place != _NOWHERE), "")


def _found(value: object, alive: Mapping[object, Operation]) -> Operation | None:
    if not isinstance(value, (ir.Operation, ir.OpView, ir.Value)):
        return None
    try:
        return alive.get(value)
    except RuntimeError:  # of an op that is known to be erased
        return None


def _by_handle(module: Module) -> Mapping[object, Operation]:
    """The ops of a module, by themselves and by their results: others may be gone, and are not to be asked."""
    found: dict[object, Operation] = {}
    for op in operations_of(module.operation):
        found[op] = op
        for result in op.results:
            found[result] = op
    return found
