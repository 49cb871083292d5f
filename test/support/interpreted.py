"""Functions that are converted and traced as `weft.function` does, and run by the reference interpreter.

What a call gives is made of the interpreter's arrays in the way it is made of compiled code's, so that types, arguments
afterwards and exceptions can be compared with NumPy at a small part of the time that compiling takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np

from weft.dialect.interpreter import interpret
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.frontend.calls import concrete
from weft.frontend.calls.concrete import ConcreteFunction
from weft.frontend.compiling import compile_function
from weft.frontend.compiling.program import CallSignature, Program
from weft.frontend.function import Function
from weft.frontend.guards.inputs import Decisions
from weft.passes.timing import CompileTimes


class _Interpreter:
    """What stands where the executable of compiled code is."""

    calls_python = False

    def __init__(self, module: Any, symbol: str, callbacks: Sequence[Callable[..., Any]]) -> None:
        self._module, self._symbol, self._callbacks = module, symbol, callbacks

    def __call__(self, *arrays: np.ndarray[Any, Any]) -> list[Any]:
        with np.errstate(all="ignore"):
            return interpret(self._module, self._symbol, arrays, self._callbacks)


class Interpreted(Function):
    """A `weft.function` whose traces are interpreted."""

    def _compiled(
        self, signature: CallSignature, leaves: Sequence[Any], decisions: Decisions
    ) -> ConcreteFunction:
        trace, recorded = compile_function._record(
            self.python_function, self._traced_function, signature, leaves, decisions
        )
        with context(), ir.Location.unknown():
            written = compile_function._written_arguments(trace.module, trace.symbol, signature.position_of)
        state = recorded.state
        program = Program(
            None,  # type: ignore[arg-type]
            trace.callbacks,
            lambda stage: str(trace.module),
            recorded.result,
            recorded.computed_types,
            [*trace.extra],
            written,
            state.shared,
            trace.captures,
            [guard for guard in state.guards if not guard.is_gone()],
            recorded.write_back.updates and recorded.write_back.updates.apply,
            state.stores_early,
            bool(state.inputs),
            CompileTimes(),
        )
        state.forget()
        made = _Interpreter(trace.module, trace.symbol, trace.callbacks)
        with mock.patch.object(concrete, "loaded", return_value=made):
            return ConcreteFunction(signature, program, self._bind)


def interpreted(function: Callable[..., Any]) -> Interpreted:
    """The function, traced at each call of another signature and interpreted."""
    return Interpreted(function, None, None)


__all__ = ["Interpreted", "interpreted"]
