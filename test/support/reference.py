"""Compiled functions that are run by the reference interpreter: all of the compiler but the way to machine code.

`interpreting("optimized")` traces and optimises as always and interprets the result; "weft" interprets the trace.
What is said of calls (signatures, guards, layouts, copies back, exceptions, Python's state) is as in compiled code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import numpy as np

from support.interpreter import interpret
from weft.backend.cpu.execution.executable import RuntimeFailure
from weft.backend.planning.plan import MachineCode, Plan
from weft.dialect.callbacks import Callback
from weft.dialect.errors import InternalError, PassError, WeftError
from weft.dialect.register import context
from weft.frontend.calls import concrete
from weft.frontend.compiling import compile_function


class Interpreted:
    """A module of the weft dialect in place of an executable, which native code cannot call."""

    def __init__(self, module: Any, name: str, callbacks: Sequence[Callback]) -> None:
        self.plan = Plan(name, [], [], 0, None, [], 0, 0, frozenset(), False, False)
        self.calls_python = bool(callbacks)
        self._module, self._callbacks = module, callbacks

    def __call__(
        self, *arrays: np.ndarray[Any, Any], before_callback: Callable[[], None] | None = None
    ) -> list[np.ndarray[Any, Any]]:
        """Interpret the function; raises RuntimeFailure where the program raises."""
        callbacks = self._callbacks
        if before_callback is not None:
            callbacks = [_after(before_callback, callback) for callback in callbacks]
        try:
            with context(), np.errstate(all="ignore"):
                results = interpret(self._module, self.plan.name, arrays, callbacks)
        except (InternalError, PassError):
            raise
        except BaseException as error:
            if isinstance(error, WeftError) and _is_complaint(error):
                raise
            raise RuntimeFailure(type(error).__name__, str(error), "loc(unknown)", error) from error
        return [np.array(result, order="C") for result in results]  # machine code gives arrays of their own


def _is_complaint(error: WeftError) -> bool:
    """Whether the interpreter complains about the program, which is then wrong, and not a callback about its data."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    return entry is not None and "interpreter" in entry.tb_frame.f_code.co_filename


def _after(first: Callable[[], None], callback: Callback) -> Callback:
    def call(*arrays: Any) -> Any:
        first()
        return callback(*arrays)

    return call


def _machine_code(module: Any, name: str, target: str, **options: Any) -> MachineCode:
    """The module itself, where machine code would be."""
    plan = Plan(name, [], [], 0, None, [], 0, 0, frozenset(), False, False)
    return MachineCode(plan, module.operation.clone(), ())  # type: ignore[arg-type]


def _loaded(
    code: MachineCode, callbacks: Sequence[Callback] = (), device: str | None = None, *others: Any
) -> Interpreted:
    from weft.dialect.mlir import ir

    with context(), ir.Location.unknown():
        module = ir.Module.create()
        for operation in code.object_file.regions[0].blocks[0].operations:  # type: ignore[attr-defined]
            module.body.append(operation.operation.clone())
    return Interpreted(module, code.plan.name, callbacks)


def _unchanged(module: Any) -> None:
    """A stage that does nothing."""


_COMPILER = compile_function.to_linalg, compile_function.machine_code, concrete.loaded


@contextlib.contextmanager
def _with_steps(to_linalg: Any, machine_code: Any, loaded: Any) -> Iterator[None]:
    with (
        mock.patch.multiple(compile_function, to_linalg=to_linalg, machine_code=machine_code),
        mock.patch.object(concrete, "loaded", loaded),
    ):
        yield


@contextlib.contextmanager
def interpreting(stage: str) -> Iterator[None]:
    """Interpret the programs that are compiled in the block: at stage "weft" or "optimized"."""
    with contextlib.ExitStack() as replaced:
        replaced.enter_context(_with_steps(_unchanged, _machine_code, _loaded))
        if stage == "weft":
            replaced.enter_context(mock.patch.object(compile_function, "optimize", _unchanged))
        yield


def compiling() -> contextlib.AbstractContextManager[None]:
    """Make machine code of what is compiled in the block, also where what is around it is interpreted."""
    return _with_steps(*_COMPILER)


__all__ = ["Interpreted", "compiling", "interpreting"]
